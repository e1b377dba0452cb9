"""Plain text in columns: sheets, lists and paragraphs for a mail's text part and for terminals.

Everything lines up in a monospaced font, in which East Asian wide characters take two columns
and combining marks none (Unicode Standard Annex 11; ambiguous characters count as narrow).
No line is wider than it may be, and none ends with a blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby, zip_longest
from typing import NamedTuple

from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Cell, Grid, Line, Section, Sheet
from sigilpost_engine.texts import Texts

WIDTH = 78
"""Columns of a mail's text part: room for a quotation mark in a window of 80."""

GAP = "  "
"""Between two columns."""

STROKE = " / "
"""Between the alternatives of a menu's line."""

ROOMY = 24
"""Down to this width the last column alone gives way; below it all wide columns do."""

# Control characters, line and paragraph separators, blanks in a row; and what turns the
# direction of writing or does not show at all (joiners apart, which scripts need).
_BLANKS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_UNSEEN = re.compile(
    "[\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


class Paragraph(NamedTuple):
    """A text that wraps."""

    text: str


class Labels(NamedTuple):
    """Labels and what they label."""

    rows: tuple[tuple[str, str], ...]


class Table(NamedTuple):
    """Rows under headings; ``right`` says which columns are figures."""

    headings: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


class Part(NamedTuple):
    """A section in somebody's language."""

    heading: str
    body: tuple[Paragraph | Labels | Table, ...]


def tidy(text: str) -> str:
    """``text`` as one line that does not move anything around it: no control characters, no
    direction overrides, single blanks."""
    # None of what is taken away counts as printable.
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    return _UNSEEN.sub("", _BLANKS.sub(" ", text)).strip(" ")


def cell(value: Cell, texts: Texts) -> str:
    """The text of a cell, tidy."""
    return tidy(texts.render(value) if isinstance(value, Msg) else str(value))


def part(section: Section, texts: Texts) -> Part:
    """A section in the language of ``texts``; labelled lines that follow each other are one."""
    body: list[Paragraph | Labels | Table] = []
    for kind, items in groupby(section.body, type):
        if kind is Line:
            body.append(_labels([item for item in items if isinstance(item, Line)], texts))
            continue
        for item in items:
            if isinstance(item, Grid):
                body.append(_table(item, texts))
            elif isinstance(item, Msg):
                body.append(Paragraph(cell(item, texts)))
    return Part(cell(section.heading, texts), tuple(body))


def _labels(items: list[Line], texts: Texts) -> Labels:
    return Labels(tuple((cell(item.label, texts), cell(item.text, texts)) for item in items))


def _table(grid: Grid, texts: Texts) -> Table:
    return Table(
        tuple(cell(column.heading, texts) for column in grid.columns),
        tuple(column.right for column in grid.columns),
        tuple(tuple(cell(value, texts) for value in row) for row in grid.rows),
    )


def sheet(sheet: Sheet, texts: Texts, columns: int = WIDTH) -> str:
    """A whole sheet as text; an empty line parts sections, and what stands in one."""
    blocks = []
    for section in sheet:
        title, body = part(section, texts)
        first, *others = [lines(block, columns) for block in body] or [[]]
        blocks += [[*heading(title, columns), *first], *others]
    return "\n\n".join(map("\n".join, blocks))


def lines(block: Paragraph | Labels | Table, columns: int = WIDTH) -> list[str]:
    """The lines of a block."""
    if isinstance(block, Table):
        return table(block, columns)
    if isinstance(block, Labels):
        return labels(block, columns)
    return wrap(block.text, columns)


@lru_cache(maxsize=4096)
def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":
        return 0  # U+1160-11FF: vowels and finals that join the Hangul consonant before them
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """How many columns ``text`` takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def pad(text: str, columns: int, right: bool = False) -> str:
    """``text`` with blanks after it (before it: ``right``) up to ``columns``."""
    if text.isascii():
        return text.rjust(columns) if right else text.ljust(columns)
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks


def wrap(text: str, columns: int = WIDTH, *, first: str = "", rest: str = "") -> list[str]:
    """``text`` as lines of at most ``columns``, the first and the others behind their prefixes.

    Breaks at blanks; a word that alone is too wide is cut. Prefixes must leave room for two
    columns. An empty text is one line.
    """
    if width(first) + width(text) <= columns and "  " not in text:
        return [(first + text).rstrip()]
    lines = []
    line, used = first, width(first)
    empty = True
    for word in _pieces(text, columns - max(width(first), width(rest))):
        wide = width(word)
        if not empty and used + 1 + wide > columns:
            lines.append(line.rstrip())
            line, used, empty = rest, width(rest), True
        line, used = (line + word, used + wide) if empty else (f"{line} {word}", used + 1 + wide)
        empty = False
    lines.append(line.rstrip())
    return lines


def alternatives(line: str, columns: int = WIDTH, *, first: str = "", rest: str = "") -> list[str]:
    """``line`` as `wrap` does it, but broken only after a ``/`` that stands between alternatives.

    So no card's name is torn apart. An alternative that alone is too wide still wraps.
    """
    shown, *others = line.split(STROKE)
    found = []
    prefix = first
    for item in others:
        if width(f"{prefix}{shown}{STROKE}{item}{STROKE}".rstrip()) > columns:
            found += wrap(f"{shown}{STROKE}", columns, first=prefix, rest=rest)
            prefix, shown = rest, item
        else:
            shown = f"{shown}{STROKE}{item}"
    return found + wrap(shown, columns, first=prefix, rest=rest)


def _pieces(text: str, room: int) -> Iterable[str]:
    """The words of ``text``, those wider than ``room`` in pieces."""
    for word in text.split(" "):
        if not word:
            continue
        if width(word) <= room:
            yield word
            continue
        start, used = 0, 0
        for place, char in enumerate(word):
            wide = _columns(char)
            if used + wide > room and place > start:
                yield word[start:place]
                start, used = place, 0
            used += wide
        yield word[start:]


def heading(text: str, columns: int = WIDTH) -> list[str]:
    """A heading and a rule under it."""
    lines = wrap(text, columns)
    return [*lines, "-" * max(map(width, lines))]


def bullets(items: Iterable[str], columns: int = WIDTH) -> list[str]:
    """A list, an item to a line."""
    return [line for item in items for line in wrap(item, columns, first="* ", rest="  ")]


def labels(block: Labels, columns: int = WIDTH) -> list[str]:
    """Labels, and beside them what they label; below them, if a word needs the room."""
    side = min(max((width(label) for label, _ in block.rows), default=0), columns // 3)
    blank = " " * (side + len(GAP))
    found = []
    for label, text in block.rows:
        if max(map(width, text.split(" "))) > columns - len(blank):
            found += [*wrap(label, columns), *wrap(text, columns, first=GAP, rest=GAP)]
            continue
        *above, last = wrap(label, side)
        found += [*above, *wrap(text, columns, first=pad(last, side) + GAP, rest=blank)]
    return found


def table(block: Table, columns: int = WIDTH) -> list[str]:
    """Rows under underlined headings. What is too wide for its column wraps in it."""
    natural = [
        max(1, *map(width, cells)) for cells in zip(block.headings, *block.rows, strict=True)
    ]
    widths = _fit(natural, columns - len(GAP) * (len(natural) - 1))
    rule = GAP.join("-" * wide for wide in widths)
    if widths == natural:
        head, *rows = (_line(cells, widths, block.right) for cells in (block.headings, *block.rows))
        return [head, rule, *rows]
    found = [*_wrapped(block.headings, widths, block.right), rule]
    for row in block.rows:
        found += _wrapped(row, widths, block.right)
    return found


def _wrapped(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """A row of cells, of which some wrap."""
    each = [wrap(cell, wide) for cell, wide in zip(cells, widths, strict=True)]
    return [_line(line, widths, right) for line in zip_longest(*each, fillvalue="")]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return GAP.join(map(pad, cells, widths, right)).rstrip()


def _fit(natural: list[int], room: int) -> list[int]:
    """Widths that fit into ``room``: the last column gives way first, then all wide ones."""
    if sum(natural) <= room:
        return natural
    left = room - sum(natural[:-1])
    if left >= min(natural[-1], ROOMY):
        return [*natural[:-1], left]
    cap = max(natural)
    while cap > 2 and sum(min(wide, cap) for wide in natural) > room:
        cap -= 1
    widths = [min(wide, cap) for wide in natural]
    widths[-1] += max(0, min(room - sum(widths), natural[-1] - widths[-1]))
    return widths
