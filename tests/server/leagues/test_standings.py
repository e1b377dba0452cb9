"""Standings: points, shared places, and each tie-break by a table made for it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sigilpost_engine.core.messages import say
from sigilpost_engine.core.sheet import Grid
from sigilpost_server.leagues import letters
from sigilpost_server.leagues.divisions import cut, merit, moves
from sigilpost_server.leagues.rules import LeagueRules, TieBreak
from sigilpost_server.leagues.season import results
from sigilpost_server.leagues.standings import VALUES, Table, ranking, shown
from sigilpost_server.leagues.state import How, Season
from tests.server.leagues.worlds import NOW, begun, rules


def result(season: Season, league: LeagueRules, a: int, b: int, places: tuple[int, int]) -> None:
    """Enter the result of the game between two, ``places`` in the order they are named."""
    fixture = next(f for f in season.fixtures if set(f.entrants) == {a, b})
    if fixture.entrants[0] == b:
        places = (places[1], places[0])
    results.finish(season, league, fixture.number, places, How.PLAYED, NOW)


def order(season: Season, league: LeagueRules) -> list[int]:
    return [row.entrant.number for row in ranking(league, season, 0)]


WIN, LOSS, DRAW = (1, 2), (2, 1), (1, 1)


def test_two_who_tie_share_the_points_of_their_places() -> None:
    league = rules("games = 3\npoints = [3, 1, 0]", kind="tables", seats=3)
    season = begun(league, 3)
    fixture = season.fixtures[0]
    results.finish(season, league, fixture.number, (1, 3, 1), How.PLAYED, NOW)
    points = {row.entrant.number: row.points for row in ranking(league, season, 0)}
    assert [points[e] for e in fixture.entrants] == [2, 0, 2]


def test_three_who_tie_share_exactly() -> None:
    league = rules("games = 3\npoints = [2, 1, 1]", kind="tables", seats=3)
    season = begun(league, 3)
    results.finish(season, league, 1, (1, 1, 1), How.PLAYED, NOW)
    assert {row.points for row in ranking(league, season, 0)} == {Fraction(4, 3)}


def test_the_game_between_those_of_equal_points_decides_first() -> None:
    league = rules('tiebreaks = ["head-to-head"]')
    season = begun(league, 4)
    for a, b, places in [
        (1, 2, WIN),
        (1, 3, LOSS),
        (1, 4, LOSS),
        (2, 3, WIN),
        (2, 4, WIN),
        (3, 4, WIN),
    ]:
        result(season, league, a, b, places)
    # 2 and 3 have four points each, and 2 beat 3; 1 and 4 have two each, and 4 beat 1.
    assert order(season, league) == [2, 3, 4, 1]


def test_sonneborn_berger_counts_the_points_of_those_who_were_beaten() -> None:
    league = rules()
    season = begun(league, 4)
    for a, b, places in [(1, 2, WIN), (1, 3, DRAW), (2, 4, WIN), (3, 4, WIN)]:
        result(season, league, a, b, places)
    table = Table(league, season, 0)
    # Points: 3, 2, 3, 0. Entrant 1 beat 2 (2 points) and drew with 3 (half of 3).
    assert VALUES[TieBreak.SONNEBORN_BERGER](table, 1, [1, 3]) == Fraction(7, 2)


def test_buchholz_is_the_points_of_all_opponents_and_cut_1_leaves_the_lowest_out() -> None:
    league = rules()
    season = begun(league, 4)
    for a, b, places in [(1, 2, WIN), (1, 3, WIN), (2, 3, WIN), (3, 4, WIN)]:
        result(season, league, a, b, places)
    table = Table(league, season, 0)
    assert VALUES[TieBreak.BUCHHOLZ](table, 3, []) == 4 + 2 + 0
    assert VALUES[TieBreak.BUCHHOLZ_CUT](table, 3, []) == 4 + 2


def test_the_game_s_own_scores_may_decide() -> None:
    league = rules('games = 1\ntiebreaks = ["score"]', kind="tables", seats=2)
    season = begun(league, 4)
    one, other = season.fixtures
    results.finish(season, league, one.number, (1, 2), How.PLAYED, NOW, (40, 30))
    results.finish(season, league, other.number, (1, 2), How.PLAYED, NOW, (45, 20))
    winners = [other.entrants[0], one.entrants[0]]
    assert order(season, league)[:2] == winners


def test_lots_decide_at_last_and_are_always_the_same() -> None:
    league = rules()
    assert order(begun(league, 6), league) == order(begun(league, 6), league)


@pytest.mark.parametrize(
    ("points", "text"), [(Fraction(3), "3"), (Fraction(9, 2), "4.5"), (Fraction(7, 3), "2.33")]
)
def test_points_are_written_short(points: Fraction, text: str) -> None:
    assert shown(points) == text


@pytest.mark.parametrize(
    ("kind", "first"),
    [("round-robin", "points"), ("swiss", "points"), ("knockout", "played"), ("ladder", "played")],
)
def test_points_come_first_in_a_table_and_only_where_they_rank(kind: str, first: str) -> None:
    more = '[season]\nlength = "60d"\n' if kind == "ladder" else ""
    league = rules(more, kind=kind)
    (grid,) = letters.table(league, begun(league, 4), 0).body
    assert isinstance(grid, Grid)
    headings = [column.heading for column in grid.columns]
    assert headings[2] == say(f"league.column.{first}")
    assert all(len(row) == len(headings) for row in grid.rows)


# --- promotion ------------------------------------------------------------------------------------

GOLD, SILVER, BRONZE = ["a", "b", "c", "d"], ["e", "f", "g", "h"], ["i", "j", "k", "l"]


def test_as_many_go_up_as_go_down() -> None:
    assert moves([GOLD, SILVER, BRONZE], 1) == [
        ([], ["a", "b", "c"], ["d"]),
        (["e"], ["f", "g"], ["h"]),
        (["i"], ["j", "k", "l"], []),
    ]


def test_the_order_of_merit_cut_up_gives_the_promoted_and_the_relegated_their_places() -> None:
    ordered = merit([GOLD, SILVER, BRONZE], 1, ["new"])
    assert cut(ordered, 4, 0, 2) == [
        ["a", "b", "c", "e"],
        ["d", "f", "g", "i"],
        ["h", "j", "k", "l", "new"],
    ]


def test_where_somebody_left_whoever_was_to_go_down_stays_first() -> None:
    ordered = [name for name in merit([GOLD, SILVER, BRONZE], 1, []) if name != "b"]
    assert cut(ordered, 4, 0, 2)[0] == ["a", "c", "e", "d"]


def test_too_few_for_a_division_of_their_own_join_the_one_above() -> None:
    assert [len(part) for part in cut(range(10), 4, 2, 2)] == [4, 4, 2]
    assert [len(part) for part in cut(range(10), 4, 3, 2)] == [4, 6]
