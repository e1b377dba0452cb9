"""Keys of players that end: rotated, recovered, revoked; and what that means for their seats."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PublicKey, grouped
from sigilpost_server.clocks import standing
from sigilpost_server.mail_out import clock_letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import (
    GOING,
    blocks,
    player_keys,
    players,
    recoveries,
    registrations,
    seats,
)
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.work import sealed_notice

ROTATED, RECOVERED, REVOKED = "rotated", "recovered", "revoked"

RECOVERY = "recovery"
"""The kind of timer that ends a lost key's waiting time; the subject is the new fingerprint."""


class Ended(NamedTuple):
    """A key that speaks for nobody any more: what came after it, and the block that says so."""

    successor: str
    block: bytes | None


def ended(db: Connection, fingerprint: str) -> Ended | None:
    """A key that spoke for a player once; None if it still does, or never did."""
    where = (player_keys.c.fingerprint == fingerprint, player_keys.c.until.is_not(None))
    row = db.execute(select(player_keys.c.successor, player_keys.c.block).where(*where)).first()
    return Ended(*row) if row else None


def before(db: Connection, fingerprints: Collection[str]) -> set[str]:
    """The keys in whose place any of these came."""
    statement = select(player_keys.c.fingerprint).where(player_keys.c.successor.in_(fingerprints))
    return set(db.execute(statement).scalars())


def is_known(db: Connection, fingerprint: str) -> bool:
    """Whether a key speaks or spoke for somebody, or is about to."""
    return any(
        db.execute(select(table.c.fingerprint).where(table.c.fingerprint == fingerprint)).first()
        for table in (player_keys, registrations, recoveries)
    )


def player_of(db: Connection, player_id: int) -> rows.Player:
    """A player by number."""
    key = select(players.c.address_key).where(players.c.id == player_id)
    player = rows.player_by_address(db, db.execute(key).scalar_one())
    assert player is not None
    return player


# --- changes --------------------------------------------------------------------------------------


def add(db: Connection, player_id: int, key: PublicKey, now: int) -> None:
    """A key speaks for a player from now on."""
    values = {
        "fingerprint": key.fingerprint,
        "public": key.raw,
        "player_id": player_id,
        "since": now,
    }
    db.execute(player_keys.insert().values(values))


def end(
    db: Connection, fingerprint: str, how: str, block: bytes, now: int, successor: str = ""
) -> None:
    """A key speaks for nobody any more."""
    values = {"until": now, "end": how, "block": block, "successor": successor}
    db.execute(update(player_keys).where(player_keys.c.fingerprint == fingerprint).values(**values))


def succeed(db: Connection, found: rows.Recovery, now: int) -> None:
    """The recovered key takes the place of all that its player had."""
    open_ends = select(player_keys.c.fingerprint, player_keys.c.end).where(
        player_keys.c.player_id == found.player_id, player_keys.c.successor == ""
    )
    for fingerprint, how in db.execute(open_ends).all():
        end(db, fingerprint, how or RECOVERED, found.block, now, found.fingerprint)
    add(db, found.player_id, PublicKey(found.public), now)


def forget_recoveries(db: Connection, player_id: int) -> bool:
    """No key is to replace this player's any longer; whether one was."""
    where = recoveries.c.player_id == player_id
    names = db.execute(select(recoveries.c.fingerprint).where(where)).scalars().all()
    for fingerprint in names:
        rows.clear_timer(db, RECOVERY, fingerprint)
    db.execute(delete(recoveries).where(where))
    return bool(names)


def forget_standing(db: Connection, player_id: int) -> None:
    """What a lost or stolen key may have set answers no question any longer."""
    for game in rows.games_of(db, player_id, GOING):
        for seat in rows.seats_of(db, game.id):
            if seat.player_id == player_id and seat.standing:
                standing.remove_all(db, game.id, seat.number)
                rows.save_seat(db, game.id, seat.number, {"standing": 0})


def forget_standing_of_others(db: Connection, game_id: int, seat: int, key: str) -> int | None:
    """Orders that were set before a seat was taken count if the key that takes it has signed them:
    no other is known to be its player's. Returns how many are left; None if all do."""
    kept = standing.of_seat(db, game_id, seat)
    other = [each for each in kept if _signer(db, each.block) != key]
    for each in other:
        standing.remove(db, game_id, seat, each.number)
    return len(kept) - len(other) if other else None


def _signer(db: Connection, block: bytes) -> str:
    statement = select(blocks.c.kind, blocks.c.payload, blocks.c.signature)
    kind, payload, signature = db.execute(statement.where(blocks.c.digest == block)).one()
    return payloads.read(Block(kind, bytes(payload), bytes(signature))).key


# --- news -----------------------------------------------------------------------------------------


def tell_opponents(
    db: Connection, post: Post, player: rows.Player, what: str, subject: Msg, *said: Msg
) -> None:
    """One mail to each player who sits at a table with this one."""
    own = [game.id for game in rows.games_of(db, player.id, GOING)]
    statement = (
        select(seats.c.player_id)
        .where(
            seats.c.game_id.in_(own), seats.c.player_id.is_not(None), seats.c.player_id != player.id
        )
        .distinct()
        .order_by(seats.c.player_id)
    )
    for player_id in db.execute(statement).scalars().all():
        tell(post, player_of(db, player_id), f"{what} {player.id} {post.now}", subject, *said)


def announce(db: Connection, post: Post, step: Handover) -> int:
    """Tell every player that the server has a new key; return how many are told."""
    keys = [PublicKey.from_hex(key).fingerprint for key in (step.old, step.new)]
    said = say("keys.server.opening", old=grouped(keys[0]), new=grouped(keys[1]))
    everybody = db.execute(select(players.c.id).order_by(players.c.id)).scalars().all()
    for player_id in everybody:
        event = f"server key {step.new}"
        tell(post, player_of(db, player_id), event, say("keys.server.subject"), said)
    return len(everybody)


def tell(
    post: Post, player: rows.Player, event: str, subject: Msg, *said: Msg, **notice: str
) -> None:
    """A mail about keys to one player; ``notice`` is what else their client should hear of."""
    letter = clock_letters.notice(
        post.envelope(Address(player.address, player.name), event, player.id),
        subject,
        said,
        turn=sealed_notice(post.house, post.now, *said, **{"type": "notice", **notice}),
    )
    post.put(letter, player.language)
