"""Draws: round robin, tables, whist, Swiss, knockout, ladder."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_engine.core.rng import Rng
from sigilpost_server.leagues.draws import berger, knockout, ladder, swiss, tables, whist

# FIDE Handbook C.05, annex 1: the table for seven or eight players.
BERGER_8 = """
1-8 2-7 3-6 4-5
8-5 6-4 7-3 1-2
2-8 3-1 4-7 5-6
8-6 7-5 1-4 2-3
3-8 4-2 5-1 6-7
8-7 1-6 2-5 3-4
4-8 5-3 6-2 7-1
"""


def test_the_round_robin_of_eight_is_the_published_berger_table() -> None:
    drawn = [" ".join(f"{a + 1}-{b + 1}" for a, b in pairs) for pairs in berger.rounds(8)]
    assert drawn == BERGER_8.split("\n")[1:-1]


@given(st.integers(2, 40))
def test_in_a_round_robin_every_pair_meets_once_and_nobody_twice_a_round(n: int) -> None:
    rounds = berger.rounds(n)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == Counter(map(frozenset, combinations(range(n), 2)))
    for pairs in rounds:
        names = [name for pair in pairs for name in pair]
        assert len(set(names)) == len(names)


@given(st.integers(2, 40))
def test_in_a_round_robin_nobody_sits_first_much_more_often_than_second(n: int) -> None:
    first = Counter(pair[0] for pairs in berger.rounds(n) for pair in pairs)
    second = Counter(pair[1] for pairs in berger.rounds(n) for pair in pairs)
    assert all(abs(first[name] - second[name]) <= 1 for name in range(n))


@given(st.integers(2, 20))
def test_a_double_round_robin_has_every_pair_in_both_orders(n: int) -> None:
    pairs = [pair for one in berger.rounds(n, double=True) for pair in one]
    assert len(pairs) == len(set(pairs)) == n * (n - 1)


# --- tables ---------------------------------------------------------------------------------------

sizes = st.integers(3, 5).flatmap(
    lambda k: st.tuples(st.integers(k, 14), st.just(k), st.integers(1, 2 * k))
)


@settings(max_examples=40, deadline=None)
@given(sizes)
def test_at_tables_all_play_equally_often_and_seats_differ_by_one_at_most(
    size: tuple[int, int, int],
) -> None:
    n, k, games = size
    drawn = tables.draw(n, k, games)
    each = tables.games_each(n, k, games)
    assert games <= each < games + k
    assert Counter(name for table in drawn for name in table) == dict.fromkeys(range(n), each)
    assert all(len(set(table)) == k for table in drawn)
    for name in range(n):
        seats = Counter(table.index(name) for table in drawn if name in table)
        assert max(seats[s] for s in range(k)) - min(seats[s] for s in range(k)) <= 1


@settings(max_examples=40, deadline=None)
@given(sizes)
def test_no_draw_is_more_even_than_the_bound_and_no_pair_meets_two_times_more_than_another(
    size: tuple[int, int, int],
) -> None:
    n, k, games = size
    drawn = tables.draw(n, k, games)
    met = tables.meetings(drawn)
    counts = [met[pair] for pair in combinations(range(n), 2)]
    assert tables.evenness(drawn, n) >= tables.least(n, k, tables.games_each(n, k, games))
    assert max(counts) - min(counts) <= 2


# Where a perfect spread is impossible, or was not found: how far the draw is above the bound.
# 8 in 4 tables of 4, each twice: the tables' pairs are too few (6) for 8 entrants. Tables of
# five for 15, every pair twice: no such design exists (Nandi 1945).
IMPERFECT = {
    (8, 4, 2): 4,
    (8, 4, 3): 2,
    (10, 5, 2): 8,
    (10, 5, 4): 2,
    (12, 4, 7): 2,
}


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("n", [5, 6, 7, 8, 9, 10, 11, 12, 13])
def test_tables_of_up_to_thirteen_reach_the_bound(n: int, k: int) -> None:
    for games in range(1, 2 * k + 1):
        if games == tables.games_each(n, k, games):
            excess = tables.evenness(tables.draw(n, k, games), n) - tables.least(n, k, games)
            assert excess <= IMPERFECT.get((n, k, games), 0), (n, k, games)


@pytest.mark.parametrize(
    ("n", "k", "games"),
    [(7, 3, 3), (13, 4, 4), (21, 5, 5), (9, 3, 4), (16, 4, 5), (25, 5, 6), (15, 3, 7)],
)
def test_planes_and_schoolgirls_meet_exactly_once(n: int, k: int, games: int) -> None:
    met = tables.meetings(tables.draw(n, k, games))
    assert all(met[pair] == 1 for pair in combinations(range(n), 2))


def test_the_same_tables_are_drawn_again() -> None:
    assert tables.draw(11, 4, 7) == tables.draw(11, 4, 7)


def test_a_table_cannot_be_larger_than_the_field() -> None:
    with pytest.raises(ValueError, match="no tables of 4 for 3"):
        tables.draw(3, 4, 1)


@pytest.mark.parametrize("n", [4, 5, 8, 12, 13, 16, 17, 20, 21])
def test_in_a_whist_tournament_everybody_partners_all_once_and_opposes_all_twice(n: int) -> None:
    drawn = whist.draw(n, n - 1)
    pairs = list(combinations(range(n), 2))
    assert whist.partners(drawn) == dict.fromkeys(pairs, 1)
    assert whist.opponents(drawn) == dict.fromkeys(pairs, 2)


@settings(max_examples=15, deadline=None)
@given(st.integers(4, 12), st.integers(1, 8))
def test_changing_partners_are_spread_to_within_the_bound(n: int, games: int) -> None:
    drawn = whist.draw(n, games)
    each = tables.games_each(n, 4, games)
    assert Counter(name for table in drawn for name in table) == dict.fromkeys(range(n), each)
    assert whist.least(n, each) <= whist.unevenness(drawn) <= whist.least(n, each) + 8
    with_whom = whist.partners(drawn)
    counts = [with_whom[pair] for pair in combinations(range(n), 2)]
    assert max(counts) - min(counts) <= 2


# --- Swiss ----------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 24), st.integers(0, 1000))
def test_a_swiss_tournament_has_no_pair_twice_and_no_second_bye(n: int, seed: int) -> None:
    rng = Rng(str(seed).encode())
    points, firsts, byes = Counter[int](), Counter[int](), Counter[int]()
    met: dict[int, Counter[int]] = {name: Counter() for name in range(n)}
    for _ in range(min(swiss.rounds(n), (n - 1) // 2)):
        order = sorted(range(n), key=lambda name: (-points[name], name))
        state = [swiss.Player(e, points[e], firsts[e], byes[e], met[e]) for e in order]
        pairs, bye = swiss.pair(state)
        assert sorted([*(e for p in pairs for e in p), *([] if bye is None else [bye])]) == [
            *range(n)
        ]
        assert (bye is None) == (n % 2 == 0)
        for a, b in pairs:
            assert met[a][b] == 0
            met[a][b] += 1
            met[b][a] += 1
            firsts[a] += 1
            firsts[b] -= 1
            points[(a, b)[rng.below(2)]] += 2
        if bye is not None:
            assert byes[bye] == 0
            byes[bye] += 1
            points[bye] += 2


def test_the_first_swiss_round_is_upper_half_against_lower_half() -> None:
    pairs, _ = swiss.pair([swiss.Player(e) for e in range(8)])
    assert sorted(sorted(pair) for pair in pairs) == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_in_a_swiss_round_equal_points_meet_and_the_lowest_has_the_bye() -> None:
    players = [swiss.Player(e, points) for e, points in enumerate([4, 4, 2, 2, 0, 0, 0])]
    pairs, bye = swiss.pair(players)
    assert sorted(sorted(pair) for pair in pairs) == [[0, 1], [2, 3], [4, 5]]
    assert bye == 6


def test_two_of_a_swiss_league_meet_again_only_if_they_must() -> None:
    met = {
        0: Counter({1: 1, 2: 1, 3: 1}),
        1: Counter({0: 1}),
        2: Counter({0: 1}),
        3: Counter({0: 1}),
    }
    pairs, _ = swiss.pair([swiss.Player(e, 0, met=met[e]) for e in range(4)])
    assert sum(1 for a, b in pairs if met[a][b]) == 1


def test_whoever_sat_first_less_often_sits_first() -> None:
    pairs, _ = swiss.pair([swiss.Player(0, firsts=1), swiss.Player(1, firsts=-1)])
    assert pairs == [(1, 0)]


# --- knockout and ladder --------------------------------------------------------------------------


@given(st.integers(2, 64))
def test_in_a_bracket_the_best_seeds_meet_last_and_rest_first(n: int) -> None:
    pairs = knockout.first_round(list(range(n)))
    rests = [a for a, b in pairs if b is None]
    assert sorted(x for x in rests if x is not None) == list(range(len(rests)))
    while len(pairs) > 1:
        through = [a if b is None or (a is not None and a < b) else b for a, b in pairs]
        pairs = knockout.next_round(through)
    assert set(pairs[0]) == {0, 1}


def test_a_game_that_nobody_came_through_gives_the_other_a_rest() -> None:
    assert knockout.next_round([None, 3, None, None]) == [(3, None), (None, None)]


def test_on_a_ladder_the_winner_takes_the_place_and_the_others_move_down() -> None:
    assert ladder.after([1, 2, 3, 4, 5], 4, 2, won=True) == [1, 4, 2, 3, 5]
    assert ladder.after([1, 2, 3, 4, 5], 4, 2, won=False) == [1, 2, 3, 4, 5]
    assert ladder.after([4, 1, 2], 4, 2, won=True) == [4, 1, 2]


def test_on_a_ladder_only_the_next_places_above_can_be_challenged() -> None:
    order = [5, 6, 7, 8]
    assert ladder.may_challenge(order, 8, 6, 2)
    assert not ladder.may_challenge(order, 8, 5, 2)
    assert not ladder.may_challenge(order, 6, 8, 2)
    assert not ladder.may_challenge(order, 9, 8, 2)


def test_free_players_of_a_ladder_challenge_the_nearest_they_have_not_met_lately() -> None:
    assert ladder.challenges([1, 2, 3, 4], {1, 2, 3, 4}, {(3, 4)}, 2) == [(4, 2), (3, 1)]
