"""Trying standing orders: which of them answers a question, and why the others do not.

Server and client try them in the same way, from the seat's own view, so that a test tells what
would happen. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.errors import Refusal
from sigilpost_engine.core.game import Document, Game
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.standing import StandingOrder


class Trial(NamedTuple):
    """What comes of one order: it is not about this (``fits`` False), or its first command is
    refused (with the reason), or it gives the answer."""

    place: int
    fits: bool
    answer: Answer | None = None
    refusal: Msg | None = None


def trials(
    game: Game[Any], view: Document, prompt: Prompt, orders: Iterable[StandingOrder]
) -> Iterator[Trial]:
    """Try the orders in turn, up to and with the first that is used."""
    facts: Facts | None = None
    topics = game.topics_of(prompt)
    for place, order in enumerate(orders):
        if facts is None and order.condition is not None:
            facts = game.facts(view)
        if not any(order.fits(topic, facts or {}) for topic in topics):
            yield Trial(place, False)
            continue
        try:
            answer = game.parse(view, prompt, order.commands[0])
            prompt.check(answer)
        except Refusal as refusal:
            yield Trial(place, True, refusal=refusal.message)
            continue
        yield Trial(place, True, answer)
        return


def first_used(
    game: Game[Any], view: Document, prompt: Prompt, orders: Iterable[StandingOrder]
) -> Trial | None:
    """The trial of the order that is used; None if none is."""
    return next((each for each in trials(game, view, prompt, orders) if each.answer), None)
