"""The tables. What is stored is JSON text, raw bytes, and whole seconds of Unix time.

The hot path uses these tables through SQLAlchemy's Core (``players``, ``games``, …, at the end).
Every change here needs a migration in ``migrations/versions``; a test compares the two.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, cast

from sqlalchemy import BigInteger, Index, Integer, Table, Text, text
from sqlmodel import Field, SQLModel

# SQLite numbers rows by itself for INTEGER only; PostgreSQL's INTEGER would end at 2^31.
_ID: Any = BigInteger().with_variant(Integer, "sqlite")
_TIME: Any = BigInteger
_TEXT: Any = Text
_ZERO: Any = {"server_default": text("0")}
_EMPTY: Any = {"server_default": text("''")}


def _id() -> Any:
    return Field(default=None, primary_key=True, sa_type=_ID)


def _ref(target: str, *, primary: bool = False, index: bool = False, null: bool = False) -> Any:
    return Field(foreign_key=target, primary_key=primary, index=index, sa_type=_ID, nullable=null)


class Player(SQLModel, table=True):
    """Somebody whose address is proven. Names are unique whatever their case.

    ``seal``: the X25519 public key that their mail is sealed to; None if it is not.
    """

    __table_args__ = (
        Index(
            "player_sealed",
            "address",
            sqlite_where=text("seal IS NOT NULL"),
            postgresql_where=text("seal IS NOT NULL"),
        ),
    )

    id: int | None = _id()
    name: str
    name_key: str = Field(unique=True)
    address: str
    address_key: str = Field(unique=True)
    language: str
    zone: str
    registered: int = Field(sa_type=_TIME)
    seal: bytes | None = None


class PlayerKey(SQLModel, table=True):
    """A public key that speaks for a player, by its fingerprint; or did ``until`` a time.

    ``end`` is why it does no longer: ``rotated``, ``recovered`` or ``revoked``; ``block`` the
    digest of the signed block that ended it, ``successor`` the fingerprint of the key after it.
    """

    __tablename__ = "player_key"

    fingerprint: str = Field(primary_key=True)
    public: bytes
    player_id: int = _ref("player.id", index=True)
    since: int = Field(sa_type=_TIME)
    until: int | None = Field(default=None, sa_type=_TIME)
    end: str = Field(default="", sa_column_kwargs=_EMPTY)
    successor: str = Field(default="", sa_column_kwargs=_EMPTY)
    block: bytes | None = None


class Recovery(SQLModel, table=True):
    """A key that is to replace a player's lost one, by its fingerprint.

    Until ``expires`` its challenge can be answered; then it waits until ``due``. ``block`` is the
    digest of the signed block that asked for it.
    """

    fingerprint: str = Field(primary_key=True)
    public: bytes
    player_id: int = _ref("player.id", index=True)
    block: bytes
    expires: int = Field(sa_type=_TIME)
    due: int | None = Field(default=None, sa_type=_TIME)


class Registration(SQLModel, table=True):
    """Somebody who was sent a challenge and has not answered it yet, by their key."""

    fingerprint: str = Field(primary_key=True)
    public: bytes
    name: str
    address: str
    address_key: str
    language: str
    zone: str
    expires: int = Field(sa_type=_TIME)


class Correspondent(SQLModel, table=True):
    """What an address has caused: ``answers`` since its last accepted order, the rest in a day."""

    address_key: str = Field(primary_key=True)
    answers: int = 0
    day: int = 0
    helps: int = 0
    challenges: int = 0
    invitations: int = 0
    proposals: int = 0
    chats: int = 0


class GameStatus(StrEnum):
    """Where a game stands."""

    PROPOSED = "proposed"
    RUNNING = "running"
    HELD = "held"
    FINISHED = "finished"
    CANCELLED = "cancelled"


GOING = (GameStatus.PROPOSED, GameStatus.RUNNING, GameStatus.HELD)
"""Where a game stands that has not ended."""


class Game(SQLModel, table=True):
    """A game. ``seq`` counts its changes: who writes must name the one that was read.

    ``secret`` is what the invitation commits to. ``head_number`` and ``head_hash`` are the head
    of its hash chain, ``match`` what ``Match.save`` wrote; all three begin when everybody joined.
    """

    __table_args__ = (Index("game_by_status", "status"),)

    id: int | None = _id()
    tag: str = Field(unique=True)
    kind: str
    options: str = Field(sa_type=_TEXT)
    rules: str = Field(sa_type=_TEXT)
    status: str
    seq: int = 0
    secret: bytes
    creator_id: int = _ref("player.id")
    create_block: bytes
    created: int = Field(sa_type=_TIME)
    started: int | None = Field(default=None, sa_type=_TIME)
    ended: int | None = Field(default=None, sa_type=_TIME)
    match: str | None = Field(default=None, sa_type=_TEXT)
    head_number: int = 0
    head_hash: str = ""
    result: str | None = Field(default=None, sa_type=_TEXT)
    why: str = Field(default="", sa_type=_TEXT)
    """Why it is held or was cancelled: for the host, without anything hidden."""


class Seat(SQLModel, table=True):
    """A place at a game's table, numbered from 0, offered to whoever reads ``address``.

    ``name``, ``key`` (fingerprint) and ``nonce`` are those of the join. ``asked`` is the question
    now open for the seat ("" if none), ``told`` the number of the last entry whose events it was
    mailed (-1: none).
    """

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    player_id: int | None = _ref("player.id", index=True, null=True)
    address: str
    address_key: str = Field(index=True)
    name: str = ""
    key: str = ""
    nonce: str = ""
    join_block: bytes | None = None
    asked: str = ""
    told: int = -1
    standing: int = Field(default=0, sa_column_kwargs=_ZERO)
    """The number of standing orders that are kept for it."""
    acting: str = Field(default="", sa_column_kwargs=_EMPTY)
    """The bot that acts in it, until its player is back."""


class Block(SQLModel, table=True):
    """A signed block that was judged on its merits, by the SHA-256 of its payload.

    ``answer`` is the Message-ID of its first answer ("" if none was sent), ``repeats`` how often
    that was sent again.
    """

    digest: bytes = Field(primary_key=True)
    kind: str
    payload: bytes
    signature: bytes
    received: int = Field(sa_type=_TIME)
    verdict: str
    reason: str
    game_id: int | None = _ref("game.id", null=True)
    answer: str = ""
    repeats: int = 0


class Entry(SQLModel, table=True):
    """A link of a game's hash chain: an accepted answer and all that came of it.

    Number 0 is the beginning: nobody's answer, and the events of the deal. ``actor`` says who
    answered where it was not a line of the seat's orders (see ``transaction/marks.py``).
    """

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    seat: int | None = None
    block: bytes | None = None
    line: int = 0
    answer: str = Field(default="", sa_type=_TEXT)
    events: str = Field(sa_type=_TEXT)
    hash: str
    made: int = Field(sa_type=_TIME)
    actor: str = Field(default="", sa_column_kwargs=_EMPTY)


class Mail(SQLModel, table=True):
    """The log of incoming mail, a row for each that came.

    Only one row of a digest is no duplicate: so that two processes cannot both act on one mail.
    """

    __table_args__ = (
        Index(
            "mail_once",
            "digest",
            unique=True,
            sqlite_where=text("verdict <> 'duplicate'"),
            postgresql_where=text("verdict <> 'duplicate'"),
        ),
    )

    id: int | None = _id()
    digest: bytes
    message_id: str = Field(default="", index=True)
    source: str
    received: int = Field(sa_type=_TIME)
    size: int
    sender: str
    verdict: str
    reason: str
    game: str = ""
    seq: int | None = None


class OutgoingStatus(StrEnum):
    """Where a mail of ours stands."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


