"""What a check finds wrong: the line, and what that means."""

from __future__ import annotations

from typing import NamedTuple

from sigilpost_engine.core.messages import Msg, Value, say


class Fault(NamedTuple):
    """The first thing that is wrong: its line (from 1), and what that means."""

    line: int
    message: Msg


class Note(NamedTuple):
    """What a check cannot prove, as it is the server's word alone: its line, and what it is."""

    line: int
    message: Msg


class Wrong(Exception):
    """A fault was found; the text is ``audit.fault.<what>``."""

    def __init__(self, line: int, what: str, /, **values: Value) -> None:
        super().__init__(what)
        self.fault = Fault(line, say(f"audit.fault.{what}", **values))


def note(line: int, what: str, /, **values: Value) -> Note:
    """The note ``audit.note.<what>``."""
    return Note(line, say(f"audit.note.{what}", **values))
