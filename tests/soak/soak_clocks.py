"""A year of days: hundreds of games with clocks, among people who are late, away, or gone.

Everything is the real service by real signed mails; only its clock is moved. People answer after
a time drawn from a distribution with a long tail, some never; they take holidays, have
emergencies, come back from bots, claim, substitute. The server is down three times. Checked:
every game ends; nobody loses on time a second too early; no reminder comes twice; the outages are
found, all of them and no others.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import func, select

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.wire import payloads
from sigilpost_server import db
from sigilpost_server.clocks import control, days, reckon, shown
from sigilpost_server.clocks.calendar import Calendar, Span
from sigilpost_server.models import (
    GOING,
    GameStatus,
    entries,
    games,
    holidays,
    outages,
    outgoing,
    pauses,
    players,
    reminders,
    seat_clocks,
    seats,
    substitutions,
)
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.substitutes import open_offers
from tests.server.service.town import Person, Town

GAMES = int(os.environ.get("SOAK_CLOCK_GAMES", "500"))
PLAYERS = 60
POOL = 12
YEAR = 365
HOUR, DAY = 3600, 86_400
START = 1_767_225_600  # 1 January 2026, 00:00 UTC
LAST_START = 200 * DAY
"""Games begin in the first so many days."""

DOWN = ((40, 2), (130, 5), (250, 1))
"""The outages: the day on which each begins, and how many days it lasts."""

TERMS = (
    ("3d per move", "forfeit"),
    ("3d per move, weekends off", "forfeit, excuses 2"),
    ("bank 10d + 12h per move, cap 14d", "forfeit"),
    ("5d per move, grace 12h", "bot greedy"),
    ("bank 6d + 1d per move", "bot random, excuses 1"),
    ("4d per move, hours 07-23", "claim"),
    ("3d per move, minimum gap 6h, start delay 2d", "substitute"),
    ("bank 8d + 8h per move, hours 08-22 Europe/Berlin", "substitute, excuses 1"),
)
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham", "UTC")
SEATS = {"weaver": (2, 3, 4), "tome": (2,)}


@dataclass(order=True)
class Event:
    """Something that somebody does at a time."""

    at: int
    number: int
    act: Callable[[], object] = field(compare=False)


class Asked(NamedTuple):
    """A question to a seat as the simulation saw it come."""

    tag: str
    seat: int
    question: str
    player: int


class Year:
    """One run of the simulation."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.chance = random.Random(2026)
        self.names: dict[int, str] = {}
        self.queue: list[Event] = []
        self.known: set[Asked] = set()
        self.counts: Counter[str] = Counter()
        self.tags: list[str] = []
        self.gone: set[tuple[str, int]] = set()

    # --- the world ----------------------------------------------------------------------------

    def later(self, at: float, act: Callable[[], object]) -> None:
        """Have something done at a moment."""
        self.counts["acts"] += 1
        heapq.heappush(self.queue, Event(int(at), self.counts["acts"], act))

    def settle(self) -> None:
        """People register, some join the pool, plan their holidays, and propose their games."""
        town = self.town
        for number in range(PLAYERS):
            name = f"p{number:02}"
            town.people[name] = Person.called(name)
            zone = self.chance.choice(ZONES)
            town.ask_to_register(name, zone=zone)
            token = town.only().turn.notice["token"]  # type: ignore[index]
            assert town.send(name, payloads.Confirm, token=token).reason == "ok"
            town.post()
            self.names[number + 1] = name
        for number in range(POOL):
            self.request(f"p{number:02}", "substitute", "on")
        for name in self.names.values():
            for _ in range(self.chance.choice((0, 1, 2, 2))):
                self._plan_holiday(name)
            if self.chance.random() < 0.2:
                day = self.chance.randrange(5, 300)
                self.later(START + day * DAY, partial(self.request, name, "emergency"))
        for _ in range(GAMES):
            self.later(START + self.chance.randrange(LAST_START), self._start)

    def _plan_holiday(self, name: str) -> None:
        first = self.chance.randrange(10, 330)
        length = self.chance.choice((2, 5, 10, 14))
        ahead = self.chance.choice((0, 0, 3, 10))

        def announce() -> None:
            dates = [
                days.today(START + day * DAY, shown.zone_of("UTC")).isoformat()
                for day in (first + 1, first + length)
            ]
            self.request(name, "vacation", *dates)

        self.later(START + (first - ahead) * DAY, announce)

    def request(self, name: str, what: str, *args: str) -> str:
        """Somebody sends a request; the reason."""
        reason = self.town.send(name, payloads.Request, what=what, args=args).reason
        self.counts[f"{what}: {reason}"] += 1
        return reason

    def _start(self) -> None:
        """A game begins: everybody joins at once."""
        kind = self.chance.choices(("weaver", "tome"), (9, 1))[0]
        names = self.chance.sample(sorted(self.names.values()), self.chance.choice(SEATS[kind]))
        clock, timeout = TERMS[len(self.tags) % len(TERMS)]
        verdict = self.town.send(
            names[0],
            payloads.Create,
            game=kind,
            options={"mode": "duel"} if kind == "tome" else {},
            opponents=tuple(names[1:]),
            rules={"clock": clock, "timeout": timeout},
        )
        assert verdict.reason == "ok", verdict
        for name in names:
            assert self.town.send(name, payloads.Join, game=verdict.game).reason == "ok"
        self.tags.append(verdict.game)

    # --- people -------------------------------------------------------------------------------

    def look(self) -> None:
        """Notice who is asked something new, and have them answer in their own time."""
        with self.town.service.database.read() as connection:
            statement = (
                select(games.c.tag, seats.c.number, seats.c.asked, seats.c.player_id)
                .select_from(seats.join(games))
                .where(seats.c.asked != "", games.c.status == GameStatus.RUNNING)
            )
            now = {Asked(*row) for row in connection.execute(statement)}
        for asked in now - self.known:
            self.later(self.town.clock() + self._delay(asked), partial(self._answer, asked))
        self.known = now

    def _delay(self, asked: Asked) -> float:
        """Seconds until an answer: hours mostly, days sometimes, and for some never."""
        if self.chance.random() < 0.004:
            self.gone.add((asked.tag, asked.player))
        if (asked.tag, asked.player) in self.gone:
            return 30 * DAY
        return self.chance.lognormvariate(0.0, 1.1) * 14 * HOUR

    def _answer(self, asked: Asked) -> None:
        if asked not in self.known:
            return
        service = self.town.service
        with service.database.read() as connection:
            play = Play.load(connection, asked.tag, lock=False)
            assert play is not None
            seat = play.seats[asked.seat]
            if play.asked(asked.seat) != asked.question or seat.player_id != asked.player:
                return
            prompt = play.match.prompt(asked.seat)
            assert prompt is not None
            chance = Rng(f"{asked}".encode())
            line = play.rules.phrase(random_answer(prompt, chance))
        verdict = self.town.send(
            self.names[asked.player],
            payloads.Orders,
            game=asked.tag,
            seat=asked.seat + 1,
            prompt=asked.question,
            lines=(line,),
        )
        self.counts[f"orders: {verdict.reason}"] += 1

    def absent(self) -> None:
        """Claims, offers and returns: what people do about seats whose time is out."""
        running = games.c.status == GameStatus.RUNNING
        with self.town.service.database.read() as connection:
            late = connection.execute(
                select(games.c.id, games.c.tag, seat_clocks.c.number, seat_clocks.c.stage)
                .select_from(seat_clocks.join(games))
                .where(seat_clocks.c.stage != "", running)
            ).all()
            acted = connection.execute(
                select(games.c.tag, seats.c.player_id)
                .select_from(seats.join(games))
                .where(seats.c.acting != "", running)
            ).all()
        for game_id, tag, number, stage in late:
            if stage == "claimable" and self.chance.random() < 0.3:
                self.request(self._opponent(game_id, number), "claim", tag)
            elif stage == "offered":
                self._offered(tag)
        for tag, player in acted:
            if self.chance.random() < 0.02:
                self.gone.discard((tag, player))
                self.request(self.names[player], "back", tag)

    def _opponent(self, game_id: int, number: int) -> str:
        others = select(seats.c.player_id).where(
            seats.c.game_id == game_id, seats.c.number != number
        )
        with self.town.service.database.read() as connection:
            found = [row.player_id for row in connection.execute(others.order_by(seats.c.number))]
        return self.names[self.chance.choice(found)]

    def _offered(self, tag: str) -> None:
        with self.town.service.database.read() as connection:
            play = Play.load(connection, tag, lock=False)
            assert play is not None
            offers = open_offers(connection, play.row.id)
        for offer in offers:
            if self.chance.random() < 0.5:
                word = self.chance.choice(("take", "take", "refuse"))
                self.request(self.names[offer.player_id], "substitute", word, tag)

    # --- the run ------------------------------------------------------------------------------

    def run(self) -> None:
        """Hour by hour, until the year is over and every game has had its time."""
        self.town.clock.seconds = START
        self.settle()
        hour = 0
        while hour < YEAR * 24:
            hour += 1
            self.town.clock.seconds = START + hour * HOUR
            if self._down(hour):
                continue
            self.town.service.tick()
            self.look()
            while self.queue and self.queue[0].at <= self.town.clock():
                heapq.heappop(self.queue).act()
            self.look()
            if hour % 24 == 0:
                self.absent()

    @staticmethod
    def _down(hour: int) -> bool:
        return any(begin * 24 < hour < (begin + length) * 24 for begin, length in DOWN)


