"""Standing orders: kept for a seat, used whenever they fit, and heard of by nobody else."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from sigilpost_engine import games
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import STANDING_LINE_MAX, STANDING_MAX
from sigilpost_engine.wire.turn import TurnDoc
from sigilpost_server.clock import ManualClock
from sigilpost_server.db import Database, open_engine
from sigilpost_server.models import standing_orders
from sigilpost_server.service import Service
from sigilpost_server.settings import Settings
from sigilpost_server.transaction import automatic
from sigilpost_server.transaction.house import House
from tests.server.clocks.hours import DAY, ask, begin, kept_entries, others, standing, to, wait
from tests.server.service.town import SERVER, Table, Town

HIDES = "on turn do hide {}"


@pytest.fixture
def table(town: Town) -> Table:
    """A game of two without clock."""
    return town.begin("alice", "bob")


def hand(table: Table, name: str) -> list[str]:
    """Somebody's hand, as their newest mail shows it."""
    view = table.docs[name].view
    assert view is not None
    cards: list[str] = view[name]["hand"]
    return cards


def kept(table: Table, name: str) -> list[dict[str, Any]]:
    """The orders that the newest mail to somebody lists."""
    found: list[dict[str, Any]] = list(table.docs[name].extra["standing"])
    return found


# --- keeping --------------------------------------------------------------------------------------


def test_orders_are_kept_in_their_order_with_numbers_that_stay(any_town: Town) -> None:
    town = any_town
    table = town.begin("alice", "bob")
    name = table.idle
    assert standing(town, table, name, "do hide a1", "do hide a2").reason == "ok"
    assert standing(town, table, name, "on turn do hide a3", before=2).reason == "ok"
    seat = table.docs[name].seat
    verdict = town.send(name, payloads.Standing, game=table.tag, seat=seat, remove=(1,))
    assert verdict.reason == "ok"
    mails = town.post()
    assert {mail.to for mail in mails} == {f"{name}@player.test"}
    last = mails[-1]
    assert last.turn.extra["standing"] == [
        {"number": 3, "line": "on turn do hide a3", "used": 0},
        {"number": 2, "line": "do hide a2", "used": 0},
    ]
    assert "3: on turn do hide a3" in last.words
    assert "Nobody else hears of them" in last.words
    standing(town, table, name, "do hide a4")
    assert [each["number"] for each in town.only().turn.extra["standing"]] == [3, 2, 4]


def test_an_order_for_the_open_question_is_not_used_on_it(table: Table) -> None:
    town, name = table.town, table.asked
    before = len(kept_entries(town, table.tag))
    standing(town, table, name, HIDES.format(hand(table, name)[0]))
    assert len(kept_entries(town, table.tag)) == before
    assert town.only().turn.extra["standing"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hide a3", "needs “do” and a command"),
        ("on dinner do hide a3", "no kind of question of this game"),
        ("when cards > 3 do hide a3", "“cards” is no fact of this game"),
        ("do hide a3; ", "A command is missing"),
    ],
)
def test_what_is_no_order_is_refused_and_nothing_is_kept(
    table: Table, line: str, said: str
) -> None:
    town, name = table.town, table.idle
    assert standing(town, table, name, "do hide a1", line).reason == "unparseable"
    mail = town.only()
    assert said in mail.words
    with town.service.database.read() as db:
        assert db.execute(select(standing_orders)).all() == []


def test_numbers_that_are_not_there_are_refused(table: Table) -> None:
    town, name = table.town, table.idle
    seat = table.docs[name].seat
    for values in ({"remove": (1,)}, {"add": ("do hide a1",), "before": 7}):
        verdict = town.send(name, payloads.Standing, game=table.tag, seat=seat, **values)
        assert verdict.reason == "unparseable"
        assert "You have no standing order" in town.only().words


def test_one_block_can_set_all_orders_that_are_kept_for_a_seat_and_remove_them_all(
    table: Table,
) -> None:
    town, name = table.town, table.idle
    assert standing(town, table, name, *["do hide a1"] * STANDING_MAX).reason == "ok"
    assert standing(town, table, name, "do hide a1").reason == "unparseable"
    town.post()
    everything = tuple(range(1, STANDING_MAX + 1))
    assert standing(town, table, name, "do hide b1", remove=everything).reason == "ok"
    with town.service.database.read() as db:
        left = select(standing_orders.c.line).where(standing_orders.c.gone.is_(False))
        assert db.execute(left).scalars().all() == ["do hide b1"]


def test_the_longest_order_of_the_language_fits_into_a_block() -> None:
    from sigilpost_engine.core.standing import LONGEST

    assert STANDING_LINE_MAX == LONGEST