class Outgoing(SQLModel, table=True):
    """The outbox: a rendered mail, kept for a while after it was sent.

    A row that a process works on has its name in ``claimed_by``, until ``claimed_until``.
    """

    __table_args__ = (
        Index(
            "outgoing_waiting",
            "due",
            sqlite_where=text("status = 'waiting'"),
            postgresql_where=text("status = 'waiting'"),
        ),
    )

    id: int | None = _id()
    message_id: str = Field(unique=True)
    recipient: str
    raw: bytes
    created: int = Field(sa_type=_TIME)
    status: str = OutgoingStatus.WAITING
    due: int = Field(sa_type=_TIME)
    attempts: int = 0
    claimed_by: str = ""
    claimed_until: int = Field(default=0, sa_type=_TIME)
    why: str = Field(default="", sa_type=_TEXT)


class Failure(SQLModel, table=True):
    """A mail that failed by our own fault; after some failures it is ``aside`` for the host."""

    digest: bytes = Field(primary_key=True)
    raw: bytes
    source: str
    failures: int = 1
    aside: bool = False
    last: int = Field(sa_type=_TIME)
    traceback: str = Field(sa_type=_TEXT)


class Timer(SQLModel, table=True):
    """Something that is due at a time, at most one of a kind for a subject (a game's tag)."""

    kind: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    due: int = Field(sa_type=_TIME, index=True)


