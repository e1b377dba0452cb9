"""Ladder: whoever beats somebody above takes that place, and those between move down by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def may_challenge(order: Sequence[int], challenger: int, other: int, reach: int) -> bool:
    """Whether ``other`` stands above ``challenger``, by at most ``reach`` places."""
    if challenger not in order or other not in order:
        return False
    return 0 < order.index(challenger) - order.index(other) <= reach


def after(order: Sequence[int], challenger: int, other: int, *, won: bool) -> list[int]:
    """The order after a game. It only changes if the challenger won and still stands below."""
    if not won or challenger not in order or other not in order:
        return list(order)
    below, above = order.index(challenger), order.index(other)
    if below < above:
        return list(order)
    rest = [entrant for entrant in order if entrant != challenger]
    return [*rest[:above], challenger, *rest[above:]]


def challenges(
    order: Sequence[int], free: Collection[int], recent: Collection[tuple[int, int]], reach: int
) -> list[tuple[int, int]]:
    """Pairs (challenger, other) for those who are free, from the foot of the ladder up.

    Each challenges the nearest within ``reach`` who is free as well, and whom it has not met
    recently (``recent`` has pairs, smaller number first).
    """
    waiting = set(free)
    found = []
    for at in range(len(order) - 1, 0, -1):
        challenger = order[at]
        if challenger not in waiting:
            continue
        for other in reversed(order[max(0, at - reach) : at]):
            pair = (min(challenger, other), max(challenger, other))
            if other in waiting and pair not in recent:
                found.append((challenger, other))
                waiting -= {challenger, other}
                break
    return found
