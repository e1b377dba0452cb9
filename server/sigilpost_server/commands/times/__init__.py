"""Requests about time: holidays, pauses, claims, coming back, substitutes.

Signed like every command; a word and its arguments. What cannot be done changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sigilpost_engine.wire.payloads import Request
from sigilpost_server.commands.times import absent, holidays, stops, substituting
from sigilpost_server.commands.times.frame import Refused
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """Carry out a request of REQUESTS."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Request)
    assert player is not None
    try:
        return REQUESTS[wish.what](work, signed, player, wish.args)
    except Refused as refused:
        return work.error(player, refused.reason, *refused.details, game=refused.game)


Handler = Callable[[Work, Signed, rows.Player, Sequence[str]], Outcome]

REQUESTS: dict[str, Handler] = {
    "vacation": holidays.vacation,
    "pause": stops.pause,
    "resume": stops.resume,
    "emergency": stops.emergency,
    "claim": absent.claim,
    "back": absent.back,
    "substitute": substituting.substitute,
}
