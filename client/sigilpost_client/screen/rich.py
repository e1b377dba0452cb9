"""A whole position at the terminal, with Rich; as plain columns where nobody looks at colours."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as RichTable
from rich.text import Text

from sigilpost_client import words
from sigilpost_client.screen.plain import colourful, width
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.texts import layout


def console() -> Console:
    """The terminal. Markup is off: names and chat may hold any character."""
    return Console(width=width(), markup=False, highlight=False, emoji=False)


def print_sheet(sheet: Sheet) -> None:
    """Print a position: styled on a terminal, else as in the text part of a mail."""
    if not sys.stdout.isatty():
        print(words.clean(layout.sheet(sheet, words.texts())) + "\n")
        return
    out = console()
    for section in sheet:
        part = layout.part(section, words.texts())
        out.print(_heading(part.heading))
        for block in _body(part.body):
            out.print(Padding(block, (0, 0, 1, 1)))


def print_heading(title: str) -> None:
    """Print a heading over what follows."""
    if sys.stdout.isatty():
        console().print(_heading(title))
    else:
        print("\n".join(layout.heading(title)))


def print_list(items: Sequence[str]) -> None:
    """Print a list, an item to a line."""
    for line in layout.bullets(items, width()):
        print(line)
    print()


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under headings."""
    cells = tuple(tuple(layout.tidy(cell) for cell in row) for row in rows)
    block = layout.Table(tuple(headings), (False,) * len(headings), cells)
    if sys.stdout.isatty():
        console().print(_table(block))
    else:
        print("\n".join(layout.table(block)))


def _heading(title: str) -> RenderableType:
    style = "bold cyan" if colourful(sys.stdout) else ""
    return Rule(Text(words.clean(title), style=style), align="left", style="dim")


def _body(
    blocks: Sequence[layout.Paragraph | layout.Labels | layout.Table],
) -> Iterator[RenderableType]:
    for block in blocks:
        if isinstance(block, layout.Table):
            yield _table(block)
        elif isinstance(block, layout.Labels):
            yield _labels(block)
        else:
            yield Text(words.clean(block.text))


def _labels(block: layout.Labels) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for label, text in block.rows:
        grid.add_row(Text(words.clean(label)), Text(words.clean(text)))
    return grid


def _table(block: layout.Table) -> RenderableType:
    table = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for heading, right in zip(block.headings, block.right, strict=True):
        table.add_column(Text(words.clean(heading)), justify="right" if right else "left")
    for row in block.rows:
        table.add_row(*(Text(words.clean(cell)) for cell in row))
    return table
