"""Standing orders as they are kept: reading, adding, removing, and what was used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from sigilpost_engine.core import standing
from sigilpost_engine.core.errors import Unparseable
from sigilpost_engine.core.standing import StandingOrder
from sigilpost_engine.games import find
from sigilpost_engine.wire.payloads import STANDING_MAX
from sigilpost_server.models import standing_orders

MOST = STANDING_MAX
"""So many orders can be kept for a seat: one block can set them all, and remove them all."""


class Kept(NamedTuple):
    """A standing order of a seat. ``first``: the index of its first command in its block."""

    number: int
    place: int
    line: str
    block: bytes
    first: int
    used: int

    def to_json(self) -> dict[str, Any]:
        """As its player's client is told."""
        return {"number": self.number, "line": self.line, "used": self.used}


_TABLE = standing_orders.c


def of_seat(db: Connection, game_id: int, seat: int) -> list[Kept]:
    """The orders of a seat, in the order in which they are tried."""
    statement = (
        select(*(_TABLE[name] for name in Kept._fields))
        .where(_TABLE.game_id == game_id, _TABLE.seat == seat, _TABLE.gone.is_(False))
        .order_by(_TABLE.place, _TABLE.number)
    )
    return [Kept(*row) for row in db.execute(statement)]


@lru_cache(maxsize=4096)
def parsed(kind: str, line: str) -> StandingOrder | None:
    """An order as it is read today; None if the game has lost a topic or fact that it names."""
    game = find(kind)
    try:
        return standing.read(line, game.topics, game.fact_names)
    except Unparseable:
        return None


def counts(order: StandingOrder | None, today: str) -> bool:
    """Whether an order is in force on a day (``YYYY-MM-DD``)."""
    return order is not None and (not order.until or today <= order.until)


def add(
    db: Connection,
    game_id: int,
    seat: int,
    lines: Sequence[tuple[str, int]],
    *,
    before: int,
    block: bytes,
    now: int,
) -> list[Kept]:
    """Keep lines (each with the index of its first command in the block) for a seat, before the
    order of a number, or after all others. Returns all its orders."""
    kept = of_seat(db, game_id, seat)
    number = _last_number(db, game_id, seat)
    fresh = []
    for line, first in lines:
        number += 1
        fresh.append(Kept(number, 0, line, block, first, 0))
    at = next((place for place, each in enumerate(kept) if each.number == before), len(kept))
    everything = [*kept[:at], *fresh, *kept[at:]]
    for place, each in enumerate(everything):
        if each in fresh:
            values = {**each._asdict(), "place": place, "gone": False, "added": now}
            db.execute(standing_orders.insert().values(game_id=game_id, seat=seat, **values))
        elif each.place != place:
            _change(db, game_id, seat, each.number, place=place)
    return of_seat(db, game_id, seat)


def remove(db: Connection, game_id: int, seat: int, number: int) -> None:
    """Keep an order no longer."""
    _change(db, game_id, seat, number, gone=True)


def remove_all(db: Connection, game_id: int, seat: int) -> None:
    """Keep none of a seat's orders any longer."""
    where = (_TABLE.game_id == game_id, _TABLE.seat == seat)
    db.execute(update(standing_orders).where(*where).values(gone=True))


def note_use(db: Connection, game_id: int, seat: int, number: int, *, gone: bool) -> None:
    """An order was used; ``gone``: for the last time."""
    _change(db, game_id, seat, number, used=_TABLE.used + 1, gone=gone)


def _change(db: Connection, game_id: int, seat: int, number: int, **values: Any) -> None:
    where = (_TABLE.game_id == game_id, _TABLE.seat == seat, _TABLE.number == number)
    db.execute(update(standing_orders).where(*where).values(**values))


def _last_number(db: Connection, game_id: int, seat: int) -> int:
    where = (_TABLE.game_id == game_id, _TABLE.seat == seat)
    return db.execute(select(func.max(_TABLE.number)).where(*where)).scalar() or 0