def test_nobody_keeps_orders_for_another_seat(table: Table) -> None:
    town = table.town
    one, two = table.names
    seat = table.docs[two].seat
    assert standing(town, table, one, "do hide a1", seat=seat).reason == "not-your-seat"
    town.post()
    town.register("carol")
    verdict = town.send("carol", payloads.Standing, game=table.tag, seat=1, add=("do hide a1",))
    assert verdict.reason == "wrong-key"


def test_they_can_be_ready_before_the_game_begins(town: Town) -> None:
    town.register("alice", "bob")
    tag = town.propose("alice", "bob")
    for seat, name in enumerate(("alice", "bob"), start=1):
        verdict = town.send(
            name, payloads.Standing, game=tag, seat=seat, add=("on turn do exchange a; hide a",)
        )
        assert verdict.reason == "ok"
    assert town.send("alice", payloads.Join, game=tag).reason == "ok"
    assert town.send("bob", payloads.Join, game=tag).reason == "ok"


def test_a_game_that_is_over_keeps_none(table: Table) -> None:
    town = table.town
    town.send("alice", payloads.Resign, game=table.tag, seat=table.docs["alice"].seat)
    assert standing(town, table, "bob", "do hide a1").reason == "not-running"


# --- using ----------------------------------------------------------------------------------------


def test_the_first_order_that_fits_and_is_legal_is_used_and_the_mail_says_which(
    any_town: Town,
) -> None:
    town = any_town
    table = town.begin("alice", "bob")
    name = table.idle
    card = hand(table, name)[0]
    standing(
        town,
        table,
        name,
        "on finish-turn do hide nothing",
        "when hand < 3 do hide nothing",
        f"when hand = {len(hand(table, name)) + 1} do hide {card}",
        "do hide nothing at all",
        f"on turn when hand > 3 do hide {card}",
        f"do exchange {card}",
    )
    town.post()
    table.play()
    mails = town.post()
    (mine,) = to(mails, name)
    assert f"Your standing order 5 has answered: hide {card}." in mine.words
    assert mine.turn.prompt is None
    assert mine.turn.extra["standing"][4]["used"] == 1
    entry = kept_entries(town, table.tag)[-1]
    assert (entry.actor, json.loads(entry.answer)) == ("standing 5", ["hide", "", [card]])
    assert entry.block is not None


def test_who_wrote_last_is_asked_again_at_once(table: Table) -> None:
    """With the opponent's order, a turn takes no day: the answer brings the next question."""
    town, mover, name = table.town, table.asked, table.idle
    standing(town, table, name, f"do hide {hand(table, name)[0]}")
    town.post()
    table.play()
    (answer,) = to(table.read(), mover)
    assert answer.turn.prompt is not None
    assert f"{name} hides a card face down" in answer.words


def test_several_commands_are_played_like_the_lines_of_a_mail(table: Table) -> None:
    town, name = table.town, table.idle
    one, two = hand(table, name)[:2]
    standing(town, table, name, f"on turn do exchange {one}; hide {two}; hide {two}")
    town.post()
    table.play()
    table.read()
    fresh = kept_entries(town, table.tag)[-2:]
    assert [json.loads(entry.answer)[0] for entry in fresh] == ["exchange", "hide"]
    assert [entry.line for entry in fresh] == [0, 1]


def test_once_is_once(table: Table) -> None:
    town, name = table.town, table.idle
    one, two = hand(table, name)[:2]
    standing(town, table, name, f"do hide {one} once", f"do hide {two} once")
    town.post()
    table.play()
    table.read()
    assert [each["number"] for each in kept(table, name)] == [2]
    table.play()
    table.read()
    assert kept(table, name) == []
    table.play()
    table.read()
    assert table.asked == name


def test_until_ends_with_its_day_in_the_player_s_zone(table: Table) -> None:
    town, name = table.town, table.idle
    one, two = hand(table, name)[:2]
    standing(
        town, table, name, f"do hide {one} once until 2023-11-14", f"do hide {two} until 2023-11-15"
    )
    town.post()
    # It is 23:13 in Berlin on 14 November 2023, by the town's clock.
    town.clock.advance(3600)
    table.play()
    table.read()
    assert json.loads(kept_entries(town, table.tag)[-1].answer) == ["hide", "", [two]]


def test_an_order_removed_is_used_no_more(table: Table) -> None:
    town, name = table.town, table.idle
    standing(town, table, name, f"do hide {hand(table, name)[0]}")
    seat = table.docs[name].seat
    town.send(name, payloads.Standing, game=table.tag, seat=seat, remove=(1,))
    town.post()
    table.play()
    table.read()
    assert table.asked == name


