"""Several whose time is out at the same moment are late together: no seat comes before another.

A variant of Tome Weaver asks the whole table at once.
"""

from __future__ import annotations

import dataclasses

import pytest
from sqlalchemy import select

from sigilpost_engine.core.game import given_up
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.table import Step, ask_all
from sigilpost_engine.core.table import Table as Rules
from sigilpost_engine.games import find
from sigilpost_engine.games.weaver import rules
from sigilpost_engine.games.weaver import state as atoms
from sigilpost_engine.games.weaver.cards import NUMBERS
from sigilpost_engine.games.weaver.state import State
from sigilpost_server.leagues import outcome, store
from sigilpost_server.leagues.models import player_marks
from sigilpost_server.leagues.reliability import What
from sigilpost_server.leagues.state import Status
from sigilpost_server.models import seat_offers
from tests.server.clocks.hours import DAY, HOUR, STEADY, ask, begin, kept_entries, to, wait
from tests.server.clocks.test_proofs import proved
from tests.server.leagues.town import FILE, LeagueTown
from tests.server.service.town import Received, Table, Town

TEAMS = find("tome").read_options({"mode": "team"})


def whole_table(t: Rules[State]) -> Step[None]:
    """Everybody hides a card at once."""
    first, seats = t.state.turn, range(len(t.state.seats))
    answers = yield from ask_all([hiding(t.state, seat) for seat in seats])
    for _ in seats:
        atoms.hide(t, NUMBERS[answers[t.state.turn].picks[0]])
        atoms.pass_turn(t, rules.following(t.state))
    assert t.state.turn == first


def hiding(s: State, seat: int) -> Prompt:
    """The question which card a seat hides."""
    prompt = rules.question(dataclasses.replace(s, turn=seat))
    hide = tuple(move for move in prompt.moves if move.verb == "hide")
    return prompt._replace(moves=hide, topic="turn")


@pytest.fixture(autouse=True)
def _asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "act", whole_table)


def three(town: Town, timeout: str, clock: str = "2d per move") -> Table:
    """A table of three, all asked at once."""
    table = begin(town, "alice", "bob", "carol", clock=clock, timeout=f"{timeout}, no reminders")
    assert all(table.docs[name].prompt for name in table.names)
    return table


def answer(table: Table, name: str) -> None:
    """Somebody answers the question that is open for them."""
    doc = table.docs[name]
    assert doc.view is not None
    block = table.order(name, f"hide {doc.view[name]['hand'][0]}")
    assert table.town.deliver(table.town.mail(name, block)).reason == "ok"
    table.read()


def round_of(table: Table) -> None:
    """Everybody answers."""
    for name in table.names:
        answer(table, name)


def results(mails: list[Received]) -> list[list[str]]:
    """The winners that each mail about the end names."""
    notices = [mail.turn.notice for mail in mails]
    return [notice["winners"] for notice in notices if notice and "winners" in notice]


def rated(town: Town) -> list[tuple[int, ...]]:
    """The places of all results that were rated."""
    with town.service.database.read() as db:
        return [result.places for result in store.results(db)]


def missed(town: Town) -> int:
    """How many players missed a deadline."""
    with town.service.database.read() as db:
        who = select(player_marks.c.player_id).where(player_marks.c.what == What.MISSED).distinct()
        return len(db.execute(who).all())


def test_two_of_three_who_are_late_at_the_same_moment_lose_to_the_third(any_town: Town) -> None:
    table = three(any_town, "forfeit")
    round_of(table)
    answer(table, "carol")
    mails = wait(any_town, 2 * DAY)
    assert results(mails) == [["carol"]] * 3
    assert "alice loses the game" in to(mails, "carol")[0].words
    assert "bob loses the game" in to(mails, "carol")[0].words
    assert proved(table).result == {"forfeited": ["alice", "bob"], "winners": ["carol"]}
    assert rated(any_town) == [(2, 2, 1)]
    assert missed(any_town) == 2


def test_where_all_are_late_at_once_nobody_wins_and_nothing_is_rated(any_town: Town) -> None:
    table = three(any_town, "forfeit")
    round_of(table)
    mails = wait(any_town, 2 * DAY)
    assert results(mails) == [[]] * 3
    for name in table.names:
        assert "Nobody wins." in to(mails, name)[0].words
    assert proved(table).result == {"forfeited": ["alice", "bob", "carol"], "winners": []}
    assert [e.actor for e in kept_entries(any_town, table.tag)[-3:]] == ["clock"] * 3
    assert rated(any_town) == []
    assert missed(any_town) == 3


