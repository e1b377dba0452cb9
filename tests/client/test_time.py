"""Clocks and standing orders at the client, with the real service at the other end."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sigilpost_engine.wire.payloads import Request, Standing
from tests.client.conftest import Player
from tests.client.host import Host, Table, payload_of
from tests.client.test_with_the_server import Post, asked_player, begun, post, question

__all__ = ["post"]

DAY = 86_400


@pytest.fixture
def timed(post: Post) -> str:  # the fixture, imported by its name
    """A game with a clock that all three have joined; its tag."""
    return begun(post, "--clock", "3d per move", "--timeout", "bot greedy")


def kept(player: Player) -> list[dict[str, Any]]:
    orders: list[dict[str, Any]] = json.loads(player.ok("standing", "list", "--json"))["standing"]
    return orders


def tried(player: Player, *lines: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(player.ok("standing", "test", *lines, "--json"))[
        "orders"
    ]
    return found


# --- with the service -----------------------------------------------------------------------------


def test_the_deadline_is_shown_with_the_question(post: Post, timed: str) -> None:
    player = asked_player(post)
    deadline = question(player)["deadline"]
    assert isinstance(deadline, int)
    assert abs(deadline - time.time() - 3 * DAY) < 300
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(deadline))
    left = "(2 days and 23|3 days and 0) hours left"
    assert re.search(f"Until {when}: {left}", player.ok("next"))
    for other in post.players.values():
        if other is not player:
            assert "Until" not in other.ok("next")


def test_an_order_is_added_listed_used_and_removed(post: Post, timed: str) -> None:
    mover = asked_player(post)
    seats = json.loads(mover.ok("games", "--json"))["games"][0]["seats"]
    name = seats[(seats.index(mover.name) + 1) % 3]
    player = next(each for each in post.players.values() if each.name == name)
    hand = json.loads(player.ok("show", "--json"))["view"][name]["hand"]
    lines = [f"on turn when hand > 1 do hide {card}" for card in hand[:2]]
    out = player.ok("standing", "add", timed, *lines)
    assert "Sent to" in out
    post.carry()
    assert "2 standing orders are kept" in player.ok("sync")
    assert [each["line"] for each in kept(player)] == lines
    player.ok("standing", "add", f"on turn do hide {hand[2]} once", "--before", "1")
    post.round()
    assert [each["number"] for each in kept(player)] == [3, 1, 2]

    menu = question(mover)["menu"]
    assert isinstance(menu, list)
    mover.ok("move", str(menu[-1]).partition(" / ")[0])
    post.carry()
    told = player.ok("sync")
    assert f"Your standing order 3 has answered: hide {hand[2]}." in told
    assert [each["number"] for each in kept(player)] == [1, 2]

    player.ok("standing", "remove", timed, "1")
    post.round()
    assert [each["number"] for each in kept(player)] == [2]
    assert f"  2  {lines[1]}" in player.ok("standing", "list")


def test_a_holiday_is_announced_listed_and_told_to_the_others(
    post: Post,
    timed: str,
) -> None:
    alice, bob, _ = post.players.values()
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 10 * DAY))
    alice.ok("vacation", day, "to", day)
    post.carry()
    assert "your clocks stand still" in alice.ok("sync")
    assert "alice is on holiday" in bob.ok("sync")
    alice.ok("vacation")
    post.carry()
    assert "Holiday from" in alice.ok("sync")
    alice.ok("vacation", "cancel", day)
    post.carry()
    assert "is cancelled" in alice.ok("sync")


def test_pauses_are_voted_on_and_emergencies_are_not(post: Post, timed: str) -> None:
    for player in post.players.values():
        player.ok("pause", timed, "--days", "10")
        post.carry()
    alice, *others = post.players.values()
    assert "Everybody agrees" in alice.ok("sync")
    alice.ok("pause", "--emergency")
    post.carry()
    for other in others:
        assert "alice has an emergency" in other.ok("sync")
    alice.ok("resume", timed)
    post.carry()
    assert "another goes on" in alice.ok("sync")


def test_what_cannot_be_done_now_is_answered(post: Post, timed: str) -> None:
    alice = next(iter(post.players.values()))
    for command, said in (
        (("claim", timed, "--yes"), "Nobody’s time is out"),
        (("back", timed), "No bot acts for you"),
        (("substitute", "take", timed), "You have no game of that name"),
        (("substitute", "on", "weaver"), "You may be offered the seat"),
        (("resume", timed), "do not stand still"),
    ):
        alice.ok(*command)
        post.carry()
        assert said in alice.ok("sync"), command


# --- alone ----------------------------------------------------------------------------------------


@pytest.fixture
def asked(alice: Player, table: Table) -> Player:
    """Alice, who is asked something and keeps two orders."""
    standing = [
        {"number": 4, "line": "on turn when hand < 3 do hide nothing", "used": 0},
        {"number": 2, "line": f"do {table.some_line()}", "used": 3},
        {"number": 7, "line": "do hide a1", "used": 1},
    ]
    alice.receive(table.document(0, extra={"waiting": ["alice"], "standing": standing}))
    alice.ok("sync")
    return alice


def test_test_says_of_each_order_what_would_come_of_it(asked: Player, table: Table) -> None:
    first, second, third = tried(asked)
    assert (first["holds"], first["fits"], first["used"]) == (False, False, False)
    assert second["used"]
    assert second["answer"]
    assert third["later"]
    out = asked.ok("standing", "test")
    assert "its condition does not hold now" in out
    assert f"would answer: {second['answer']}" in out
    assert "not reached" in out
    assert asked.sent == []


def test_test_tries_other_lines_than_those_that_are_kept(asked: Player) -> None:
    outcomes = tried(
        asked, "on finish-turn do hide a1", "do hide nothing", "do hide x until 2001-01-01"
    )
    assert [each["fits"] for each in outcomes] == [False, True, False]
    assert "is nothing in this game" in outcomes[1]["why"]
    assert outcomes[2]["expired"]
    assert "would be refused" in asked.ok("standing", "test", "do hide nothing")


@pytest.mark.parametrize(
    ("zone", "before"), [("Pacific/Kiritimati", "Etc/GMT+12"), ("Etc/GMT+12", "Pacific/Kiritimati")]
)
def test_an_order_counts_to_the_end_of_the_day_in_the_zone_that_the_server_knows(
    asked: Player, monkeypatch: pytest.MonkeyPatch, zone: str, before: str
) -> None:
    """Between these two zones it is always another day."""
    asked.ok("init", "--again", "--zone", zone)
    here, there = (datetime.now(ZoneInfo(name)).date() for name in (zone, before))
    monkeypatch.setenv("TZ", before)
    time.tzset()
    try:
        outcomes = tried(asked, f"do hide a1 until {here}", f"do hide a1 until {there}")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert [each["expired"] for each in outcomes] == [False, there < here]


def test_where_nothing_is_asked_test_tells_how_the_conditions_stand(
    alice: Player, table: Table
) -> None:
    while table.turn == 0:
        table.play(table.some_line())
    alice.receive(table.document(0))
    alice.ok("sync")
    out = alice.ok("standing", "test", "when hand > 1 do hide a1", "when hand > 99 do hide a1")
    assert "You are asked nothing" in out
    assert "its condition holds now" in out
    assert "does not hold" in out


def test_what_is_no_order_is_refused_before_it_is_signed(asked: Player) -> None:
    for line in ("hide a1", "on dinner do hide a1", "when heath > 3 do hide a1"):
        done = asked.sigil("standing", "add", line)
        assert done.status == 4
        assert "is no standing order" in done.err
        assert "sigil facts weaver" in done.err
    assert asked.sigil("standing", "remove", "first").status == 2
    assert asked.sent == []


def test_the_signed_block_says_what_was_typed(asked: Player) -> None:
    asked.ok("standing", "add", "on  Turn do hide a1 ", "--before", "2")
    asked.ok("standing", "remove", "2", "7")
    added, removed = map(payload_of, asked.sent)
    assert isinstance(added, Standing)
    assert (added.add, added.before, added.remove) == (("on Turn do hide a1",), 2, ())
    assert isinstance(removed, Standing)
    assert (removed.add, removed.remove) == ((), (2, 7))


def test_facts_of_a_kind_and_as_they_are_now(asked: Player, table: Table) -> None:
    kind = json.loads(asked.ok("facts", "weaver", "--json"))
    assert kind["now"] == {}
    assert "turn" in kind["topics"]
    now = json.loads(asked.ok("facts", table.tag, "--json"))["now"]
    assert set(now) == set(kind["facts"])
    assert now["exchanged"] is False
    shown = asked.ok("facts", table.tag)
    assert "The highest value in your hand" in shown
    assert str(now["highest"]) in shown
    assert asked.sigil("facts", "chess").status == 5


@pytest.mark.parametrize(
    ("command", "what", "args"),
    [
        (("vacation", "2026-12-20", "to", "2027-01-03"), "vacation", ("2026-12-20", "2027-01-03")),
        (("vacation", "cancel", "2026-12-20"), "vacation", ("cancel", "2026-12-20")),
        (("vacation",), "vacation", ()),
        (("pause",), "pause", ("weaver-7k2q", "14")),
        (("pause", "--days", "3"), "pause", ("weaver-7k2q", "3")),
        (("pause", "--emergency"), "emergency", ()),
        (("resume",), "resume", ("weaver-7k2q",)),
        (("claim", "--yes"), "claim", ("weaver-7k2q",)),
        (("back",), "back", ("weaver-7k2q",)),
        (("substitute", "on"), "substitute", ("on",)),
        (("substitute", "off", "tome"), "substitute", ("off", "tome")),
        (("substitute", "take", "tome-2abc"), "substitute", ("take", "tome-2abc")),
        (("substitute", "refuse", "tome-2abc"), "substitute", ("refuse", "tome-2abc")),
    ],
)
def test_every_command_about_time_signs_its_request(
    asked: Player, command: tuple[str, ...], what: str, args: tuple[str, ...]
) -> None:
    asked.ok(*command)
    (raw,) = asked.sent
    payload = payload_of(raw)
    assert isinstance(payload, Request)
    assert (payload.what, payload.args) == (what, args)


@pytest.mark.parametrize(
    "days",
    [
        ("soon",),
        ("2026-02-30",),
        ("cancel",),
        ("2026-01-01", "2026-01-02", "2026-01-03"),
        ("20261220",),
        ("2026-W52-1",),
        ("to",),
        ("2027-01-03", "to", "2026-12-20"),
    ],
)
def test_days_that_are_none_are_refused_at_once(alice: Player, days: tuple[str, ...]) -> None:
    done = alice.sigil("vacation", *days)
    assert done.status == 2
    assert "2026-12-20 to 2027-01-03" in done.err
    assert alice.sent == []


def test_an_emergency_is_not_for_one_game(asked: Player) -> None:
    """Whoever names a game would be surprised that all of them stand still."""
    done = asked.sigil("pause", "weaver-7k2q", "--emergency")
    assert done.status == 2
    assert "stops all your games" in done.err
    assert asked.sent == []


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (("remove", "0"), 2, "Orders are removed by their numbers"),
        (("remove", "99999999999"), 2, "Orders are removed by their numbers"),
        (("add", "do hide a1", "--before", "99999999"), 2, "--before"),
        (("add", *["do hide a1"] * 51), 2, "At most 50 standing orders"),
        (("add", "do hide a1 until 2026-02-30"), 4, "is no date"),
        (("add", "do hide a1 until 2020-02-29"), 4, "2020-02-29 is over"),
    ],
)
def test_orders_that_the_server_would_not_keep_are_not_sent(
    asked: Player, command: tuple[str, ...], status: int, said: str
) -> None:
    done = asked.sigil("standing", *command)
    assert done.status == status
    assert said in done.err
    assert "it must be something else" not in done.err
    assert asked.sent == []


@pytest.mark.parametrize("typed", ["TOME-2ABC", "[tome-2abc]", " tome-2abc "])
def test_a_seat_is_taken_by_the_tag_as_it_is_read(asked: Player, typed: str) -> None:
    asked.ok("substitute", "take", typed)
    payload = payload_of(asked.sent[0])
    assert isinstance(payload, Request)
    assert payload.args == ("take", "tome-2abc")


@pytest.mark.parametrize("typed", ["", "that one", "x" * 300])
def test_what_is_no_tag_is_on_offer_nowhere(asked: Player, typed: str) -> None:
    assert asked.sigil("substitute", "take", typed).status == 5
    assert asked.sent == []


def test_a_claim_asks_before_it_ends_a_game(asked: Player) -> None:
    assert asked.sigil("claim").status == 2
    assert asked.sent == []


def test_a_document_from_before_standing_orders_keeps_none(alice: Player, host: Host) -> None:
    table = Table(host)
    alice.receive(table.document(0))
    alice.ok("sync")
    assert kept(alice) == []
    assert "No standing order" in alice.ok("standing", "list")
