"""What the client remembers: games, the pinned server key, what was read, what was sent.

One small JSON file, ``state.json``, read whole and replaced whole; the signed documents lie
beside it, one file each, untouched. Whoever changes the state holds the lock from reading to
writing, so that a ``sync`` in the background and a ``move`` never undo each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from sigilpost_client import files, home
from sigilpost_client.errors import NoGame, Unusable
from sigilpost_engine.core.messages import Msg, say

FILE = "state.json"
SCHEMA = 1
REFERENCES_MAX = 10

PROPOSED = "proposed"
RUNNING = "running"
HELD = "held"
FINISHED = "finished"
CANCELLED = "cancelled"
BEGUN = (RUNNING, HELD)
"""Where a game stands that has begun and not ended."""
GOING = (PROPOSED, *BEGUN)
"""Where a game stands that has not ended."""

# How far a registration is; "" is none.
SENT = "sent"
CONFIRMED = "confirmed"
REGISTERED = "registered"


def tag_as_typed(given: str) -> str:
    """A tag, or the beginning of one, in any case and with or without a subject's brackets."""
    return given.strip().strip("[]").lower()


@dataclass(eq=False, repr=False)  # nobody compares or prints them, and starts are quicker
class GameRecord:
    """What is known of one game. ``seat`` counts from 1; 0: not seated yet.

    ``status`` is the server's word, ``reply`` what was said to the invitation (``join``,
    ``decline``, "" nothing yet). ``prompt`` is the open question (JSON, with its ``id``),
    ``menu`` the commands that answer it, ``answered`` the id of the last question answered,
    ``order`` the Message-ID of that answer and ``tries`` the number of answers to it;
    ``reopened``: the server has replied to that order and still asks.
    ``head`` is the newest ``[number, hash]`` of the chain and ``heads`` all of them by number.
    ``turn`` names the newest document's file. ``nonce`` is what the own join brought.
    ``deadline`` is that of the open question (Unix time, 0: none), ``standing`` are the own
    standing orders (``number``, ``line``, ``used``). ``rules`` are those that a game that is over
    was played by, as a proposal gives them.
    """

    id: str
    kind: str = ""
    title: str = ""
    status: str = PROPOSED
    reply: str = ""
    seat: int = 0
    seats: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    number: int = 0
    waiting: list[str] = field(default_factory=list)
    prompt: dict[str, Any] | None = None
    menu: list[str] = field(default_factory=list)
    answered: str = ""
    reopened: bool = False
    order: str = ""
    tries: int = 0
    head: list[Any] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    made: int = 0
    turn: str = ""
    address: str = ""
    references: list[str] = field(default_factory=list)
    commitment: str = ""
    nonce: str = ""
    deadline: int = 0
    standing: list[dict[str, Any]] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)

    @classmethod
    def unread(cls, tag: str) -> GameRecord:
        """A game of which no mail was read here: its tag begins with its kind."""
        return cls(tag, kind=tag.partition("-")[0])

    @property
    def asked(self) -> bool:
        """Whether this player is asked something and has not answered it yet."""
        if self.status != RUNNING or self.prompt is None:
            return False
        return bool(self.reopened or self.prompt["id"] != self.answered)

    @property
    def invited(self) -> bool:
        """Whether this player is invited and has not replied yet."""
        return self.status == PROPOSED and not self.reply

    @property
    def question(self) -> Msg | None:
        """The open question as a message."""
        if self.prompt is None:
            return None
        topic = str(self.prompt["topic"]).replace(" ", "-")
        return Msg(f"{self.kind}.ask.{topic}", Msg.from_json(["", self.prompt["values"]]).values)

    @property
    def exemplary(self) -> bool:
        """Whether lines of the menu stand for others, too."""
        from sigilpost_engine.core.prompts import Prompt

        # A question that this program cannot read has no menu.
        if self.prompt is None or not self.menu:
            return False
        return Prompt.from_json(self.prompt).exemplary

    @property
    def waits(self) -> Msg:
        """Whom the game waits for. With more than two players it may have gone on since: who is
        not asked is not mailed each move."""
        heard = "client.next.waits-for" if len(self.seats) < 3 else "client.next.waits-heard"
        return say(heard, game=self.id, seats=self.waiting)

    @property
    def name(self) -> str:
        """The own name at this table; "" before there is a seat."""
        return self.seats[self.seat - 1] if 0 < self.seat <= len(self.seats) else ""


@dataclass(eq=False, repr=False)
class ServerRecord:
    """The pinned key: raw public key (hex), its fingerprint, where orders go.

    ``former`` are keys that were pinned before another one took their place; ``left`` has those
    that the server itself handed over, with the time of it.
    """

    public: str = ""
    fingerprint: str = ""
    address: str = ""
    former: list[str] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)

    @property
    def known(self) -> list[str]:
        """Every key that was believed when its documents were filed."""
        return [*([self.public] if self.public else []), *self.former]


