"""A sheet: a seat's view laid out for reading, before anybody decides text, HTML or terminal.

A game lays its view out once; every renderer (mail text, mail HTML, terminal) shows the same
sheet, so all of them say the same words.
"""

from __future__ import annotations

from typing import NamedTuple

from sigilpost_engine.core.messages import Msg

Cell = str | int | Msg
"""What stands in a cell or line: a name, a number, or a message."""


class Column(NamedTuple):
    """A column: its heading, and ``right`` for figures."""

    heading: Msg
    right: bool = False


class Grid(NamedTuple):
    """Rows under columns. The last column takes the room that is left, and wraps."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Line(NamedTuple):
    """One labelled line: ``Your hand: ASHW 3, OHIF 7``. Wraps under its text."""

    label: Msg
    text: Cell


class Section(NamedTuple):
    """A heading and what stands under it."""

    heading: Msg
    body: tuple[Grid | Line | Msg, ...]


Sheet = tuple[Section, ...]
