"""Moments and durations as people read them: in their own zone, and as time left."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clocks.control import DAY, HOUR, MINUTE, BadControl, zone_named


def zone_of(name: str) -> ZoneInfo:
    """A player's zone. Where the name is none that is known here, UTC."""
    try:
        return zone_named(name)
    except BadControl:
        return ZoneInfo("UTC")


def when(moment: int, zone: ZoneInfo) -> Msg:
    """``Thu 3 December 2026, 12:00 (Europe/Berlin)``."""
    wall = datetime.fromtimestamp(moment, zone)
    return say(
        "clock.when",
        weekday=say(f"clock.weekday.{wall.isoweekday()}"),
        day=wall.day,
        month=say(f"clock.month.{wall.month}"),
        year=wall.year,
        time=f"{wall.hour:02}:{wall.minute:02}",
        zone=zone.key,
    )


def day(value: date) -> Msg:
    """``Thu 3 December 2026``."""
    return say(
        "clock.day",
        weekday=say(f"clock.weekday.{value.isoweekday()}"),
        day=value.day,
        month=say(f"clock.month.{value.month}"),
        year=value.year,
    )


def length(seconds: int) -> Msg:
    """``2 days 5 hours``: the two largest units that fit, the smaller one rounded down."""
    days, rest = divmod(max(0, seconds), DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    units = [("days", days), ("hours", hours), ("minutes", minutes)]
    while len(units) > 1 and not units[0][1]:
        units.pop(0)
    parts = [say(f"clock.{name}", n=number) for name, number in units[:2] if number]
    if not parts:
        return say("clock.minutes", n=0)
    return parts[0] if len(parts) == 1 else say("clock.two", first=parts[0], second=parts[1])


def deadline(moment: int, now: int, zone: ZoneInfo) -> Msg:
    """A deadline in a zone, and how long it is until then."""
    if moment <= now:
        return say("clock.deadline.over", when=when(moment, zone))
    return say("clock.deadline", when=when(moment, zone), left=length(moment - now))