# --- what must hold -------------------------------------------------------------------------------


def check(year: Year) -> str:
    """Check the whole year; how the games ended."""
    with year.town.service.database.read() as connection:
        rows = connection.execute(select(games)).all()
        running = [row.tag for row in rows if row.status in GOING]
        assert not running, f"not ended: {running}"
        found = [(row.begin, row.end) for row in connection.execute(select(outages))]
        assert len(found) == len(DOWN), found
        for (begin, length), (down, up) in zip(DOWN, sorted(found), strict=True):
            assert abs(up - down - length * DAY) <= HOUR
            assert abs(down - START - begin * DAY) <= HOUR
        _check_reminders(connection)
        for row in rows:
            _check_end(connection, row)
        return _report(connection, year, rows)


def _check_reminders(connection: Any) -> None:
    sent = connection.execute(select(func.count()).select_from(reminders)).scalar_one()
    keys = select(
        reminders.c.game_id,
        reminders.c.number,
        reminders.c.question,
        reminders.c.percent,
        reminders.c.asked,
    ).distinct()
    assert (
        connection.execute(select(func.count()).select_from(keys.subquery())).scalar_one() == sent
    )
    ids = select(func.count(), func.count(func.distinct(outgoing.c.message_id)))
    total, different = connection.execute(ids.select_from(outgoing)).one()
    assert total == different


