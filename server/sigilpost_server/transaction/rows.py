"""What the service reads and writes, as typed rows and prepared statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Table,
    bindparam,
    case,
    delete,
    func,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import sqlite

from sigilpost_engine.wire.blocks import Block
from sigilpost_server.db import SomebodyWasQuicker
from sigilpost_server.mail_in.addresses import BadAddress, parse_address
from sigilpost_server.models import (
    GOING,
    Correspondent,
    blocks,
    bounces,
    correspondents,
    entries,
    games,
    mails,
    outgoing,
    player_keys,
    players,
    recoveries,
    registrations,
    seats,
    timers,
)
from sigilpost_server.prepared import Prepared


class Player(NamedTuple):
    """A registered player; ``answers`` is what its address had since its last accepted order,
    ``returned`` whether mail to it has come back since then."""

    id: int
    name: str
    address: str
    address_key: str
    language: str
    answers: int = 0
    zone: str = "UTC"
    returned: bool = False


class Signer(NamedTuple):
    """A key that speaks for a player."""

    public: bytes
    player: Player


class Registration(NamedTuple):
    """Somebody who was challenged and has not answered yet."""

    fingerprint: str
    public: bytes
    name: str
    address: str
    address_key: str
    language: str
    zone: str
    expires: int


class Recovery(NamedTuple):
    """A key that is to replace a lost one; ``due`` is None until its challenge is answered."""

    fingerprint: str
    public: bytes
    player_id: int
    block: bytes
    expires: int
    due: int | None


class Seen(NamedTuple):
    """A block that was judged before, with the tag of its game."""

    digest: bytes
    signature: bytes
    answer: str
    repeats: int
    tag: str | None


class Game(NamedTuple):
    """A game's row."""

    id: int
    tag: str
    kind: str
    options: str
    rules: str
    status: str
    seq: int
    secret: bytes
    creator_id: int
    match: str | None
    head_number: int
    head_hash: str
    result: str | None


class Seat(NamedTuple):
    """A seat's row with its player's name, address and language ("" where nobody registered)."""

    number: int
    player_id: int | None
    invited: str
    address_key: str
    name: str
    key: str
    nonce: str
    asked: str
    told: int
    standing: int
    acting: str
    player: str | None
    address: str | None
    language: str | None
    zone: str | None
    seal: bytes | None

    @property
    def joined(self) -> bool:
        """Whether the invitation was taken."""
        return bool(self.nonce)

    @property
    def mail_key(self) -> str:
        """The normal form of the address that the seat's mail goes to; ``address_key`` is that of
        the one that was invited."""
        return address_key(self.address or self.invited)

    @property
    def shown(self) -> str:
        """What to call the seat: its player's name, or the address that was invited."""
        return self.name or self.player or self.invited


@lru_cache(maxsize=1024)
def address_key(address: str) -> str:
    """The normal form of an address that we send to; it follows from the address alone."""
    try:
        return parse_address(address).normal
    except BadAddress:  # the host's own may be spelled in any way
        return address.casefold()


def _columns(table: Table, names: str) -> list[Any]:
    return [table.c[name] for name in names.split()]


# --- players --------------------------------------------------------------------------------------

_PLAYER = [
    *_columns(players, "id name address address_key language"),
    func.coalesce(correspondents.c.answers, 0),
    players.c.zone,
    bounces.c.address_key.is_not(None),
]
_PLAYERS = players.outerjoin(
    correspondents, correspondents.c.address_key == players.c.address_key
).outerjoin(bounces, bounces.c.address_key == players.c.address_key)
_SIGNER = Prepared(
    select(player_keys.c.public, *_PLAYER)
    .select_from(player_keys.join(_PLAYERS))
    .where(player_keys.c.fingerprint == bindparam("fingerprint"), player_keys.c.until.is_(None))
)
_BY_ADDRESS = (
    select(*_PLAYER).select_from(_PLAYERS).where(players.c.address_key == bindparam("address_key"))
)
_BY_NAME = select(*_PLAYER).select_from(_PLAYERS).where(players.c.name_key == bindparam("name_key"))


def signer(db: Connection, fingerprint: str) -> Signer | None:
    """The player for whom a key speaks."""
    row = _SIGNER.first(db, {"fingerprint": fingerprint})
    return Signer(row[0], Player(*row[1:])) if row else None


def player_by_address(db: Connection, address_key: str) -> Player | None:
    """The player registered with an address (normal form)."""
    row = db.execute(_BY_ADDRESS, {"address_key": address_key}).first()
    return Player(*row) if row else None


