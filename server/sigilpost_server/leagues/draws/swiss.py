"""Swiss rounds: a matching of greatest weight over all entrants still in (Ólafsson 1990).

The weights make these demands, each before all that follow: nobody meets an opponent again while
that can be avoided; the bye goes to somebody who had none, and of those to the lowest; points of
opponents are as near as can be; within a group of equal points the upper half meets the lower
half; seats get even. All numbers are integers of any size, so that nothing is rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log2


@dataclass(frozen=True)
class Player:
    """An entrant before a round. ``points`` in whole units; ``firsts`` is how often it sat first
    less how often it sat second; ``met`` has how often it met whom."""

    entrant: int
    points: int = 0
    firsts: int = 0
    byes: int = 0
    met: Counter[int] = field(default_factory=Counter)


def rounds(n: int) -> int:
    """How many rounds tell a winner apart among ``n``: log2, and one more from 8 on."""
    return min(ceil(log2(max(n, 2))) + (n >= 8), n - 1 + n % 2)


def pair(players: Sequence[Player]) -> tuple[list[tuple[int, int]], int | None]:
    """The pairs (first seat, second seat) of a round, and who has the bye, if the number is odd.

    ``players`` come in their order: best placed first, at the start by seed. Raises ValueError
    for fewer than two.
    """
    if len(players) < 2:
        raise ValueError("a round needs two entrants")
    import networkx  # a start that pairs nobody need not pay for it

    graph: networkx.Graph[int] = networkx.Graph()
    for (a, b), weight in _weights(players).items():
        graph.add_edge(a, b, weight=weight)
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs, bye = [], None
    for a, b in sorted(tuple(sorted(pair)) for pair in matched):
        if b == len(players):
            bye = players[a].entrant
        else:
            pairs.append(_seats(players[a], players[b]))
    return pairs, bye


def _weights(players: Sequence[Player]) -> dict[tuple[int, int], int]:
    """The weight of each pair of places; place ``len(players)`` is the bye of an odd number.

    Each demand's penalty is multiplied by more than all penalties of the demands after it.
    """
    n = len(players)
    groups = _groups(players)
    halves = [_far_from_half(groups, a, b) for a in range(n) for b in range(a + 1, n)]
    points = sorted({player.points for player in players})
    scales = _scales(n, n * n, max(halves, default=0), (points[-1] - points[0] + 1) ** 2, n)
    penalties = {}
    for a in range(n):
        for b in range(a + 1, n):
            one, other = players[a], players[b]
            demands = (
                _seat_trouble(one, other),
                _far_from_half(groups, a, b),
                (one.points - other.points) ** 2,
                0,
                one.met[other.entrant],
            )
            penalties[a, b] = sum(map(_times, scales, demands))
        if n % 2:
            worse = sum(player.points < players[a].points for player in players)
            demands = (0, n - 1 - a, 0, worse, players[a].byes)
            penalties[a, n] = sum(map(_times, scales, demands))
    top = max(penalties.values()) + 1
    return {pair: top - penalty for pair, penalty in penalties.items()}


def _times(scale: int, demand: int) -> int:
    return scale * demand


def _scales(n: int, *largest: int) -> tuple[int, ...]:
    """A factor for each demand, weakest first; ``largest`` is each one's greatest penalty."""
    scales = [1]
    for most in largest[:-1]:
        scales.append(scales[-1] * (n * (most + 1) + 1))
    return (*scales, scales[-1] * (n * (largest[-1] + 1) + 1))


def _groups(players: Sequence[Player]) -> list[tuple[int, int, int]]:
    """For each place: the points, the place within its group of equal points, the group's size."""
    sizes = Counter(player.points for player in players)
    seen: Counter[int] = Counter()
    found = []
    for player in players:
        found.append((player.points, seen[player.points], sizes[player.points]))
        seen[player.points] += 1
    return found


def _far_from_half(groups: list[tuple[int, int, int]], a: int, b: int) -> int:
    """How far two of a group are from upper against lower half; 0 for two groups."""
    (points, place, size), (others, other, _) = groups[a], groups[b]
    return abs(other - place - size // 2) if points == others else 0


def _seat_trouble(one: Player, other: Player) -> int:
    """1 if both had the same seat more often, so that one gets it once more."""
    return int(one.firsts * other.firsts > 0)


def _seats(one: Player, other: Player) -> tuple[int, int]:
    """Who sat first less often sits first; if both did as often, the lower placed."""
    if one.firsts < other.firsts:
        return one.entrant, other.entrant
    if one.firsts > other.firsts or one.entrant % 2:
        return other.entrant, one.entrant
    return one.entrant, other.entrant
