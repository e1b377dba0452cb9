"""Lengths of time as people write them: ``14d``, ``12h``, ``1d 12h``, ``90s``."""

from __future__ import annotations

import re

_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_WHOLE = re.compile(r"\s*(?:\d{1,6}\s*[wdhms]\s*)+")
_PART = re.compile(r"(\d+)\s*([wdhms])")


def seconds(text: str) -> int:
    """The seconds of a length such as ``14d`` or ``1d 12h``. Raises ValueError."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def shown(length: int) -> str:
    """The shortest text of so many seconds: the inverse of :func:`seconds`."""
    parts = []
    for unit, size in _UNITS.items():
        if unit == "w" and length % size:
            continue  # "8d" reads better than "1w 1d"
        number, length = divmod(length, size)
        if number:
            parts.append(f"{number}{unit}")
    return " ".join(parts) or "0s"
