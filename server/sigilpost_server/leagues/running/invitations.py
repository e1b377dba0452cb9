"""Games of fixtures begin: each is proposed to its players as soon as all of them are free."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire import fair
from sigilpost_server.leagues import store
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import starting
from sigilpost_server.leagues.state import Fixture
from sigilpost_server.leagues.store import Person
from sigilpost_server.models import GameStatus, games, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller


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
    rows.set_timer(running.db, rows.INVITATION, tag, running.post.now + running.rules.play.join)
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
    teller = Teller(play, running.post)
    until = running.post.now + running.rules.play.join
    for seat in play.seats:
        due = say(
            "league.invitation.due",
            league=running.rules.title,
            season=running.season.number,
            round=fixture.round,
            until=when(seat.zone, until),
        )
        envelope = teller.envelope(seat, "invitation")
        letter = teller.invitation(seat, envelope, running.rules.title)
        teller.put(seat, replace(letter, closing=(due, *letter.closing)))


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
