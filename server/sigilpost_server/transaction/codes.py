"""Reply codes: one-time codes for players without the client (protocol.md, *Reply codes*).

A code follows from the game, the seat, the question and the address that it is mailed to, and
from a secret: so every mail about one question has the same one. Stored is its keyed hash alone.
It counts once, in a mail from that address, while that question is the one that is open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from sigilpost_server.mail_in import reply
from sigilpost_server.mail_in.reply import Said
from sigilpost_server.mail_out.letter import Reply
from sigilpost_server.models import games, reply_codes, seats
from sigilpost_server.prepared import Prepared
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.house import House

JOIN = "join"
"""What a code for an invitation answers, in the place of a question's id."""

_FIND = Prepared(
    select(
        *(
            reply_codes.c[name]
            for name in ("digest", "seat", "question", "address_key", "used", "judged")
        ),
        games.c.tag,
    )
    .select_from(reply_codes.join(games))
    .where(reply_codes.c.digest == bindparam("digest"))
)


class Code(NamedTuple):
    """A code that was mailed: for which seat (from 0) and question of which game, and to whom."""

    digest: bytes
    seat: int
    question: str
    address_key: str
    used: int | None
    judged: bytes
    tag: str


def issue(
    db: Connection, house: House, game: rows.Game, seat: int, question: str, key: str, now: int
) -> Reply:
    """The code for a question of a seat, to be mailed to the address ``key`` (normal form)."""
    code = house.code(game.tag, seat, question, key)
    values = {
        "digest": house.code_digest(code),
        "game_id": game.id,
        "seat": seat,
        "question": question,
        "address_key": key,
        "made": now,
        "used": None,
        "judged": b"",
    }
    db.execute(rows.upsert(db, reply_codes).values(values).on_conflict_do_nothing())
    return Reply(reply.shown(code), house.reply_address(code))


def find(db: Connection, house: House, found: Sequence[str]) -> Code | None:
    """The first of these codes that was ever mailed; one that is not used up, if there is any."""
    known = []
    for code in found:
        row = _FIND.first(db, {"digest": house.code_digest(code)})
        if row is not None:
            known.append(Code(*row))
    return next((code for code in known if code.used is None), next(iter(known), None))


def use_up(db: Connection, code: Code, now: int) -> None:
    """A line was accepted by it."""
    where = reply_codes.c.digest == code.digest
    db.execute(update(reply_codes).where(where).values(used=now))


def note(db: Connection, code: Code, lines: Sequence[Said]) -> None:
    """Lines were judged by it."""
    where = reply_codes.c.digest == code.digest
    db.execute(update(reply_codes).where(where).values(judged=digest_of(lines)))


def digest_of(lines: Sequence[Said]) -> bytes:
    """By what the copy of a reply that came by another route is known."""
    return hashlib.sha256("\n".join(said.line for said in lines).encode()).digest()


def are_for(db: Connection, player_id: int) -> bool:
    """Whether a player was ever sent codes: sits at a game that takes them."""
    statement = (
        select(reply_codes.c.digest)
        .select_from(
            reply_codes.join(
                seats,
                (seats.c.game_id == reply_codes.c.game_id) & (seats.c.number == reply_codes.c.seat),
            )
        )
        .where(seats.c.player_id == player_id)
        .limit(1)
    )
    return db.execute(statement).first() is not None
