"""A seat's clock: what is left, when it is due, when to remind.

The clock of whoever is asked runs. A clock is plain data; every function returns a new one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from sigilpost_server.clocks.calendar import Calendar, NeverEnds
from sigilpost_server.clocks.control import Control

REMINDERS = (50, 75, 90)
"""By default a reminder goes out when so many percent of the time are used up."""


@dataclass(frozen=True, slots=True)
class SeatClock:
    """The clock of one seat.

    ``left``: what the bank holds, in seconds (None without a bank). ``asked``: since when it
    runs, None while it stands. ``given``: the time for the question that is open. ``moves``:
    questions answered. ``reminded``: percent of the last reminder of this question.
    """

    left: int | None
    asked: int | None = None
    given: int = 0
    moves: int = 0
    reminded: int = 0


class Due(NamedTuple):
    """When a question's time is out, and when the policy acts (after the grace)."""

    deadline: int
    acts: int


def fresh(control: Control) -> SeatClock:
    """The clock of a seat before it was asked anything."""
    return SeatClock(control.bank)


def start(clock: SeatClock, control: Control, now: int) -> SeatClock:
    """Something is asked of the seat, and its clock runs. A clock that runs goes on running."""
    if clock.asked is not None or not control.limited:
        return clock
    extra = control.start_delay if clock.moves == 0 else 0
    if clock.left is None:
        return replace(clock, asked=now, given=control.per_move + extra, reminded=0)
    bank = refilled(clock.left, control)
    return replace(clock, left=bank, asked=now, given=bank + extra, reminded=0)


def refilled(left: int, control: Control) -> int:
    """A bank after the increment of one question."""
    more = left + control.per_move
    return more if control.cap is None else max(left, min(more, control.cap))


def stop(clock: SeatClock, calendar: Calendar, now: int) -> SeatClock:
    """The seat has answered: its clock stands, and the bank loses what was used."""
    if clock.asked is None:
        return replace(clock, moves=clock.moves + 1)
    used = calendar.elapsed(clock.asked, now)
    left = clock.left
    if left is not None:
        extra = clock.given - left
        left = max(0, left - max(0, used - extra))
    return replace(clock, left=left, asked=None, given=0, moves=clock.moves + 1, reminded=0)


def due(clock: SeatClock, calendar: Calendar) -> Due | None:
    """When the open question is due; None while nothing runs, or time stands still for good.

    The grace runs round the clock, and stands still only in holidays, pauses and outages.
    """
    control = calendar.control
    if clock.asked is None or not control.limited:
        return None
    try:
        course = _course(clock, calendar)
        deadline = course.calendar.after(clock.asked, course.seconds)
        if not control.grace:
            return Due(deadline, deadline)
        return Due(deadline, calendar.round_the_clock.after(deadline, control.grace))
    except NeverEnds:
        return None


class _Course(NamedTuple):
    """What a question's deadline follows from: so many seconds by a calendar."""

    calendar: Calendar
    seconds: int


def _course(clock: SeatClock, calendar: Calendar) -> _Course:
    """The time given, or the minimum gap if that is longer. Raises NeverEnds.

    The gap counts nights and weekends, and no holiday, pause or outage.
    """
    given = _Course(calendar, clock.given)
    gap = _Course(calendar.round_the_clock, calendar.control.minimum_gap)
    if clock.asked is None or not gap.seconds:
        return given
    asked = clock.asked
    return max(given, gap, key=lambda course: course.calendar.after(asked, course.seconds))


def used_percent(clock: SeatClock, calendar: Calendar, now: int) -> int:
    """How much of the time until the open question's deadline is used up, 0 to 100; 0 while
    there is no deadline."""
    if clock.asked is None:
        return 0
    try:
        course = _course(clock, calendar)
    except NeverEnds:
        return 0
    if not course.seconds:
        return 0
    return min(100, 100 * course.calendar.elapsed(clock.asked, now) // course.seconds)


def reminder_due(
    clock: SeatClock, calendar: Calendar, now: int, reminders: tuple[int, ...] = REMINDERS
) -> int | None:
    """The percentage of the reminder that is to go out now; None if none is.

    Of several that are due at once (after an outage) only the last goes out.
    """
    used = used_percent(clock, calendar, now)
    reached = [percent for percent in reminders if clock.reminded < percent <= used]
    return max(reached, default=None)


def next_reminder(
    clock: SeatClock, calendar: Calendar, reminders: tuple[int, ...] = REMINDERS
) -> int | None:
    """The moment of the next reminder; None if there is none to come."""
    ahead = [percent for percent in reminders if percent > clock.reminded]
    if clock.asked is None or not ahead:
        return None
    try:
        course = _course(clock, calendar)
        if not course.seconds:
            return None
        # Rounded up, so that the percentage is reached at that moment and not just before it.
        return course.calendar.after(clock.asked, -(-course.seconds * min(ahead) // 100))
    except NeverEnds:
        return None
