"""What the host's program says: texts of the catalogues in the language of the environment."""

from __future__ import annotations

import os
from functools import cache

from sigilpost_engine.core.messages import Msg, Value
from sigilpost_engine.texts import MASTER, Texts


def text(id: str, /, **values: Value) -> str:
    """The text of a message id."""
    return render(Msg(id, values))


def render(message: Msg) -> str:
    """The text of a message, without control characters that others may have written into it."""
    said = _texts().render(message)
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in said
    )


def texts() -> Texts:
    """The catalogues of the language of the environment."""
    return _texts()


@cache
def _texts() -> Texts:
    return Texts(_language())


def _language() -> str:
    """The first of POSIX's variables that is set, in their order."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        tag = os.environ.get(name, "").partition(".")[0].partition("@")[0]
        if tag:
            return MASTER if tag in ("C", "POSIX") else tag
    return MASTER
