"""Promotion and relegation, and who plays in which division.

One order of merit decides. From the top: of each division those who stay, then those promoted
from the one below, then those relegated; newcomers at the end, by rating. Cut into divisions, it
gives each promoted and each relegated entrant exactly what the rule says; where somebody left,
the best of those below move up, those who would have been relegated before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def moves(tables: Sequence[Sequence[T]], promoted: int) -> list[tuple[list[T], list[T], list[T]]]:
    """For each division, best first: who goes up, stays and goes down.

    Between two neighbours as many change places as there are in both: at most ``promoted``, and
    at most half of either.
    """
    found = []
    for at, table in enumerate(tables):
        up = _number(tables, at - 1, promoted)
        down = _number(tables, at, promoted)
        found.append(
            (
                list(table[:up]),
                list(table[up : len(table) - down]),
                list(table[len(table) - down :]),
            )
        )
    return found


def _number(tables: Sequence[Sequence[T]], at: int, promoted: int) -> int:
    """How many change places between divisions ``at`` and ``at + 1``."""
    if not 0 <= at < len(tables) - 1:
        return 0
    return min(promoted, len(tables[at]) // 2, len(tables[at + 1]) // 2)


def merit(tables: Sequence[Sequence[T]], promoted: int, newcomers: Sequence[T]) -> list[T]:
    """The order of merit at the end of a season."""
    found: list[T] = []
    going = moves(tables, promoted)
    for at, (_, stay, down) in enumerate(going):
        found += stay
        if at + 1 < len(going):
            found += going[at + 1][0]
        found += down
    return [*found, *newcomers]


def cut(order: Sequence[T], size: int, smallest: int, least: int) -> list[list[T]]:
    """The divisions: ``size`` in each, the rest in the last.

    If fewer than ``smallest`` (0: half of ``size``; never under ``least``) are left for the last,
    they join the division above.
    """
    if not size or len(order) <= size:
        return [list(order)]
    found = [list(order[at : at + size]) for at in range(0, len(order), size)]
    if len(found[-1]) < max(smallest or (size + 1) // 2, least):
        rest = found.pop()
        found[-1] += rest
    return found