def player_by_name(db: Connection, name_key: str) -> Player | None:
    """The player with this name, whatever its case."""
    row = db.execute(_BY_NAME, {"name_key": name_key}).first()
    return Player(*row) if row else None


_REGISTRATION = _columns(
    registrations, "fingerprint public name address address_key language zone expires"
)


def registration(db: Connection, fingerprint: str) -> Registration | None:
    """The registration of a key that waits for its challenge to be answered."""
    where = registrations.c.fingerprint == fingerprint
    row = db.execute(select(*_REGISTRATION).where(where)).first()
    return Registration(*row) if row else None


def recovery(db: Connection, fingerprint: str) -> Recovery | None:
    """The recovery that brings this key."""
    where = recoveries.c.fingerprint == fingerprint
    row = db.execute(select(*_columns(recoveries, " ".join(Recovery._fields))).where(where)).first()
    return Recovery(*row) if row else None


def has_ended(db: Connection, fingerprint: str) -> bool:
    """Whether a key spoke for a player once, and does no longer."""
    where = (player_keys.c.fingerprint == fingerprint, player_keys.c.until.is_not(None))
    return db.execute(select(player_keys.c.fingerprint).where(*where)).first() is not None


def is_challenged(db: Connection, address_key: str) -> bool:
    """Whether a registration of this address waits for its challenge to be answered."""
    where = registrations.c.address_key == address_key
    return db.execute(select(registrations.c.fingerprint).where(where)).first() is not None


# --- mail and blocks ------------------------------------------------------------------------------


def _insert(table: Table, but: str = "") -> Prepared:
    """An INSERT of all columns, ``but`` the one that the database fills."""
    columns = [column.name for column in table.columns if column.name != but]
    return Prepared(table.insert().values({name: bindparam(name) for name in columns}).inline())


# Written out as in the partial index, which is used for nothing else.
ONCE = mails.c.verdict != literal_column("'duplicate'")
_KNOWN = Prepared(
    select(mails.c.digest).where(
        ((mails.c.digest == bindparam("digest")) & ONCE)
        | ((mails.c.message_id == bindparam("message_id")) & (mails.c.message_id != ""))
    )
)
_LOG = _insert(mails, but="id")
_SEEN = Prepared(
    select(*_columns(blocks, "digest signature answer repeats"), games.c.tag)
    .select_from(blocks.outerjoin(games))
    .where(blocks.c.digest == bindparam("digest"))
)
_ADD_BLOCK = _insert(blocks)


def known_mail(db: Connection, digest: bytes, message_id: str) -> tuple[bool, bool]:
    """Whether these bytes came before, and whether another mail with this Message-ID did."""
    found = _KNOWN.all(db, {"digest": digest, "message_id": message_id})
    return any(row[0] == digest for row in found), any(row[0] != digest for row in found)


def log_mail(db: Connection, values: Mapping[str, Any]) -> None:
    """Note a mail and its verdict."""
    _LOG.run(db, values)


def seen_block(db: Connection, digest: bytes) -> Seen | None:
    """A block that was judged before, by the SHA-256 of its payload."""
    row = _SEEN.first(db, {"digest": digest})
    return Seen(*row) if row else None


def add_block(
    db: Connection,
    block: Block,
    *,
    now: int,
    verdict: str,
    reason: str,
    game_id: int | None,
    answer: str,
) -> None:
    """Note that a block was judged."""
    values = {
        "digest": block.digest,
        "kind": block.kind,
        "payload": block.payload,
        "signature": block.signature,
        "received": now,
        "verdict": verdict,
        "reason": reason,
        "game_id": game_id,
        "answer": answer,
        "repeats": 0,
    }
    _ADD_BLOCK.run(db, values)


_SEAL = Prepared(
    select(players.c.seal).where(
        players.c.address_key == bindparam("address_key"), players.c.seal.is_not(None)
    )
)


def seals(db: Connection, addresses: Iterable[str]) -> dict[str, bytes]:
    """The keys that mail is sealed to, of those addresses whose players have asked for that."""
    found = {}
    for address in set(addresses):
        row = _SEAL.first(db, {"address_key": address_key(address)})
        if row is not None:
            found[address] = bytes(row[0])
    return found


_ADD_OUTGOING = _insert(outgoing, but="id")


def add_outgoing(db: Connection, each: Sequence[Mapping[str, Any]]) -> None:
    """Put mails into the outbox."""
    if each:
        _ADD_OUTGOING.run_each(db, each)


