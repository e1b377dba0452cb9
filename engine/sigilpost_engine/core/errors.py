"""What can go wrong, each kind a class of its own.

Refusals are the player's: the line changes nothing and the answer says why (common.md,
*Refusals*). Held is the host's: the match waits for a human. Bad setups and options are the
author's of a document, and name the key.
"""

from __future__ import annotations

from typing import ClassVar

from sigilpost_engine.core.messages import Msg


class Refusal(Exception):
    """A line that is not played. ``kind`` is one of the four refusals of common.md."""

    kind: ClassVar[str] = ""

    def __init__(self, message: Msg) -> None:
        super().__init__(message.id)
        self.message = message


class Unparseable(Refusal):
    """No such command, or a name that is nothing in this game."""

    kind = "unparseable"


class Ambiguous(Refusal):
    """More than one thing could be meant."""

    kind = "ambiguous"


class Illegal(Refusal):
    """Well formed, about existing things, but not possible now."""

    kind = "illegal"


class Stale(Refusal):
    """An answer to a question that is closed."""

    kind = "stale"


class BadDocument(Exception):
    """A document that cannot be. ``path`` is the dotted key at fault, ``message`` the reason;
    ``others`` are the keys that conflict with it and could as well be called at fault."""

    def __init__(self, path: str, message: Msg, others: tuple[str, ...] = ()) -> None:
        super().__init__(f"{path}: {message.id}")
        self.path = path
        self.message = message
        self.others = others


class BadSetup(BadDocument):
    """A position that cannot be (common.md, *Position documents*)."""


class BadOption(BadDocument):
    """An option of ``create`` that does not exist or has no such value."""


class Held(Exception):
    """The match must wait for the host: going on would be guessing."""


class Diverged(Held):
    """Running the open step again asked or told something else than what was mailed."""


class Runaway(Held):
    """A step went on without asking anybody for longer than any real one could."""


class UnknownVersion(Held):
    """Stored by a newer program, or begun with a card set that is not installed."""
