"""What a measurement prints, and how it is taken: medians of several runs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One figure. ``floor`` is what the machine itself needs for the parts (same unit);
    ``goal`` says in words what the figure should be."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    goal: str = ""

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its floor."""
        return None if not self.floor else self.value / self.floor


def median_seconds(work: Callable[[], object], runs: int = 5, warm_up: int = 1) -> float:
    """The median wall time of ``work`` in seconds, after ``warm_up`` runs that do not count."""
    for _ in range(warm_up):
        work()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def table(rows: list[Row]) -> str:
    """The rows as aligned text."""
    lines = [f"{'figure':58} {'median':>11} {'unit':10} {'floor':>10} {'ratio':>6}  goal"]
    for row in rows:
        floor = "" if row.floor is None else f"{row.floor:10.3f}"
        ratio = "" if row.ratio is None else f"{row.ratio:6.2f}"
        lines.append(
            f"{row.name:58} {row.value:11.3f} {row.unit:10} {floor:>10} {ratio:>6}  {row.goal}"
        )
    return "\n".join(lines)