def recipient_of(db: Connection, message_ids: Sequence[str]) -> str:
    """Whom the first mail of ours among these was sent to; "" if none of them is ours."""
    if not message_ids:
        return ""
    where = outgoing.c.message_id.in_(message_ids)
    found = db.execute(select(outgoing.c.recipient).where(where).limit(1)).scalar()
    return str(found or "")


def count_repeat(db: Connection, digest: bytes) -> None:
    """Note that a block's first answer is sent once more."""
    where = blocks.c.digest == digest
    db.execute(update(blocks).where(where).values(repeats=blocks.c.repeats + 1))


# --- games ----------------------------------------------------------------------------------------

_GAME = select(
    *_columns(
        games,
        "id tag kind options rules status seq secret creator_id match head_number head_hash result",
    )
).where(games.c.tag == bindparam("tag"))
_GAME_READ = Prepared(_GAME)
_GAME_LOCKED = Prepared(_GAME.with_for_update())
_SEATS = Prepared(
    select(
        *_columns(
            seats, "number player_id address address_key name key nonce asked told standing acting"
        ),
        *_columns(players, "name address language zone seal"),
    )
    .select_from(seats.outerjoin(players))
    .where(seats.c.game_id == bindparam("game_id"))
    .order_by(seats.c.number)
)
_SAVE_SEAT = update(seats).where(
    seats.c.game_id == bindparam("of_id"), seats.c.number == bindparam("of_number")
)
_ADD_ENTRY = _insert(entries)
_EVENTS = Prepared(
    select(*_columns(entries, "number events seat answer actor"))
    .where(entries.c.game_id == bindparam("game_id"), entries.c.number > bindparam("after"))
    .order_by(entries.c.number)
)
_LAST_OF_SEAT = (
    select(entries.c.number)
    .where(entries.c.game_id == bindparam("game_id"), entries.c.seat == bindparam("seat"))
    .order_by(entries.c.number.desc())
    .limit(1)
)


def game(db: Connection, tag: str, *, lock: bool = True) -> Game | None:
    """A game by its tag; ``lock`` keeps every other process from changing it meanwhile."""
    row = (_GAME_LOCKED if lock else _GAME_READ).first(db, {"tag": tag})
    return Game(*row) if row else None


def seats_of(db: Connection, game_id: int) -> list[Seat]:
    """A game's seats in their order."""
    return [Seat(*row) for row in _SEATS.all(db, {"game_id": game_id})]


def games_of(db: Connection, player_id: int, statuses: Sequence[str]) -> list[Game]:
    """The games with these statuses in which a player has a seat, oldest first."""
    statement = (
        select(*_GAME.selected_columns)
        .select_from(games.join(seats))
        .where(seats.c.player_id == player_id, games.c.status.in_(statuses))
        .order_by(games.c.id)
    )
    return [Game(*row) for row in db.execute(statement)]


@cache
def _saving_game(names: tuple[str, ...]) -> Prepared:
    return Prepared(
        update(games)
        .where(games.c.id == bindparam("of_id"), games.c.seq == bindparam("read_seq"))
        .values(seq=games.c.seq + 1, **{name: bindparam(name) for name in names})
    )


def sits_in(db: Connection, player_id: int) -> int:
    """The number of games that have not ended in which a player has a seat."""
    statement = (
        select(func.count())
        .select_from(seats.join(games))
        .where(seats.c.player_id == player_id, games.c.status.in_(GOING))
    )
    return int(db.execute(statement).scalar_one())


def save_game(db: Connection, row: Game, values: Mapping[str, Any]) -> None:
    """Change a game, and its sequence number, if it still is as it was read.

    Raises SomebodyWasQuicker.
    """
    keys = {"of_id": row.id, "read_seq": row.seq}
    if _saving_game(tuple(sorted(values))).run(db, {**keys, **values}) != 1:
        raise SomebodyWasQuicker(row.tag)


def save_seat(db: Connection, game_id: int, number: int, values: Mapping[str, Any]) -> None:
    """Change a seat."""
    db.execute(_SAVE_SEAT.values(**values), {"of_id": game_id, "of_number": number})


_SAVE_MARKS = Prepared(_SAVE_SEAT.values(asked=bindparam("now_asked"), told=bindparam("now_told")))


def save_marks(db: Connection, game_id: int, marks: Sequence[tuple[int, str, int]]) -> None:
    """Note for some seats (number, asked, told) what they are asked and were told."""
    if marks:
        each = [
            {"of_id": game_id, "of_number": number, "now_asked": asked, "now_told": told}
            for number, asked, told in marks
        ]
        _SAVE_MARKS.run_each(db, each)


