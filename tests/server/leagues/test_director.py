"""The director's desk: every act does what it says, is noted with who and why, and is one step."""

from __future__ import annotations

from pathlib import Path

import pytest

from sigilpost_server.leagues import rating, store
from sigilpost_server.leagues.changes import When
from sigilpost_server.leagues.director import Director, looking, recompute
from sigilpost_server.leagues.file import BadLeague
from sigilpost_server.leagues.models import player_ratings
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.standings import ranking
from sigilpost_server.leagues.state import How, Phase, Status
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.models import games
from tests.server.leagues.town import FILE, LeagueTown


@pytest.fixture
def town(town: LeagueTown) -> LeagueTown:
    """A town with a league that four have entered."""
    town.prepare("alice", "bob", "carol", "dan", "erin")
    for name in ("alice", "bob", "carol", "dan"):
        town.ask(name, "enter", "open")
    town.read()
    return town


def director(town: LeagueTown, why: str = "because") -> Director:
    return Director(town.service, "root", why)


def acts(town: LeagueTown) -> list[tuple[str, str, str]]:
    """Who did what and why, entries apart."""
    with town.service.database.read() as db:
        row = store.find(db, "open", lock=False)
        assert row is not None
        found = store.audited(db, row.id)
    return [(act.who, act.act, act.why) for act in found if act.act != "enter"]


def status(town: LeagueTown) -> LeagueStatus:
    with town.service.database.read() as db:
        row = store.find(db, "open", lock=False)
        assert row is not None
        return row.status


def test_pair_closes_entry_and_draws(town: LeagueTown) -> None:
    director(town).pair("open")
    assert town.season().phase is Phase.PLAYING
    assert acts(town) == [("root", "pair", "because")]


def test_a_paused_league_begins_no_games_and_goes_on_when_started(town: LeagueTown) -> None:
    director(town).pause("open")
    town.pass_days(3)
    assert town.season().phase is Phase.ENTRY
    director(town).start("open")
    assert town.season().phase is Phase.PLAYING
    assert [act for _, act, _ in acts(town)] == ["pause", "start"]


def test_results_of_a_paused_league_count(town: LeagueTown) -> None:
    director(town).pair("open")
    town.read()
    town.join_all()
    director(town).pause("open")
    town.play_all()
    town.pass_days(0.1)
    fixtures = town.season().fixtures
    assert sum(f.how is How.PLAYED for f in fixtures) == 4
    assert not any(f.status is Status.RUNNING for f in fixtures)


def test_points_and_results_of_the_director_count(town: LeagueTown) -> None:
    director(town).pair("open")
    director(town).adjust("open", "Alice", -3)
    director(town).award("open", 1, [1, 2])
    season = town.season()
    assert season.fixtures[0].how is How.AWARDED
    with town.service.database.read() as db:
        row = store.find(db, "open", lock=False)
        assert row is not None
        table = ranking(row.rules, season, 0)
    alice = next(r for r in table if r.entrant.name == "alice")
    assert alice.points == (2 if alice.entrant.number == season.fixtures[0].entrants[0] else 0) - 3
    # Its game had not begun: it is called off.
    with town.service.database.read() as db:
        found = db.execute(games.select().where(games.c.tag == season.fixtures[0].game)).one()
    assert found.status == "cancelled"


def test_a_substitute_gets_the_games_to_come(town: LeagueTown) -> None:
    director(town).pair("open")
    director(town).substitute("open", "bob", ["erin"])
    entrants = {e.name for e in town.season().active()}
    assert entrants == {"alice", "erin", "carol", "dan"}


def test_whoever_the_director_takes_out_gives_up(town: LeagueTown) -> None:
    director(town).pair("open")
    director(town).withdraw("open", "bob")
    bob = next(e for e in town.season().entrants if e.name == "bob")
    assert not bob.active
    assert acts(town)[-1] == ("root", "withdraw", "because")


def test_an_announcement_reaches_everybody_once(town: LeagueTown) -> None:
    town.forget_post()
    assert director(town).announce("open", "We begin on Monday.") == 4
    town.read()
    for name in ("alice", "bob", "carol", "dan"):
        assert sum("We begin on Monday." in mail.words for mail in town.to(name)) == 1
    assert not any("We begin" in mail.words for mail in town.to("erin"))


def test_end_shares_what_has_not_ended_and_ends_the_league(town: LeagueTown) -> None:
    director(town).pair("open")
    director(town).end("open", season_only=False)
    town.read()
    assert status(town) is LeagueStatus.ENDED
    assert {f.how for f in town.season().fixtures} == {How.SHARED}
    assert sum("season 1 is over" in mail.subject for mail in town.to("alice")) == 1
    with pytest.raises(Refused):
        director(town).pair("open")


def test_end_of_a_season_only_opens_the_next(town: LeagueTown) -> None:
    director(town).pair("open")
    director(town).end("open", season_only=True)
    assert status(town) is LeagueStatus.RUNNING
    assert (town.season().number, town.season().phase) == (2, Phase.ENTRY)


