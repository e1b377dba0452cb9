"""Round robin by the Berger tables (FIDE Handbook C.05, annex 1).

Each round of ``n`` entrants (made even by a phantom, the last number) is one step of a rotation;
of every two games in a row an entrant plays one in the first seat, as far as that can be.
"""

from __future__ import annotations

Pair = tuple[int, int]


def rounds(n: int, *, double: bool = False) -> list[list[Pair]]:
    """The rounds for ``n`` entrants: pairs (first seat, second seat). Whoever is missing rests.

    ``double`` plays all rounds again with the seats changed. Raises ValueError for n < 2.
    """
    if n < 2:
        raise ValueError("a round robin needs two entrants")
    even = n + n % 2
    single = [_round(even, number) for number in range(even - 1)]
    if double:
        single += [[(b, a) for a, b in pairs] for pairs in single]
    return [[pair for pair in pairs if max(pair) < n] for pairs in single]


def _round(even: int, number: int) -> list[Pair]:
    """Round ``number`` (from 0) of the table for an even number of entrants."""
    last, cycle = even - 1, even - 1
    # The table's rounds start with entrants 1, n/2+1, 2, n/2+2, … against the last one.
    start = number // 2 if number % 2 == 0 else number // 2 + even // 2
    first = (start, last) if number % 2 == 0 else (last, start)
    others = [((start + step) % cycle, (start - step) % cycle) for step in range(1, even // 2)]
    return [first, *others]
