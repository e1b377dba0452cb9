"""Leagues by real mails: entry, games, results, tables, withdrawal, offers, ratings."""

from __future__ import annotations

import pytest

from sigilpost_engine.audit.verify import verify
from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_server import transcripts
from sigilpost_server.leagues import rating, store
from sigilpost_server.leagues.reliability import What
from sigilpost_server.leagues.state import How, Status
from sigilpost_server.service import Verdict
from sigilpost_server.transaction.play import Play
from tests.server.leagues.town import FILE, MANY, LeagueTown
from tests.server.service.town import Table


def test_a_season_from_entry_by_mail_to_the_final_table_and_the_next_entry(
    any_town: LeagueTown,
) -> None:
    town = any_town
    # One game at once: so one round ends after the other.
    town.prepare("alice", "bob", "carol", file=FILE.replace("at_once = 2", "at_once = 1"))
    for name in ("alice", "bob", "carol"):
        assert town.ask(name, "enter", "open").reason == "ok"
    town.read()
    assert "Entry closes on" in town.to("alice")[-1].words
    town.pass_days(2)
    assert "has begun" in " ".join(mail.words for mail in town.to("alice"))
    town.play_season(1)
    last = town.season(1)
    assert [f.how for f in last.fixtures] == [How.PLAYED] * 3
    subjects = [mail.subject for mail in town.to("bob")]
    # The last round is told with the season's end.
    for words in ("round 1 is over", "round 2 is over", "season 1 is over", "season 2 is open"):
        assert sum(words in subject for subject in subjects) == 1, words
    assert {e.name for e in town.season(2).entrants} == {"alice", "bob", "carol"}
    with town.service.database.read() as db:
        assert len(store.results(db)) == 3
        assert rating.differences(db) == []


def test_nobody_plays_more_games_at_once_than_the_file_allows(town: LeagueTown) -> None:
    town.prepare(*MANY)
    for name in MANY:
        town.ask(name, "enter", "open")
    town.pass_days(2)
    running = [f for f in town.season().fixtures if f.status is Status.RUNNING]
    games = [e for f in running for e in f.entrants]
    assert max(map(games.count, games)) == 2
    assert len(running) == 8


