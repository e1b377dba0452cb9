"""What the host can see and do: the log, the games, the check before an upgrade, mails set aside.

Nothing here shows a hand, a secret or a nonce: the host who looks at a fault is often a player.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from sigilpost_engine.core.errors import Held
from sigilpost_server.clocks.store import end_held
from sigilpost_server.db import Database
from sigilpost_server.models import GameStatus, games, mails
from sigilpost_server.service import Rehearsal, Service, Verdict
from sigilpost_server.transaction import rows, shunt
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.shunt import Kept, Listed
from sigilpost_server.transaction.tell import Teller

BATCH = 500
"""Rows read at a time, so that a long log or many games need little memory."""


class StillHeld(Exception):
    """The game cannot go on: its open step does not run as it did. The text says why."""


class MailLine(NamedTuple):
    """A line of the log: one mail that came in. ``received`` is Unix time."""

    digest: str
    sender: str
    verdict: str
    reason: str
    game: str
    seq: int | None
    received: int
    source: str


class SeatLine(NamedTuple):
    """A seat: who sits there, whether they joined, and the number of the question they are asked,
    "" if none. The rest of its id is a digest of what can be answered, the hand, that is: whoever
    saw it could try all hands."""

    number: int
    name: str
    address: str
    joined: bool
    asked: str


class GameLine(NamedTuple):
    """A game without anything hidden. ``number`` counts the accepted answers."""

    tag: str
    kind: str
    status: str
    seq: int
    number: int
    head: str
    options: dict[str, Any]
    seats: list[SeatLine]
    why: str
    result: dict[str, Any] | None
    created: int
    started: int | None
    ended: int | None

    @property
    def waiting(self) -> list[str]:
        """The names of those that the game waits for."""
        if self.status == GameStatus.PROPOSED:
            return [seat.name for seat in self.seats if not seat.joined]
        return [seat.name for seat in self.seats if seat.asked]


class Fault(NamedTuple):
    """A game that could not go on with this program, and why."""

    tag: str
    why: str


# --- looking --------------------------------------------------------------------------------------


def log(database: Database, last: int | None = None) -> Iterator[MailLine]:
    """The mails that came in, oldest first: all, or the ``last`` so many. Raises TryLater."""
    after = -1
    if last is not None:
        after = _before_last(database, last)
    while True:
        with database.read() as db:
            statement = select(mails).where(mails.c.id > after).order_by(mails.c.id).limit(BATCH)
            found = db.execute(statement).all()
        for row in found:
            after = row.id
            yield MailLine(
                row.digest.hex(),
                row.sender,
                row.verdict,
                row.reason,
                row.game,
                row.seq,
                row.received,
                row.source,
            )
        if len(found) < BATCH:
            return


def _before_last(database: Database, last: int) -> int:
    """The number of the row before the last so many."""
    statement = select(mails.c.id).order_by(mails.c.id.desc()).offset(last).limit(1)
    with database.read() as db:
        row = db.execute(statement).first()
    return -1 if row is None else int(row.id)


def all_games(database: Database, statuses: Sequence[str] = ()) -> Iterator[GameLine]:
    """The games, oldest first; those with these statuses, or all. Raises TryLater."""
    for found in _batches(database, statuses):
        with database.read() as db:
            lines = [_game(db, row) for row in found]
        yield from lines


def show(database: Database, tag: str) -> GameLine | None:
    """One game by its tag. Raises TryLater."""
    with database.read() as db:
        row = db.execute(select(games).where(games.c.tag == tag)).first()
        return _game(db, row) if row else None


def _batches(database: Database, statuses: Sequence[str]) -> Iterator[Sequence[Any]]:
    after = -1
    while True:
        statement = select(games).where(games.c.id > after).order_by(games.c.id).limit(BATCH)
        if statuses:
            statement = statement.where(games.c.status.in_(statuses))
        with database.read() as db:
            found = db.execute(statement).all()
        if found:
            yield found
            after = found[-1].id
        if len(found) < BATCH:
            return


def _game(db: Connection, row: Any) -> GameLine:
    return GameLine(
        row.tag,
        row.kind,
        row.status,
        row.seq,
        row.head_number,
        row.head_hash,
        json.loads(row.options),
        [
            SeatLine(
                seat.number + 1,
                seat.shown,
                seat.address or seat.invited,
                seat.joined,
                seat.asked.partition("-")[0],
            )
            for seat in rows.seats_of(db, row.id)
        ],
        row.why,
        json.loads(row.result) if row.result else None,
        row.created,
        row.started,
        row.ended,
    )


# --- games that stop ------------------------------------------------------------------------------


def check(database: Database) -> Iterator[Fault]:
    """Run the open step of every match again, and yield those that do not run as they did.

    To be done with a new program before it serves. Changes nothing. Raises TryLater.
    """
    for found in _batches(database, [GameStatus.RUNNING, GameStatus.HELD]):
        for row in found:
            fault = _checked(row)
            if fault:
                yield Fault(row.tag, fault)


def _checked(row: Any) -> str:
    """Why a stored match does not go on; "" if it does."""
    if row.match is None:
        return ""
    try:
        Play.resume(row.kind, row.match)
    except Held as held:
        return f"{type(held).__name__}: {held}"
    except Exception as fault:
        # Whatever a changed program stumbles over in old data is what this is to find out.
        return type(fault).__name__
    return ""


def release(service: Service, tag: str) -> bool:
    """Let a held game go on, and mail its question to those who are asked; False if it is not
    held. Raises StillHeld, TryLater."""
    with service.changing() as (db, post):
        play = Play.load(db, tag)
        if play is None or play.status != GameStatus.HELD:
            return False
        try:
            play.release()
        except Held as held:
            raise StillHeld(f"{type(held).__name__}: {held}") from held
        end_held(db, play.row.id, tag, post.now)
        play.save()
        teller = Teller(play, post)
        for seat in play.seats:
            if play.asked(seat.number):
                teller.put(seat, teller.now(seat, teller.envelope(seat, f"released {play.seq}")))
        play.save_marks()
    return True


# --- mails set aside ------------------------------------------------------------------------------


def set_aside(database: Database) -> list[Listed]:
    """The mails that were set aside. Raises TryLater."""
    with database.read() as db:
        return shunt.listed(db)


def mail(database: Database, digest: bytes) -> Kept | None:
    """One of them, with its bytes; None if there is none. Raises TryLater."""
    with database.read() as db:
        return shunt.kept(db, digest)


def replay(service: Service, digest: bytes) -> Verdict | None:
    """Deal again with a mail that was set aside; None if there is none. Raises as
    ``Service.handle``."""
    return service.replay(digest)


def rehearse(service: Service, digest: bytes) -> Rehearsal | None:
    """What ``replay`` would do; changes nothing. Raises as ``Service.handle``."""
    return service.rehearse(digest)


def discard(database: Database, digest: bytes) -> bool:
    """Forget a mail that was set aside; False if there is none. Raises TryLater."""
    with database.write() as db:
        known = shunt.kept(db, digest) is not None
        shunt.forget(db, digest)
    return known
