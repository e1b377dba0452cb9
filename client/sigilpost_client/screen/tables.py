"""Tables that come with a notice: of a league, of what is on offer."""

from __future__ import annotations

from typing import Any

from sigilpost_client.screen import plain
from sigilpost_client.words import texts
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Cell, Column, Grid, Section, Sheet
from sigilpost_engine.texts.layout import sheet as lay_out


def read(raw: Any) -> Sheet:
    """The tables of a notice: ``[heading, [[column heading, right], …], rows]`` for each.

    Raises ValueError, TypeError or KeyError for what is none.
    """
    return tuple(_section(*each) for each in raw or ())


def _section(heading: Any, columns: Any, rows: Any) -> Section:
    grid = Grid(
        tuple(Column(_msg(name), bool(right)) for name, right in columns),
        tuple(tuple(_cell(value) for value in row) for row in rows),
    )
    return Section(_msg(heading), (grid,))


def _msg(raw: Any) -> Msg:
    return Msg.from_json(raw["msg"])


def _cell(raw: Any) -> Cell:
    if isinstance(raw, dict):
        return _msg(raw)
    return raw if isinstance(raw, int) else str(raw)


def show(sheet: Sheet) -> None:
    """Print tables, aligned."""
    if sheet:
        plain.out(lay_out(sheet, texts()))
