"""What the director decides: games end with it, and those whom it concerns are told."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlalchemy import func, select

from sigilpost_engine.audit.verify import Receipt, Report, verify
from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_server.clocks.store import CLOCK
from sigilpost_server.leagues import rating, store
from sigilpost_server.leagues.director import Director
from sigilpost_server.leagues.season import starting
from sigilpost_server.leagues.state import Fixture, How, Status
from sigilpost_server.models import games, seats, timers
from tests.audit.independent import Verifier
from tests.server.leagues.town import FILE, LeagueTown
from tests.server.service.town import Received, Table

FOUR = ("alice", "bob", "carol", "dan")
TIMED = FILE.replace("[play]", 'withdrawal = "forfeit"\n[play]\ntime = "5d per move"')


@pytest.fixture
def town(town: LeagueTown) -> LeagueTown:
    """A town with a league of four that has begun; all have joined their games."""
    return begun(town)


def begun(town: LeagueTown) -> LeagueTown:
    """A league of four begins; all join their games."""
    town.prepare(*FOUR, "erin", file=TIMED)
    for name in FOUR:
        town.ask(name, "enter", "open")
    town.pass_days(2)
    town.join_all()
    town.mails.clear()
    return town


def director(town: LeagueTown) -> Director:
    return Director(town.service, "root", "because of a fault")


def open_fixture(town: LeagueTown) -> Fixture:
    return next(f for f in town.season().fixtures if f.game)


def names(town: LeagueTown, fixture: Fixture) -> list[str]:
    return [town.season().entrant(e).name for e in fixture.entrants]


def move(town: LeagueTown, tag: str) -> None:
    """Whoever is asked in a game makes a move."""
    name = next(n for n, t in town.docs if t == tag and town.docs[n, t].prompt)
    table = Table(town, tag, [name])
    table.docs = {name: town.docs[name, tag]}
    assert table.play().reason == "ok"
    town.read()


def status(town: LeagueTown, tag: str) -> str:
    with town.service.database.read() as db:
        return str(db.execute(select(games.c.status).where(games.c.tag == tag)).scalar_one())


def rated(town: LeagueTown) -> int:
    with town.service.database.read() as db:
        assert rating.differences(db) == []
        return len(store.results(db))


def told(town: LeagueTown, name: str, subject: str) -> Received:
    """The one mail to somebody with these words in its subject."""
    (mail,) = [mail for mail in town.to(name) if subject in mail.subject]
    return mail


# --- rulings --------------------------------------------------------------------------------------


def test_a_ruling_ends_the_running_game_and_it_is_not_rated(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    for _ in range(6):
        move(town, fixture.game)
    town.mails.clear()
    director(town).award("open", fixture.number, [1, 2])
    town.pass_days(0.1)
    assert status(town, fixture.game) == "cancelled"
    assert rated(town) == 0
    assert town.season().fixture(fixture.number).how is How.AWARDED
    # Nobody is asked in it, nothing of it waits for the clock, and it counts to nobody's limit.
    with town.service.database.read() as db:
        for seat in db.execute(select(seats).join(games).where(games.c.tag == fixture.game)):
            assert seat.asked == ""
        clock = (timers.c.kind == CLOCK, timers.c.subject == fixture.game)
        assert db.execute(select(func.count()).select_from(timers).where(*clock)).scalar() == 0
        ids = [p for e in fixture.entrants for p in town.season().entrant(e).players]
        games_now = store.games_of_players(db, ids)
    open_now = [f for f in town.season().fixtures if f.status is Status.RUNNING]
    still = Counter(p for f in open_now for p in starting.players_of(town.season(), f))
    assert games_now == {p: still[p] for p in ids if still[p]}


def test_after_a_ruling_the_game_takes_no_move(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    name = next(n for n, t in town.docs if t == fixture.game and town.docs[n, t].prompt)
    table = Table(town, fixture.game, [name])
    table.docs = {name: town.docs[name, fixture.game]}
    director(town).award("open", fixture.number, [2, 1])
    assert table.play().reason == "not-running"
    seat = table.docs[name].seat
    assert town.send(name, payloads.Resign, game=fixture.game, seat=seat).reason == "not-running"
    assert town.season().fixture(fixture.number).places == (2, 1)


def test_both_players_are_told_of_a_ruling_its_reason_and_what_becomes_of_the_game(
    town: LeagueTown,
) -> None:
    fixture = open_fixture(town)
    first, second = names(town, fixture)
    director(town).award("open", fixture.number, [1, 2])
    town.read()
    for name in (first, second):
        mail = told(town, name, "a ruling")
        assert f"place 1: {first}, place 2: {second}" in mail.words
        assert "it is not played on, and it is not rated" in mail.words
        assert "because of a fault" in mail.words
        # The client learns that the game is over.
        assert (mail.turn.game, mail.turn.status) == (fixture.game, "cancelled")
        assert mail.turn.view is None
        assert mail.turn.prompt is None


def test_a_ruling_on_a_game_that_was_over_leaves_the_rating_as_it_was_played(
    town: LeagueTown,
) -> None:
    fixture = open_fixture(town)
    while status(town, fixture.game) == "running":
        move(town, fixture.game)
    town.pass_days(0.1)
    town.mails.clear()
    first = names(town, fixture)[0]
    director(town).award("open", fixture.number, [1, 1])
    town.pass_days(0.1)
    assert rated(town) == 1
    assert f"what the game {fixture.game} came to stands" in told(town, first, "a ruling").words


def transcripts_to(town: LeagueTown, name: str) -> list[Received]:
    """The mails with a transcript that somebody got."""
    return [mail for mail in town.to(name) if mail.subject.endswith("The transcript")]


def proved(town: LeagueTown, mail: Received, tag: str) -> Report:
    """What checking the transcript of a mail finds, against all heads that its reader was told."""
    heads = [each.turn.head for each in town.to(mail.to.split("@")[0]) if each.turn.game == tag]
    told = [Receipt(head.number, head.hash) for head in heads if head is not None]
    assert told
    (data,) = [
        part.get_content()
        for part in mail.mail.iter_attachments()
        if str(part.get_filename()).endswith(".jsonl")
    ]
    report = verify(data, find, told, [town.service.house.key.public.raw])
    assert report.fault is None, report.fault
    Verifier(data, find)
    return report


def test_a_game_that_a_ruling_stopped_is_proved_up_to_there(any_town: LeagueTown) -> None:
    town = any_town
    begun(town)
    fixture = open_fixture(town)
    for _ in range(6):
        move(town, fixture.game)
    director(town).award("open", fixture.number, [1, 2])
    town.pass_days(0.1)
    town.pass_days(0.1)
    for name in names(town, fixture):
        (mail,) = transcripts_to(town, name)
        assert "was stopped before its end" in mail.words
        assert "is not rated" in mail.words
        report = proved(town, mail, fixture.game)
        assert report.result == {"stopped": "ruling", "winners": []}
        assert report.checked["answers"] == 6


def test_a_held_game_is_proved_up_to_where_it_was_stopped_too(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    move(town, fixture.game)
    hold(town, fixture.game)
    gone, other = names(town, fixture)
    assert town.ask(gone, "withdraw", "open").reason == "ok"
    town.pass_days(0.1)
    (mail,) = transcripts_to(town, other)
    assert proved(town, mail, fixture.game).result == {"stopped": "left", "winners": []}


def test_a_game_that_was_called_off_before_it_began_has_no_transcript(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    with town.service.database.write() as db:
        db.execute(games.update().where(games.c.tag == fixture.game).values(match=None))
        db.execute(games.update().where(games.c.tag == fixture.game).values(status="proposed"))
    town.mails.clear()
    director(town).award("open", fixture.number, [1, 2])
    town.pass_days(0.1)
    for name in names(town, fixture):
        assert transcripts_to(town, name) == []
        assert "does not begin, and is not rated" in told(town, name, "a ruling").words


def test_a_game_given_up_by_who_left_the_league_is_proved(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    gone, other = names(town, fixture)
    for _ in range(4):
        move(town, fixture.game)
    assert town.ask(gone, "withdraw", "open").reason == "ok"
    town.pass_days(0.1)
    (mail,) = [m for m in transcripts_to(town, other) if m.turn.game == fixture.game]
    report = proved(town, mail, fixture.game)
    assert report.result == {"forfeited": gone, "winners": [other]}
    assert [note.message.id for note in report.notes].count("audit.note.host") == 1


def test_all_are_told_that_a_ruling_without_a_game_is_not_rated(town: LeagueTown) -> None:
    waiting = next(f for f in town.season().fixtures if not f.game)
    director(town).award("open", waiting.number, [1, 2])
    town.read()
    for name in names(town, waiting):
        assert (
            "No game is played for it any more, and it is not rated"
            in told(town, name, "a ruling").words
        )


def test_a_ruling_on_a_held_game_ends_it(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    hold(town, fixture.game)
    director(town).award("open", fixture.number, [1, 1])
    assert status(town, fixture.game) == "cancelled"
    assert rated(town) == 0


def hold(town: LeagueTown, tag: str) -> None:
    """A game cannot be read any more, and is stopped for the host."""
    with town.service.database.write() as db:
        db.execute(games.update().where(games.c.tag == tag).values(status="held", why="Diverged"))


# --- who leaves a game that the host has to look at -----------------------------------------------


def test_whoever_leaves_forfeits_a_held_game_too_and_the_league_goes_on(town: LeagueTown) -> None:
    fixture = open_fixture(town)
    gone, other = names(town, fixture)
    hold(town, fixture.game)
    town.mails.clear()
    assert town.ask(gone, "withdraw", "open").reason == "ok"
    town.read()
    found = town.season().fixture(fixture.number)
    assert (found.how, found.places) == (How.FORFEITED, (2, 1))
    assert status(town, fixture.game) == "cancelled"
    assert f"{gone} has forfeited it" in told(town, other, f"{gone} has left").words


# --- points, who is taken out, substitutes --------------------------------------------------------


@pytest.mark.parametrize(("points", "words"), [(2, "given you 2 points"), (-1, "taken 1 point")])
def test_an_entrant_is_told_of_points_given_or_taken(
    town: LeagueTown, points: int, words: str
) -> None:
    director(town).adjust("open", "bob", points)
    town.read()
    mail = told(town, "bob", "points")
    assert words in mail.words
    assert "because of a fault" in mail.words
    assert town.to("alice") == []


def test_whoever_is_taken_out_is_told_and_why(town: LeagueTown) -> None:
    director(town).withdraw("open", "bob")
    town.read()
    mail = told(town, "bob", "you are taken out")
    assert "your running games are given up, those to come are forfeited" in mail.words
    assert "because of a fault" in mail.words
    assert "sigil withdraw" not in mail.text


def test_a_substitute_is_told_what_awaits_them_and_whoever_is_replaced_too(
    town: LeagueTown,
) -> None:
    director(town).substitute("open", "bob", ["erin"])
    town.read()
    mail = told(town, "erin", "you play from now on")
    assert "in the place of bob" in mail.words
    assert "because of a fault" in mail.words
    for heading in ("Table", "Your games"):
        assert heading in mail.text
    assert "sigil withdraw open" in mail.text
    old = told(town, "bob", "plays in your place")
    assert "erin plays in your place" in old.words
    assert "sigil withdraw" not in old.text


# --- the mails' time ------------------------------------------------------------------------------


def test_dates_in_a_league_s_mails_are_in_the_reader_s_own_time_zone(any_town: LeagueTown) -> None:
    town = any_town
    town.prepare("alice", "bob")
    town.ask_to_register("bob", zone="Asia/Tokyo")  # whoever is known changes it at once
    town.read()
    town.mails.clear()
    for name in ("alice", "bob"):
        town.ask(name, "enter", "open")
        town.ask(name, "standings", "open")
    town.pass_days(2)
    for name, zone in (("alice", "Europe/Berlin"), ("bob", "Asia/Tokyo")):
        entered, standings = town.to(name)[:2]
        invitation = next(mail for mail in town.to(name) if "Join it by" in mail.words)
        for mail in (entered, standings, invitation):
            assert f"({zone})" in mail.words
            assert "UTC" not in mail.words
