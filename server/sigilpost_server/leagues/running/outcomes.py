"""What the game of a fixture came to: a result, or nothing, as somebody did not come."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.games import find
from sigilpost_server.leagues import reliability, store
from sigilpost_server.leagues.outcome import Outcome
from sigilpost_server.leagues.rules import Teams
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season import results
from sigilpost_server.leagues.state import How


def game_over(running: Running, fixture: int, outcome: Outcome) -> None:
    """A fixture's game has ended with this outcome of its sides; one that nobody has won, as all
    gave it up, does not count."""
    entrants = running.season.fixture(fixture).entrants
    if outcome.nobody:
        abandoned(running, fixture)
        return
    places = [outcome.places[side] for side in _sides(running, entrants)]
    how = How.PLAYED if not outcome.gave_up else How.FORFEITED
    alone = running.rules.teams is Teams.NONE
    scores = outcome.scores if alone else ()
    now = running.post.now
    results.finish(running.season, running.rules, fixture, places, how, now, scores)


def abandoned(running: Running, fixture: int) -> None:
    """A fixture's game was left by all: if the fixture still waits for it, it does not count."""
    entrants = running.season.fixture(fixture).entrants
    results.never_came(running.season, running.rules, fixture, entrants, running.post.now)


def _sides(running: Running, entrants: Sequence[int]) -> list[int]:
    """For each entrant of a game, the number of its side."""
    sides = find(running.rules.game).sides(running.rules.seats, running.options)
    side_of = {seat: at for at, side in enumerate(sides) for seat in side}
    return [side_of[seat] for seat in range(len(entrants))]


def never_came(running: Running, fixture: int, players: Sequence[int], game_id: int) -> None:
    """A fixture's game did not begin, because these players did not join it."""
    entrants = running.season.fixture(fixture).entrants
    absent = [e for e in entrants if set(players) & set(running.season.entrant(e).players)]
    results.never_came(running.season, running.rules, fixture, absent, running.post.now)
    for player in players:
        what = reliability.What.MISSED
        store.mark(running.db, player, what, running.post.now, game_id)
