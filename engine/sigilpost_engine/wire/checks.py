"""What a field of a payload or a document may hold: checks, and the patterns of the protocol."""

import re
from collections.abc import Callable
from typing import Any

from .errors import BadFields

PROMPT = re.compile(r"[0-9]{1,9}-[0-9a-f]{8}")
FINGERPRINT = re.compile(r"[A-Z2-7]{24}")
GAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){1,3}")
HEX_32 = re.compile(r"[0-9a-f]{32}")
HEX_64 = re.compile(r"[0-9a-f]{64}")
HEX_128 = re.compile(r"[0-9a-f]{128}")
LANGUAGE = re.compile(r"[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8}){0,4}")
WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")

Check = Callable[[str, Any], Any]
"""Takes a field's name and JSON value; returns the value to keep or raises `BadFields`."""


# C0 and C1 controls, line and paragraph separators, direction overrides, surrogates.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def text(low: int, high: int, *, newlines: bool = False) -> Check:
    """A string of so many characters, without control characters or direction overrides."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str) or not low <= len(value) <= high:
            raise BadFields(name, f"a text of {low} to {high} characters")
        if _UNPRINTABLE.search(value.replace("\n", "") if newlines else value):
            raise BadFields(name, "a control character")
        return value

    return check


def match(pattern: re.Pattern[str], meaning: str, *, empty: bool = False) -> Check:
    """A string that the pattern matches whole; the empty one too if ``empty``."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str) or not (pattern.fullmatch(value) or (empty and not value)):
            raise BadFields(name, meaning)
        return value

    return check


def integer(low: int, high: int) -> Check:
    """An integer within limits."""

    def check(name: str, value: Any) -> Any:
        if type(value) is not int or not low <= value <= high:
            raise BadFields(name, f"an integer from {low} to {high}")
        return value

    return check


def items(low: int, high: int, each: Check) -> Check:
    """A list of so many items, kept as a tuple."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or not low <= len(value) <= high:
            raise BadFields(name, f"a list of {low} to {high} items")
        return tuple(each(f"{name}[{at}]", item) for at, item in enumerate(value))

    return check
