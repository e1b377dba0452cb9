"""The clocks of one game within a transaction: read once, settled after the moves, written once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from sqlalchemy import Connection

from sigilpost_server.clocks import reckon, shown, store, terms
from sigilpost_server.clocks.calendar import Calendar, NeverEnds, Span
from sigilpost_server.clocks.reckon import Due
from sigilpost_server.clocks.store import CLOCK, Row
from sigilpost_server.clocks.terms import NO_LIMIT, Terms
from sigilpost_server.transaction import rows


class Closing(NamedTuple):
    """What is next for a game that nobody claims: without ``told`` the notice that it will be
    closed is ``due``; once that was ``told`` at a moment, the end itself."""

    told: int | None
    due: int


class Timepiece:
    """The clocks of a game's seats, as of the moment ``now``.

    ``seats`` is the list of the game's seats, kept up to date by its owner. A game without time
    control has no clocks: every question about them has an empty answer, and nothing is read.
    """

    def __init__(
        self, db: Connection, game: rows.Game, seats: Sequence[rows.Seat], now: int
    ) -> None:
        self._db = db
        self._game = game
        self._seats = seats
        self.now = now
        self.terms = _terms(game.rules)
        self._dues: dict[Row, Due | None] = {}  # reckoned once for each state of a clock

    @property
    def timed(self) -> bool:
        """Whether the game has clocks."""
        return self.terms.timed

    @cached_property
    def _stored(self) -> dict[int, Row]:
        return store.read(self._db, self._game.id) if self.timed else {}

    @cached_property
    def _rows(self) -> dict[int, Row]:
        return dict(self._stored)

    @cached_property
    def _still(self) -> list[store.Still]:
        begun = [row.clock.asked for row in self._rows.values() if row.clock.asked is not None]
        return store.stillness(self._db, self._game.id, min([*begun, self.now]), self.now)

    def forget_stillness(self) -> None:
        """Spans in which time stands still have changed: they are read anew."""
        self.__dict__.pop("_still", None)
        self._dues.clear()

    def _calendar(self, row: Row) -> Calendar:
        """When time runs for a seat, as far as its open question is concerned."""
        seat = self._seats[row.number]
        own = [s for s in self._still if s.kind == store.PAUSE and s.who == seat.player_id]
        off = [
            Span(still.begin, still.end)
            for still in self._still
            if still not in own and (still.kind != store.HOLIDAY or _counts(still, seat, row))
        ]
        calendar = Calendar(self.terms.control, shown.zone_of(seat.zone or "UTC"), off)
        if not own:
            return calendar
        # An emergency of one's own saves no deadline that has passed, not even in the grace.
        due = reckon.due(row.clock, calendar)
        in_time = [s for s in own if due is None or s.begin < due.deadline]
        return replace(calendar, off=[*off, *(Span(s.begin, s.end) for s in in_time)])

    # --- looking ------------------------------------------------------------------------------

    def row(self, seat: int) -> Row | None:
        """The clock of a seat; None in a game without."""
        return self._rows.get(seat)

    def running(self) -> list[Row]:
        """The clocks that run, in seat order."""
        return [row for _, row in sorted(self._rows.items()) if row.question]

    def due(self, seat: int) -> Due | None:
        """When the question open for a seat is due; None if none is, or time stands still."""
        row = self._rows.get(seat)
        return None if row is None else self._due(row)

    def _due(self, row: Row) -> Due | None:
        if row not in self._dues:
            self._dues[row] = reckon.due(row.clock, self._calendar(row))
        return self._dues[row]

    def reminder(self, row: Row) -> int | None:
        """The percentage of the reminder that is to go out now; None if none is."""
        return reckon.reminder_due(
            row.clock, self._calendar(row), self.now, self.terms.policy.reminders
        )

    def late(self) -> list[Row]:
        """The clocks whose time is out (with its grace) without anything done about it, the
        first that ran out first."""
        out = [row for row in self.running() if not row.stage and self._is_out(row)]
        return sorted(out, key=lambda row: (self.ran_out(row), row.number))

    def unanswered(self) -> list[Row]:
        """The clocks whose time is out, and that were not answered since: something was done about
        them already."""
        return [row for row in self.running() if row.stage]

    def closing(self, row: Row) -> Closing | None:
        """When everybody is told that the game will be closed, as nobody claims it, or when it is;
        None for a clock against which nothing can be claimed, and while time stands still."""
        if row.stage != store.CLAIMABLE:
            return None
        policy, since = self.terms.policy, self.ran_out(row)
        off = [Span(s.begin, s.end) for s in self._still if s.kind != store.HOLIDAY]
        calendar = Calendar(NO_LIMIT, shown.zone_of("UTC"), off)
        told = store.announced(self._db, self._game.id, row)
        try:
            if told is None:
                return Closing(None, calendar.after(since, policy.abandoned - policy.notice))
            ends = calendar.after(since, policy.abandoned)
            return Closing(told, max(ends, calendar.after(told, policy.notice)))
        except NeverEnds:
            return None

    def _is_out(self, row: Row) -> bool:
        due = self._due(row)
        return due is not None and due.acts <= self.now

    def ran_out(self, row: Row) -> int:
        """The moment at which the time of a clock was out, with its grace."""
        due = self._due(row)
        return self.now if due is None else due.acts

    def next_due(self) -> int | None:
        """When there is next something to do; None if there is nothing."""
        moments = []
        for row in self.running():
            closing = self.closing(row)
            if closing is not None:
                moments.append(closing.due)
            due = None if row.stage else self._due(row)
            if due is None:
                continue
            reminders = self.terms.policy.reminders
            remind = reckon.next_reminder(row.clock, self._calendar(row), reminders)
            moments.append(due.acts if remind is None else min(remind, due.acts))
        return min(moments, default=None)

    # --- changing -----------------------------------------------------------------------------

    def begin(self) -> None:
        """The game begins: every seat gets its clock."""
        if self.timed:
            fresh = reckon.fresh(self.terms.control)
            self._rows.update({seat.number: Row(seat.number, fresh) for seat in self._seats})

    def settle(self, asked: Mapping[int, str]) -> None:
        """Stop the clocks of those who have answered, and start those of whoever is asked.

        ``asked`` has the question that is open for each seat that is asked one. Where a bot acts,
        no clock runs: its answers gain nobody any time.
        """
        for number, row in list(self._rows.items()):
            question = asked.get(number, "")
            if row.question and (row.question != question or self._seats[number].acting):
                row = self._stopped(row)
            if question and not row.question and not self._seats[number].acting:
                clock = reckon.start(row.clock, self.terms.control, self.now)
                row = replace(row, clock=clock, question=question)
            self._rows[number] = row

    def _stopped(self, row: Row) -> Row:
        clock = reckon.stop(row.clock, self._calendar(row), self.now)
        return replace(row, clock=clock, question="", stage="", deaf_from=None)

    def excuse(self, row: Row) -> None:
        """Let a miss pass: the time for the question begins anew, at the cost of an excuse."""
        left = None if row.clock.left is None else 0
        clock = replace(
            row.clock, left=left, asked=self.now, given=self.terms.allowance(), reminded=0
        )
        self._rows[row.number] = replace(row, clock=clock, misses=row.misses + 1, deaf_from=None)

    def renew(self, seat: int) -> None:
        """Somebody else sits in a seat now: with the time that everybody began with."""
        row = self._rows.get(seat)
        if row is not None:
            fresh = replace(reckon.fresh(self.terms.control), moves=row.clock.moves)
            self._rows[seat] = Row(seat, fresh)

    def remind(self, row: Row, percent: int) -> None:
        """Note that a reminder goes out now."""
        store.add_reminder(self._db, self._game.id, row, percent, self.now)
        self._rows[row.number] = row.with_clock(replace(row.clock, reminded=percent))

    def announce_closing(self, row: Row) -> int:
        """Note that everybody is told now that the game will be closed; when, at the earliest."""
        store.add_reminder(self._db, self._game.id, row, store.CLOSING, self.now)
        closing = self.closing(row)
        assert closing is not None
        return closing.due

    def set_stage(self, seat: int, stage: str) -> None:
        """Note what was done about a question whose time is out."""
        self._rows[seat] = replace(self._rows[seat], stage=stage)

    def turn_deaf(self, seat: int) -> None:
        """Holidays announced from now on do not move the deadline of the open question."""
        row = self._rows[seat]
        if row.deaf_from is None:
            self._rows[seat] = replace(row, deaf_from=self.now)

    def save(self) -> None:
        """Write what changed, and when there is next something to do."""
        if not self.timed or "_rows" not in self.__dict__:
            return
        changed = [row for number, row in self._rows.items() if row != self._stored.get(number)]
        new = [row for row in changed if row.number not in self._stored]
        if new:
            store.add(self._db, self._game.id, new)
        store.save(self._db, self._game.id, [row for row in changed if row not in new])
        self.__dict__["_stored"] = dict(self._rows)
        store.set_timer(self._db, CLOCK, self._game.tag, self.next_due())


def _counts(still: store.Still, seat: rows.Seat, row: Row) -> bool:
    """Whether a holiday is that of the seat's player, and moves the deadline of its question."""
    if still.who != seat.player_id:
        return False
    return row.deaf_from is None or still.announced < row.deaf_from


@lru_cache(maxsize=1024)
def _terms(rules: str) -> Terms:
    """The terms in a game's rules (JSON)."""
    return terms.read(json.loads(rules))
