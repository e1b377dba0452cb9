"""Tables of three to five players on which every pair meets as evenly as can be.

A draw is a block design: ``n`` entrants, tables of ``k``, each entrant at ``games`` tables. Where
``games`` is a multiple of ``k``, tables come from a cyclic difference family: base tables on the
numbers modulo ``n``, each moved round by 1, 2, … n-1. It seats everybody equally often in every
place, and meets evenly if the differences within the base tables occur equally often (Bose's
method of differences; for n = 7, 13, 21 these are the projective planes). The affine planes of
orders 3 to 5 and the schoolgirl problem's 15 come from their textbook constructions. For
everything else, and wherever these are not perfect, a search exchanges entrants between tables
until the bound of :func:`least` is reached or its budget is spent.

Seats are dealt by colouring the edges of the bipartite graph of entrants and tables (König: as
many colours suffice as the largest degree): no entrant sits in one place twice more often than
in another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import comb

from sigilpost_engine.core.rng import Rng

Table = tuple[int, ...]

CANDIDATES = 4_000
"""Base tables that are compared in the method of differences."""

EXCHANGES = 60_000
"""Exchanges that the search tries."""


def games_each(n: int, k: int, games: int) -> int:
    """The least number of games from ``games`` on that ``n`` entrants can play equally often."""
    return next(each for each in range(games, games + k) if n * each % k == 0)


def draw(n: int, k: int, games: int) -> list[Table]:
    """Tables in seat order for ``n`` entrants at ``k`` seats, everybody at as many tables.

    Each plays ``games_each(n, k, games)``. Equal arguments give equal draws. Raises ValueError
    where no table can be filled.
    """
    if not 2 <= k <= n or games < 1:
        raise ValueError(f"no tables of {k} for {n}")
    each = games_each(n, k, games)
    bound = least(n, k, each)
    found: list[Table] = []
    for candidate in _candidates(n, k, each):
        if not found or evenness(candidate, n) < evenness(found, n):
            found = candidate
        if evenness(found, n) == bound:
            break
    return seated(found)


def meetings(tables: Sequence[Table]) -> Counter[tuple[int, int]]:
    """How often each pair (smaller number first) meets."""
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def evenness(tables: Sequence[Table], n: int) -> int:
    """The sum over all pairs of the square of their meetings: smaller is more even."""
    return sum(count * count for count in meetings(tables).values())


def least(n: int, k: int, each: int) -> int:
    """A bound that no draw can get under in :func:`evenness`.

    Each entrant has ``each * (k - 1)`` meetings for ``n - 1`` others; the sum of their squares is
    least where they differ by at most one. Every pair is counted for both of its entrants.
    """
    base, more = divmod(each * (k - 1), n - 1)
    return n * ((n - 1 - more) * base**2 + more * (base + 1) ** 2) // 2


def _candidates(n: int, k: int, each: int) -> Iterator[list[Table]]:
    known = _known(n, k)
    if known and len(known) * k >= n * each:
        yield known[: n * each // k]
    whole = comb(n, k)
    if n * each % (whole * k) == 0 and whole <= n * each // k:
        yield list(combinations(range(n), k)) * (n * each // (whole * k))
    if each % k == 0:
        yield _cyclic(n, k, each // k)
    rng = Rng(f"tables {n} {k} {each}".encode())
    start = (
        _cyclic(n, k, -(-each // k))[: n * each // k] if each % k == 0 else _dealt(n, k, each, rng)
    )
    yield _search(start, n, least(n, k, each), rng)


# --- published designs ----------------------------------------------------------------------------

# The first day of a solution of the schoolgirl problem (Kirkman 1850) on a_0…a_6 = 0…6,
# b_0…b_6 = 7…13 and one fixed girl, 14; the other days add 1 to 6 to all indexes, modulo 7.
_FIRST_DAY = ((0, 7, 14), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))


def _known(n: int, k: int) -> list[Table]:
    """A published design in which any two meet once, its rounds one after another."""
    if n == k * k and k in (3, 4, 5):
        return _affine(k)
    if (n, k) == (15, 3):
        return [
            tuple(_turned(girl, day) for girl in walk) for day in range(7) for walk in _FIRST_DAY
        ]
    return []


def _turned(girl: int, day: int) -> int:
    if girl == 14:
        return girl
    row, index = divmod(girl, 7)
    return row * 7 + (index + day) % 7


def _affine(k: int) -> list[Table]:
    """The lines of the affine plane of order 3, 4 or 5: any two points lie on one line.

    Point (x, y) is number ``x * k + y``. A class for each slope, and the vertical lines.
    """
    lines = [tuple(x * k + y for y in range(k)) for x in range(k)]
    for slope in range(k):
        for at in range(k):
            points = ((x, _add(_times(slope, x, k), at, k)) for x in range(k))
            lines.append(tuple(x * k + y for x, y in points))
    return lines


def _add(a: int, b: int, k: int) -> int:
    return a ^ b if k == 4 else (a + b) % k


def _times(a: int, b: int, k: int) -> int:
    """In the field of k elements; that of 4 has x² = x + 1."""
    if k != 4:
        return a * b % k
    if a == 0 or b == 0:
        return 0
    return (a + b - 2) % 3 + 1


# --- the method of differences --------------------------------------------------------------------


def _cyclic(n: int, k: int, families: int) -> list[Table]:
    """``families`` base tables moved round: each adds ``k`` games for everybody."""
    spread: Counter[int] = Counter()
    bases: list[Table] = []
    candidates = list(_bases(n, k))
    for _ in range(families):
        best = min(candidates, key=lambda base: _roughness(spread + _differences(base, n), n))
        bases.append(best)
        spread += _differences(best, n)
    # One of them exchanged for a better one, until none is.
    for at in list(range(families)) * 2:
        rest = spread - _differences(bases[at], n)
        best = min(candidates, key=lambda base: _roughness(rest + _differences(base, n), n))
        if _roughness(rest + _differences(best, n), n) < _roughness(spread, n):
            bases[at] = best
            spread = rest + _differences(best, n)
    return [tuple((seat + by) % n for seat in base) for base in bases for by in range(n)]


def _bases(n: int, k: int) -> Iterator[Table]:
    if comb(n - 1, k - 1) <= CANDIDATES:
        yield from ((0, *rest) for rest in combinations(range(1, n), k - 1))
        return
    rng = Rng(f"bases {n} {k}".encode())
    yield from islice(((0, *rest) for rest in combinations(range(1, n), k - 1)), CANDIDATES // 2)
    for _ in range(CANDIDATES // 2):
        numbers = list(range(1, n))
        rng.shuffle(numbers)
        yield (0, *sorted(numbers[: k - 1]))


def _differences(base: Table, n: int) -> Counter[int]:
    """How often pairs at each distance (1 … n/2) meet when the table is moved round."""
    found: Counter[int] = Counter()
    for a, b in combinations(base, 2):
        distance = min((a - b) % n, (b - a) % n)
        # At half the way round a pair is met from both of its ends.
        found[distance] += 2 if 2 * distance == n else 1
    return found


def _roughness(spread: Counter[int], n: int) -> int:
    return sum((1 if 2 * d == n else 2) * count * count for d, count in spread.items())


# --- the search -----------------------------------------------------------------------------------


def _dealt(n: int, k: int, each: int, rng: Rng) -> list[Table]:
    """Tables filled in order from one shuffled deal after another."""
    tables: list[list[int]] = [[] for _ in range(n * each // k)]
    for _ in range(each):
        deal = list(range(n))
        rng.shuffle(deal)
        for entrant in deal:
            free = (t for t in tables if len(t) < k and entrant not in t)
            table = min(free, key=lambda t: (-len(t), rng.below(1 << 16)), default=None)
            if table is None:
                return _dealt(n, k, each, rng)
            table.append(entrant)
    return [tuple(table) for table in tables]


def _search(start: list[Table], n: int, bound: int, rng: Rng) -> list[Table]:
    """Exchange entrants between tables, uphill a little at first, until even or out of budget."""
    tables = [list(table) for table in start]
    met = [[0] * n for _ in range(n)]
    for a, b in (pair for table in tables for pair in combinations(table, 2)):
        met[a][b] += 1
        met[b][a] += 1
    cost = evenness(start, n)
    best, best_cost = [tuple(t) for t in tables], cost
    for turn in range(EXCHANGES):
        if best_cost == bound:
            break
        one, other = tables[rng.below(len(tables))], tables[rng.below(len(tables))]
        i, j = rng.below(len(one)), rng.below(len(other))
        x, y = one[i], other[j]
        if one is other or x in other or y in one:
            continue
        delta = _delta(met, one, other, x, y)
        # Threshold accepting (Dueck and Scheuer 1990): steps uphill get rarer and end.
        uphill = 2 if turn % 8 == 0 and turn < EXCHANGES * 3 // 4 else 0
        if delta > uphill:
            continue
        _exchange(met, one, other, i, j)
        cost += delta
        if cost < best_cost:
            best, best_cost = [tuple(t) for t in tables], cost
    return best


def _delta(met: list[list[int]], one: list[int], other: list[int], x: int, y: int) -> int:
    """The change of the sum of squares if ``x`` of ``one`` and ``y`` of ``other`` change places."""
    change = 0
    for p in one:
        if p != x:
            change += 2 * met[y][p] + 1 - (2 * met[x][p] - 1)
    for p in other:
        if p != y:
            change += 2 * met[x][p] + 1 - (2 * met[y][p] - 1)
    # Whoever sits at both tables is met by both before and after.
    change -= 4 * len(set(one) & set(other))
    return change


def _exchange(met: list[list[int]], one: list[int], other: list[int], i: int, j: int) -> None:
    x, y = one[i], other[j]
    for mover, left, joined in ((x, one, other), (y, other, one)):
        for p in left:
            if p != mover:
                met[mover][p] -= 1
                met[p][mover] -= 1
        for p in joined:
            if p not in (x, y):
                met[mover][p] += 1
                met[p][mover] += 1
    one[i], other[j] = y, x


# --- seats ----------------------------------------------------------------------------------------


def seated(tables: Sequence[Table]) -> list[Table]:
    """The same tables in a seat order in which nobody has one seat twice more than another.

    Everybody's tables are dealt into bundles of ``k``; entrants' bundles on one side and tables on
    the other make a bipartite graph of degree ``k``, whose edges ``k`` colours (the seats) tell
    apart: so a whole bundle has every seat once, and the last one none twice.
    """
    if not tables:
        return []
    k = len(tables[0])
    taken: list[dict[int, int]] = [{} for _ in tables]  # table → seat → bundle
    has: dict[int, dict[int, int]] = {}  # bundle → seat → table
    played: Counter[int] = Counter()
    owner: dict[int, int] = {}
    names: dict[tuple[int, int], int] = {}
    for at, table in enumerate(tables):
        for entrant in table:
            bundle = names.setdefault((entrant, played[entrant] // k), len(names))
            owner[bundle] = entrant
            played[entrant] += 1
            _colour(at, bundle, taken, has.setdefault(bundle, {}), has, k)
    return [tuple(owner[seats[seat]] for seat in range(k)) for seats in taken]


def _colour(
    table: int,
    bundle: int,
    taken: list[dict[int, int]],
    mine: dict[int, int],
    has: dict[int, dict[int, int]],
    k: int,
) -> None:
    """Give the edge a seat; where none is free at both ends, swap two along an alternating path."""
    here = next(seat for seat in range(k) if seat not in taken[table])
    there = next(seat for seat in range(k) if seat not in mine)
    if here in mine:
        _swap(bundle, here, there, taken, has)
    taken[table][here] = bundle
    has[bundle][here] = table


def _swap(
    bundle: int, a: int, b: int, taken: list[dict[int, int]], has: dict[int, dict[int, int]]
) -> None:
    """Change seats ``a`` and ``b`` along the path that leaves ``bundle`` by ``a``."""
    path: list[tuple[int, int, int]] = []  # bundle, table, its seat on this path
    at, seat, other = bundle, a, b
    while seat in has[at]:
        table = has[at][seat]
        path.append((at, table, seat))
        if other not in taken[table]:
            break
        at = taken[table][other]
        path.append((at, table, other))
    for who, table, was in path:
        del has[who][was]
        del taken[table][was]
    for who, table, was in path:
        now = b if was == a else a
        has[who][now] = table
        taken[table][now] = who
