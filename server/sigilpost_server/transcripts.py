"""The transcript of a finished game, written from what is stored, and mailed to its players."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from sqlalchemy import Connection, select

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.transcript import block_line, line
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire import fair, payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_server.mail_out.letter import Enclosure, Kind, Letter
from sigilpost_server.models import blocks, entries, games, player_keys, seats
from sigilpost_server.transaction import keys, marks, rows
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller

MEDIA_TYPE = "application/jsonl"
Fields = dict[str, Any]


class NotOver(Exception):
    """The game goes on: its transcript would tell hands."""


def file_name(tag: str) -> str:
    """What the file of a game's transcript is called."""
    return f"{tag}.transcript.jsonl"


def of_game(db: Connection, play: Play, house: House) -> bytes:
    """The sealed transcript of a game that is over: up to where it was stopped, if it was. Raises
    NotOver."""
    if not play.over:
        raise NotOver(play.row.tag)
    return transcript.write(_lines(db, play, house), house.key)


def _lines(db: Connection, play: Play, house: House) -> Iterator[Fields]:
    row = play.row
    yield line(
        "game",
        v=transcript.VERSION,
        game=row.tag,
        kind=row.kind,
        schema=play.rules.schema,
        program=version("sigilpost"),
        options=play.options,
        roster=play.roster,
        commitment=fair.commitment(row.secret),
        server=house.key.public.hex,
    )
    for handover in house.handovers:
        yield line("handover", **handover.to_json())
    signers = _Signers(db, row.id)
    for seat in play.seats:
        if seat.key:  # one that joined by a code has none
            yield signers.first(seat.number, seat.key)
    yield from _joins(db, play)
    yield line("secret", secret=row.secret.hex())
    yield from _answers(db, play, signers)
    result = json.loads(row.result or "{}")
    yield line("end", n=play.head.number, hash=play.head.hash, result=result)


def _joins(db: Connection, play: Play) -> Iterator[Fields]:
    """What was proposed, and who brought which nonce."""
    row = select(games.c.create_block).where(games.c.id == play.row.id)
    created = db.execute(row).scalar_one()  # none for a game that nobody proposed, of a league
    if created:
        yield from _proposal(play, _block(db, bytes(created)))
    joined = dict(
        db.execute(
            select(seats.c.number, seats.c.join_block).where(seats.c.game_id == play.row.id)
        ).all()
    )
    for seat in play.seats:
        if joined[seat.number]:
            yield block_line(seat.number + 1, _block(db, bytes(joined[seat.number])))


def _proposal(play: Play, block: Block) -> Iterator[Fields]:
    """The proposal, unless its key was replaced before the game began."""
    key = payloads.read(block).key
    seat = next((each for each in play.seats if each.key == key), None)
    if seat is not None:
        yield block_line(seat.number + 1, block)


def _answers(db: Connection, play: Play, signers: _Signers) -> Iterator[Fields]:
    """The deal, then every answer, each block before the first answer that it gave."""
    written: set[bytes] = set()
    statement = select(entries).where(entries.c.game_id == play.row.id).order_by(entries.c.number)
    for entry in db.execute(statement).all():
        events = json.loads(entry.events)
        if entry.seat is None:
            yield line("start", events=events, hash=entry.hash, made=entry.made)
            continue
        digest = bytes(entry.block or b"")
        if digest and digest not in written:
            written.add(digest)
            block = _block(db, digest)
            if marks.by(entry.actor) == marks.SUBSTITUTE:
                yield signers.substitute(entry.seat, marks.whom(entry.actor), block)
            else:
                yield from signers.follow(entry.seat, block)
            yield block_line(entry.seat + 1, block)
        yield line(
            "answer",
            n=entry.number,
            seat=entry.seat + 1,
            by=marks.by(entry.actor),
            block=digest.hex(),
            index=entry.line,
            answer=json.loads(entry.answer),
            events=events,
            hash=entry.hash,
            made=entry.made,
        )


class _Signers:
    """The keys that were told so far, so that each change of one is told before it counts."""

    def __init__(self, db: Connection, game_id: int) -> None:
        self._db = db
        self._game_id = game_id
        self._told: dict[int, list[str]] = {}

    def first(self, seat: int, key: str) -> Fields:
        """The key that a seat joined with."""
        self._told[seat] = [key]
        return line("key", seat=seat + 1, public=self._public(key))

    def substitute(self, seat: int, name: str, block: Block) -> Fields:
        """The key of whoever takes a seat by this block."""
        key = payloads.read(block).key
        self._told[seat] = [key]
        return line("substitute", seat=seat + 1, name=name, public=self._public(key))

    def follow(self, seat: int, block: Block) -> Iterator[Fields]:
        """The changes that lead to the key that signed a block, if they were not told yet."""
        key = payloads.read(block).key
        if seat not in self._told:  # one that joined by a code
            yield self.first(seat, self._oldest(seat, key))
        told = self._told[seat]
        while key not in told:
            after = keys.ended(self._db, told[-1])
            assert after is not None
            assert after.block is not None
            told.append(after.successor)
            yield block_line(seat + 1, _block(self._db, after.block))

    def _oldest(self, seat: int, key: str) -> str:
        """The first of the keys that signed in a seat and led to this one: a standing order may
        answer long after its key was replaced."""
        own = (entries.c.game_id == self._game_id, entries.c.seat == seat)
        signed = select(entries.c.block).where(*own, entries.c.block.is_not(None)).distinct()
        signers = {
            payloads.read(_block(self._db, bytes(digest))).key
            for digest in self._db.execute(signed).scalars().all()
        }
        oldest, before = key, {key}
        while before := keys.before(self._db, before):
            oldest = min(before & signers, default=oldest)
        return oldest

    def _public(self, fingerprint: str) -> str:
        statement = select(player_keys.c.public).where(player_keys.c.fingerprint == fingerprint)
        return bytes(self._db.execute(statement).scalar_one()).hex()


def _block(db: Connection, digest: bytes) -> Block:
    statement = select(blocks.c.kind, blocks.c.payload, blocks.c.signature)
    row = db.execute(statement.where(blocks.c.digest == digest)).one()
    return Block(row.kind, bytes(row.payload), bytes(row.signature))


# --- by mail --------------------------------------------------------------------------------------


def mail(db: Connection, post: Post, tag: str) -> None:
    """Mail the transcript of a game that is over to each of its seats.

    Not in the transaction that ends the game: only at its end is the last block stored, and the
    last move shall take no longer than the others.
    """
    play = Play.load(db, tag, lock=False)
    if play is None or not play.over:
        return
    enclosure = Enclosure(file_name(tag), MEDIA_TYPE, of_game(db, play, post.house))
    teller = Teller(play, post)
    for seat in play.seats:
        teller.put(seat, _letter(teller, seat, enclosure))


def _letter(teller: Teller, seat: rows.Seat, enclosure: Enclosure) -> Letter:
    of = "server.transcript.stopped" if teller.play.stopped else "server.transcript.opening"
    opening = say(of, game=teller.play.row.tag)
    how = say("server.transcript.how", file=enclosure.name)
    notice = {"type": "transcript", "messages": [opening.to_json(), how.to_json()]}
    return Letter(
        Kind.NEWS,
        teller.envelope(seat, rows.TRANSCRIPT),
        say("server.transcript.subject"),
        teller.game,
        opening=(opening,),
        closing=(how,),
        turn=teller.document(seat, **notice),
        enclosures=(enclosure,),
    )