# --- time -----------------------------------------------------------------------------------------


class SeatClock(SQLModel, table=True):
    """The clock of a seat, in a game that has one. Durations are seconds.

    ``left``, ``asked``, ``given``, ``moves`` and ``reminded`` are those of ``clocks.reckon``;
    ``question`` is the one that the clock runs for ("" while it stands). ``misses``: excuses that
    were used up. ``stage``: what was done about the question since its time is out. Holidays
    announced at ``deaf_from`` or later do not move its deadline.
    """

    __tablename__ = "seat_clock"

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    left: int | None = Field(default=None, sa_type=_TIME)
    asked: int | None = Field(default=None, sa_type=_TIME)
    question: str = ""
    given: int = Field(default=0, sa_type=_TIME)
    moves: int = 0
    reminded: int = 0
    misses: int = 0
    stage: str = ""
    deaf_from: int | None = Field(default=None, sa_type=_TIME)


class Reminder(SQLModel, table=True):
    """A reminder that was sent: when so many percent of the time for a question were used up.

    ``asked``: since when the clock ran; an excuse or a substitute gives a question time anew.
    """

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    question: str = Field(primary_key=True)
    percent: int = Field(primary_key=True)
    asked: int = Field(primary_key=True, sa_type=_TIME)
    sent: int = Field(sa_type=_TIME)


class Holiday(SQLModel, table=True):
    """Days (``YYYY-MM-DD``, both included, in the player's zone) on which a player's clocks
    stand still; ``begin`` and ``end`` are the moments."""

    id: int | None = _id()
    player_id: int = _ref("player.id", index=True)
    first: str
    last: str
    begin: int = Field(sa_type=_TIME)
    end: int = Field(sa_type=_TIME)
    announced: int = Field(sa_type=_TIME)


class Pause(SQLModel, table=True):
    """A time in which all clocks of a game stand still. ``end`` None: until somebody ends it.

    ``kind``: ``vote``, ``host``, ``emergency`` (of a player) or ``held``.
    """

    id: int | None = _id()
    game_id: int = _ref("game.id", index=True)
    kind: str
    begin: int = Field(sa_type=_TIME)
    end: int | None = Field(default=None, sa_type=_TIME)
    player_id: int | None = _ref("player.id", index=True, null=True)


class Vote(SQLModel, table=True):
    """A seat's vote for a pause (``pause``, with its length) or its end (``resume``)."""

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    what: str = Field(primary_key=True)
    days: int = 0
    made: int = Field(sa_type=_TIME)


class Outage(SQLModel, table=True):
    """A time in which no server was at work; it counts on no clock."""

    id: int | None = _id()
    begin: int = Field(sa_type=_TIME)
    end: int = Field(sa_type=_TIME)


class Heartbeat(SQLModel, table=True):
    """When a server was last seen at work. One row.

    It counts as gone once it was not seen for ``patience`` seconds.
    """

    id: int = Field(default=1, primary_key=True)
    beat: int = Field(sa_type=_TIME)
    patience: int


