"""Several processes on one database: nothing is done twice, nothing is lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import select

from sigilpost_server.models import entries, games, mails, outgoing
from tests.server.service import racers
from tests.server.service.copies import Copies
from tests.server.service.town import Table, Town

PLAYERS = ("alice", "bob", "carol")
GAMES = 2


def state(town: Town) -> dict[str, Any]:
    """What two runs of the same mails must agree in: chains, results, mails by Message-ID."""
    with town.service.database.read() as db:
        links = db.execute(select(entries.c.game_id, entries.c.number, entries.c.hash)).all()
        ended = db.execute(select(games.c.tag, games.c.status, games.c.result, games.c.seq)).all()
        sent = db.execute(select(outgoing.c.message_id, outgoing.c.recipient)).all()
    return {"links": sorted(links), "games": sorted(ended), "mails": Counter(map(tuple, sent))}


def recorded(town: Town, tables: list[Table]) -> list[bytes]:
    """Play some games to their end side by side; the mails that the players sent."""
    sent = []
    while any(table.status != "finished" for table in tables):
        for table in tables:
            if table.status != "finished":
                raw = town.mail(table.asked, table.order(table.asked, table.line()))
                assert town.deliver(raw).reason == "ok"
                sent.append(raw)
                table.read()
        stranger = town.mail(f"zoe{len(sent)}@else.test", "Hello")
        town.deliver(stranger)
        sent.append(stranger)
        town.post()
    return sent


def test_two_processes_that_get_the_same_mails_at_once_act_once_on_each(copies: Copies) -> None:
    with copies.original() as town:
        town.register(*PLAYERS)
        tables = [town.again(*PLAYERS) for _ in range(GAMES)]
        seconds = town.clock()
    with copies.copy() as other:
        other.adopt(town, tables)
        sent = recorded(other, tables)
        alone = state(other)
    verdicts = racers.race(copies.url, seconds, racers.deliver, [sent, sent])
    with copies.original() as town:
        assert state(town) == alone
        log = town.log()
    for pair in zip(*verdicts, strict=True):
        assert Counter(pair)["duplicate"] == 1
    once = [row.digest for row in log if row.verdict != "duplicate"]
    assert len(once) == len(set(once))


def test_two_processes_drain_one_outbox_without_a_mail_twice(copies: Copies) -> None:
    with copies.original() as town:
        for number in range(30):
            town.deliver(town.mail(f"zoe{number}@else.test", "Hello"))
        seconds = town.clock()
        waiting = [str(mail.mail["Message-ID"]) for mail in town.post()]
    sent = racers.race(copies.url, seconds, racers.drain, [4, 7])
    assert Counter(sent[0] + sent[1]) == Counter(waiting)


def test_two_processes_do_what_is_due_once(copies: Copies) -> None:
    with copies.original() as town:
        town.register(*PLAYERS)
        for _ in range(10):
            town.propose(*PLAYERS)
        town.post()
        seconds = town.clock() + 15 * 86_400
    racers.race(copies.url, seconds, racers.tick, [3, 3])
    with copies.original() as town:
        with town.service.database.read() as db:
            cancelled = db.execute(select(games.c.status)).scalars().all()
            told = db.execute(
                select(outgoing.c.message_id).where(outgoing.c.created == seconds)
            ).all()
        assert set(cancelled) == {"cancelled"}
        assert len(told) == 10 * len(PLAYERS)


def test_two_processes_with_different_moves_for_one_question_play_one_of_them(
    copies: Copies,
) -> None:
    with copies.original() as town:
        town.register(*PLAYERS)
        rounds = []
        for _ in range(6):
            table = town.again(*PLAYERS)
            asked = table.asked
            lines = [f"hide {card}" for card in table.hand[:2]]
            rounds.append([town.mail(asked, table.order(asked, line)) for line in lines])
        seconds = town.clock()
    each = [[pair[0] for pair in rounds], [pair[1] for pair in rounds]]
    verdicts = racers.race(copies.url, seconds, racers.deliver, each)
    for pair in zip(*verdicts, strict=True):
        assert sorted(pair) == ["accepted", "rejected"]
    with copies.original() as town, town.service.database.read() as db:
        assert len(db.execute(select(entries)).all()) == 6 * 2


def test_one_mail_to_four_processes_has_one_effect(copies: Copies) -> None:
    with copies.original() as town:
        raw = town.mail("zoe@else.test", "Hello")
        seconds = town.clock()
    verdicts = racers.race(copies.url, seconds, racers.deliver, [[raw]] * 4)
    assert sorted(one for (one,) in verdicts) == ["duplicate", "duplicate", "duplicate", "rejected"]
    with copies.original() as town:
        assert len(town.post()) == 1
        with town.service.database.read() as db:
            once = select(mails.c.id).where(mails.c.verdict != "duplicate")
            assert len(db.execute(once).all()) == 1
