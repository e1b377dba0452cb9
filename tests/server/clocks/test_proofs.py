"""Games in which the clock, bots, standing orders or substitutes acted are proved all the same."""

from __future__ import annotations

import pytest

from sigilpost_engine import games
from sigilpost_engine.audit.verify import Report, verify
from sigilpost_engine.wire import payloads
from sigilpost_server import transcripts
from sigilpost_server.transaction.play import Play
from tests.audit.independent import Verifier
from tests.server.clocks.hours import DAY, ask, begin, kept_entries, others, standing, to, wait
from tests.server.service.town import Received, Table, Town


def proved(table: Table) -> Report:
    """What checking the transcript of a finished game finds; it must be true."""
    service = table.town.service
    with service.database.read() as db:
        play = Play.load(db, table.tag, lock=False)
        assert play is not None
        data = transcripts.of_game(db, play, service.house)
    report = verify(data, games.find, (), [service.house.key.public.raw])
    assert report.fault is None, report.fault
    Verifier(data, games.find)
    return report


def read(table: Table, mails: list[Received]) -> None:
    for mail in mails:
        table.docs[mail.to.split("@")[0]] = mail.turn


@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_a_game_that_a_bot_ends(town: Town, bot: str) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout=f"bot {bot}, no reminders")
    read(table, wait(town, 2 * DAY))
    while table.status != "finished":
        assert table.play().reason == "ok"
        table.read()
    assert proved(table).checked["bot"] > 3


def test_a_forfeit(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="no reminders")
    table.play()
    table.read()
    late = table.asked
    wait(town, 2 * DAY)
    assert proved(table).result == {"forfeited": late, "winners": others(table, late)}


def test_a_claim(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="claim, no reminders")
    late = table.asked
    wait(town, 2 * DAY)
    ask(town, others(table, late)[0], "claim", table.tag)
    assert proved(table).result["forfeited"] == late


def test_standing_orders(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.idle
    cards = games.find("weaver").cards
    standing(town, table, name, *[f"on turn do exchange {c}; hide {c}" for c in cards[:18]])
    standing(town, table, name, *[f"when hand > 1 do hide {c}" for c in cards])
    town.post()
    while table.status != "finished":
        assert table.play().reason == "ok"
        table.read()
    assert proved(table).checked["standing"] > 1


def test_lines_of_one_mail_go_on_where_others_answer_between_them(town: Town) -> None:
    table = town.begin("alice", "bob")
    mover, name = table.asked, table.idle
    view = table.docs[name].view
    assert view is not None
    standing(town, table, name, *[f"do hide {card}" for card in view[name]["hand"]])
    town.post()
    view = table.docs[mover].view
    assert view is not None
    one, two, three, *_ = view[mover]["hand"]
    assert table.play(f"hide {one}", f"exchange {two}", f"hide {three}").reason == "ok"
    table.read()
    actors = [entry.actor.partition(" ")[0] for entry in kept_entries(town, table.tag)[1:]]
    assert actors == ["", "standing", "", "", "standing"]
    while table.status != "finished":
        assert table.play().reason == "ok"
        table.read()
    proved(table)


def test_a_substitute_plays_the_game_to_its_end(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="substitute, no reminders")
    late = table.asked
    town.register("carol")
    ask(town, "carol", "substitute", "on")
    town.post()
    wait(town, 2 * DAY)
    ask(town, "carol", "substitute", "take", table.tag)
    mails = town.post()
    # From here on carol reads and writes for the seat.
    table.docs[late] = to(mails, "carol")[0].turn
    table.town.people[late], old = table.town.people["carol"], table.town.people[late]
    while table.status != "finished":
        assert table.play().reason == "ok"
        table.read()
    table.town.people[late] = old
    assert proved(table).checked["substitutes"] == 1
    assert town.send("carol", payloads.Request, what="games", args=()).reason == "ok"
