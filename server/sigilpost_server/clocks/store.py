"""What of time is stored: seat clocks, spans in which time stands still, timers, the heartbeat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, literal, select, union_all, update

from sigilpost_server.clocks.reckon import SeatClock
from sigilpost_server.models import (
    heartbeats,
    holidays,
    outages,
    pauses,
    reminders,
    seat_clocks,
    seats,
    timers,
)
from sigilpost_server.prepared import Prepared

CLOCK = "clock"
"""The kind of timer at which something is due on a game's clocks; the subject is its tag."""

CLAIMABLE = "claimable"
"""The stage of a question whose time is out, and that opponents may end the game for."""

CLOSING = 100
"""Stands among the percentages of reminders for the notice that a game will be closed."""


@dataclass(frozen=True, slots=True)
class Row:
    """The clock of a seat as it is stored (models.SeatClock)."""

    number: int
    clock: SeatClock
    question: str = ""
    misses: int = 0
    stage: str = ""
    deaf_from: int | None = None

    def with_clock(self, clock: SeatClock) -> Row:
        """The same with another reckoning."""
        return replace(self, clock=clock)


HOLIDAY, PAUSE, OUTAGE = "h", "p", "o"
_HEARTBEAT = "b"


class Still(NamedTuple):
    """A span in which time stands still: a HOLIDAY of the player ``who``, a PAUSE of the game
    (``who`` had an emergency, 0: it is another pause), an OUTAGE. ``end`` None: not known yet."""

    kind: str
    who: int
    begin: int
    end: int | None
    announced: int


_READ = Prepared(
    select(
        *(
            seat_clocks.c[name]
            for name in (
                "number",
                "left",
                "asked",
                "given",
                "moves",
                "reminded",
                "question",
                "misses",
                "stage",
                "deaf_from",
            )
        )
    ).where(seat_clocks.c.game_id == bindparam("game_id"))
)
_ADD = Prepared(
    seat_clocks.insert()
    .values({column.name: bindparam(column.name) for column in seat_clocks.columns})
    .inline()
)
_OWN = ("game_id", "number")
_SAVE = Prepared(
    update(seat_clocks)
    .where(
        seat_clocks.c.game_id == bindparam("game_id"), seat_clocks.c.number == bindparam("number")
    )
    .values(
        {
            column.name: bindparam(f"new_{column.name}")
            for column in seat_clocks.columns
            if column.name not in _OWN
        }
    )
)
_STILL = Prepared(
    union_all(
        select(
            literal(HOLIDAY),
            holidays.c.player_id,
            holidays.c.begin,
            holidays.c.end,
            holidays.c.announced,
        )
        .select_from(holidays.join(seats, seats.c.player_id == holidays.c.player_id))
        .where(seats.c.game_id == bindparam("game_id"), holidays.c.end > bindparam("since")),
        select(
            literal(PAUSE),
            func.coalesce(pauses.c.player_id, 0),
            pauses.c.begin,
            pauses.c.end,
            literal(0),
        ).where(
            pauses.c.game_id == bindparam("game_id"),
            pauses.c.end.is_(None) | (pauses.c.end > bindparam("since")),
        ),
        select(literal(OUTAGE), literal(0), outages.c.begin, outages.c.end, literal(0)).where(
            outages.c.end > bindparam("since")
        ),
        select(
            literal(_HEARTBEAT), literal(0), heartbeats.c.beat, heartbeats.c.patience, literal(0)
        ),
    )
)


def read(db: Connection, game_id: int) -> dict[int, Row]:
    """The clocks of a game by seat; none for a game without."""
    return {
        row[0]: Row(row[0], SeatClock(*row[1:6]), *row[6:])
        for row in _READ.all(db, {"game_id": game_id})
    }


def add(db: Connection, game_id: int, each: Iterable[Row]) -> None:
    """The clocks of a game that begins."""
    _ADD.run_each(db, [{"game_id": game_id, "number": row.number, **_values(row)} for row in each])


def save(db: Connection, game_id: int, each: Iterable[Row]) -> None:
    """Write clocks that changed."""
    values = [
        {
            "game_id": game_id,
            "number": row.number,
            **{f"new_{name}": value for name, value in _values(row).items()},
        }
        for row in each
    ]
    if values:
        _SAVE.run_each(db, values)


def _values(row: Row) -> dict[str, int | str | None]:
    clock = row.clock
    return {
        "left": clock.left,
        "asked": clock.asked,
        "question": row.question,
        "given": clock.given,
        "moves": clock.moves,
        "reminded": clock.reminded,
        "misses": row.misses,
        "stage": row.stage,
        "deaf_from": row.deaf_from,
    }


