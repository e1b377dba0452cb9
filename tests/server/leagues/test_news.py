"""What players are told of a season: rounds, byes, its end, and what comes next."""

from __future__ import annotations

from sigilpost_engine.core.messages import say
from sigilpost_engine.core.sheet import Cell, Grid, Section
from sigilpost_server.leagues import letters, store
from sigilpost_server.leagues.director import Director
from sigilpost_server.leagues.rules import Teams
from sigilpost_server.leagues.season import results
from sigilpost_server.leagues.state import How, Phase, Status
from tests.server.leagues.town import FILE, MANY, LeagueTown
from tests.server.leagues.worlds import NOW, begun, rules
from tests.server.service.town import Received

DIVIDED = FILE.replace("at_once = 2", "at_once = 3") + "[divisions]\nsize = 4\npromoted = 1\n"


def enter(town: LeagueTown, *names: str, file: str) -> None:
    """A league of this file, that these enter; its season begins."""
    town.prepare(*names, file=file)
    for name in names:
        assert town.ask(name, "enter", "open").reason == "ok"
    town.pass_days(2)


def about(town: LeagueTown, name: str, subject: str) -> Received:
    """The one mail to somebody with these words in its subject."""
    (mail,) = [mail for mail in town.to(name) if subject in mail.subject]
    return mail


def rows(section: Section) -> tuple[tuple[Cell, ...], ...]:
    (grid,) = section.body
    assert isinstance(grid, Grid)
    return grid.rows


# --- rounds ---------------------------------------------------------------------------------------


def test_when_a_round_ends_everybody_sees_the_table_and_whom_they_meet_next(
    town: LeagueTown,
) -> None:
    swiss = FILE.replace("round-robin", "swiss")
    enter(town, "alice", "bob", "carol", file=swiss)
    town.play_season(1)
    for name in ("alice", "bob", "carol"):
        mail = about(town, name, "round 1 is over")
        assert "Round 1 of season 1 of The Open is over. Table" in mail.words
        own = mail.text.partition("Your games")[2]
        assert sum(line.strip().startswith("2 ") for line in own.splitlines()) == 1


def test_a_bye_is_among_one_s_games() -> None:
    league = rules(kind="swiss")
    season = begun(league, 5)
    (bye,) = [f for f in season.fixtures if f.how is How.BYE]
    assert rows(letters.fixtures_of(league, season, bye.entrants[0])) == (
        (1, "-", say("league.how.bye")),
    )


def test_with_changing_partners_one_sees_who_is_the_partner() -> None:
    alone = rules(kind="tables", game="weaver", seats=4)
    league = alone.model_copy(update={"game": "tome", "teams": Teams.CHANGING})
    season = begun(league, 4)
    fixture = season.fixtures[0]
    first, second, third, fourth = (season.entrant(e).name for e in fixture.entrants)
    cell = letters.opponents(league, season, fixture, fixture.entrants[0])
    assert cell == say("league.cell.partners", partners=[third], others=[second, fourth])
    assert letters.names(league, season, fixture) == f"{first} & {third} - {second} & {fourth}"


# --- the end of a season --------------------------------------------------------------------------


def test_at_the_end_who_changes_division_is_told_so_and_when_entry_opens(town: LeagueTown) -> None:
    names = '[divisions]\nnames = ["Gold", "Silver"]\n'
    enter(town, *MANY, file=DIVIDED.replace("[divisions]\n", names))
    town.play_season(1)
    season, following = town.season(1), town.season(2)
    told = {name: about(town, name, "season 1 is over").words for name in MANY}
    assert sum("You go up: next season to Gold." in words for words in told.values()) == 1
    assert sum("You go down: next season to Silver" in words for words in told.values()) == 1
    assert all("You are entered for the next season" in words for words in told.values())
    # And so it comes.
    town.pass_days(2)
    before = {e.name: e.division for e in season.entrants}
    after = {e.name: e.division for e in town.season(following.number).entrants}
    for name, words in told.items():
        way = -1 if "You go up" in words else 1 if "You go down" in words else 0
        assert after[name] - before[name] == way


def test_the_end_of_the_last_season_says_that_the_league_is_over(town: LeagueTown) -> None:
    enter(town, "alice", "bob", file=FILE.replace("seasons = 2", "seasons = 1"))
    town.play_season(1)
    mail = about(town, "alice", "season 1 is over")
    assert "No other season follows" in mail.words
    assert "sigil withdraw" not in mail.text


def test_the_director_s_reason_for_an_end_is_told(town: LeagueTown) -> None:
    enter(town, "alice", "bob", file=FILE)
    Director(town.service, "root", "the hall has burnt down").end("open", season_only=False)
    town.read()
    mail = about(town, "alice", "season 1 is over")
    assert "the hall has burnt down" in mail.words
    assert "the league is over" in mail.words


