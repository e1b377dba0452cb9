"""Leagues and the lobby through ``sigil``, with the real service at the other end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from sigilpost_server.leagues.director import Director
from sigilpost_server.models import games
from tests.client.test_with_the_server import Post, post  # noqa: F401  # the fixture
from tests.server.leagues.town import FILE


@pytest.fixture
def club(post: Post, tmp_path: Path) -> Post:  # noqa: F811
    """Three players and a league."""
    path = tmp_path / "open.toml"
    path.write_text(FILE)
    Director(post.service, "root").create(path)
    return post


def test_entering_and_the_table_by_mail(club: Post) -> None:
    alice, bob, _ = club.players.values()
    alice.ok("enter", "open")
    club.round()
    bob.ok("standings", "open")
    club.carry()
    out = bob.ok("sync")
    assert "Season 1: open for entry" in out
    assert "1  alice" in out
    bob.ok("leagues")
    club.carry()
    assert "The Open" in bob.ok("sync")


def test_leaving_asks_first(club: Post) -> None:
    alice, *_ = club.players.values()
    alice.ok("enter", "open")
    club.round()
    assert alice.sigil("withdraw", "open").status != 0
    alice.ok("withdraw", "open", "--yes")
    club.carry()
    assert "no longer entered" in alice.ok("sync")


def test_an_offer_is_seen_and_taken_with_what_it_is_committed_to(club: Post) -> None:
    alice, bob, _ = club.players.values()
    alice.ok("create", "weaver", "--open", "1")
    club.round()
    alice.ok("join")
    bob.ok("offers")
    club.carry()
    out = bob.ok("sync")
    tag = next(word for word in out.split() if word.startswith("weaver-"))
    assert "1/2" in out
    bob.ok("accept", tag)
    club.round()
    assert "running" in bob.ok("games")


def test_who_has_taken_a_free_place_is_not_asked_to_join_again(club: Post) -> None:
    alice, bob, _ = club.players.values()
    alice.ok("create", "weaver", "--open", "1")
    club.round()
    (offered,) = json.loads(alice.ok("games", "--json"))["games"]
    bob.ok("offers")
    club.carry()
    bob.ok("sync")
    bob.ok("accept", offered["game"])
    club.round()
    found = json.loads(bob.ok("next", "--json"))
    assert found["invited"] == []
    assert [game["reply"] for game in found["waiting"]] == ["join"]
    assert [game["game"] for game in json.loads(alice.ok("next", "--json"))["invited"]] == [
        offered["game"]
    ]


def test_a_game_that_is_over_is_played_again_with_seats_changed(club: Post) -> None:
    alice, bob, _ = club.players.values()
    played(club)
    bob.ok("rematch")
    club.round()
    fresh = next(line for line in alice.ok("games").splitlines() if "invited" in line)
    assert fresh.index("bob") < fresh.index("alice")


def test_every_game_is_played_again_with_the_options_that_it_had(club: Post) -> None:
    """Wizards has an option that is no number by default; it can be given, too."""
    alice, bob, _ = club.players.values()
    played(club, "-o", "hand_limit=none", "-o", "health=30", kind="wizards")
    (over,) = json.loads(bob.ok("games", "--json"))["games"]
    bob.ok("rematch")
    club.round()
    again = next(
        game
        for game in json.loads(alice.ok("games", "--json"))["games"]
        if game["status"] == "proposed"
    )
    assert again["options"] == over["options"]
    assert over["options"]["health"] == 30


def played(club: Post, *how: str, kind: str = "weaver") -> None:
    """A game of alice and bob that is over."""
    alice, bob, _ = club.players.values()
    alice.ok("create", kind, bob.address, *how)
    club.round()
    alice.ok("join")
    bob.ok("join")
    club.round()
    alice.ok("resign", "--yes")
    club.round()


def proposed(club: Post, *how: str) -> dict[str, dict[str, str]]:
    """What bob's rematch comes to, as the server has it."""
    _, bob, _ = club.players.values()
    bob.ok("rematch", *how)
    club.carry()
    with club.service.database.read() as db:
        statement = select(games.c.options, games.c.rules).where(games.c.status == "proposed")
        options, rules = db.execute(statement).one()
    return {"options": json.loads(options), "rules": json.loads(rules)}


FORMER = ("--clock", "3d per move, weekends off", "--timeout", "claim", "--credentials", "code")


def test_a_rematch_has_the_clock_and_all_the_other_terms_of_the_former_game(club: Post) -> None:
    played(club, *FORMER, "--rule", "rated=no", "-o", "hidden_cards=flat")
    again = proposed(club)
    assert again["options"]["hidden_cards"] == "flat"
    assert again["rules"] == {
        "clock": "3d per move, weekends off",
        "timeout": "claim",
        "credentials": "code",
        "rated": "no",
    }


def test_what_is_given_to_a_rematch_counts_in_the_place_of_what_was(club: Post) -> None:
    played(club, *FORMER, "-o", "hidden_cards=flat")
    other = ("--clock", "1d per move", "--credentials", "signed", "--rule", "rated=no")
    again = proposed(club, *other, "-o", "space_match=once")
    assert again["options"]["hidden_cards"] == "flat"
    assert again["options"]["space_match"] == "once"
    assert again["rules"] == {
        "clock": "1d per move",
        "timeout": "claim",
        "credentials": "signed",
        "rated": "no",
    }


def test_a_rematch_without_a_clock_asks_for_none(club: Post) -> None:
    """The server's default may be another one by then."""
    played(club, "--clock", "no limit")
    assert proposed(club)["rules"]["clock"] == "no limit"


def test_a_rematch_can_do_without_the_former_clock(club: Post) -> None:
    played(club, *FORMER)
    assert proposed(club, "--clock", "no limit")["rules"]["clock"] == "no limit"


def test_a_rematch_is_of_the_game_that_is_over_whatever_else_goes_on(club: Post) -> None:
    alice, bob, _ = club.players.values()
    played(club)
    bob.ok("create", "weaver", alice.address)
    club.round()
    alice.ok("join")
    bob.ok("join")
    club.round()
    assert proposed(club)["rules"]


def test_a_wrong_option_of_a_rematch_is_told_at_once(club: Post) -> None:
    played(club)
    _, bob, _ = club.players.values()
    done = bob.sigil("rematch", "-o", "hidden_cards=maybe")
    assert done.status != 0
    assert "hidden_cards" in done.err


def test_ratings_come_with_reliability(club: Post) -> None:
    alice, *_ = club.players.values()
    alice.ok("ratings")
    club.carry()
    assert "Reliability of alice: 100 of 100" in alice.ok("sync")


def test_places_of_an_offer_move_up_when_somebody_leaves_and_everybody_plays(club: Post) -> None:
    alice, bob, carol = club.players.values()
    alice.ok("create", "weaver", "--open", "2")
    club.round()
    (offered,) = json.loads(alice.ok("games", "--json"))["games"]
    tag = offered["game"]
    for player in (bob, carol):
        player.ok("accept", tag)
        club.round()
    bob.ok("decline", tag)
    club.round()
    bob.ok("accept", tag)
    club.round()
    alice.ok("join")
    club.round()
    for player in club.players.values():
        (game,) = json.loads(player.ok("games", "--json"))["games"]
        assert (game["status"], game["seats"]) == ("running", ["alice", "carol", "bob"])
        assert tag in player.ok("show", tag)
