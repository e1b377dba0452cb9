"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random
from collections.abc import Callable

Chance = Callable[[], float]
"""A number from 0 to 1 by chance, different at each call."""


def delay(attempt: int, first: float, longest: float, chance: Chance = random.random) -> float:
    """Seconds to wait after the ``attempt``-th failure in a row, counted from 1.

    ``first`` doubles with each failure up to ``longest``; a quarter more or less by chance keeps
    many that failed together from coming back together.
    """
    doublings = min(attempt - 1, 60)
    plain: float = min(first * 2**doublings, longest)
    return plain * (0.75 + chance() / 2)
