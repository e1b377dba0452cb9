"""Knockout: a bracket in which the best seeds meet last, and rest first if places are free."""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int | None, int | None]


def places(size: int) -> list[int]:
    """Seeds (from 0) in the order of the bracket's lines; ``size`` is a power of two.

    In every round the sum of the two seeds is the same if the better always wins.
    """
    order = [0]
    while len(order) < size:
        rest = 2 * len(order) - 1
        order = [seed for upper in order for seed in (upper, rest - upper)]
    return order


def first_round(entrants: Sequence[int]) -> list[Pair]:
    """The pairs of the first round for entrants in seed order; None: the other has no game."""
    size = 1
    while size < len(entrants):
        size *= 2
    lines = [entrants[seed] if seed < len(entrants) else None for seed in places(size)]
    return [_pair(a, b) for a, b in zip(lines[::2], lines[1::2], strict=True)]


def next_round(through: Sequence[int | None]) -> list[Pair]:
    """The pairs of the next round; ``through`` is who came through, game after game.

    None is a game that nobody came through, as both withdrew.
    """
    return [_pair(a, b) for a, b in zip(through[::2], through[1::2], strict=True)]


def _pair(a: int | None, b: int | None) -> Pair:
    return (b, a) if a is None else (a, b)
