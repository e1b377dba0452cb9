"""Whatever the engine says is in the catalogues, with every value that its text names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sigilpost_engine.core.errors import Refusal
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Grid, Line, Sheet
from sigilpost_engine.texts import Texts

from .worlds import World, every_world, play

TEXTS = Texts("en")


def messages_in(value: Any) -> Iterator[Msg]:
    """Every message in a value, nested ones included."""
    if isinstance(value, Msg):
        yield value
        for inner in value.values.values():
            yield from messages_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from messages_in(inner)


def said_on(sheet: Sheet) -> Iterator[Msg]:
    """Every message that a layout shows."""
    for section in sheet:
        yield section.heading
        for part in section.body:
            if isinstance(part, Grid):
                yield from (column.heading for column in part.columns)
                yield from messages_in(part.rows)
            elif isinstance(part, Line):
                yield from messages_in([part.label, part.text])
            else:
                yield from messages_in(part)


def check(message: Msg, where: str) -> None:
    for part in messages_in(message):
        assert TEXTS.knows(part.id), f"{part.id} ({where}) is in no catalogue"
        text = TEXTS.render(part)
        assert "{" not in text, f"{part.id} ({where}) lacks a value: {text}"


@every_world
def test_every_event_question_and_layout_has_its_words(world: World) -> None:
    match = world.begin(21)
    for number, turn in enumerate(play(match, world.chance(21))):
        for messages in turn.told:
            for message in messages:
                check(message, "event")
        for prompt in match.open:
            topic = prompt.topic.replace(" ", "-")
            check(Msg(f"{world.game}.ask.{topic}", prompt.values), "question")
        if number % 5 == 0 or not match.open:
            for seat in (*range(world.seats), None):
                for message in said_on(match.game.sheet(match.view(seat))):
                    check(message, "layout")


@every_world
def test_every_refusal_has_its_words(world: World) -> None:
    match = world.begin(22)
    words = ["", "nothing", "1", "9 9 9", "a", "e", "A with a", "none", "fury", "ASHW 3 with x"]
    for number, _ in enumerate(play(match, world.chance(22))):
        if number % 10 or not match.open:
            continue
        seat = match.open[0].seat
        for verb in (*match.game.verbs, "choose", "yes", "no"):
            for rest in words:
                try:
                    match.read(seat, f"{verb} {rest}")
                except Refusal as refusal:
                    check(refusal.message, f"{verb} {rest}")


@every_world
def test_every_card_is_explained(world: World) -> None:
    game = world.rules()
    for card in game.cards:
        told = game.explain(card)
        assert told
        for message in told:
            check(message, card)
