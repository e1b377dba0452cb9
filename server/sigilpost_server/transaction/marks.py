"""Who answered in a seat where it was not its player's own line: stored, and told as events.

An entry's ``actor`` is "" for a line of the seat's signed orders, else one of

    code            a reply of its player with a one-time code, in a game that takes them
    standing N      the seat's standing order N, which its player signed before
    bot NAME        a bot, while the player is away
    clock           the seat's time was out
    claim NAME      the same, after NAME asked for it
    substitute NAME NAME sits in the seat from here on

The events are no part of the hash chain, as they follow from what is.
"""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_engine.core.events import Event
from sigilpost_engine.core.prompts import Answer

CLOCK = "clock"
SUBSTITUTE = "substitute"
CODE = "code"


def standing(number: int) -> str:
    """A standing order of the seat."""
    return f"standing {number}"


def bot(name: str) -> str:
    """A bot."""
    return f"bot {name}"


def claim(name: str) -> str:
    """The clock, at an opponent's word."""
    return f"claim {name}"


def substitute(name: str) -> str:
    """Somebody new in the seat."""
    return f"substitute {name}"


def by(actor: str) -> str:
    """What a transcript calls the actor: ``orders``, ``code``, ``standing``, ``bot``, ``clock``
    or ``substitute``."""
    word = actor.partition(" ")[0]
    return {"": "orders", "claim": "clock"}.get(word, word)


def whom(actor: str) -> str:
    """The name in an actor's mark."""
    return actor.partition(" ")[2]


def told(
    actor: str, seat: int, name: str, answer: Answer, phrase: Callable[[Answer], str]
) -> list[Event]:
    """What the table hears of it, before what came of the answer. ``name`` is the seat's."""
    word, _, rest = actor.partition(" ")
    if word == "standing":
        values = {"number": int(rest), "line": phrase(answer)}
        return [Event("clock.event.standing", values, only=(seat,))]
    if word == "bot":
        return [Event("clock.event.bot", {"seat": name, "bot": rest})]
    if word == "clock":
        return [Event("clock.event.forfeit", {"seat": name})]
    if word == "claim":
        return [Event("clock.event.claim", {"seat": name, "by": rest})]
    if word == "substitute":
        return [Event("clock.event.substitute", {"seat": name, "player": rest})]
    return []
