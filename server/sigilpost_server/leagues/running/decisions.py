"""The director's decisions, told to those whom they concern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Sheet
from sigilpost_server.leagues import letters
from sigilpost_server.leagues.running import mails
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season import starting
from sigilpost_server.leagues.state import Entrant, Fixture, Phase
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction.play import Play


def ruled(running: Running, fixture: Fixture, why: str, stopped: Play | None) -> None:
    """A fixture got a result, and its game, if one was open, was ``stopped`` for it."""
    reason = mails.reason(why)
    values: dict[str, Any] = {"round": fixture.round, "places": _places(running, fixture)}
    players = starting.players_of(running.season, fixture)
    if stopped is None:
        notices = (_not_stopped(running, fixture), *reason)
        for player in dict.fromkeys(players):
            _write(running, player, "ruling", notices=notices, **values)
        return
    begun = stopped.row.match is not None
    ended = say("league.ruling.stopped" if begun else "league.ruling.called-off", game=fixture.game)
    mails.write_table(running, stopped, "ruling", notices=(ended, *reason), **values)
    seated = {seat.player_id for seat in stopped.seats}
    for player in dict.fromkeys(players):
        if player not in seated:
            _write(running, player, "ruling", notices=(ended, *reason), **values)


def _places(running: Running, fixture: Fixture) -> list[Msg]:
    by_place: dict[int, list[str]] = {}
    for place, entrant in sorted(zip(fixture.places, fixture.entrants, strict=True)):
        by_place.setdefault(place, []).append(running.season.entrant(entrant).name)
    return [say("league.ruling.place", place=n, names=names) for n, names in by_place.items()]


def _not_stopped(running: Running, fixture: Fixture) -> Msg:
    """What the ruling means for the ratings, where there was no game to stop."""
    play = Play.load(running.db, fixture.game, lock=False) if fixture.game else None
    if play is None or play.status != GameStatus.FINISHED:
        return say("league.ruling.unplayed")
    return say("league.ruling.over", game=fixture.game)


def points_adjusted(running: Running, entrant: Entrant, points: int, why: str) -> None:
    """An entrant was given points, or lost some."""
    kind = "points-given" if points >= 0 else "points-taken"
    reason = mails.reason(why)
    sheet = (letters.table(running.rules, running.season, entrant.division),)
    for player in entrant.players:
        _write(running, player, kind, sheet=sheet, notices=reason, n=abs(points))


def taken_out(running: Running, entrant: Entrant, why: str) -> None:
    """An entrant was taken out of the season."""
    notices = [*mails.reason(why)]
    if running.season.phase is Phase.PLAYING:
        word = "annulled" if entrant.annulled else "forfeited"
        notices.insert(0, say(f"league.taken-out.{word}"))
    for player in entrant.players:
        _write(running, player, "taken-out", notices=notices)


def substituted(running: Running, entrant: Entrant, before: Entrant, why: str) -> None:
    """Others play in an entrant's place: both are told, and who comes sees what awaits them."""
    reason = mails.reason(why)
    for player in entrant.players:
        if player not in before.players:
            sheet = mails.Sheets(running).own(entrant)
            _write(running, player, "substituted", sheet=sheet, notices=reason, name=before.name)
    for player in before.players:
        if player not in entrant.players:
            _write(running, player, "replaced", notices=reason, name=entrant.name)


def _write(
    running: Running,
    player: int,
    kind: str,
    *,
    sheet: Sheet = (),
    notices: Sequence[Msg] = (),
    **values: Any,
) -> None:
    event = f"league-{kind}"
    mails.write(
        running, player, event, running.row.seq, kind, sheet=sheet, notices=notices, **values
    )
