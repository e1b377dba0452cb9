"""Games of fixtures begin: each is proposed to its players as soon as all of them are free."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire import fair
from sigilpost_server.clocks import shown
from sigilpost_server.leagues import store
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import starting
from sigilpost_server.leagues.state import Fixture
from sigilpost_server.leagues.store import Person
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.models import GameStatus, games, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller

REMINDER = "invitation reminder"
"""The kind of timer at which whoever has not joined a league's game is reminded, once; the subject
is the game's tag."""

REMINDED = 75
"""It goes out when so many percent of the time to join are used up."""


def start_games(running: Running) -> None:
    """Propose the games of all fixtures whose players are free."""
    season = running.season
    players = [player for entrant in season.active() for player in entrant.players]
    busy = store.games_of_players(running.db, players)
    limit = running.post.house.settings.limits.running_games
    for fixture in starting.startable(season, running.rules, busy, limit):
        tag = _make(running, fixture)
        starting.start(season, fixture.number, tag, running.post.now)


def _make(running: Running, fixture: Fixture) -> str:
    """Propose a fixture's game to its players; its tag."""
    players = [running.person(p) for p in starting.players_of(running.season, fixture)]
    tag = _new_tag(running)
    values = {
        "tag": tag,
        "kind": running.rules.game,
        "options": store.dumps(running.options),
        "rules": store.dumps(_terms(running, fixture)),
        "status": GameStatus.PROPOSED,
        "seq": 0,
        "secret": secrets.token_bytes(fair.SECRET_SIZE),
        # Nobody proposed it: there is no CREATE block. The first seat stands for it.
        "creator_id": players[0].id,
        "create_block": b"",
        "created": running.post.now,
        "head_number": 0,
        "head_hash": "",
        "why": "",
    }
    insert = games.insert().values(values).returning(games.c.id)
    game_id = running.db.execute(insert).scalar_one()
    running.db.execute(seats.insert(), [_seat(game_id, n, p) for n, p in enumerate(players)])
    store.add_game(running.db, game_id, running.row.id, running.season.number, fixture.number)
    now, time = running.post.now, running.rules.play.join
    rows.set_timer(running.db, rows.INVITATION, tag, now + time)
    rows.set_timer(running.db, REMINDER, tag, now + time * REMINDED // 100)
    _invite(running, tag, fixture)
    return tag


def _terms(running: Running, fixture: Fixture) -> dict[str, str]:
    """The rules of the game: what a player's CREATE would say, and where it belongs."""
    play = running.rules.play
    terms = {"credentials": play.credentials, "league": running.row.name}
    if play.time:
        terms["clock"] = play.time
    if play.timeout:
        terms["timeout"] = play.timeout
    return terms | {"season": str(running.season.number), "fixture": str(fixture.number)}


def _new_tag(running: Running) -> str:
    from sigilpost_server.commands.create import TAG_LENGTH, TAG_LETTERS

    length = TAG_LENGTH
    while True:
        letters_ = "".join(secrets.choice(TAG_LETTERS) for _ in range(length))
        tag = f"{running.rules.game}-{letters_}"
        if rows.game(running.db, tag, lock=False) is None:
            return tag
        length += 1


def _invite(running: Running, tag: str, fixture: Fixture) -> None:
    play = Play.load(running.db, tag)
    assert play is not None
    for seat in play.seats:
        letter = _letter(running, play, seat, fixture, "invitation")
        Teller(play, running.post).put(seat, letter)


def _letter(running: Running, play: Play, seat: rows.Seat, fixture: Fixture, event: str) -> Letter:
    """The invitation of a seat, with the moment until which it stands."""
    teller, until = Teller(play, running.post), rows.due(running.db, rows.INVITATION, play.row.tag)
    assert until is not None
    due = say(
        "league.invitation.due",
        league=running.rules.title,
        season=running.season.number,
        round=fixture.round,
        until=when(seat.zone, until),
    )
    letter = teller.invitation(seat, teller.envelope(seat, event), running.rules.title)
    return replace(letter, closing=(due, *letter.closing))


def remind(db: Connection, post: Post, tag: str) -> None:
    """Invite once more, shortly before the time to join is over, whoever has not joined."""
    play, until = Play.load(db, tag), rows.due(db, rows.INVITATION, tag)
    fixed = store.fixture_of(db, play.row.id) if play else None
    running = Running.load(db, post, fixed.league, lock=False) if fixed else None
    if play is None or play.status != GameStatus.PROPOSED or fixed is None or running is None:
        return
    if until is None or until <= post.now or running.season.number != fixed.season:
        return
    left, fixture = shown.length(until - post.now), running.season.fixture(fixed.fixture)
    subject = say("league.invitation.reminder-subject", left=left)
    said = say("league.invitation.reminder", league=running.rules.title, left=left)
    for seat in play.seats:
        if not seat.joined:
            letter = _letter(running, play, seat, fixture, REMINDER)
            again = replace(letter, subject=subject, opening=(said, *letter.opening))
            Teller(play, post).put(seat, again)


def _seat(game_id: int, number: int, player: Person) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "number": number,
        "player_id": player.id,
        "address": player.address,
        "address_key": player.address_key,
        "name": "",
        "key": "",
        "nonce": "",
        "join_block": None,
        "asked": "",
        "told": -1,
    }
