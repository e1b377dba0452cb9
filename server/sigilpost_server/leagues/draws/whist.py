"""Four at a table in two pairs of partners, everybody with everybody: whist tournaments.

A whist tournament Wh(n), for n = 4m and 4m + 1, has everybody as partner of everybody once and as
opponent twice (Anderson, *Combinatorial Designs*, 1990). Those here are cyclic: a first round
whose numbers are moved round, with one entrant fixed where n is even and one resting where it is
odd. For other numbers of entrants or games, a search makes partners and opponents as even as it
can, against the same bound as in ``tables``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sigilpost_engine.core.rng import Rng
from sigilpost_server.leagues.draws import tables
from sigilpost_server.leagues.draws.tables import Table, games_each

SEATS = 4
PARTNERS = ((0, 2), (1, 3))
OPPONENTS = ((0, 1), (1, 2), (2, 3), (3, 0))

EXCHANGES = 40_000

# Partners are the first and third, and the second and fourth. The largest number of an even n
# is the fixed one.
_FIRST_ROUNDS: dict[int, tuple[Table, ...]] = {
    4: ((3, 1, 0, 2),),
    5: ((1, 2, 4, 3),),
    8: ((7, 1, 0, 3), (2, 4, 6, 5)),
    12: ((11, 1, 0, 3), (2, 6, 9, 7), (4, 5, 10, 8)),
    13: ((1, 2, 4, 7), (3, 6, 12, 8), (5, 9, 11, 10)),
    16: ((15, 1, 0, 2), (3, 9, 6, 11), (4, 8, 13, 12), (5, 7, 10, 14)),
    17: ((1, 3, 2, 8), (4, 10, 15, 12), (5, 6, 9, 13), (7, 11, 16, 14)),
    20: ((19, 1, 0, 2), (3, 9, 5, 15), (4, 12, 14, 17), (6, 10, 18, 13), (7, 8, 11, 16)),
    21: ((1, 3, 2, 6), (4, 12, 13, 19), (5, 14, 9, 16), (7, 11, 20, 17), (8, 10, 18, 15)),
}


def draw(n: int, games: int) -> list[Table]:
    """Tables in seat order; partners sit opposite each other (seats 1 and 3, 2 and 4).

    Everybody plays ``games_each(n, 4, games)``. Raises ValueError for n < 4.
    """
    if n < SEATS or games < 1:
        raise ValueError(f"no tables of {SEATS} for {n}")
    each = games_each(n, SEATS, games)
    return _seated(min(_candidates(n, each), key=unevenness))


def _candidates(n: int, each: int) -> Iterator[list[Table]]:
    rounds = _rounds(n)
    whole, more = divmod(each, n - 1)
    if rounds and more == 0:
        yield tournament(n) * whole
        return
    if rounds and n % SEATS == 0:
        yield tournament(n) * whole + [table for one in rounds[:more] for table in one]
    yield _search(n, each)


def tournament(n: int) -> list[Table]:
    """The whole whist tournament for ``n``, round after round; empty where none is listed."""
    return [table for one in _rounds(n) for table in one]


def _rounds(n: int) -> list[list[Table]]:
    first = _FIRST_ROUNDS.get(n)
    if first is None:
        return []
    cycle = n - 1 if n % 2 == 0 else n
    return [
        [tuple(x if x == cycle else (x + by) % cycle for x in table) for table in first]
        for by in range(cycle)
    ]


def partners(draw: Sequence[Table]) -> Counter[tuple[int, int]]:
    """How often each pair (smaller number first) is in partnership."""
    return _count(draw, PARTNERS)


def opponents(draw: Sequence[Table]) -> Counter[tuple[int, int]]:
    """How often each pair is in opposition."""
    return _count(draw, OPPONENTS)


def _count(draw: Sequence[Table], places: Sequence[tuple[int, int]]) -> Counter[tuple[int, int]]:
    pairs = ((table[a], table[b]) for table in draw for a, b in places)
    return Counter((min(pair), max(pair)) for pair in pairs)


def least(n: int, each: int) -> int:
    """The bound of :func:`unevenness`: partners and opponents each spread as evenly as can be."""
    return 2 * _spread(n, each) + _spread(n, 2 * each)


def _spread(n: int, meetings: int) -> int:
    base, more = divmod(meetings, n - 1)
    return n * ((n - 1 - more) * base**2 + more * (base + 1) ** 2) // 2


def unevenness(draw: Sequence[Table]) -> int:
    """Squares of meetings as opponents, and twice those as partners, which are half as many."""
    return 2 * sum(c * c for c in partners(draw).values()) + sum(
        c * c for c in opponents(draw).values()
    )


# --- the search -----------------------------------------------------------------------------------


def _search(n: int, each: int) -> list[Table]:
    rng = Rng(f"whist {n} {each}".encode())
    start = tables.draw(n, SEATS, each) if n > SEATS else [tuple(range(SEATS))] * each
    state = _State(start, n)
    best, bound = list(map(tuple, state.tables)), least(n, each)
    best_cost = state.cost
    for turn in range(EXCHANGES):
        if best_cost == bound:
            break
        move = state.move(rng)
        if move is None:
            continue
        before = state.cost
        state.swap(*move)
        uphill = 3 if turn % 8 == 0 and turn < EXCHANGES * 3 // 4 else 0
        if state.cost - before > uphill:
            state.swap(*move)
        elif state.cost < best_cost:
            best, best_cost = list(map(tuple, state.tables)), state.cost
    return best


class _State:
    """Tables and how often everybody met whom, while the search changes them."""

    def __init__(self, start: Sequence[Table], n: int) -> None:
        self.tables = [list(table) for table in start]
        self.met = {weight: [[0] * n for _ in range(n)] for weight in (1, 2)}
        self.cost = 0
        for table in self.tables:
            self._count(table, 1)

    def move(self, rng: Rng) -> tuple[int, int, int, int] | None:
        """Two places whose entrants could change: table, seat, table, seat."""
        a, b = rng.below(len(self.tables)), rng.below(len(self.tables))
        i, j = rng.below(SEATS), rng.below(SEATS)
        x, y = self.tables[a][i], self.tables[b][j]
        if x == y or (a != b and (x in self.tables[b] or y in self.tables[a])):
            return None
        return a, i, b, j

    def swap(self, a: int, i: int, b: int, j: int) -> None:
        one, other = self.tables[a], self.tables[b]
        touched = [one] if one is other else [one, other]
        for table in touched:
            self._count(table, -1)
        one[i], other[j] = other[j], one[i]
        for table in touched:
            self._count(table, 1)

    def _count(self, table: list[int], by: int) -> None:
        for weight, places in ((2, PARTNERS), (1, OPPONENTS)):
            met = self.met[weight]
            for p, q in places:
                x, y = sorted((table[p], table[q]))
                was = met[x][y]
                met[x][y] = was + by
                self.cost += weight * ((was + by) ** 2 - was**2)


# --- seats ----------------------------------------------------------------------------------------

# Turned round, and mirrored: partners stay opposite.
_TURNS = tuple(tuple(sign * step + by for step in range(4)) for sign in (1, -1) for by in range(4))


def _seated(draw: Sequence[Table]) -> list[Table]:
    """The same partners and opponents, each table turned or mirrored so that seats get even."""
    seats: Counter[tuple[int, int]] = Counter()
    found = [tuple(table) for table in draw]
    for table in found:
        seats.update((entrant, at) for at, entrant in enumerate(table))
    for at, table in [*enumerate(found)] * 3:
        now = found[at]
        seats.subtract((entrant, seat) for seat, entrant in enumerate(now))
        ways = [tuple(table[place % SEATS] for place in turn) for turn in _TURNS]
        found[at] = min(ways, key=lambda way: sum(seats[who, seat] for seat, who in enumerate(way)))
        seats.update((entrant, seat) for seat, entrant in enumerate(found[at]))
    return found