def test_a_substitute_is_invited_to_the_games_that_have_not_begun(town: LeagueTown) -> None:
    director(town).pair("open")
    town.read()
    old = {f.game for f in town.season().fixtures if f.game}
    director(town).substitute("open", "bob", ["erin"])
    town.read()
    town.join_all("bob")
    town.pass_days(3.5)  # longer than there is to join: nothing of bob's is lost, nothing shared
    season = town.season()
    erin = next(e.number for e in season.entrants if e.name == "erin")
    theirs = [f for f in season.fixtures if erin in f.entrants and f.game]
    assert len(theirs) == 2
    assert all(f.status is Status.RUNNING and f.game not in old for f in theirs)


def test_what_has_not_begun_when_a_season_ends_is_called_off(town: LeagueTown) -> None:
    director(town).pair("open")
    town.read()
    director(town).end("open", season_only=True)
    made = [f.game for f in town.season(1).fixtures if f.game]
    with town.service.database.read() as db:
        found = db.execute(games.select().where(games.c.tag.in_(made))).all()
    assert {game.status for game in found} == {"cancelled"}
    assert found


def test_a_season_that_has_not_begun_cannot_be_ended_alone(town: LeagueTown) -> None:
    with pytest.raises(Refused):
        director(town).end("open", season_only=True)
    assert status(town) is LeagueStatus.RUNNING


def test_whoever_had_entered_is_told_that_the_league_is_ended(town: LeagueTown) -> None:
    director(town).end("open", season_only=False)
    town.read()
    (mail,) = [mail for mail in town.to("alice") if "season 1 is cancelled" in mail.subject]
    for words in ("does not take place", "because", "the league is over"):
        assert words in mail.words
    assert "final tables" not in mail.words
    assert "sigil withdraw" not in mail.text


def test_the_file_of_a_league_that_has_ended_is_refused(town: LeagueTown, tmp_path: Path) -> None:
    director(town).end("open", season_only=False)
    path = tmp_path / "open.toml"
    path.write_text(FILE.replace("The Open", "Another"))
    with pytest.raises(Refused):
        director(town).create(path)


def test_an_entry_that_is_still_to_open_opens_when_the_file_says_now(
    town: LeagueTown, tmp_path: Path
) -> None:
    path = tmp_path / "club.toml"
    text = FILE.replace('"open"', '"club"').replace("[season]", "[season]\nopens = 2090-01-01")
    path.write_text(text)
    director(town).create(path)
    path.write_text(text.replace("2090-01-01", "2080-01-01").replace('"2d"', '"5d"'))
    director(town).create(path)
    with looking(town.service, "club") as running:
        assert running.season.opened == 3_471_292_800
        assert running.season.closes - running.season.opened == 5 * 86_400


@pytest.mark.parametrize("name", ["nobody", "erin"])
def test_an_entrant_who_is_none_is_refused_and_nothing_is_noted(
    town: LeagueTown, name: str
) -> None:
    with pytest.raises(Refused):
        director(town).withdraw("open", name)
    assert acts(town) == []


# --- the file of a running league -----------------------------------------------------------------


def test_a_league_is_made_from_its_file_and_changed_by_the_same_command(
    town: LeagueTown, tmp_path: Path
) -> None:
    path = tmp_path / "club.toml"
    path.write_text(FILE.replace('"open"', '"club"'))
    assert director(town).create(path) is None
    path.write_text(FILE.replace('"open"', '"club"').replace("at_once = 2", "at_once = 1"))
    changes = director(town).create(path)
    assert changes is not None
    assert [(c.key, c.when) for c in changes] == [("play.at_once", When.NOW)]
    with town.service.database.read() as db:
        row = store.find(db, "club", lock=False)
    assert row is not None
    assert row.rules.play.at_once == 1


def test_what_may_not_change_is_refused_and_nothing_changes(
    town: LeagueTown, tmp_path: Path
) -> None:
    path = tmp_path / "open.toml"
    path.write_text(FILE.replace('"weaver"', '"wizards"').replace("at_once = 2", "at_once = 1"))
    with pytest.raises(BadLeague) as fault:
        director(town).create(path)
    assert [(p.line, p.key) for p in fault.value.problems] == [(3, "game")]
    with town.service.database.read() as db:
        row = store.find(db, "open", lock=False)
    assert row is not None
    assert row.rules.play.at_once == 2


# --- ratings --------------------------------------------------------------------------------------


def test_recompute_finds_and_mends_a_rating_that_the_results_do_not_give(town: LeagueTown) -> None:
    director(town).pair("open")
    town.read()
    town.join_all()
    town.play_all()
    town.pass_days(0.1)
    assert recompute(town.service, repair=False) == 0
    with town.service.database.write() as db:
        assert rating.differences(db) == []
        db.execute(player_ratings.update().where(player_ratings.c.player_id == 1).values(mean=40))
    assert recompute(town.service, repair=False) == 1
    assert recompute(town.service, repair=True) == 1
    assert recompute(town.service, repair=False) == 0
