"""Seasons: entry, draw, games at once, results, withdrawal, rounds, the end, the next one."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_engine.core import codec
from sigilpost_engine.core.rng import Rng
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import LeagueRules, Teams, Withdrawal
from sigilpost_server.leagues.season import (
    beginning,
    challenges,
    entry,
    leaving,
    results,
    rounds,
    rulings,
    starting,
)
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.standings import ranking
from sigilpost_server.leagues.state import How, Phase, Season, Status
from tests.server.leagues.worlds import (
    DAY,
    NOW,
    begun,
    by_chance,
    entered,
    play_on,
    play_out,
    rules,
    running,
)

LEAGUES = {
    "round robin": rules(),
    "double round robin": rules("double = true"),
    "swiss": rules(kind="swiss"),
    "knockout": rules(kind="knockout"),
    "ladder": rules('[season]\nlength = "60d"\n', kind="ladder"),
    "tables of three": rules(kind="tables", seats=3),
    "tables of five": rules("games = 5", kind="tables", seats=5),
    "divisions": rules("[divisions]\nsize = 4\npromoted = 1\n"),
}
every = pytest.mark.parametrize("league", LEAGUES.values(), ids=LEAGUES)


def refusal(fault: pytest.ExceptionInfo[Refused]) -> str:
    return fault.value.message.id.rpartition(".")[2]


# --- whole seasons --------------------------------------------------------------------------------


@every
@settings(max_examples=12, deadline=None)
@given(n=st.integers(6, 13), seed=st.integers(0, 10_000))
def test_a_season_ends_and_every_fixture_has_one_result(
    league: LeagueRules, n: int, seed: int
) -> None:
    season = begun(league, n)
    play_out(season, league, by_chance(Rng(str(seed).encode())))
    assert all(not fixture.open for fixture in season.fixtures)
    done = [f for f in season.fixtures if f.status is Status.DONE]
    assert all(len(f.places) == len(f.entrants) for f in done)
    ranked = [
        row.entrant.number
        for at in range(len(season.divisions))
        for row in ranking(league, season, at)
    ]
    assert sorted(ranked) == [entrant.number for entrant in season.entrants]


@every
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_season_saved_and_loaded_at_every_step_ends_alike(league: LeagueRules, seed: int) -> None:
    kept, reloaded = begun(league, 9), begun(league, 9)
    one, other = by_chance(Rng(str(seed).encode())), by_chance(Rng(str(seed).encode()))
    now = NOW
    for _ in range(500):
        now += DAY
        play_on(kept, league, one, now)
        reloaded = codec.decode(Season, json.loads(json.dumps(codec.encode(reloaded))))
        play_on(reloaded, league, other, now)
        assert reloaded == kept
        if kept.phase is Phase.ENDED:
            return
    raise AssertionError("the season does not end")


@every
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_nobody_gets_more_games_than_allowed_whoever_leaves(
    league: LeagueRules, data: st.DataObject
) -> None:
    season = begun(league, 9)
    rng = Rng(str(data.draw(st.integers(0, 10_000))).encode())
    places = by_chance(rng)
    now, limit = NOW, data.draw(st.integers(1, 3))
    for _ in range(400):
        now += DAY
        rounds.advance(season, league, now)
        for fixture in starting.startable(season, league, running(season), limit):
            starting.start(season, fixture.number, f"g{fixture.number}", now)
        assert max(running(season).values(), default=0) <= min(limit, league.play.at_once)
        if rng.below(12) == 0:
            gone = season.entrants[rng.below(9)]
            for fixture in leaving.withdraw(season, league, gone.number, now):
                last = [2 if e == gone.number else 1 for e in fixture.entrants]
                results.finish(season, league, fixture.number, last, How.FORFEITED, now)
        for fixture in season.fixtures:
            if fixture.status is Status.RUNNING and rng.below(3) == 0:
                results.finish(season, league, fixture.number, places(fixture), How.PLAYED, now)
        if season.phase is Phase.ENDED:
            assert not any(f.open for f in season.fixtures)
            return
    raise AssertionError("the season does not end")


@every
def test_doing_anything_twice_changes_nothing(league: LeagueRules) -> None:
    season = begun(league, 8)
    play_on(season, league, by_chance(Rng(b"twice")), NOW + DAY)
    rounds.advance(season, league, NOW + DAY)
    before = codec.copy(season)
    for fixture in before.fixtures:
        if not fixture.open:
            last_first = tuple(reversed(fixture.places))
            assert not results.finish(season, league, fixture.number, last_first, How.PLAYED, NOW)
    starting.start(season, before.fixtures[0].number, "another", NOW)
    assert rounds.advance(season, league, NOW + DAY) == []
    assert season == before


# --- entry ----------------------------------------------------------------------------------------


def test_entry_ends_after_its_time_and_the_season_begins() -> None:
    league = rules('[season]\nentry = "3d"\n')
    season = entered(league, 4)
    assert entry.close_entry(season, league, NOW) == [News(Told.OPENED)]
    assert entry.close_entry(season, league, NOW + 3 * DAY - 1) == []
    assert entry.close_entry(season, league, NOW + 3 * DAY) == [News(Told.BEGUN)]
    assert season.phase is Phase.PLAYING
    assert len(season.fixtures) == 6


def test_with_too_few_entrants_entry_stays_open_for_as_long_again() -> None:
    league = rules('[season]\nentry = "3d"\nminimum = 4\n')
    season = entered(league, 3)
    entry.close_entry(season, league, NOW)
    assert entry.close_entry(season, league, NOW + 3 * DAY) == [News(Told.EXTENDED)]
    assert season.phase is Phase.ENTRY
    assert season.closes == NOW + 6 * DAY


def test_a_full_league_begins_at_once() -> None:
    league = rules("[season]\nmaximum = 4\n")
    season = entered(league, 4)
    entry.close_entry(season, league, NOW)
    assert entry.close_entry(season, league, NOW + 60) == [News(Told.BEGUN)]


def test_nobody_enters_twice_nor_a_full_nor_a_running_league() -> None:
    league = rules("[season]\nmaximum = 2\n")
    season = entered(league, 1)
    with pytest.raises(Refused) as fault:
        entry.enter(season, league, "E1", [1], NOW)
    assert refusal(fault) == "entered"
    entry.enter(season, league, "E2", [2], NOW)
    with pytest.raises(Refused) as fault:
        entry.enter(season, league, "E3", [3], NOW)
    assert refusal(fault) == "full"
    beginning.begin(season, league, NOW)
    with pytest.raises(Refused) as fault:
        entry.enter(season, league, "E3", [3], NOW)
    assert refusal(fault) == "closed"


def test_before_the_draw_leaving_is_as_if_one_had_never_come() -> None:
    league = rules()
    season = entered(league, 4)
    leaving.withdraw(season, league, 2, NOW)
    entry.enter(season, league, "E2", [2], NOW)
    beginning.begin(season, league, NOW)
    assert {e for f in season.fixtures for e in f.entrants} == {1, 3, 4, 5}


def test_whoever_comes_late_to_a_ladder_begins_at_its_foot() -> None:
    league = LEAGUES["ladder"]
    season = begun(league, 3)
    late = entry.enter(season, league, "Late", [77], NOW + DAY)
    assert season.divisions[0].order[-1] == late.number


# --- results and rounds ---------------------------------------------------------------------------


def test_a_round_ends_with_its_last_game_and_is_told_once() -> None:
    league = rules()
    season = begun(league, 4)
    told: list[News] = []
    for fixture in list(season.fixtures):
        starting.start(season, fixture.number, "g", NOW)
        results.finish(season, league, fixture.number, (1, 2), How.PLAYED, NOW)
        told += rounds.advance(season, league, NOW)
    ended = [News(Told.ROUND_ENDED, 0, number) for number in (1, 2, 3)]
    assert told == [*ended, News(Told.ENDED)]


def test_a_tied_game_of_a_knockout_is_replayed_with_seats_changed_then_the_seed_goes_on() -> None:
    league = rules("replays = 2", kind="knockout")
    season = begun(league, 2)
    for _ in range(3):
        (game,) = [f for f in season.fixtures if f.open]
        results.finish(season, league, game.number, (1, 1), How.PLAYED, NOW)
    rounds.advance(season, league, NOW)
    assert [f.entrants for f in season.fixtures] == [(1, 2), (2, 1), (1, 2)]
    assert season.divisions[0].winner == 1


def test_a_bye_of_a_swiss_league_is_worth_a_win() -> None:
    league = rules(kind="swiss")
    season = begun(league, 5)
    (bye,) = [f for f in season.fixtures if f.how is How.BYE]
    row = next(r for r in ranking(league, season, 0) if r.entrant.number == bye.entrants[0])
    assert row.points == 2
    assert row.played == 0


def test_after_the_season_s_length_what_still_runs_is_shared() -> None:
    league = rules('[season]\nlength = "30d"\n')
    season = begun(league, 4)
    results.finish(season, league, 1, (1, 2), How.PLAYED, NOW)
    rounds.advance(season, league, NOW + 30 * DAY)
    assert season.phase is Phase.ENDED
    assert Counter(f.how for f in season.fixtures) == {How.PLAYED: 1, How.SHARED: 5}


# --- who leaves -----------------------------------------------------------------------------------


def _played(season: Season, league: LeagueRules, entrant: int, number: int) -> None:
    mine = [f for f in season.fixtures if entrant in f.entrants]
    for fixture in mine[:number]:
        results.finish(season, league, fixture.number, (1, 2), How.PLAYED, NOW)


def test_whoever_leaves_a_round_robin_before_half_of_it_is_taken_out_of_the_table() -> None:
    league = rules()
    season = begun(league, 5)
    _played(season, league, 1, 1)
    leaving.withdraw(season, league, 1, NOW)
    assert {f.status for f in season.fixtures if 1 in f.entrants} == {Status.VOID}
    assert all(row.points == 0 for row in ranking(league, season, 0))


def test_whoever_leaves_a_round_robin_after_half_of_it_forfeits_the_rest() -> None:
    league = rules()
    season = begun(league, 5)
    _played(season, league, 1, 2)
    leaving.withdraw(season, league, 1, NOW)
    mine = Counter(f.how for f in season.fixtures if 1 in f.entrants)
    assert mine == {How.PLAYED: 2, How.FORFEITED: 2}
    assert ranking(league, season, 0)[-1].entrant.number == 1


@pytest.mark.parametrize(("rule", "how"), [("forfeit", How.FORFEITED), ("annul", None)])
def test_the_file_may_choose_the_rule(rule: str, how: How | None) -> None:
    league = rules().model_copy(update={"withdrawal": Withdrawal(rule)})
    season = begun(league, 5)
    leaving.withdraw(season, league, 1, NOW)
    assert {f.how for f in season.fixtures if 1 in f.entrants} == {how}


def test_the_running_games_of_whoever_leaves_are_handed_out_to_be_given_up() -> None:
    league = rules()
    season = begun(league, 4)
    fixture = next(f for f in season.fixtures if 1 in f.entrants)
    starting.start(season, fixture.number, "weaver-aaaa", NOW)
    assert leaving.withdraw(season, league, 1, NOW) == [fixture]
    assert leaving.withdraw(season, league, 1, NOW) == []


def test_a_table_that_cannot_be_played_is_shared_by_those_still_in() -> None:
    league = rules("games = 3", kind="tables", seats=3)
    season = begun(league, 7)
    leaving.withdraw(season, league, 1, NOW)
    lost = [f for f in season.fixtures if 1 in f.entrants]
    assert {f.how for f in lost} == {How.SHARED}
    points = {row.entrant.number: row.points for row in ranking(league, season, 0)}
    # Places one and two are worth 4 and 2: the two who are left share them.
    assert points[1] == 0
    assert all(points[e] == 3 for f in lost for e in f.entrants if e != 1)


def test_a_knockout_goes_on_without_whoever_left_after_winning() -> None:
    league = rules(kind="knockout")
    season = begun(league, 4)
    first, second = [f.number for f in season.fixtures]
    results.finish(season, league, first, (1, 2), How.PLAYED, NOW)
    winner = season.fixture(first).entrants[0]
    leaving.withdraw(season, league, winner, NOW)
    results.finish(season, league, second, (1, 2), How.PLAYED, NOW)
    rounds.advance(season, league, NOW)
    assert season.phase is Phase.ENDED
    assert season.divisions[0].winner == season.fixture(second).entrants[0]


def test_a_substitute_takes_over_results_and_games_to_come() -> None:
    league = rules()
    season = begun(league, 4)
    fixture = next(f for f in season.fixtures if 1 in f.entrants)
    rulings.substitute(season, 1, "Sub", [99], league)
    assert 99 in starting.players_of(season, fixture)
    assert 1 not in starting.players_of(season, fixture)
    with pytest.raises(Refused) as fault:
        rulings.substitute(season, 2, "Sub", [99], league)
    assert refusal(fault) == "entered"


def test_the_director_s_result_and_points_count() -> None:
    league = rules()
    season = begun(league, 3)
    fixture = season.fixtures[0]
    rulings.award(season, league, fixture.number, (2, 1), NOW, "a fault of the server")
    rulings.adjust(season, league, fixture.entrants[1], -1, "late")
    points = {row.entrant.number: row.points for row in ranking(league, season, 0)}
    assert points[fixture.entrants[1]] == 1
    assert fixture.how is How.AWARDED


def award_refused(season: Season, league: LeagueRules, number: int, *places: int) -> str:
    with pytest.raises(Refused) as fault:
        rulings.award(season, league, number, places, NOW, "why")
    return fault.value.message.id.rpartition(".")[2]


def test_a_result_in_which_partners_part_is_refused() -> None:
    alone = rules(kind="tables", game="weaver", seats=4)
    league = alone.model_copy(update={"game": "tome", "teams": Teams.CHANGING})
    season = begun(league, 4)
    assert award_refused(season, league, 1, 1, 2, 3, 4) == "partners"
    rulings.award(season, league, 1, (1, 2, 1, 2), NOW, "why")


def test_nobody_who_is_out_of_the_table_is_given_a_result() -> None:
    league = rules()
    season = begun(league, 4)
    leaving.withdraw(season, league, season.fixtures[0].entrants[0], NOW)
    assert award_refused(season, league, 1, 1, 2) == "annulled"


def test_a_result_that_moved_places_of_a_ladder_stands() -> None:
    league = LEAGUES["ladder"]
    season = begun(league, 4)
    challenges.challenge(season, league, 2, 1, NOW)
    rulings.award(season, league, 1, (1, 2), NOW, "why")
    assert award_refused(season, league, 1, 2, 1) == "moved"


def test_of_a_replayed_game_only_the_last_can_be_given_a_result() -> None:
    league = LEAGUES["knockout"]
    season = begun(league, 4)
    results.finish(season, league, 1, (1, 1), How.PLAYED, NOW)
    assert award_refused(season, league, 1, 1, 2) == "replayed"


def test_a_result_from_which_the_next_round_was_drawn_stands() -> None:
    league = LEAGUES["knockout"]
    season = begun(league, 4)
    for number in (1, 2):
        results.finish(season, league, number, (1, 2), How.PLAYED, NOW)
    rounds.advance(season, league, NOW)
    assert award_refused(season, league, 1, 2, 1) == "drawn"


def test_a_result_of_an_award_is_refused_before_the_draw_and_with_wrong_places() -> None:
    league = rules()
    season = begun(league, 3)
    assert award_refused(season, league, 1, 1) == "places"
    assert award_refused(season, league, 1, 2, 2) == "places"
    season.phase = Phase.ENDED
    assert award_refused(season, league, 1, 1, 2) == "not-playing"


@pytest.mark.parametrize(
    ("players", "why"), [((7, 7), "team-size"), ((), "team-size"), ((2,), "entered")]
)
def test_a_substitute_has_to_be_what_an_entrant_is(players: tuple[int, ...], why: str) -> None:
    league = rules()
    season = begun(league, 4)
    before = codec.copy(season)
    with pytest.raises(Refused) as fault:
        rulings.substitute(season, 1, "Sub", players, league)
    assert refusal(fault) == why
    assert season == before


def test_nobody_takes_the_place_of_who_has_left_or_before_the_draw() -> None:
    league = rules()
    for season, why in ((begun(league, 4), "gone"), (entered(league, 4), "not-playing")):
        leaving.withdraw(season, league, 1, NOW)
        with pytest.raises(Refused) as fault:
            rulings.substitute(season, 1, "Sub", [99], league)
        assert refusal(fault) == why


def test_a_game_of_two_who_both_left_does_not_count() -> None:
    league = rules(kind="swiss")
    season = begun(league, 5)
    fixture = season.fixtures[0]
    a, b = fixture.entrants
    starting.start(season, fixture.number, "weaver-aaaa", NOW)
    assert leaving.withdraw(season, league, a, NOW) == [fixture]
    assert leaving.withdraw(season, league, b, NOW) == [fixture]
    leaving.give_up(season, league, fixture, NOW)
    assert fixture.status is Status.VOID


def test_with_changing_partners_a_game_that_cannot_be_played_is_shared_by_all_of_it() -> None:
    alone = rules(kind="tables", game="weaver", seats=4)
    league = alone.model_copy(update={"game": "tome", "teams": Teams.CHANGING})
    season = begun(league, 5)
    leaving.withdraw(season, league, 1, NOW)
    lost = [f for f in season.fixtures if 1 in f.entrants]
    assert lost
    assert {(f.how, f.places) for f in lost} == {(How.SHARED, (1, 1, 1, 1))}


def test_other_rules_before_the_second_entry_move_its_end_and_not_its_beginning() -> None:
    league = rules('[season]\npause = "10d"\nentry = "3d"\n')
    season = begun(league, 3)
    end = play_out(season, league, by_chance(Rng(b"reopen")))
    following = entry.following(season, league)
    assert following is not None
    entry.reopen(following, rules('[season]\nentry = "5d"\n'), NOW, end + DAY)
    assert (following.opened, following.closes) == (end + 10 * DAY, end + 15 * DAY)
    entry.reopen(following, league, NOW, end + 11 * DAY)  # it is open: they stay
    assert following.closes == end + 15 * DAY


@pytest.mark.parametrize("kind", ["knockout", "ladder"])
def test_points_are_given_only_where_they_rank(kind: str) -> None:
    league = LEAGUES[kind]
    season = begun(league, 4)
    with pytest.raises(Refused):
        rulings.adjust(season, league, 1, 3, "why")
    assert season.adjustments == []


# --- the next season ------------------------------------------------------------------------------


def test_whoever_stayed_is_entered_again_and_two_change_places() -> None:
    league = rules("[divisions]\nsize = 4\npromoted = 1\n")
    season = begun(league, 8)
    end = play_out(season, league, by_chance(Rng(b"divisions")))
    tables = [[row.entrant.name for row in ranking(league, season, at)] for at in (0, 1)]
    following = entry.following(season, league)
    assert following is not None
    beginning.begin(following, league, end, season)
    now = [[e.name for e in following.entrants if e.division == at] for at in (0, 1)]
    assert sorted(now[0]) == sorted([*tables[0][:3], tables[1][0]])
    assert sorted(now[1]) == sorted([tables[0][3], *tables[1][1:]])


def test_after_a_pause_entry_opens_and_is_told_then_and_not_before() -> None:
    league = rules('[season]\npause = "10d"\n')
    season = begun(league, 3)
    end = play_out(season, league, by_chance(Rng(b"pause")))
    following = entry.following(season, league)
    assert following is not None
    assert entry.close_entry(following, league, end + 10 * DAY - 1) == []
    with pytest.raises(Refused) as fault:
        entry.enter(following, league, "Early", [9], end + DAY)
    assert refusal(fault) == "not-open"
    assert entry.close_entry(following, league, end + 10 * DAY) == [News(Told.OPENED)]
    assert entry.close_entry(following, league, end + 10 * DAY) == []


def test_whoever_withdrew_is_not_entered_again() -> None:
    league = rules()
    season = begun(league, 5)
    leaving.withdraw(season, league, 3, NOW)
    play_out(season, league, by_chance(Rng(b"again")))
    following = entry.following(season, league)
    assert following is not None
    assert {e.name for e in following.entrants} == {"E1", "E2", "E4", "E5"}


def test_after_the_last_season_there_is_none() -> None:
    league = rules("[season]\nseasons = 1\n")
    season = begun(league, 3)
    play_out(season, league, by_chance(Rng(b"last")))
    assert entry.following(season, league) is None


def test_a_ladder_goes_on_with_its_order() -> None:
    league = LEAGUES["ladder"]
    season = begun(league, 6)
    end = play_out(season, league, by_chance(Rng(b"ladder")))
    order = [season.entrant(number).name for number in season.divisions[0].order]
    following = entry.following(season, league)
    assert following is not None
    beginning.begin(following, league, end, season)
    assert [following.entrant(n).name for n in following.divisions[0].order] == order


def test_fixed_teams_sit_in_turn() -> None:
    league = rules().model_copy(update={"game": "tome", "seats": 4, "teams": Teams.FIXED})
    season = begun(league, 3)
    fixture = season.fixtures[0]
    a, b = (season.entrant(number).players for number in fixture.entrants)
    assert starting.players_of(season, fixture) == [a[0], b[0], a[1], b[1]]


def test_in_a_round_robin_of_divisions_only_neighbours_of_a_division_meet() -> None:
    season = begun(LEAGUES["divisions"], 8)
    met = Counter(tuple(sorted(f.entrants)) for f in season.fixtures)
    inside = [pair for at in (0, 1) for pair in combinations(sorted(season.divisions[at].order), 2)]
    assert met == Counter(inside)
