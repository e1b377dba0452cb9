"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random
from collections.abc import Callable

Chance = Callable[[], float]
"""A number from 0 to 1 by chance, different at each call."""


MORE_OR_LESS = 0.25
"""By so much of itself a wait is longer or shorter by chance."""


def delay(attempt: int, first: float, longest: float, chance: Chance = random.random) -> float:
    """Seconds to wait after the ``attempt``-th failure in a row, counted from 1.

    Chance keeps many that failed together from coming back together.
    """
    return plain(attempt, first, longest) * (1 - MORE_OR_LESS + 2 * MORE_OR_LESS * chance())


def plain(attempt: int, first: float, longest: float) -> float:
    """The same without chance: ``first`` doubles with each failure up to ``longest``."""
    doublings = min(attempt - 1, 60)
    wait: float = min(first * 2**doublings, longest)
    return wait
