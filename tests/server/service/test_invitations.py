"""From a proposal to the first question: invitations, joins, declines, and time running out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find
from sigilpost_engine.wire import chain, fair, payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_server.host import release
from sigilpost_server.models import blocks, games, seats
from tests.server.service.town import Received, Table, Town

DAY = 86_400


@pytest.fixture
def four(town: Town) -> Town:
    """A town with four players."""
    town.register("alice", "bob", "carol", "dan")
    return town


def status(town: Town, tag: str) -> str:
    """The status of a game."""
    with town.service.database.read() as db:
        return str(db.execute(select(games.c.status).where(games.c.tag == tag)).scalar_one())


def commitment(mail: Received) -> str:
    """The commitment in an invitation."""
    assert mail.turn.notice is not None
    return str(mail.turn.notice["commitment"])


def test_everybody_is_invited_by_name_or_address_the_host_too(four: Town) -> None:
    tag = four.propose("alice", "BOB", "carol@player.test", hidden_cards="flat")
    mails = four.post()
    assert sorted(mail.to for mail in mails) == [
        "alice@player.test",
        "bob@player.test",
        "carol@player.test",
    ]
    for mail in mails:
        assert mail.turn.status == "proposed"
        assert mail.turn.options == {"hidden_cards": "flat", "space_match": "each"}
        assert f"sigil join {tag}" in mail.words
    assert len({commitment(mail) for mail in mails}) == 1


def test_somebody_not_registered_is_told_how_to_and_finds_the_seat_kept(four: Town) -> None:
    tag = four.propose("alice", "erin@player.test")
    (invitation,) = [mail for mail in four.post() if mail.to == "erin@player.test"]
    assert "sigil register" in invitation.words
    four.ask_to_register("erin")
    challenge = four.only().turn.notice
    assert challenge is not None
    four.send("erin", payloads.Confirm, token=challenge["token"])
    assert tag in four.only().words
    assert four.send("erin", payloads.Join, game=tag).reason == "ok"


def test_who_proposes_a_game_is_told_to_join_it_too(four: Town) -> None:
    tag = four.propose("alice", "bob")
    subjects = {mail.to: mail.subject for mail in four.post()}
    assert subjects["alice@player.test"] == f"[{tag}] You propose Tome Weaver"
    assert subjects["bob@player.test"] == f"[{tag}] alice invites you to Tome Weaver"


def test_a_join_is_told_who_is_still_missing(four: Town) -> None:
    tag = four.propose("alice", "bob", "carol")
    four.post()
    four.send("bob", payloads.Join, game=tag)
    receipt = four.only()
    assert receipt.to == "bob@player.test"
    assert "alice, carol" in receipt.words
    assert receipt.turn.extra["waiting"] == ["alice", "carol"]


def test_the_last_join_begins_the_game_for_everybody(four: Town) -> None:
    tag = four.start("alice", "bob", "carol")
    began = [mail for mail in four.post() if mail.turn.status == "running"]
    asked = [mail for mail in began if mail.turn.prompt]
    assert [mail.subject for mail in asked] == [f"[{tag}] The game begins: it is your turn"]
    assert [mail.subject for mail in began if mail not in asked] == [f"[{tag}] The game begins"] * 2
    assert status(four, tag) == "running"


def test_the_deal_follows_from_the_committed_secret_and_all_nonces(four: Town) -> None:
    tag = four.propose("alice", "bob")
    committed = commitment(four.post()[0])
    for name in ("bob", "alice"):
        four.send(name, payloads.Join, game=tag, commitment=committed)
    with four.service.database.read() as db:
        game = db.execute(select(games)).one()
        rows = db.execute(select(seats).order_by(seats.c.number)).all()
        signed = {row.digest: row for row in db.execute(select(blocks)).all()}
    assert fair.opens(game.secret, committed)
    joins = [payloads.read(_block(signed[row.join_block])) for row in rows]
    roster = [{"name": row.name, "key": join.key} for row, join in zip(rows, joins, strict=True)]
    nonces = [join.nonce for join in joins]
    options = json.loads(game.options)
    key = fair.game_key(game.secret, tag, options, [join.key for join in joins], nonces)
    match = Match.begin(find("weaver"), ["alice", "bob"], options, key)
    head = chain.start(tag, "weaver", options, roster, committed)
    for mail in four.post():
        if mail.turn.status == "running":
            assert mail.turn.view == match.view(mail.turn.seat - 1)
            assert mail.turn.head == head


def _block(row: Any) -> Block:
    return Block(row.kind, row.payload, row.signature)


def test_a_join_that_names_another_commitment_is_refused(four: Town) -> None:
    tag = four.propose("alice", "bob")
    four.post()
    verdict = four.send("bob", payloads.Join, game=tag, commitment="0" * 64)
    assert verdict.reason == "other-commitment"


def test_a_join_that_names_another_seat_is_refused(four: Town) -> None:
    tag = four.propose("alice", "bob", "carol")
    assert four.send("bob", payloads.Join, game=tag, seat=3).reason == "not-your-seat"
    assert four.send("bob", payloads.Join, game=tag, seat=2).verdict == "accepted"


def test_nobody_joins_twice_or_uninvited(four: Town) -> None:
    tag = four.propose("alice", "bob")
    four.send("bob", payloads.Join, game=tag)
    assert four.send("bob", payloads.Join, game=tag).reason == "not-invited"
    assert four.send("carol", payloads.Join, game=tag).reason == "unknown-game"
    assert four.send("carol", payloads.Join, game="weaver-none").reason == "unknown-game"


def test_a_decline_withdraws_the_invitation_of_everybody(four: Town) -> None:
    tag = four.propose("alice", "bob", "carol", "erin@player.test")
    four.post()
    four.send("carol", payloads.Join, game=tag)
    four.post()
    assert four.send("bob", payloads.Decline, game=tag).reason == "ok"
    mails = {mail.to: mail for mail in four.post()}
    assert sorted(mails) == ["alice@player.test", "bob@player.test", "carol@player.test"]
    assert "bob does not want to play" in mails["alice@player.test"].words
    assert mails["carol@player.test"].turn.status == "cancelled"
    assert status(four, tag) == "cancelled"
    assert four.send("alice", payloads.Join, game=tag).reason == "not-invited"


def test_the_host_takes_a_proposal_back_by_declining(four: Town) -> None:
    tag = four.propose("alice", "bob")
    assert four.send("alice", payloads.Decline, game=tag).reason == "ok"
    assert status(four, tag) == "cancelled"


def test_an_invitation_that_is_not_taken_lapses_once(four: Town) -> None:
    tag = four.propose("alice", "bob", "carol")
    four.send("alice", payloads.Join, game=tag)
    four.post()
    four.clock.advance(14 * DAY - 1)
    four.service.tick()
    assert four.post() == []
    four.clock.advance(1)
    four.service.tick()
    four.service.tick()
    mails = four.post()
    assert sorted(mail.to for mail in mails) == [
        "alice@player.test",
        "bob@player.test",
        "carol@player.test",
    ]
    assert all("Missing: bob, carol" in mail.words for mail in mails)
    assert status(four, tag) == "cancelled"


def test_a_running_game_does_not_lapse(four: Town) -> None:
    tag = four.start("alice", "bob")
    four.clock.advance(30 * DAY)
    four.service.tick()
    assert status(four, tag) == "running"


@pytest.mark.parametrize(
    ("wish", "reason", "word"),
    [
        ({"game": "chess"}, "bad-option", "weaver"),
        ({"options": {"colour": "red"}}, "bad-option", "hidden_cards"),
        ({"options": {"hidden_cards": "maybe"}}, "bad-option", "flat"),
        ({"opponents": []}, "bad-option", "players"),
        ({"opponents": ["bob", "bob@player.test"]}, "bad-option", ""),
        ({"opponents": ["alice"]}, "bad-option", ""),
        ({"opponents": ["nemo"]}, "unknown-player", "nemo"),
        ({"opponents": ["x <y@z.test>@w.test"]}, "unknown-player", ""),
        ({"opponents": ["play@server.test"]}, "unknown-player", ""),
        ({"rules": {"stakes": "high"}}, "bad-option", "stakes"),
    ],
)
def test_a_proposal_that_cannot_be_is_refused_with_what_could(
    four: Town, wish: dict[str, object], reason: str, word: str
) -> None:
    known: dict[str, object] = {
        "game": "weaver",
        "options": {},
        "opponents": ["bob"],
        "rules": {},
    }
    verdict = four.send("alice", payloads.Create, **{**known, **wish})
    assert (verdict.verdict, verdict.reason) == ("rejected", reason)
    assert word in four.only().words
    with four.service.database.read() as db:
        assert db.execute(select(games)).all() == []


def test_a_stranger_is_invited_three_times_a_day_at_most(four: Town) -> None:
    for host in ("alice", "bob", "carol"):
        four.propose(host, "erin@player.test")
    four.post()
    verdict = four.send(
        "dan",
        payloads.Create,
        game="weaver",
        options={},
        opponents=["erin@player.test"],
        rules={},
    )
    assert verdict.reason == "rate-limited"
    assert four.only().to == "dan@player.test"


def test_one_player_proposes_so_many_games_a_day_at_most(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"proposals_per_day": 2}) as town:
        town.register("alice", "bob")
        for _ in range(2):
            town.propose("alice", "bob")
        verdict = town.send(
            "alice", payloads.Create, game="weaver", options={}, opponents=["bob"], rules={}
        )
        assert verdict.reason == "rate-limited"


def test_one_player_sits_at_so_many_tables_at_most(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"running_games": 2}) as town:
        town.register("alice", "bob", "carol")
        for _ in range(2):
            town.start("alice", "bob")
        verdict = town.send(
            "carol", payloads.Create, game="weaver", options={}, opponents=["bob"], rules={}
        )
        assert verdict.reason == "rate-limited"


def test_games_of_one_player_do_not_mix(four: Town) -> None:
    one: Table = four.again("alice", "bob")
    other: Table = four.again("alice", "carol")
    assert one.tag != other.tag
    one.play()
    assert all(mail.turn.game == one.tag for mail in one.read())


def test_an_invitation_that_was_held_when_its_time_ran_out_lapses_after_its_release(
    sqlite_url: str,
) -> None:
    """Else it would stand for ever, and count towards the limit of running games."""
    with Town.on(sqlite_url, clocks={"outage_minutes": 30 * 24 * 60}) as town:
        town.register("alice", "bob")
        tag = town.propose("alice", "bob")
        with town.service.database.write() as db:
            db.execute(games.update().values(status="held"))
        town.clock.advance(15 * DAY)
        town.service.tick()
        town.post()
        assert release(town.service, tag)
        town.clock.advance(DAY)
        town.service.tick()
        assert [mail.subject for mail in town.post()] == [f"[{tag}] The game does not begin"] * 2
