"""Events: what happened, and who may see what of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sigilpost_engine.core.messages import NOTHING, Msg, Value


class Event(NamedTuple):
    """One change of the table.

    ``name`` is a message id and ``values`` what everybody learns. A seat (number from 0) in
    ``secret`` learns more: it reads the message ``name + ".seen"`` with those values added.
    ``only`` names the seats that notice the event at all; None: everybody, spectators too.
    """

    name: str
    values: Mapping[str, Value] = NOTHING
    secret: Mapping[int, Mapping[str, Value]] = {}
    only: tuple[int, ...] | None = None

    def seen_by(self, seat: int | None) -> Msg | None:
        """The event as ``seat`` reads it (None: a spectator); None if it does not notice it."""
        if self.only is not None and seat not in self.only:
            return None
        if seat is not None and seat in self.secret:
            return Msg(self.name + ".seen", {**self.values, **self.secret[seat]})
        return Msg(self.name, self.values)


def told(events: list[Event], seat: int | None) -> list[Msg]:
    """Those of ``events`` that ``seat`` notices, as it reads them."""
    return [message for event in events if (message := event.seen_by(seat)) is not None]
