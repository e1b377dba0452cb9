"""When time runs: hours, weekends, holidays and pauses, in a player's zone, across DST.

A calendar answers two questions: how many seconds ran between two moments, and at which moment a
number of seconds will have run. Moments are whole seconds of Unix time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sigilpost_server.clocks.control import Control, zone_named

SATURDAY = 5
MIDNIGHT = 1440
"""The end of a day, in minutes after its beginning."""

_ALWAYS = Control(limited=False)


class Span(NamedTuple):
    """From ``begin`` up to, not including, ``end``; ``end`` None: not known yet."""

    begin: int
    end: int | None


class NeverEnds(ValueError):
    """Time stands still for good (an open pause), so that no deadline can be named."""


@dataclass(frozen=True)
class Calendar:
    """When time runs for one player of one game.

    ``off`` are spans in which it stands still: holidays, pauses, outages. They may overlap.
    """

    control: Control
    zone: ZoneInfo
    off: Sequence[Span] = field(default=())

    def elapsed(self, begin: int, end: int) -> int:
        """Seconds that ran between two moments."""
        total = 0
        for span in self._running(begin):
            if span.begin >= end:
                break
            stop = end if span.end is None else min(end, span.end)
            total += stop - span.begin
        return total

    def after(self, begin: int, seconds: int) -> int:
        """The moment at which ``seconds`` will have run since ``begin``. Raises NeverEnds."""
        left = seconds
        for span in self._running(begin):
            if span.end is None or span.end - span.begin >= left:
                return span.begin + left
            left -= span.end - span.begin
        raise NeverEnds

    @property
    def round_the_clock(self) -> Calendar:
        """The same without hours and weekends: time stands still in holidays, pauses, outages."""
        return replace(self, control=_ALWAYS)

    def _running(self, begin: int) -> Iterator[Span]:
        """The spans in which time runs, from ``begin`` on; the last may have no end."""
        off = _merged(self.off, begin)
        if off and off[-1].end is None and off[-1].begin <= begin:
            return
        if self.control.hours is None and not self.control.weekends_off:
            yield from _without(Span(begin, None), off)
            return
        closed = off[-1].begin if off and off[-1].end is None else None
        for span in self._open_days(begin):
            if closed is not None and span.begin >= closed:
                return
            yield from _without(span, off)

    def _open_days(self, begin: int) -> Iterator[Span]:
        """The open hours of every day from the one before ``begin``, cut at ``begin``."""
        zone = self._hours_zone()
        day = datetime.fromtimestamp(begin, zone).date() - timedelta(days=1)
        while True:
            span = self._open_hours(day, zone)
            if span is not None and span.end is not None and span.end > begin:
                first = max(span.begin, begin)
                if first < span.end:
                    yield Span(first, span.end)
            day += timedelta(days=1)

    def _open_hours(self, day: date, zone: ZoneInfo) -> Span | None:
        if self.control.weekends_off and day.weekday() >= SATURDAY:
            return None
        hours = self.control.hours
        begin, end = (0, MIDNIGHT) if hours is None else (hours.begin, hours.end)
        if end <= begin:
            end += MIDNIGHT
        return Span(moment_of(day, begin, zone), moment_of(day, end, zone))

    def _hours_zone(self) -> ZoneInfo:
        hours = self.control.hours
        return zone_named(hours.zone) if hours is not None and hours.zone else self.zone


def moment_of(day: date, minutes: int, zone: ZoneInfo) -> int:
    """The Unix time of a wall-clock time, in minutes after the midnight that begins ``day``.

    A time that a DST change skips becomes the moment of the change; of one that comes twice,
    the first counts.
    """
    more, minute = divmod(minutes, MIDNIGHT)
    wall = datetime.combine(day + timedelta(days=more), time(minute // 60, minute % 60), zone)
    first, second = (int(wall.replace(fold=fold).timestamp()) for fold in (0, 1))
    return first if second >= first else _change(second, first, zone)


def _change(before: int, after: int, zone: ZoneInfo) -> int:
    """The moment between two at which the clocks of a zone are put forward."""
    offset = datetime.fromtimestamp(before, zone).utcoffset()
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def _merged(spans: Sequence[Span], begin: int) -> list[Span]:
    """The spans that end after ``begin``, in order, overlapping ones joined."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: span.begin):
        if span.end is not None and (span.end <= begin or span.end <= span.begin):
            continue
        last = merged[-1] if merged else None
        if last is not None and (last.end is None or span.begin <= last.end):
            ends = last.end is not None and span.end is not None
            merged[-1] = Span(last.begin, max(last.end, span.end) if ends else None)  # type: ignore[type-var]
        else:
            merged.append(span)
    return merged


def _without(span: Span, off: Sequence[Span]) -> Iterator[Span]:
    """What is left of a span; ``off`` is in order and does not overlap."""
    begin = span.begin
    place = max(bisect_right([each.begin for each in off], begin) - 1, 0)
    for hole in off[place:]:
        if span.end is not None and hole.begin >= span.end:
            break
        if hole.end is not None and hole.end <= begin:
            continue
        if hole.begin > begin:
            yield Span(begin, hole.begin)
        if hole.end is None:
            return
        begin = hole.end
    if span.end is None or begin < span.end:
        yield Span(begin, span.end)