def test_a_game_that_runs_when_the_season_s_time_is_out_is_shared_and_goes_on_for_the_ratings(
    town: LeagueTown,
) -> None:
    enter(town, "alice", "bob", file=FILE.replace("seasons = 2", 'seasons = 2\nlength = "9d"'))
    town.join_all()
    town.pass_days(9)
    (fixture,) = town.season(1).fixtures
    assert (fixture.how, fixture.places) == (How.SHARED, (1, 1))
    mail = about(town, "bob", "season 1 is over")
    assert f"Your game {fixture.game} goes on, but only for the ratings." in mail.words
    town.play_all()
    town.pass_days(0.1)
    with town.service.database.read() as db:
        assert len(store.results(db)) == 1
    assert town.season(1).fixtures == [fixture]


def test_a_game_that_has_not_begun_when_the_season_s_time_is_out_is_called_off(
    town: LeagueTown,
) -> None:
    file = FILE.replace('join = "3d"', 'join = "30d"')
    enter(town, "alice", "bob", file=file.replace("seasons = 2", 'seasons = 2\nlength = "9d"'))
    town.pass_days(9)
    (fixture,) = town.season(1).fixtures
    assert "goes on" not in about(town, "bob", "season 1 is over").words
    assert [m.turn.status for m in town.to("bob") if m.turn.game == fixture.game][-1] == "cancelled"


# --- before entry, and after it -------------------------------------------------------------------


def paused(town: LeagueTown) -> None:
    """A league between two seasons."""
    enter(town, "alice", "bob", file=FILE.replace("seasons = 2", 'seasons = 2\npause = "5d"'))
    town.play_season(1)
    assert (town.season().number, town.season().phase) == (2, Phase.ENTRY)
    town.mails.clear()


def test_between_two_seasons_everybody_is_told_when_entry_opens(town: LeagueTown) -> None:
    paused(town)
    town.register("erin")
    town.ask("erin", "leagues")
    town.ask("erin", "standings", "open")
    town.ask("erin", "enter", "open")
    town.read()
    listed, standings, refused = town.to("erin")[-3:]
    for mail in (listed, standings):
        assert "Season 2: entry opens on" in mail.words
        assert "sigil enter" not in mail.text
    assert refused.subject == "Nothing was done"
    assert "Entry opens on" in refused.words
    assert "(Europe/Berlin)" in refused.words


def test_the_list_of_leagues_says_how_to_enter_those_that_are_open(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    town.ask("alice", "enter", "open")
    for name in ("alice", "bob"):
        town.ask(name, "leagues")
    town.read()
    assert "open for entry until" in town.to("bob")[-1].words
    assert "sigil enter open" in town.to("bob")[-1].text
    assert "sigil enter" not in town.to("alice")[-1].text


def test_after_the_last_draw_entry_is_closed_for_good(town: LeagueTown) -> None:
    last = FILE.replace("seasons = 2", "seasons = 1")
    for file, words in ((last, "no other season follows"), (FILE, "the next season's opens")):
        name = "open" if file == last else "club"
        if name == "open":
            town.prepare("alice", "bob", "carol", file=file)
        else:
            town.make(file.replace('"open"', '"club"'))
        for player in ("alice", "bob"):
            town.ask(player, "enter", name)
        town.pass_days(2)
        assert town.ask("carol", "enter", name).reason == "league-rules"
        town.read()
        assert words in town.to("carol")[-1].words


def test_a_phase_is_told_of_a_paused_and_of_an_ended_league() -> None:
    season = begun(rules(), 3)
    for status in (store.LeagueStatus.PAUSED, store.LeagueStatus.ENDED):
        told = letters.phase(status, season, NOW, str)
        word = "paused" if status is store.LeagueStatus.PAUSED else "over"
        assert told == say(f"league.phase.{word}", season=1)


# --- results that nobody played -------------------------------------------------------------------


def test_if_nobody_comes_to_a_game_it_does_not_count() -> None:
    league = rules()
    season = begun(league, 3)
    fixture = season.fixtures[0]
    assert results.never_came(season, league, fixture.number, fixture.entrants, NOW)
    assert fixture.status is Status.VOID
    assert not results.never_came(season, league, fixture.number, fixture.entrants, NOW)


def test_a_tie_by_forfeit_is_not_replayed_in_a_knockout() -> None:
    league = rules(kind="knockout")
    season = begun(league, 4)
    results.finish(season, league, 1, (1, 1), How.SHARED, NOW)
    assert len([f for f in season.fixtures if f.line == season.fixtures[0].line]) == 1
