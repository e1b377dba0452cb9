"""Short answers: lines of text, a little emphasis, no library to load."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from sigilpost_client.words import text
from sigilpost_engine.core.messages import Value

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
    print(styled(words, style))


def say(id: str, /, *, style: str = "", **values: Value) -> None:
    """Print a text of the catalogue."""
    out(text(id, **values), style)


def aside(words: str, style: str = "") -> None:
    """Print a line beside the output proper: it stays on the terminal when that is piped."""
    print(styled(words, style, sys.stderr), file=sys.stderr)


def dump(data: Any) -> None:
    """Print JSON for programs."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


def dump_line(data: Any) -> None:
    """Print JSON on one line, at once: for programs that follow."""
    print(json.dumps(data, ensure_ascii=False, separators=(",", ":")), flush=True)
