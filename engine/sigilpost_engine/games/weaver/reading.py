"""The view laid out for reading."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Cell, Column, Grid, Line, Section, Sheet
from sigilpost_engine.games.weaver.cards import COLOURS, ELEMENTS, NAMES, NUMBERS, SPACES, colour
from sigilpost_engine.games.weaver.documents import seats_of


def sheet(view: Document) -> Sheet:
    """Own hand first, then the table, then everybody's collection, then the scores if any."""
    seats = seats_of(view)
    sections = [_table(view), _players(view, seats)]
    if "you" in view and "result" not in view:
        sections.insert(0, _hand(view[view["you"]]))
    if "result" in view:
        sections.append(_scores(view, seats))
    return tuple(sections)


def _cards(names: Sequence[str]) -> Cell:
    return say("core.list", items=list(names))


def _hand(me: Document) -> Section:
    lines = [Line(say("weaver.sheet.hand"), _by_colour(me["hand"]))]
    if me["hidden"]:
        lines.append(Line(say("weaver.sheet.hidden"), _by_colour(me["hidden"])))
    return Section(say("weaver.sheet.yours"), tuple(lines))


def _table(view: Document) -> Section:
    columns = tuple(Column(say("weaver.sheet.space", space=space)) for space in SPACES)
    row = tuple(view["spaces"].get(space, "") for space in SPACES)
    return Section(
        say("weaver.sheet.table"),
        (
            Grid(columns, (row,)),
            Line(say("weaver.sheet.stack"), len(view["stack"])),
            Line(say("weaver.sheet.discard"), _cards(view["discard"])),
        ),
    )


def _players(view: Document, seats: Sequence[str]) -> Section:
    columns = (
        Column(say("weaver.sheet.player")),
        Column(say("weaver.sheet.cards-held"), right=True),
        Column(say("weaver.sheet.face-down"), right=True),
        Column(say("weaver.sheet.collection")),
    )
    rows = tuple(
        (
            say("weaver.sheet.to-move", seat=name) if _acts(view, name) else name,
            len(view[name]["hand"]),
            len(view[name]["hidden"]),
            _by_colour(view[name]["collection"]),
        )
        for name in seats
    )
    return Section(say("weaver.sheet.collections"), (Grid(columns, rows),))


def _acts(view: Document, name: str) -> bool:
    return "result" not in view and view["turn"] == name


def _by_colour(names: Sequence[str]) -> Cell:
    """``ASHW 3 5 9, OHIF 2``: by colour, values rising."""
    groups = []
    for number, name in enumerate(COLOURS):
        values = sorted(
            card.rsplit(" ", 1)[1]
            for card in names
            if card in NUMBERS and colour(NUMBERS[card]) == number
        )
        if values:
            groups.append(" ".join([name, *values]))
    return say("core.list", items=groups)


def _scores(view: Document, seats: Sequence[str]) -> Section:
    columns = (
        Column(say("weaver.sheet.player")),
        Column(say("weaver.sheet.first"), right=True),
        Column(say("weaver.sheet.second"), right=True),
        Column(say("weaver.sheet.third"), right=True),
        Column(say("weaver.sheet.total"), right=True),
        Column(say("weaver.sheet.last-card")),
    )
    scores = view["result"]["scores"]
    order = sorted(seats, key=lambda name: (-sum(scores[name]), seats.index(name)))
    rows = tuple(
        (name, *scores[name], sum(scores[name]), _cards(view[name]["hand"])) for name in order
    )
    return Section(say("weaver.sheet.scores"), (Grid(columns, rows),))


def explain(card: str) -> tuple[Msg, ...]:
    """Colour, element and value of a card. Raises KeyError for no card."""
    number = NUMBERS[card]
    shade = colour(number)
    return (
        say(
            "weaver.card.about",
            card=NAMES[number],
            colour=COLOURS[shade],
            element=say(f"weaver.element.{ELEMENTS[shade]}"),
            value=NAMES[number].rsplit(" ", 1)[1],
        ),
    )
