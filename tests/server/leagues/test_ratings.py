"""Ratings and reliability: pure, exact to the last bit, and told apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_server.leagues import ratings, reliability
from sigilpost_server.leagues.ratings import Rated, Rating, rate, recompute
from sigilpost_server.leagues.reliability import Mark, What, score

DAY = 86_400

results = st.lists(
    st.tuples(
        st.sampled_from(["weaver", "tome/duel"]),
        st.lists(st.integers(1, 9), min_size=2, max_size=5, unique=True),
        st.randoms(use_true_random=False),
        st.integers(0, 200),
    ),
    max_size=30,
)


@settings(max_examples=50, deadline=None)
@given(results)
def test_ratings_computed_anew_are_the_numbers_reached_step_by_step(raw: list) -> None:  # type: ignore[type-arg]
    stepwise: dict[tuple[str, int], Rating] = {}
    log, now = [], 0
    for number, (pool, players, chance, days) in enumerate(raw):
        now += days * DAY
        places = tuple(chance.randint(1, 3) for _ in players)
        result = Rated(pool, number, now, tuple((p,) for p in players), places)
        log.append(result)
        before = {p: stepwise[pool, p] for p in players if (pool, p) in stepwise}
        stepwise |= {(pool, p): r for p, r in rate(result, before).items()}
    assert recompute(reversed(log)) == stepwise


def test_the_winner_gains_and_the_loser_falls_by_as_much() -> None:
    after = rate(Rated("weaver", 1, 0, ((1,), (2,)), (1, 2)), {})
    assert after[1].mean > ratings.MEAN > after[2].mean
    assert after[1].mean - ratings.MEAN == pytest.approx(ratings.MEAN - after[2].mean)
    assert after[1].deviation < ratings.DEVIATION


def test_of_several_the_order_counts() -> None:
    after = rate(Rated("weaver", 1, 0, ((1,), (2,), (3,)), (2, 1, 3)), {})
    assert after[2].mean > after[1].mean > after[3].mean


def test_partners_gain_together() -> None:
    after = rate(Rated("tome/team", 1, 0, ((1, 3), (2, 4)), (1, 2)), {})
    assert after[1].mean == after[3].mean > after[2].mean == after[4].mean


def test_a_shared_place_of_equals_changes_nobody() -> None:
    after = rate(Rated("weaver", 1, 0, ((1,), (2,)), (1, 1)), {})
    assert after[1].mean == pytest.approx(after[2].mean)


def test_absence_makes_less_certain_and_neither_better_nor_worse() -> None:
    known = Rating(30.0, 2.0, 40, 0)
    later = ratings.now(known, 365 * DAY)
    assert later.mean == 30.0
    assert 2.0 < later.deviation < ratings.DEVIATION
    assert ratings.now(known, ratings.ACTIVE) == known


def test_a_rating_is_provisional_for_its_first_games() -> None:
    assert Rating(games=ratings.PROVISIONAL - 1).provisional
    assert not Rating(games=ratings.PROVISIONAL).provisional


def test_the_pool_is_the_game_and_its_mode() -> None:
    assert ratings.pool_of("weaver", {"hidden_cards": "flat"}) == "weaver"
    assert ratings.pool_of("tome", {"mode": "duel"}) == "tome/duel"


@pytest.mark.parametrize(
    ("forfeited", "moves", "rated"),
    [(True, 0, False), (True, 1, True), (False, 0, True), (False, 12, True)],
)
def test_a_forfeit_before_the_first_move_is_not_rated(
    forfeited: bool, moves: int, rated: bool
) -> None:
    assert ratings.counts(forfeited, moves) is rated


# --- reliability ----------------------------------------------------------------------------------


def missed(*days: float) -> list[Mark]:
    return [Mark(int(day * DAY), What.MISSED) for day in days]


def test_without_a_miss_the_score_is_a_hundred() -> None:
    assert score([Mark(DAY, What.FINISHED)], 9 * DAY) == 100


def test_one_outage_is_one_miss_however_many_games_it_hit() -> None:
    assert score(missed(1, 1.5, 2, 3, 6), 7 * DAY) == score(missed(1), 7 * DAY)


def test_misses_far_apart_are_several() -> None:
    assert score(missed(1, 40), 41 * DAY) < score(missed(40), 41 * DAY)


def test_missing_something_every_few_days_is_no_single_outage() -> None:
    assert len(reliability.outages(missed(0, 5, 10, 15, 20))) == 3


@given(st.lists(st.integers(0, 400), max_size=8), st.integers(400, 1000), st.integers(1, 400))
def test_the_score_heals_with_time(days: list[int], now: int, more: int) -> None:
    marks = missed(*days)
    assert 0 <= score(marks, now * DAY) <= score(marks, (now + more) * DAY) <= 100


def test_the_score_heals_quicker_for_who_plays() -> None:
    played = [Mark(20 * DAY + at, What.FINISHED) for at in range(5)]
    assert score(missed(10) + played, 30 * DAY) > score(missed(10), 30 * DAY)


def test_skill_and_reliability_are_apart() -> None:
    before = {1: Rating(30, 3, 20), 2: Rating(20, 3, 20)}
    result = Rated("weaver", 1, 0, ((1,), (2,)), (1, 2))
    assert rate(result, before)[1].mean > 30
    assert score(missed(1), 2 * DAY) < 100
