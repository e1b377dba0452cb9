"""Holidays: days in a player's zone, and how many a year may have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sigilpost_engine.core.messages import Msg, Value, say
from sigilpost_server.clocks.calendar import MIDNIGHT, Span, moment_of

AHEAD = timedelta(days=731)
"""No holiday may begin later than that."""


class BadHoliday(ValueError):
    """Days that cannot be a holiday; ``message`` says why."""

    def __init__(self, message: Msg) -> None:
        super().__init__(message.id)
        self.message = message


class Days(NamedTuple):
    """From the first to the last day, both included."""

    first: date
    last: date

    @property
    def number(self) -> int:
        """How many days these are."""
        return (self.last - self.first).days + 1

    def each(self) -> Iterator[date]:
        """Day by day."""
        return (self.first + timedelta(days=number) for number in range(self.number))


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def read(words: Iterable[str]) -> Days:
    """``2026-12-20 to 2027-01-03``, or one day. Raises BadHoliday."""
    parts = [word for word in words if word.casefold() != "to"]
    if not 1 <= len(parts) <= 2:
        raise _bad("form")
    first, last = day_of(parts[0]), day_of(parts[-1])
    if last < first:
        raise _bad("backwards", first=str(first), last=str(last))
    return Days(first, last)


def day_of(text: str) -> date:
    """``YYYY-MM-DD``. Raises BadHoliday."""
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise _bad("no-date", text=text) from None


def today(now: int, zone: ZoneInfo) -> date:
    """The day that it is in a zone."""
    return datetime.fromtimestamp(now, zone).date()


def span(days: Days, zone: ZoneInfo) -> Span:
    """From the midnight that begins the first day to the one that ends the last."""
    return Span(moment_of(days.first, 0, zone), moment_of(days.last, MIDNIGHT, zone))


def check(wanted: Days, known: Iterable[Days], now: int, zone: ZoneInfo, budget: int) -> None:
    """Raise BadHoliday if these days lie in the past or far ahead, are holidays already, or a year
    would have more days of holiday than its budget. A day that is one already costs nothing."""
    here, known = today(now, zone), list(known)
    if wanted.first < here:
        raise _bad("past", today=str(here))
    if wanted.first > here + AHEAD or wanted.number > 2 * budget:
        raise _bad("far")
    if set(wanted.each()) <= {day for days in known for day in days.each()}:
        raise _bad("already")
    for year, number in sorted(used([*known, wanted]).items()):
        if number > budget and wanted.first.year <= year <= wanted.last.year:
            raise _bad("budget", year=year, budget=budget, left=left(year, known, budget))


def used(holidays: Iterable[Days]) -> Counter[int]:
    """The number of days of holiday in each year; a day counts once."""
    return Counter(day.year for day in {day for days in holidays for day in days.each()})


def left(year: int, known: Iterable[Days], budget: int) -> int:
    """The days of holiday that are left in a year."""
    return max(0, budget - used(known)[year])


def _bad(what: str, **values: Value) -> BadHoliday:
    return BadHoliday(say(f"clock.holiday.{what}", **values))