def _check_end(connection: Any, row: Any) -> None:
    """Who lost on time had all of it: reckoned again from the chain, the holidays, the pauses and
    the outages alone."""
    last = connection.execute(
        select(entries).where(entries.c.game_id == row.id).order_by(entries.c.number.desc())
    ).first()
    if json.loads(last.answer or "[null]")[0] != "forfeit":
        return
    rules = json.loads(row.rules)
    terms = control.read(rules["clock"])
    if terms.bank is not None or "excuses" in rules["timeout"] or "substitute" in rules["timeout"]:
        return  # these need the whole history; the plain ones suffice
    seat = connection.execute(
        select(seats).where(seats.c.game_id == row.id, seats.c.number == last.seat)
    ).one()
    zone = connection.execute(
        select(players.c.zone).where(players.c.id == seat.player_id)
    ).scalar_one()
    asked = connection.execute(
        select(entries.c.made)
        .where(entries.c.game_id == row.id, entries.c.number < last.number)
        .order_by(entries.c.number.desc())
    ).scalar()
    off = [Span(r.begin, r.end) for r in connection.execute(select(outages))]
    mine = select(holidays).where(holidays.c.player_id == seat.player_id)
    off += [Span(r.begin, r.end) for r in connection.execute(mine) if r.announced < asked]
    own = select(pauses).where(pauses.c.game_id == row.id)
    off += [Span(r.begin, r.end) for r in connection.execute(own)]
    calendar = Calendar(terms, shown.zone_of(zone), off)
    clock = reckon.start(reckon.fresh(terms), terms, asked)
    assert calendar.elapsed(asked, last.made) >= min(clock.given, terms.per_move), row.tag


def _report(connection: Any, year: Year, rows: Any) -> str:
    ends: Counter[str] = Counter()
    actors: Counter[str] = Counter()
    touched: dict[str, set[int]] = {"bot": set(), "standing": set()}
    for entry in connection.execute(select(entries.c.game_id, entries.c.actor)):
        word = entry.actor.partition(" ")[0] or "player"
        actors[word] += 1
        if word in touched:
            touched[word].add(entry.game_id)
    lengths = []
    for row in rows:
        result = json.loads(row.result)
        end = next(
            (word for word in ("forfeited", "resigned", "stopped") if word in result),
            "by the rules",
        )
        policy = json.loads(row.rules)["timeout"].partition(",")[0].partition(" ")[0]
        ends[f"{end} ({policy})" if end == "forfeited" else end] += 1
        lengths.append((row.ended - row.started) / DAY)
    mails = connection.execute(select(func.count()).select_from(outgoing)).scalar_one()
    sent = connection.execute(select(func.count()).select_from(reminders)).scalar_one()
    changed = connection.execute(select(func.count()).select_from(substitutions)).scalar_one()
    missed = connection.execute(select(func.sum(seat_clocks.c.misses))).scalar_one()
    lines = [
        f"{len(rows)} games, {median(lengths):.1f} days in the middle, {max(lengths):.0f} at most",
        "ended: " + ", ".join(f"{how} {n}" for how, n in ends.most_common()),
        "answers: " + ", ".join(f"{who} {n}" for who, n in actors.most_common()),
        f"games in which a bot acted: {len(touched['bot'])}; seats that changed hands: {changed}",
        f"mails: {mails}; reminders: {sent}; misses excused: {missed}",
        "asked for: "
        + ", ".join(f"{what} {n}" for what, n in sorted(year.counts.items()) if ":" in what),
    ]
    return "\n".join(lines)


def run() -> str:
    """Live through the year; how the games ended."""
    memory = Path("/dev/shm")
    folder = Path(
        tempfile.mkdtemp(prefix="sigilpost-clocks-", dir=memory if memory.is_dir() else None)
    )
    url = f"sqlite:///{folder / 'sigilpost.db'}"
    try:
        db.migrate(url)
        sections: dict[str, Any] = {
            "clocks": {"outage_minutes": 90},
            "limits": {"running_games": 1000, "proposals_per_day": 1000, "answers": 100_000},
        }
        with Town.on(url, **sections) as town:
            year = Year(town)
            year.run()
            return check(year)
    finally:
        shutil.rmtree(folder)