@dataclass(eq=False, repr=False)
class Registration:
    """``state``: "" (never asked), ``sent``, ``confirmed`` (the challenge is answered), or
    ``registered`` (the server says so).

    ``key`` is the fingerprint of the key that asks, ``tokens`` the challenges that were answered
    and ``waiting`` those that could not be yet (the key was locked).
    """

    state: str = ""
    key: str = ""
    tokens: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    @property
    def under_way(self) -> bool:
        """Whether the server's challenge, or its last word, is waited for."""
        return self.state in (SENT, CONFIRMED)

    def ask(self, key: str) -> None:
        """The key of this fingerprint asks the server to be known."""
        self.state, self.key = SENT, key


@dataclass(eq=False, repr=False)
class State:
    """All that is remembered."""

    schema: int = SCHEMA
    server: ServerRecord = field(default_factory=ServerRecord)
    registration: Registration = field(default_factory=Registration)
    games: dict[str, GameRecord] = field(default_factory=dict)
    next_key: str = ""
    """The fingerprint of the key that is to follow, once the server has taken it."""

    def game(self, given: str) -> GameRecord:
        """The game that ``given`` names: its tag, or any beginning of it or of what follows
        its first dash that fits one game only. Raises NoGame."""
        fits = self.fitting(given)
        if len(fits) == 1:
            return self.games[fits[0]]
        if fits:
            raise NoGame(
                say("client.error.game-ambiguous", given=given, fits=fits),
                say("client.remedy.longer"),
            )
        raise NoGame(say("client.error.game-unknown", given=given), say("client.remedy.games"))

    def fitting(self, given: str) -> list[str]:
        """The tags that ``given`` may shorten; just the one that it spells out, if it does."""
        wanted = tag_as_typed(given)
        if wanted in self.games:
            return [wanted]
        fits = [tag for tag in self.games if tag.startswith(wanted)]
        return fits or [tag for tag in self.games if tag.partition("-")[2].startswith(wanted)]

    def asked(self) -> list[GameRecord]:
        """The games in which this player is asked something, the longest waiting first."""
        found = [game for game in self.games.values() if game.asked]
        return sorted(found, key=lambda game: (game.made, game.id))

    def invited(self) -> list[GameRecord]:
        """The invitations that wait for a reply."""
        return [game for game in self.games.values() if game.invited]

    def going(self) -> list[GameRecord]:
        """The games that have not ended: proposed, running or held."""
        return [game for game in self.games.values() if game.status in GOING]


def read() -> State:
    """The state as it is. Raises Unusable if its file was damaged or is a newer program's."""
    path = home.folder() / FILE
    try:
        raw = json.loads(path.read_bytes())
        state = _state(raw) if raw["schema"] == SCHEMA else None
    except FileNotFoundError:
        return State()
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as fault:
        raise Unusable(
            say("client.error.state", path=str(path), why=str(fault)),
            say("client.remedy.state", path=str(path)),
        ) from fault
    if state is None:
        raise Unusable(say("client.error.state-newer", path=str(path)), say("client.remedy.update"))
    return state


def _state(raw: dict[str, Any]) -> State:
    return State(
        SCHEMA,
        _from(ServerRecord, raw["server"]),
        _from(Registration, raw["registration"]),
        {tag: _from(GameRecord, game) for tag, game in raw["games"].items()},
        raw.get("next_key", ""),
    )


T = TypeVar("T")


def _from(cls: type[T], raw: dict[str, Any]) -> T:
    # A field that an earlier version did not write gets its default.
    known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
    return cls(**{name: value for name, value in raw.items() if name in known})


@contextlib.contextmanager
def change() -> Iterator[State]:
    """The state to change: locked, and written when the block ends without an exception."""
    path = home.folder() / FILE
    with files.lock(path.with_suffix(".lock")):
        state = read()
        before = _text(state)
        yield state
        after = _text(state)
        if after != before:
            files.write(path, after.encode("utf-8", "surrogatepass"))


def _text(state: State) -> str:
    return json.dumps(asdict(state), ensure_ascii=False, separators=(",", ":"))


def mailbox_memory(name: str) -> Any:
    """What is remembered of a mailbox; None at first. It can be long: a file of its own."""
    try:
        return json.loads(_memory_file(name).read_bytes())["memory"]
    except (OSError, ValueError, LookupError, TypeError):
        return None  # everything is read again, which does no harm


def keep_mailbox_memory(name: str, memory: Any) -> None:
    """Remember this of a mailbox."""
    entry = {"mailbox": name, "memory": memory}
    files.write(_memory_file(name), json.dumps(entry, separators=(",", ":")).encode("utf-8"))


def _memory_file(name: str) -> Path:
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return home.folder() / "mailboxes" / f"{digest[:16]}.json"


# --- the documents beside it ----------------------------------------------------------------------


def turns_folder(tag: str) -> Path:
    """Where a game's signed documents lie."""
    return home.folder() / "turns" / tag


def keep_turn(tag: str, name: str, data: bytes) -> None:
    """Keep a signed document as it came, unless it is there already."""
    path = turns_folder(tag) / name
    if not path.exists():
        files.write(path, data)


def newest_turn(game: GameRecord) -> bytes:
    """The newest signed document of a game, as it came. Raises NoGame if there is none."""
    path = turns_folder(game.id) / game.turn
    try:
        return path.read_bytes()
    except OSError as fault:
        raise NoGame(
            say("client.error.no-turn", game=game.id), say("client.remedy.sync")
        ) from fault
