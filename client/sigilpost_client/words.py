"""What the program says: texts of the catalogues in the player's language, safe to print."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from sigilpost_engine.core.messages import Msg, Value
from sigilpost_engine.texts import MASTER, Texts

if TYPE_CHECKING:
    from collections.abc import Mapping

# Names, chat and card texts come from others: no escape sequences, no direction overrides.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_chosen: list[str] = []


def speak(language: str) -> None:
    """Use this language from now on; "" goes back to the environment's."""
    _chosen[:] = [language] if language else []


def language() -> str:
    """The language in use: the settings', else the environment's (POSIX), else English."""
    if _chosen:
        return _chosen[0]
    return from_environment(os.environ)


def from_environment(environ: Mapping[str, str]) -> str:
    """The language of the POSIX variables: ``LC_ALL`` before ``LC_MESSAGES`` before ``LANG``."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            tag = value.partition(".")[0].partition("@")[0]
            return MASTER if tag in ("C", "POSIX", "") else tag
    return MASTER


@cache
def _texts(tag: str) -> Texts:
    return Texts(tag)


def texts() -> Texts:
    """The catalogues of the language in use."""
    return _texts(language())


def text(id: str, /, **values: Value) -> str:
    """The text of a message id."""
    return clean(texts()(id, **values))


def render(message: Msg) -> str:
    """The text of a message."""
    return clean(texts().render(message))


def escaped(json: str) -> str:
    """JSON text in which the same characters are written as escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def clean(shown: str) -> str:
    """``shown`` without what could steer a terminal or turn the reading direction."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", shown)
