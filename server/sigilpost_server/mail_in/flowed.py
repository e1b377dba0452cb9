"""Text of ``format=flowed`` (RFC 3676): lines that a mailer broke are joined again."""

from __future__ import annotations

from typing import NamedTuple

_SIGNATURE = "-- "


class _Line(NamedTuple):
    depth: int
    text: str


def join(text: str, *, delsp: bool = False) -> str:
    """Return the text with its flowed lines joined (section 4.2), quotes led by ``> `` each.

    An empty line stays one: a space that somebody left at the end of the line above says nothing.
    ``delsp`` (section 4.3) tells that the space at the end of a flowed line is no part of it.
    """
    out: list[str] = []
    open_depth = -1  # of the paragraph that goes on; -1: none does
    for line in map(_read, text.splitlines()):
        flowed = line.text.endswith(" ") and line.text != _SIGNATURE
        kept = line.text[:-1] if flowed and delsp else line.text
        if line.depth == open_depth and line.text not in ("", _SIGNATURE):
            out.append(kept)
        else:
            out.append(f"\n{'> ' * line.depth}{kept}")
        open_depth = line.depth if flowed else -1
    return "".join(out).removeprefix("\n") + ("\n" if out else "")


def _read(line: str) -> _Line:
    """A line's quote depth and its text, unstuffed (sections 4.4 and 4.5)."""
    text = line.lstrip(">")
    return _Line(len(line) - len(text), text.removeprefix(" "))