def stillness(db: Connection, game_id: int, since: int, now: int) -> list[Still]:
    """The spans after ``since`` in which time stands still for somebody in a game.

    A server that was not seen for long is gone since then: that counts before it is back and has
    noted the outage.
    """
    spans = []
    for kind, who, begin, end, announced in _STILL.all(db, {"game_id": game_id, "since": since}):
        if kind != _HEARTBEAT:
            spans.append(Still(kind, who, begin, end, announced))
        elif now - begin > end:
            spans.append(Still(OUTAGE, 0, begin, now, 0))
    return spans


# --- reminders and timers -------------------------------------------------------------------------

_REMINDED = Prepared(
    reminders.insert()
    .values({column.name: bindparam(column.name) for column in reminders.columns})
    .inline()
)
_MOVE_TIMER = Prepared(
    update(timers)
    .where(timers.c.kind == bindparam("of_kind"), timers.c.subject == bindparam("of_subject"))
    .values(due=bindparam("new_due"))
)
_ADD_TIMER = Prepared(
    timers.insert()
    .values(kind=bindparam("of_kind"), subject=bindparam("of_subject"), due=bindparam("new_due"))
    .inline()
)


def add_reminder(db: Connection, game_id: int, row: Row, percent: int, now: int) -> None:
    """Note that a reminder goes out. There cannot be two of one kind for one question."""
    _REMINDED.run(
        db,
        {
            "game_id": game_id,
            "number": row.number,
            "question": row.question,
            "percent": percent,
            "asked": row.clock.asked,
            "sent": now,
        },
    )


def announced(db: Connection, game_id: int, row: Row) -> int | None:
    """When everybody was told that the game will be closed for this question; None: not yet."""
    c = reminders.c
    where = (c.game_id == game_id, c.number == row.number, c.question == row.question)
    this = (c.percent == CLOSING, c.asked == row.clock.asked)
    return db.execute(select(c.sent).where(*where, *this)).scalar()


def set_timer(db: Connection, kind: str, subject: str, due: int | None) -> None:
    """Have something done at a time, and at no other; None: not at all."""
    if due is None:
        db.execute(delete(timers).where(timers.c.kind == kind, timers.c.subject == subject))
        return
    values = {"of_kind": kind, "of_subject": subject, "new_due": due}
    if not _MOVE_TIMER.run(db, values):
        _ADD_TIMER.run(db, values)


# --- the heartbeat --------------------------------------------------------------------------------


class Gap(NamedTuple):
    """What a look at the heartbeat found: time from ``begun`` on that is not to count; of negative
    ``length``: so long a time that ended at ``begun`` was not to count, and is to after all."""

    begun: int
    length: int


def beat(db: Connection, now: int, patience: int) -> list[Gap]:
    """A server is at work. Notes the outage if none was for long, and takes back what a clock that
    was ahead and has been set right made seem one. Returns what changed by that."""
    row = db.execute(select(heartbeats.c.beat, heartbeats.c.patience).with_for_update()).first()
    if row is None:
        db.execute(heartbeats.insert().values(id=1, beat=now, patience=patience))
        return []
    last, gone = int(row.beat), now - int(row.beat)
    ahead = gone < -row.patience
    if ahead or gone > 0:
        db.execute(update(heartbeats).values(beat=now, patience=patience))
    if ahead:
        return _unsay_outages(db, now, row.patience)
    if gone > row.patience:
        db.execute(outages.insert().values(begin=last, end=now))
        return [Gap(last, gone)]
    return []


def _unsay_outages(db: Connection, now: int, patience: int) -> list[Gap]:
    """No outage reaches into the future. Of one that was noted so only what lies behind remains,
    if that is long enough for one. The newest comes first."""
    ahead = select(outages).where(outages.c.end > now).order_by(outages.c.end.desc())
    gaps = []
    for row in db.execute(ahead).all():
        own = outages.c.id == row.id
        ends = now if now - row.begin > patience else row.begin
        if ends > row.begin:
            db.execute(update(outages).where(own).values(end=ends))
        else:
            db.execute(delete(outages).where(own))
        gaps.append(Gap(row.end, ends - row.end))
    if gaps:  # what was asked by the wrong clock is asked now
        db.execute(update(seat_clocks).where(seat_clocks.c.asked > now).values(asked=now))
    return gaps


# --- pauses ---------------------------------------------------------------------------------------

HELD = "held"
"""The kind of pause while a game is held."""


def add_pause(
    db: Connection,
    game_id: int,
    kind: str,
    until: int | None,
    now: int,
    player_id: int | None = None,
) -> None:
    """The clocks of a game stand still from now on, until a moment or until somebody ends it."""
    values = {"kind": kind, "begin": now, "end": until, "player_id": player_id}
    db.execute(pauses.insert().values(game_id=game_id, **values))


def end_held(db: Connection, game_id: int, tag: str, now: int) -> None:
    """A held game goes on; its clocks are looked at soon."""
    where = (pauses.c.game_id == game_id, pauses.c.kind == HELD, pauses.c.end.is_(None))
    db.execute(update(pauses).where(*where).values(end=now))
    set_timer(db, CLOCK, tag, now)
