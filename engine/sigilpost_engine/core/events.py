"""Events: what happened, and who may see what of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

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

    def to_json(self) -> list[Any]:
        """``[[name, values], {seat: what it learns more}, only]``: all of it, for who stores it."""
        secret = {str(seat): Msg("", more).to_json()[1] for seat, more in self.secret.items()}
        only = None if self.only is None else list(self.only)
        return [Msg(self.name, self.values).to_json(), secret, only]

    @classmethod
    def from_json(cls, raw: list[Any]) -> Event:
        """The inverse of :meth:`to_json`."""
        message, secret, only = raw
        name, values = Msg.from_json(message)
        known = {int(seat): Msg.from_json(["", more]).values for seat, more in secret.items()}
        return cls(name, values, known, None if only is None else tuple(only))


def told(events: list[Event], seat: int | None) -> list[Msg]:
    """Those of ``events`` that ``seat`` notices, as it reads them."""
    return [message for event in events if (message := event.seen_by(seat)) is not None]