class StandingOrder(SQLModel, table=True):
    """A line that is tried whenever its seat is asked something, in the order of ``place``.

    ``number`` is never given twice in a seat. ``block`` is the signed block that brought it, and
    ``first`` the index of its first command among all commands of that block. ``used`` counts.
    ``gone``: it was removed or used up.
    """

    __tablename__ = "standing_order"

    game_id: int = _ref("game.id", primary=True)
    seat: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    place: int
    line: str = Field(sa_type=_TEXT)
    block: bytes
    first: int
    used: int = 0
    gone: bool = False
    added: int = Field(sa_type=_TIME)


class Substitute(SQLModel, table=True):
    """A player who may be offered the seat of somebody absent in games of ``kind`` ("" any)."""

    player_id: int = _ref("player.id", primary=True)
    kind: str = Field(primary_key=True)
    since: int = Field(sa_type=_TIME)


class SeatOffer(SQLModel, table=True):
    """A seat offered to a substitute. ``state``: ``open``, ``taken``, ``refused``, ``expired`` or
    ``withdrawn``."""

    __tablename__ = "seat_offer"

    id: int | None = _id()
    game_id: int = _ref("game.id", index=True)
    seat: int
    player_id: int = _ref("player.id", index=True)
    made: int = Field(sa_type=_TIME)
    expires: int = Field(sa_type=_TIME)
    state: str = "open"


class Substitution(SQLModel, table=True):
    """A seat that changed hands, at the entry ``number`` of its game's chain.

    ``rated`` says for whom the game is rated: ``first``, ``substitute`` or ``none``.
    """

    game_id: int = _ref("game.id", primary=True)
    number: int = Field(primary_key=True)
    seat: int
    old_player_id: int = _ref("player.id")
    new_player_id: int = _ref("player.id")
    made: int = Field(sa_type=_TIME)
    rated: str


# --- mail as it really is ----------------------------------------------------------------------


class ReplyCode(SQLModel, table=True):
    """A one-time code that was mailed, by its keyed hash; the code itself is stored nowhere.

    It answers ``question`` (a question's id, or ``join``) for a seat, in a mail from the address
    that it was sent to. ``used`` is when a line was accepted by it, ``judged`` the digest of the
    mail that was judged by it last.
    """

    __tablename__ = "reply_code"

    digest: bytes = Field(primary_key=True)
    game_id: int = _ref("game.id", index=True)
    seat: int
    question: str
    address_key: str
    made: int = Field(sa_type=_TIME)
    used: int | None = Field(default=None, sa_type=_TIME)
    judged: bytes = b""


class Bounce(SQLModel, table=True):
    """What came back from an address: two scores in thousandths as of ``scored``, since when the
    address counts as unreachable (``marked``), and the last report's words."""

    address_key: str = Field(primary_key=True)
    hard: int = 0
    soft: int = 0
    scored: int = Field(sa_type=_TIME)
    marked: int | None = Field(default=None, sa_type=_TIME)
    why: str = Field(default="", sa_type=_TEXT)


class Traffic(SQLModel, table=True):
    """Mails that counted in an hour (of Unix time), by an address or about a game."""

    subject: str = Field(primary_key=True)
    hour: int
    mails: int


def _table(model: type[SQLModel]) -> Table:
    return cast(Table, cast(Any, model).__table__)


players = _table(Player)
player_keys = _table(PlayerKey)
recoveries = _table(Recovery)
registrations = _table(Registration)
correspondents = _table(Correspondent)
games = _table(Game)
seats = _table(Seat)
blocks = _table(Block)
entries = _table(Entry)
mails = _table(Mail)
outgoing = _table(Outgoing)
failures = _table(Failure)
timers = _table(Timer)
seat_clocks = _table(SeatClock)
reminders = _table(Reminder)
holidays = _table(Holiday)
pauses = _table(Pause)
votes = _table(Vote)
outages = _table(Outage)
heartbeats = _table(Heartbeat)
standing_orders = _table(StandingOrder)
substitutes = _table(Substitute)
seat_offers = _table(SeatOffer)
substitutions = _table(Substitution)
reply_codes = _table(ReplyCode)
bounces = _table(Bounce)
traffic = _table(Traffic)
