"""Time controls: one line of text, such as ``bank 10d + 12h per move, cap 14d; weekends off``.

    3d per move                        each question may be thought about for so long
    bank 10d [+ 12h per move] [cap 14d]  a store that thinking uses up and each question refills
    weekends off                       time stands still on Saturdays and Sundays
    hours 08-22 [Europe/Berlin]        time runs in these hours only; without a zone: each player's
    grace 2h                           after the deadline, before anything happens
    start delay 1d                     added to every player's first question
    minimum gap 4h                     a deadline is never nearer than that when its mail goes out
    no limit                           nobody is ever late

Parts are separated by commas or semicolons, in any order. Durations: ``90m``, ``12h``, ``3d``,
``2w``, also joined (``1d12h``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sigilpost_engine.core.messages import Msg, Value, say

MINUTE, HOUR, DAY, WEEK = 60, 3600, 86400, 604800
LONGEST = 366 * DAY
"""No part of a control may be longer."""


class BadControl(ValueError):
    """A line that is no time control; ``message`` says what is wrong with which part."""

    def __init__(self, message: Msg) -> None:
        super().__init__(message.id)
        self.message = message


class Hours(NamedTuple):
    """From ``begin`` to ``end`` o'clock, in minutes of the day; an end before the begin is the
    next day's. ``zone`` is an IANA name, "" for each player's own."""

    begin: int
    end: int
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    """A time control. All durations are seconds.

    Without a bank each question gets ``per_move``; with one, each question adds ``per_move`` to
    what is left of it, up to ``cap``. ``limited`` is False for ``no limit``.
    """

    limited: bool = True
    per_move: int = 0
    bank: int | None = None
    cap: int | None = None
    weekends_off: bool = False
    hours: Hours | None = None
    grace: int = 0
    start_delay: int = 0
    minimum_gap: int = 0

    def __str__(self) -> str:
        """The line that gives this control; :func:`read` reads it back."""
        parts = ["no limit"] if not self.limited else [self._limit()]
        if self.weekends_off:
            parts.append("weekends off")
        if self.hours is not None:
            span = f"{_clock(self.hours.begin)}-{_clock(self.hours.end)}"
            parts.append(f"hours {span} {self.hours.zone}".strip())
        for name in ("grace", "start_delay", "minimum_gap"):
            if getattr(self, name):
                parts.append(f"{name.replace('_', ' ')} {duration(getattr(self, name))}")
        return ", ".join(parts)

    def _limit(self) -> str:
        if self.bank is None:
            return f"{duration(self.per_move)} per move"
        line = f"bank {duration(self.bank)}"
        if self.per_move:
            line += f" + {duration(self.per_move)} per move"
        return line if self.cap is None else f"{line}, cap {duration(self.cap)}"


def read(line: str) -> Control:
    """The control that a line gives. Raises BadControl."""
    control, seen = Control(limited=False), set[str]()
    for part in filter(None, (part.strip() for part in re.split("[,;]", line))):
        name, changes = _part(part)
        if name in seen:
            raise _bad("twice", part=part)
        seen.add(name)
        control = replace(control, **changes)
    if "no limit" in seen and len(seen) > 1:
        raise _bad("no-limit-alone")
    _check(control, seen)
    return control


def duration(seconds: int) -> str:
    """``1d12h`` for 129,600: the shortest exact spelling."""
    words = []
    for letter, size in (("d", DAY), ("h", HOUR), ("m", MINUTE)):
        number, seconds = divmod(seconds, size)
        if number:
            words.append(f"{number}{letter}")
    return "".join(words) or "0m"


def zone_named(name: str) -> ZoneInfo:
    """The IANA time zone of this name. Raises BadControl."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _bad("no-zone", zone=name) from None


# --- the parts ------------------------------------------------------------------------------------

DURATION = r"((?:\d{1,4}[mhdw])+)"
_SIZES = {"m": MINUTE, "h": HOUR, "d": DAY, "w": WEEK}
_TIME = r"(\d{1,2})(?::(\d{2}))?"
Changes = dict[str, Any]


def seconds(text: str) -> int:
    """The seconds of a length of time that fits DURATION. Raises BadControl."""
    total = sum(int(n) * _SIZES[unit] for n, unit in re.findall(r"(\d+)([mhdw])", text))
    if not 0 < total <= LONGEST:
        raise _bad("duration", duration=text)
    return total


def _per_move(found: re.Match[str]) -> Changes:
    return {"limited": True, "per_move": seconds(found[1])}


def _bank(found: re.Match[str]) -> Changes:
    per_move = seconds(found[2]) if found[2] else 0
    cap = {"cap": seconds(found[3])} if found[3] else {}
    return {"limited": True, "bank": seconds(found[1]), "per_move": per_move, **cap}


def _cap(found: re.Match[str]) -> Changes:
    return {"cap": seconds(found[1])}


def _hours(found: re.Match[str]) -> Changes:
    begin, end = _minutes(found[1], found[2]), _minutes(found[3], found[4])
    if begin % 1440 == end % 1440:
        raise _bad("hours", part=found[0])
    zone = found[5] or ""
    if zone:
        zone_named(zone)
    return {"hours": Hours(begin % 1440, end, zone)}


def _minutes(hour: str, minute: str | None) -> int:
    minutes = 60 * int(hour) + int(minute or 0)
    if minutes > 1440 or int(minute or 0) > 59:
        raise _bad("hours", part=hour)
    return minutes


def _nothing(found: re.Match[str]) -> Changes:
    return {}


def _weekends(found: re.Match[str]) -> Changes:
    return {"weekends_off": True}


def _length(name: str) -> Callable[[re.Match[str]], Changes]:
    return lambda found: {name: seconds(found[1])}


_PARTS: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], Changes]]] = {
    name: (re.compile(pattern, re.IGNORECASE), reader)
    for name, pattern, reader in (
        ("no limit", r"no limit", _nothing),
        ("per move", rf"{DURATION} per move", _per_move),
        ("bank", rf"bank {DURATION}(?: ?\+ ?{DURATION} per move)?(?: cap {DURATION})?", _bank),
        ("cap", rf"cap {DURATION}", _cap),
        ("weekends", r"weekends off", _weekends),
        ("hours", rf"hours {_TIME} ?- ?{_TIME}(?: (\S+))?", _hours),
        ("grace", rf"grace {DURATION}", _length("grace")),
        ("start delay", rf"start delay {DURATION}", _length("start_delay")),
        ("gap", rf"(?:minimum )?gap {DURATION}", _length("minimum_gap")),
    )
}


def _part(part: str) -> tuple[str, Changes]:
    text = " ".join(part.split())
    for name, (pattern, reader) in _PARTS.items():
        if found := pattern.fullmatch(text):
            return name, reader(found)
    raise _bad("unknown", part=part)


def _check(control: Control, seen: set[str]) -> None:
    if not seen:
        raise _bad("empty")
    if {"per move", "bank"} <= seen:
        raise _bad("two-limits")
    if not control.limited and "no limit" not in seen:
        raise _bad("no-limit-given")
    if control.cap is not None and control.bank is None:
        raise _bad("cap-without-bank")
    if control.cap is not None and control.bank is not None and control.cap < control.bank:
        raise _bad("cap-below-bank")


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}" + (f":{minutes % 60:02}" if minutes % 60 else "")


def _bad(what: str, **values: Value) -> BadControl:
    return BadControl(say(f"clock.control.{what}", **values))
