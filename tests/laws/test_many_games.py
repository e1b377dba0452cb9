"""A thousand games of self-play for every game: cards conserved, the laws checked on the way.

``make soak`` plays ten thousand of each.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.soak.soak_laws import one_game

from .worlds import WORLDS, World

GAMES = 1_000
CHUNK = 50
SHARE = Counter(world.game for world in WORLDS)
CHUNKS = [
    (world, first) for world in WORLDS for first in range(0, -(-GAMES // SHARE[world.game]), CHUNK)
]


@pytest.mark.parametrize(("world", "first"), CHUNKS, ids=str)
def test_a_thousand_games_obey_the_laws_and_end(world: World, first: int) -> None:
    for seed in range(first, first + CHUNK):
        assert one_game(world, seed) > 0
