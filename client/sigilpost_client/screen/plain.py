"""Short answers: lines of text, a little emphasis, no library to load."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sigilpost_client.words import clean, escaped, text
from sigilpost_engine.core.messages import Value

WIDTH = 78
WIDTH_MAX = 100

_STYLES = {"bold": "1", "dim": "2", "warn": "1;33", "alarm": "1;31", "good": "32"}


def colourful(stream: Any) -> bool:
    """Whether to style what goes to ``stream``: ``NO_COLOR``, ``FORCE_COLOR``, else a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def styled(words: str, style: str, stream: Any = None) -> str:
    """``words`` in a style (``bold``, ``dim``, ``warn``, ``alarm``, ``good``), if it shows."""
    if not style or not colourful(stream or sys.stdout):
        return words
    return f"\x1b[{_STYLES[style]}m{words}\x1b[0m"


def out(words: str = "", style: str = "") -> None:
    """Print a line."""
    print(styled(clean(words), style))


def say(id: str, /, *, style: str = "", **values: Value) -> None:
    """Print a text of the catalogue."""
    out(text(id, **values), style)


def paragraph(words: str, first: str = "", rest: str = "", style: str = "") -> None:
    """Print a text that wraps at the terminal's width, behind ``first`` and then ``rest``."""
    for line in wrapped(words, first, rest):
        out(line, style)


def wrapped(words: str, first: str = "", rest: str = "") -> Iterator[str]:
    """The lines of a text; its own line ends stay."""
    from sigilpost_engine.texts.layout import wrap

    for line in words.splitlines() or [""]:
        yield from wrap(line, width(), first=first, rest=rest)
        first = rest


def width() -> int:
    """The columns to write in: the terminal's, within reason; of a mail where there is none."""
    columns = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
    return max(20, min(columns, WIDTH_MAX))


def menu(lines: Sequence[str]) -> None:
    """Print the commands that answer a question; a line that is too long breaks at a ``/``."""
    from sigilpost_engine.texts.layout import alternatives

    for line in lines:
        for piece in alternatives(line, width(), first="    ", rest="      "):
            out(piece, "good")


def aside(words: str, style: str = "") -> None:
    """Print a line beside the output proper: it stays on the terminal when that is piped."""
    print(styled(clean(words), style, sys.stderr), file=sys.stderr)


@contextmanager
def to_the_end() -> Iterator[None]:
    """What is printed in this block is printed as far as anybody reads it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nobody_reads()


def nobody_reads() -> None:
    """The reader of our output is gone; nothing more can be said, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def dump(data: Any) -> None:
    """Print JSON for programs."""
    print(escaped(json.dumps(data, ensure_ascii=False, indent=2)))


def dump_line(data: Any) -> None:
    """Print JSON on one line, at once: for programs that follow."""
    print(escaped(json.dumps(data, ensure_ascii=False, separators=(",", ":"))), flush=True)
