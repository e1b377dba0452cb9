"""Leagues and the lobby through ``sigil``, with the real service at the other end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sigilpost_server.leagues.director import Director
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
    alice.ok("create", "weaver", bob.address)
    club.round()
    alice.ok("join")
    bob.ok("join")
    club.round()
    alice.ok("resign", "--yes")
    club.round()
    bob.ok("rematch")
    club.round()
    fresh = next(line for line in alice.ok("games").splitlines() if "invited" in line)
    assert fresh.index("bob") < fresh.index("alice")


def test_every_game_is_played_again_with_the_options_that_it_had(club: Post) -> None:
    """Wizards has an option that is no number by default; it can be given, too."""
    alice, bob, _ = club.players.values()
    alice.ok("create", "wizards", bob.address, "-o", "hand_limit=none", "-o", "health=30")
    club.round()
    alice.ok("join")
    bob.ok("join")
    club.round()
    alice.ok("resign", "--yes")
    club.round()
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


def test_ratings_come_with_reliability(club: Post) -> None:
    alice, *_ = club.players.values()
    alice.ok("ratings")
    club.carry()
    assert "Reliability of alice: 100 of 100" in alice.ok("sync")
