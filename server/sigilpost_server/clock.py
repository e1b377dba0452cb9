"""The only place that asks the time. Tests pass a clock of their own and move it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]
"""Unix time in whole seconds: what the database stores and everything compares."""


def now() -> int:
    """The time, in seconds since 1970-01-01 UTC."""
    return int(time.time())


def moment(seconds: int) -> datetime:
    """A stored time as an aware datetime in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def day(seconds: int) -> int:
    """The number of the UTC day of a stored time; budgets "a day" count by it."""
    return seconds // 86_400


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, seconds: int = 1_700_000_000) -> None:
        self.seconds = seconds

    def __call__(self) -> int:
        return self.seconds

    def advance(self, seconds: int) -> None:
        """Let so many seconds pass."""
        self.seconds += seconds