def add_entries(db: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put links into a game's chain."""
    _ADD_ENTRY.run_each(db, rows)


class Told(NamedTuple):
    """What an entry tells: its number, its events (JSON), and who answered how."""

    number: int
    events: str
    seat: int | None
    answer: str
    actor: str


def events_after(db: Connection, game_id: int, number: int) -> list[Told]:
    """What the entries after one of this number tell."""
    return [Told(*row) for row in _EVENTS.all(db, {"game_id": game_id, "after": number})]


def last_entry_of(db: Connection, game_id: int, seat: int) -> int:
    """The number of the last entry that a seat made; -1 if it made none."""
    row = db.execute(_LAST_OF_SEAT, {"game_id": game_id, "seat": seat}).first()
    return int(row[0]) if row else -1


# --- budgets and timers ---------------------------------------------------------------------------

_DAILY = ("helps", "challenges", "invitations", "proposals", "chats")


def upsert(db: Connection, table: Table) -> Any:
    """An INSERT that can say what to do where the row is there already."""
    if db.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # late: its drivers are slow to load

        return postgresql.insert(table)
    return sqlite.insert(table)


def spend_daily(db: Connection, address_key: str, what: str, limit: int, today: int) -> bool:
    """Count one more of ``what`` for an address today; False, and nothing done, at the limit."""
    if limit < 1:
        return False
    first = {name: int(name == what) for name in _DAILY}
    table = correspondents.c
    same_day = table.day == today
    counted = {
        name: case((same_day, table[name] + first[name]), else_=first[name]) for name in _DAILY
    }
    statement = (
        upsert(db, correspondents)
        .values(Correspondent(address_key=address_key, day=today, **first).model_dump())
        .on_conflict_do_update(
            index_elements=["address_key"],
            set_={"day": today, **counted},
            where=~(same_day & (table[what] >= limit)),
        )
        .returning(table.address_key)
    )
    return db.execute(statement).first() is not None


def spend_answer(db: Connection, address_key: str, limit: int) -> bool:
    """Count one more answer to an address; False, and nothing done, at the limit."""
    answers = correspondents.c.answers
    statement = (
        upsert(db, correspondents)
        .values(Correspondent(address_key=address_key, answers=1).model_dump())
        .on_conflict_do_update(
            index_elements=["address_key"], set_={"answers": answers + 1}, where=answers < limit
        )
        .returning(correspondents.c.address_key)
    )
    return db.execute(statement).first() is not None


def inherit_answers(db: Connection, address_key: str, parent_key: str) -> None:
    """What an address had of answers is at least what another one had: they are one robot."""
    had = select(correspondents.c.answers).where(correspondents.c.address_key == parent_key)
    answers = int(db.execute(had).scalar() or 0)
    first = Correspondent(address_key=address_key, answers=answers).model_dump()
    statement = upsert(db, correspondents).values(first)
    statement = statement.on_conflict_do_update(
        index_elements=["address_key"],
        set_={"answers": answers},
        where=correspondents.c.answers < answers,
    )
    db.execute(statement)


def clear_answers(db: Connection, address_key: str) -> None:
    """An order was accepted: the count of answers begins anew."""
    where = correspondents.c.address_key == address_key
    db.execute(update(correspondents).where(where).values(answers=0))


INVITATION = "invitation"
"""The kind of timer for the time in which everybody has to join; the subject is a game's tag."""

ENDED = "ended"
"""The kind of timer that rates a game that is over, and lets its league go on."""

BOUNCED = "bounced"
"""The kind of timer for a mail that the relay refused for good; the subject is its Message-ID."""

TRANSCRIPT = "transcript"
"""The kind of timer that mails the transcript of a game that is over; the subject is its tag."""


def set_timer(db: Connection, kind: str, subject: str, due: int) -> None:
    """Have something done at a time; a timer of this kind and subject is moved."""
    statement = (
        upsert(db, timers)
        .values(kind=kind, subject=subject, due=due)
        .on_conflict_do_update(index_elements=["kind", "subject"], set_={"due": due})
    )
    db.execute(statement)


def due(db: Connection, kind: str, subject: str) -> int | None:
    """When something is to be done; None if it is not."""
    statement = select(timers.c.due).where(timers.c.kind == kind, timers.c.subject == subject)
    return db.execute(statement).scalar()


def clear_timer(db: Connection, kind: str, subject: str) -> None:
    """Have it not done."""
    db.execute(delete(timers).where(timers.c.kind == kind, timers.c.subject == subject))