def test_both_with_orders_play_on_by_themselves_and_the_game_ends(town: Town) -> None:
    """Every seat has an order for everything: one mail plays the rest of the game, bounded."""
    table = town.begin("alice", "bob")
    everything = [f"on turn do hide {card}" for card in games.find("weaver").cards]
    for name in table.names:
        assert standing(town, table, name, *everything[:18]).reason == "ok"
        assert standing(town, table, name, *everything[18:]).reason == "ok"
    town.post()
    table.play()
    mails = town.post()
    over = [mail for mail in mails if mail.turn.status == "finished"]
    assert {mail.to for mail in over} == {"alice@player.test", "bob@player.test"}
    actors = [entry.actor.partition(" ")[0] for entry in kept_entries(town, table.tag)[2:]]
    assert set(actors) == {"standing"}


def test_the_loop_is_bounded(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the bound the orders rest, and whoever is asked gets a mail as ever."""
    monkeypatch.setattr(automatic, "MOST_ANSWERS", 3)
    table = town.begin("alice", "bob")
    cards = games.find("weaver").cards
    for name in table.names:
        standing(town, table, name, *[f"do hide {card}" for card in cards[:18]])
        standing(town, table, name, *[f"do hide {card}" for card in cards[18:]])
    town.post()
    before = len(kept_entries(town, table.tag))
    table.play()
    assert len(kept_entries(town, table.tag)) == before + 4
    table.read()
    assert table.status == "running"
    assert table.docs[table.asked].prompt is not None


def test_bots_and_orders_together(town: Town) -> None:
    """An absent player's orders count before the bot; both are marked."""
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy, no reminders")
    away, (here,) = table.asked, others(table, table.asked)
    card = hand(table, away)[0]
    standing(town, table, away, f"on turn do hide {card} once")
    town.post()
    for mail in wait(town, 2 * DAY):
        table.docs[mail.to.split("@")[0]] = mail.turn
    assert table.asked == here
    for _ in range(2):
        table.play()
        table.read()
    seat = table.docs[away].seat - 1
    actors = [entry.actor for entry in kept_entries(town, table.tag)[1:] if entry.seat == seat]
    assert actors == ["bot greedy", "standing 1", "bot greedy"]


# --- secrets --------------------------------------------------------------------------------------


def town_without_chance(url: str) -> Town:
    """A town in which nothing is left to chance: another one lives through the same."""
    numbers = itertools.count(1)

    def chance(size: int) -> bytes:
        return next(numbers).to_bytes(size, "big")

    settings = Settings.model_validate({"server": {"address": SERVER}})
    house = House.with_key(settings, PrivateKey.from_seed(b"s" * 32), chance)
    clock = ManualClock()
    return Town(Service(house, Database(open_engine(url)), clock), clock)


def read_by_others(town: Town, *lines: str) -> list[tuple[str, str, TurnDoc]]:
    """What everybody but the player who is to answer gets to read of two moves, with these
    standing orders kept for that player."""
    table = town.begin("alice", "bob", "carol")
    seat = table.docs[table.asked].seat % 3 + 1
    keeper = next(name for name in table.names if table.docs[name].seat == seat)
    if lines:
        standing(town, table, keeper, *lines)
    else:
        ask(town, keeper, "games")  # so that all blocks have the same nonces
    town.post()
    found = []
    for _ in range(2):
        doc = table.docs[table.asked]
        assert doc.prompt is not None
        answer = list(Prompt.from_json(dict(doc.prompt)).answers())[-1]
        table.play(games.find("weaver").phrase(answer))
        for mail in table.read():
            if mail.to != f"{keeper}@player.test":
                found.append((mail.to, mail.text, mail.turn))
    town.service.close()
    return found


def test_orders_that_do_not_answer_leave_no_trace_for_anybody_else(
    sqlite_url: str, tmp_path: Path
) -> None:
    """Not fitting, refused, out of date: the others read the same as without any."""
    copy = tmp_path / "another.db"
    shutil.copyfile(sqlite_url.removeprefix("sqlite:///"), copy)
    without = read_by_others(town_without_chance(sqlite_url))
    with_orders = read_by_others(
        town_without_chance(f"sqlite:///{copy}"),
        "on turn do hide nothing",
        "when hand > 99 do hide a1",
        "do hide a1 until 2001-01-01",
    )
    assert without
    assert with_orders == without


def test_nobody_else_is_told_that_an_order_answered(table: Table) -> None:
    town, mover, name = table.town, table.asked, table.idle
    standing(town, table, name, f"do hide {hand(table, name)[0]}")
    town.post()
    table.play()
    (mail,) = to(table.read(), mover)
    assert b"standing order" not in mail.raw.lower()
    assert mail.turn.extra["standing"] == []
    assert not any(id.startswith("clock.") for id, _ in mail.turn.events)


def test_a_line_is_never_in_another_s_mail(table: Table) -> None:
    town, name = table.town, table.idle
    standing(town, table, name, "when highest = 9 do hide uk9; hide uk8")
    town.post()
    table.play()
    for mail in table.read():
        if not mail.to.startswith(name):
            assert "uk9" not in mail.text
            assert b"highest" not in mail.attachment
