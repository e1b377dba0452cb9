"""What the two halves of a registration share: the challenge's token, and the welcome."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, select

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.keys import grouped
from sigilpost_server.commands import names
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus, games, player_keys, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.work import Outcome, Work, address_of


def token_of(house: House, registration: rows.Registration) -> str:
    """The token of a challenge. It follows from what is to be registered, so that asking twice
    for the same makes no second one."""
    return house.token(registration.fingerprint, registration.address_key, registration.name)


def obstacle(db: Connection, address_key: str, name: str) -> str:
    """Why nobody can be registered with an address and a name; "" if nothing is in the way.

    Whoever plays by replies has never had a key, and may bring one: the address is proven anew.
    """
    there, named = rows.player_by_address(db, address_key), rows.player_by_name(db, names.key(name))
    if there is not None and has_had_key(db, there):
        return "address-taken"
    return "name-taken" if named is not None and named != there else ""


def has_had_key(db: Connection, player: rows.Player) -> bool:
    """Whether a key ever spoke for a player."""
    where = player_keys.c.player_id == player.id
    return db.execute(select(player_keys.c.fingerprint).where(where).limit(1)).first() is not None


def welcome(work: Work, player: rows.Player, key: str, *notices: Msg) -> Outcome:
    """Tell somebody that they are registered, and which invitations wait for them."""
    messages = (*notices, *_invitations(work, player))
    letter = letters.registered(
        work.post.answer_envelope(address_of(player)),
        name=player.name,
        key=grouped(key),
        server_key=grouped(work.house.fingerprint),
        turn=work.notice(*messages, type="registered", name=player.name, key=key),
    )
    letter = replace(letter, notices=messages)
    return Outcome("ok", letter, player.language)


def _invitations(work: Work, player: rows.Player) -> list[Msg]:
    found = rows.games_of(work.db, player.id, [GameStatus.PROPOSED])
    return [say("server.invited", game=game.tag) for game in found]


def claim_seats(work: Work, player: rows.Player) -> None:
    """Seats that were offered to an address belong to the player who proves it."""
    proposed = select(games.c.id).where(games.c.status == GameStatus.PROPOSED)
    work.db.execute(
        seats.update()
        .where(
            seats.c.address_key == player.address_key,
            seats.c.player_id.is_(None),
            seats.c.game_id.in_(proposed),
        )
        .values(player_id=player.id)
    )