def slower_and_slower(town: Town, timeout: str) -> Table:
    """Alice and Bob have used a day of their banks, Carol a quarter more; all are asked again."""
    table = three(town, timeout, "bank 2d + 1h per move")
    town.clock.advance(DAY)
    answer(table, "alice")
    answer(table, "bob")
    town.clock.advance(6 * HOUR)
    answer(table, "carol")
    return table


def test_who_would_be_late_only_later_has_won(town: Town) -> None:
    """The banks of two last longer: at the moment that ends the game they are in time, also
    if the server looks at the clocks only after both deadlines."""
    slower_and_slower(town, "forfeit")
    assert results(wait(town, 9 * DAY)) == [["alice", "bob"]] * 3


def test_a_bot_acts_for_each_of_them(town: Town) -> None:
    table = three(town, "bot greedy")
    answer(table, "carol")
    mails = wait(town, 2 * DAY)
    for name in ("alice", "bob"):
        assert "The bot greedy acts for you" in to(mails, name)[0].words
    assert {e.actor for e in kept_entries(town, table.tag)[-2:]} == {"bot greedy"}


def test_each_of_them_is_excused(town: Town) -> None:
    table = three(town, "forfeit, excuses 1")
    answer(table, "carol")
    mails = wait(town, 2 * DAY)
    for name in ("alice", "bob"):
        assert "This is excused" in to(mails, name)[0].words
    assert table.town.post() == []
    assert results(wait(town, 2 * DAY)) == [["carol"]] * 3


def test_a_claim_ends_the_game_for_all_who_are_late_by_then(town: Town) -> None:
    """Who is late, too, does not win by the other one's delay, whichever came first."""
    table = slower_and_slower(town, "claim")
    answer(table, "alice")
    wait(town, 9 * DAY)
    assert ask(town, "bob", "claim", table.tag).reason == "not-possible"
    assert ask(town, "alice", "claim", table.tag).reason == "ok"
    assert proved(table).result == {"forfeited": ["bob", "carol"], "winners": ["alice"]}


def test_seats_are_offered_if_there_is_somebody_for_each_of_them(town: Town) -> None:
    table = three(town, "substitute")
    town.register("dan", "erin")
    for name in ("dan", "erin"):
        ask(town, name, "substitute", "on")
    town.post()
    answer(table, "carol")
    mails = wait(town, 2 * DAY)
    assert len(to(mails, "dan")) == len(to(mails, "erin")) == 1
    assert ask(town, "erin", "substitute", "refuse", table.tag).reason == "ok"
    # Nobody else is in the pool: the game is over, for both who are away.
    assert results(town.post()) == [["carol"]] * 3


def test_one_substitute_for_two_absent_players_is_offered_neither_seat(town: Town) -> None:
    table = three(town, "substitute")
    town.register("dan")
    ask(town, "dan", "substitute", "on")
    town.post()
    answer(table, "carol")
    mails = wait(town, 2 * DAY)
    assert to(mails, "dan") == []
    assert results(mails) == [["carol"]] * 3
    with town.service.database.read() as db:
        assert db.execute(select(seat_offers)).all() == []


def test_partners_lose_together_and_where_no_side_is_left_nobody_wins() -> None:
    """Of two sides of two, 0 and 2 against 1 and 3."""
    match = Match.begin(find("tome"), ["ann", "ben", "cat", "dan"], TEAMS, b"key")
    assert given_up(match.game, match.state, "forfeited", [0, 2]).winners == ("ben", "dan")
    assert given_up(match.game, match.state, "forfeited", [1, 2]).winners == ()
    sides = match.game.sides(4, TEAMS)
    names = match.state.seats
    one = outcome.read({"forfeited": ["ann", "cat"], "winners": ["ben", "dan"]}, names, sides)
    assert (one.places, one.gave_up, one.nobody) == ((2, 1), (0, 2), False)
    both = outcome.read({"forfeited": ["ben", "cat"], "winners": []}, names, sides)
    assert (both.places, both.gave_up, both.nobody) == ((1, 1), (1, 2), True)


def test_in_a_league_a_game_that_nobody_has_won_does_not_count(sqlite_url: str) -> None:
    with LeagueTown.on(sqlite_url, clocks=STEADY) as town:
        assert isinstance(town, LeagueTown)
        town.prepare("alice", "bob", file=FILE.replace("[play]", '[play]\ntime = "2d per move"'))
        for name in ("alice", "bob"):
            town.ask(name, "enter", "open")
        town.pass_days(2)
        town.join_all()
        town.pass_days(2)
        town.pass_days(0.1)
        (fixture,) = town.season(1).fixtures
        assert (fixture.status, fixture.places) == (Status.VOID, ())
        assert rated(town) == []
        assert missed(town) == 2