def test_whoever_does_not_join_in_time_has_lost_and_it_is_not_rated(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    for name in ("alice", "bob"):
        town.ask(name, "enter", "open")
    town.pass_days(2)
    town.join_all("bob")
    town.pass_days(3)
    town.pass_days(0.1)
    season = town.season(1)
    (fixture,) = season.fixtures
    alice = next(e.number for e in season.entrants if e.name == "alice")
    assert fixture.how is How.FORFEITED
    assert fixture.places[fixture.entrants.index(alice)] == 1
    with town.service.database.read() as db:
        assert store.results(db) == []
        assert len(store.marks(db, [1, 2])[2]) == 1


def test_whoever_declines_a_game_of_a_league_has_lost_it_whoever_else_was_slow(
    town: LeagueTown,
) -> None:
    town.prepare("alice", "bob")
    for name in ("alice", "bob"):
        town.ask(name, "enter", "open")
    town.pass_days(2)
    tag = next(tag for name, tag in town.docs)
    town.send("bob", payloads.Decline, game=tag)
    town.pass_days(0.1)
    season = town.season(1)
    bob = next(e.number for e in season.entrants if e.name == "bob")
    assert season.fixtures[0].places[season.fixtures[0].entrants.index(bob)] == 2


def test_withdrawing_gives_up_the_running_games_and_tells_the_opponents(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol", "dan")
    for name in ("alice", "bob", "carol", "dan"):
        town.ask(name, "enter", "open")
    town.pass_days(2)
    town.join_all()
    town.mails.clear()
    assert town.ask("dan", "withdraw", "open").reason == "ok"
    town.read()
    assert "taken out of the table" in town.to("dan")[-1].words
    over = [m for name in ("alice", "bob", "carol") for m in town.to(name) if "dan" in m.subject]
    assert len(over) == 2
    town.play_season(1)
    season = town.season(1)
    dan = next(e.number for e in season.entrants if e.name == "dan")
    assert {f.status for f in season.fixtures if dan in f.entrants} == {Status.VOID}
    assert sum(f.status is Status.DONE for f in season.fixtures) == 3
    assert "dan" not in {e.name for e in town.season(2).entrants}


def test_standings_come_by_mail_with_the_table_for_the_client(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    town.ask("alice", "enter", "open")
    town.forget_post()
    assert town.ask("bob", "standings", "open").reason == "ok"
    mail = town.only()
    assert "alice" in mail.text
    notice = mail.turn.notice
    assert notice is not None
    assert notice["type"] == "league"
    assert notice["sheet"][0][2] == [[1, "alice"]]


@pytest.mark.parametrize(
    ("args", "reason", "words"),
    [
        (("enter", "closed"), "unknown-league", "Leagues: open"),
        (("withdraw", "open"), "league-rules", "You are not in this league"),
        (("enter", "open", "nobody"), "league-rules", "Nobody here is called nobody"),
        (("challenge", "open", "bob"), "league-rules", "You are not in this league"),
        (("ratings", "nobody"), "league-rules", "Nobody here is called nobody"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    town: LeagueTown, args: tuple[str, ...], reason: str, words: str
) -> None:
    town.prepare("alice", "bob")
    town.ask("bob", "enter", "open")
    town.forget_post()
    before = town.season()
    assert town.ask("alice", *args).reason == reason
    assert words in town.only().words
    assert town.season() == before


def test_sides_of_changing_partners_win_and_lose_together(town: LeagueTown) -> None:
    file = FILE.replace('"weaver"', '"tome"\nseats = 4\nteams = "changing"')
    file = file.replace('"round-robin"', '"tables"\ngames = 3').replace("once = 2", "once = 3")
    town.prepare("alice", "bob", "carol", "dan", file=file)
    for name in ("alice", "bob", "carol", "dan"):
        town.ask(name, "enter", "open")
    town.pass_days(2)
    town.join_all()
    partners = set()
    for fixture in town.season(1).fixtures:
        doc = town.docs["alice", fixture.game]
        partners.add(doc.seats[(doc.seat + 1) % 4])
        town.send("alice", payloads.Resign, game=fixture.game, seat=doc.seat)
    town.pass_days(0.1)
    season = town.season(1)
    alice = next(e.number for e in season.entrants if e.name == "alice")
    for fixture in season.fixtures:
        at = fixture.entrants.index(alice)
        assert [fixture.places[seat] for seat in (at, (at + 2) % 4)] == [2, 2]
        assert sorted(fixture.places) == [1, 1, 2, 2]
    # With three games of four, everybody has been everybody's partner.
    assert partners == {"bob", "carol", "dan"}


def test_a_team_is_in_once_its_members_say_the_same(town: LeagueTown) -> None:
    file = FILE.replace('"weaver"', '"tome"\nseats = 4\nteams = "fixed"')
    town.prepare("alice", "bob", "carol", file=file)
    town.ask("alice", "enter", "open", "bob")
    assert town.season().entrants == []
    town.ask("carol", "enter", "open", "bob")
    assert town.season().entrants == []
    town.ask("bob", "enter", "open", "alice")
    assert [e.name for e in town.season().entrants] == ["alice & bob"]


def test_whoever_waits_for_partners_may_think_better_of_it(town: LeagueTown) -> None:
    team = FILE.replace('game = "weaver"', 'game = "tome"\nseats = 4\nteams = "fixed"')
    town.prepare("alice", "bob", file=team)
    town.ask("alice", "enter", "open", "bob")
    assert town.ask("alice", "withdraw", "open").reason == "ok"
    town.ask("bob", "enter", "open", "alice")
    assert town.season().active() == []


def test_leaving_games_to_be_played_is_a_miss_and_leaving_none_is_not(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    for name in ("alice", "bob", "carol"):
        town.ask(name, "enter", "open")
    town.pass_days(2.5)
    town.join_all()
    town.play_all("carol")
    town.ask("carol", "withdraw", "open")
    with town.service.database.read() as db:
        found = store.marks(db, [1, 2, 3])
    misses = {p: sum(m.what is What.MISSED for m in marks) for p, marks in found.items()}
    assert misses == {1: 0, 2: 0, 3: 1}


def test_entry_may_need_a_rating_and_a_reliability(town: LeagueTown) -> None:
    town.prepare("alice", file=FILE + "[entry]\nrating = 1400\n")
    town.forget_post()
    assert town.ask("alice", "enter", "open").reason == "league-rules"
    assert "A rating of 1400 is needed" in town.only().words


def test_a_restart_in_the_middle_of_a_season_loses_nothing(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    for name in ("alice", "bob", "carol"):
        town.ask(name, "enter", "open")
    town.pass_days(2)
    town.service.database.engine.dispose()
    before = town.season()
    for _ in range(3):
        town.service.tick()
    town.read()
    assert town.season() == before
    # Two games at once for each of three: all three games are there, each once.
    assert len({tag for _, tag in town.docs}) == 3


# --- the lobby ------------------------------------------------------------------------------------


def offer(town: LeagueTown, **rules: object) -> Verdict:
    """Alice offers a game."""
    return town.send("alice", payloads.Create, game="weaver", options={}, opponents=(), rules=rules)


def test_an_offer_is_listed_taken_and_played(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    tag = offer(town, open=2).game
    town.read()
    town.send("alice", payloads.Join, game=tag)
    town.forget_post()
    town.ask("bob", "offers")
    mail = town.only()
    assert tag in mail.text
    assert "1/3" in mail.text
    (listed,) = mail.turn.notice["offers"]  # type: ignore[index]
    for name in ("bob", "carol"):
        values = {"game": tag, "commitment": listed["commitment"]}
        assert town.send(name, payloads.Join, **values).reason == "ok"
    town.read()
    assert town.docs["carol", tag].status == "running"
    town.play_all()
    town.pass_days(0.1)
    with town.service.database.read() as db:
        (result,) = store.results(db)
        assert sorted(result.sides) == [(1,), (2,), (3,)]
    town.forget_post()
    town.ask("bob", "offers")
    assert "Nothing is on offer" in town.only().words


def invited_to_an_offer(town: LeagueTown) -> str:
    """Alice proposes a game to bob and carol, with a free place; she has joined."""
    town.prepare("alice", "bob", "carol", "dan", "erin")
    guests = tuple(town.people[name].address for name in ("bob", "carol"))
    wish = {"game": "weaver", "options": {}, "opponents": guests, "rules": {"open": "1"}}
    tag = town.send("alice", payloads.Create, **wish).game
    assert town.send("alice", payloads.Join, game=tag, seat=1).reason == "ok"
    return tag


def proved(town: LeagueTown, tag: str) -> set[str]:
    """Whose seat rests on the server's word in the transcript of a game, which holds."""
    with town.service.database.read() as db:
        play = Play.load(db, tag, lock=False)
        assert play is not None
        report = verify(transcripts.of_game(db, play, town.service.house), find)
    assert report.fault is None
    notes = [note.message for note in report.notes]
    return {str(note.values["seat"]) for note in notes if note.id == "audit.note.seat-untold"}


def test_who_was_told_a_seat_keeps_it_when_somebody_before_them_leaves_an_offer(
    town: LeagueTown,
) -> None:
    """Their join says that seat: in another one it would look like a forgery. Who took the free
    place was told none, and moves."""
    tag = invited_to_an_offer(town)
    assert town.send("carol", payloads.Join, game=tag, seat=3).reason == "ok"
    assert town.send("dan", payloads.Join, game=tag).reason == "ok"
    assert town.send("bob", payloads.Decline, game=tag).reason == "ok"
    assert town.send("erin", payloads.Join, game=tag).reason == "ok"
    town.read()
    assert town.docs["carol", tag].seats == ("alice", "dan", "carol", "erin")
    assert town.docs["carol", tag].seat == 3
    assert town.send("alice", payloads.Resign, game=tag, seat=1).reason == "ok"
    assert proved(town, tag) == {"dan", "erin"}


@pytest.mark.parametrize("joined", [True, False])
def test_an_offer_that_could_go_on_with_another_seat_only_is_called_off(
    town: LeagueTown, joined: bool
) -> None:
    tag = invited_to_an_offer(town)
    if joined:
        town.send("carol", payloads.Join, game=tag, seat=3)
    town.send("bob", payloads.Decline, game=tag)
    town.read()
    assert town.docs["carol", tag].status == "cancelled"


def test_an_offer_may_need_a_rating(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    tag = offer(town, open=1, rating=1600).game
    town.forget_post()
    assert town.send("bob", payloads.Join, game=tag).reason == "bad-option"
    assert "A rating of 1600 is needed" in town.only().words


def test_whoever_leaves_an_offer_frees_the_place_and_the_offer_stays(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    tag = offer(town, open=1).game
    town.send("bob", payloads.Join, game=tag)
    assert town.send("bob", payloads.Decline, game=tag).reason == "ok"
    assert town.send("carol", payloads.Join, game=tag).reason == "ok"
    town.forget_post()
    assert town.send("bob", payloads.Join, game=tag).reason == "unknown-game"


def test_a_full_table_takes_nobody_more(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    tag = offer(town, open=1).game
    town.send("alice", payloads.Join, game=tag)
    town.send("bob", payloads.Join, game=tag)
    assert town.send("carol", payloads.Join, game=tag).reason == "unknown-game"


def test_the_limit_of_running_games_holds_for_offers_and_leagues(sqlite_url: str) -> None:
    with LeagueTown.on(sqlite_url, limits={"running_games": 1}) as town:
        assert isinstance(town, LeagueTown)
        town.prepare("alice", "bob", "carol")
        tag = offer(town, open=1).game
        wish = {"game": "weaver", "options": {}, "opponents": ("carol",), "rules": {}}
        own = town.send("bob", payloads.Create, **wish).game
        assert town.send("bob", payloads.Join, game=tag).reason == "bad-option"
        for name in ("alice", "bob", "carol"):
            town.ask(name, "enter", "open")
        town.pass_days(2)
        assert {f.status for f in town.season().fixtures} == {Status.WAITING}
        town.send("bob", payloads.Decline, game=own)
        town.send("alice", payloads.Decline, game=tag)
        town.pass_days(0.1)
        running = [f for f in town.season().fixtures if f.status is Status.RUNNING]
        assert len(running) == 1


@pytest.mark.parametrize(
    "rules", [{"open": 9}, {"open": "x"}, {"rating": 1500}, {"rated": "maybe"}]
)
def test_an_offer_that_makes_no_sense_is_refused(
    town: LeagueTown, rules: dict[str, object]
) -> None:
    town.prepare("alice")
    assert offer(town, **rules).reason == "bad-option"


def test_a_friendly_game_is_not_rated(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    tag = offer(town, open=1, rated="no").game
    town.read()
    for name in ("alice", "bob"):
        town.send(name, payloads.Join, game=tag)
    town.read()
    town.play_all()
    town.pass_days(0.1)
    with town.service.database.read() as db:
        assert store.results(db) == []


def test_a_forfeit_before_the_first_move_is_not_rated_a_later_one_is(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    rated = []
    for moves in (0, 8):
        tag = town.propose("alice", "bob")
        for name in ("alice", "bob"):
            town.send(name, payloads.Join, game=tag)
        town.read()
        for _ in range(moves):
            name = next(n for n, t in town.docs if t == tag and town.docs[n, t].prompt)
            table = Table(town, tag, [name])
            table.docs = {name: town.docs[name, tag]}
            table.play()
            town.read()
        seat = town.docs["bob", tag].seat
        assert town.send("bob", payloads.Resign, game=tag, seat=seat).reason == "ok"
        town.pass_days(0.1)
        with town.service.database.read() as db:
            rated.append(len(store.results(db)))
    assert rated == [0, 1]


def test_one_s_ratings_come_by_mail(town: LeagueTown) -> None:
    town.prepare("alice", "bob")
    town.forget_post()
    town.ask("alice", "ratings", "bob")
    assert "Reliability of bob: 100 of 100" in town.only().words
