"""A game within a transaction: read once, played, and written once."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from sigilpost_engine.audit.transcript import STOPPED
from sigilpost_engine.core.events import Event
from sigilpost_engine.core.game import Game as Rules
from sigilpost_engine.core.game import Result, given_up
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.games import find
from sigilpost_engine.wire import chain, fair
from sigilpost_engine.wire.chain import Head
from sigilpost_server.clocks.timepiece import Timepiece
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import marks, rows

Roster = list[dict[str, str]]

CREDENTIALS = "credentials"
SIGNED, CODE = "signed", "code"
"""The rule of a game that says what its moves need, and the values that it can have."""
RATED = "rated"
"""The rule that makes a game a friendly one: ``no``."""

RESIGNED = Answer("resign")
"""What the chain notes as the answer of a seat that gave up."""
FORFEITED = Answer("forfeit")
"""The same of a seat whose time was out."""
SUBSTITUTED = Answer("substitute")
"""What the chain notes where a seat changes hands."""


def dumps(value: Any) -> str:
    """JSON text as it is stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Play:
    """A game and its seats as read, and the changes that wait to be written.

    ``told`` has the number of the last entry whose events a seat was mailed.
    """

    db: Connection
    row: rows.Game
    seats: list[rows.Seat]
    head: Head
    status: str
    result: Result | None = None
    told: dict[int, int] = field(default_factory=dict)
    _entries: list[dict[str, Any]] = field(default_factory=list)
    _changes: dict[str, Any] = field(default_factory=dict)
    _joined: tuple[rows.Seat, bytes | None] | None = None
    _asked: dict[int, str] | None = None
    _match_moved: bool = False
    _older: tuple[int, list[rows.Told]] | None = None
    _clocks: Timepiece | None = None

    @classmethod
    def load(cls, db: Connection, tag: str, *, lock: bool = True) -> Play | None:
        """A game by its tag; None if there is none. ``lock`` it to change it."""
        row = rows.game(db, tag, lock=lock)
        if row is None:
            return None
        seats = rows.seats_of(db, row.id)
        head = Head(row.head_number, row.head_hash)
        told = {seat.number: seat.told for seat in seats}
        return cls(db, row, seats, head, row.status, told=told)

    @property
    def rules(self) -> Rules[Any]:
        """The rules of the game."""
        return find(self.row.kind)

    @cached_property
    def options(self) -> dict[str, Any]:
        """The game's options, complete."""
        options: dict[str, Any] = json.loads(self.row.options)
        return options

    @cached_property
    def credentials(self) -> str:
        """What moves need: ``signed``, or ``code`` where replies with codes count as well."""
        return str(json.loads(self.row.rules).get(CREDENTIALS, SIGNED))

    @property
    def roster(self) -> Roster:
        """Who plays, in seat order, as the game's chain states it."""
        extra = {CREDENTIALS: CODE} if self.credentials == CODE else {}
        return [{"name": seat.name, "key": seat.key, **extra} for seat in self.seats]

    @property
    def names(self) -> list[str]:
        """What to call the seats, in their order."""
        return [seat.shown for seat in self.seats]

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners' names in seat order; none while the game goes on."""
        if self.result is not None:
            return self.result.winners
        return tuple(json.loads(self.row.result)["winners"]) if self.row.result else ()

    @property
    def seq(self) -> int:
        """The game's sequence number once this transaction is committed."""
        return self.row.seq + bool(self._changes)

    @cached_property
    def match(self) -> Match[Any]:
        """The running match. Raises Held where the stored open step does not run as it did."""
        assert self.row.match is not None
        return self.resume(self.row.kind, self.row.match)

    @staticmethod
    def resume(kind: str, stored: str) -> Match[Any]:
        """A match as it was stored. Raises Held where its open step does not run as it did."""
        return Match.load(find(kind), json.loads(stored))

    def seat_of(self, player_id: int) -> rows.Seat | None:
        """The seat that a player has or is invited to."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def asked(self, seat: int) -> str:
        """The id of the question that is open for a seat; "" if none is."""
        if self.status != GameStatus.RUNNING:
            return ""
        if self._asked is None:
            match = self.match
            self._asked = {prompt.seat: match.prompt_id(prompt.seat) for prompt in match.open}
        return self._asked.get(seat, "")

    def waiting(self) -> list[str]:
        """The names of the seats that the game waits for."""
        if self.status == GameStatus.PROPOSED:
            return [seat.shown for seat in self.seats if not seat.joined]
        if self.status != GameStatus.RUNNING:
            return []
        return [self.names[prompt.seat] for prompt in self.match.open]

    @cached_property
    def _key(self) -> bytes:
        """The key of the game's shuffles; it exists once everybody has joined."""
        keys, nonces = zip(*((seat.key, seat.nonce) for seat in self.seats), strict=True)
        return fair.game_key(self.row.secret, self.row.tag, self.options, keys, nonces)

    def clocks(self, now: int) -> Timepiece:
        """The clocks of the game; in a transaction it is all the time the same moment."""
        if self._clocks is None:
            self._clocks = Timepiece(self.db, self.row, self.seats, now)
        return self._clocks

    # --- changes ------------------------------------------------------------------------------

    def join(
        self, seat: rows.Seat, name: str, key: str, nonce: str, block: bytes | None
    ) -> rows.Seat:
        """A seat is taken; returns it as it is now. ``key`` is "" for one that joined by a code."""
        joined = seat._replace(name=name, key=key, nonce=nonce)
        self.seats[seat.number] = joined
        self._joined = (joined, block)
        self._changes["status"] = self.status
        return joined

    def begin(self, now: int) -> None:
        """Everybody joined: fix the key of the shuffles, and run on to the first question."""
        self.match = Match.begin(self.rules, [s.name for s in self.seats], self.options, self._key)
        committed = fair.commitment(self.row.secret)
        self.head = chain.start(self.row.tag, self.row.kind, self.options, self.roster, committed)
        self._entry(None, None, 0, None, self.match.take_events(), now)
        self.clocks(now).begin()
        self.status = GameStatus.RUNNING
        self._match_moved = True
        self._asked = None
        self._changes["started"] = now
        self._note_end(now)

    def submit(
        self,
        seat: int,
        line: str,
        prompt_id: str | None,
        block: bytes | None,
        number: int,
        now: int,
        actor: str = "",
    ) -> None:
        """Play line ``number`` (from 0) of a block, or of a reply that ``actor`` is then the mark
        of. Raises a Refusal or Held."""
        answer = self.match.submit(seat, line, prompt_id)
        self._moved(seat, block, number, answer, now, actor)

    def act(self, seat: int, answer: Answer, actor: str, now: int) -> None:
        """Give an answer that nobody signed. Raises Illegal or Held."""
        self.match.apply(seat, answer)
        self._moved(seat, None, 0, answer, now, actor)

    def _moved(
        self, seat: int, block: bytes | None, number: int, answer: Answer, now: int, actor: str
    ) -> None:
        self._match_moved = True
        self._asked = None
        self._link(seat, block, number, answer, self.match.take_events(), now, actor)
        self._note_end(now)

    def resign(self, seat: int, block: bytes | None, now: int, actor: str = "") -> None:
        """A seat gives up: the game is over, and the others have won it."""
        self._link(seat, block, 0, RESIGNED, [], now, actor)
        self._end(given_up(self.rules, self.match.state, "resigned", [seat]), now)

    def run_out(self, late: Collection[int], actor: str, now: int) -> None:
        """These seats forfeit by their clocks, and with them all whose time is out and who have not
        answered since: nobody wins a game by being late in it, too."""
        waiting = [row.number for row in self.clocks(now).unanswered()]
        self.forfeit({*late, *waiting}, actor, now)

    def forfeit(self, late: Collection[int], actor: str, now: int) -> None:
        """These seats forfeit together: the game is over, and the others have won it; nobody has
        if there is none."""
        seats = sorted(late)
        for seat in seats:
            self._link(seat, None, 0, FORFEITED, [], now, actor)
        self._end(given_up(self.rules, self.match.state, "forfeited", seats), now)

    def hand_over(self, seat: int, player: rows.Player, block: bytes, now: int) -> None:
        """A seat changes hands; its name at the table stays, and so does what it knows."""
        self._link(seat, block, 0, SUBSTITUTED, [], now, marks.substitute(player.name))
        self.change_seat(seat, player_id=player.id, acting="", standing=0)
        self.seats[seat] = rows.seats_of(self.db, self.row.id)[seat]
        self.clocks(now).renew(seat)

    def change_seat(self, seat: int, **values: Any) -> None:
        """Change columns of a seat, at once."""
        rows.save_seat(self.db, self.row.id, seat, values)
        self.seats[seat] = self.seats[seat]._replace(**values)

    def hold(self, why: str) -> None:
        """Stop the game for the host to look at; what was played meanwhile is forgotten."""
        self._entries.clear()
        self._clocks = None
        self._joined = None
        self._match_moved = False
        self._changes = {"why": why}
        self.status = GameStatus.HELD

    def release(self) -> None:
        """Let a held game go on. Raises Held if its open step does not run as it did."""
        if self.row.match is None:
            self.status = GameStatus.PROPOSED
        else:
            self.status = GameStatus.RUNNING
            _ = self.match
        self._changes["why"] = ""

    def cancel(self, now: int) -> None:
        """The game will not begin."""
        self.status = GameStatus.CANCELLED
        self._changes["ended"] = now
        rows.set_timer(self.db, rows.ENDED, self.row.tag, now)

    def stop(self, why: str, now: int) -> None:
        """The game has begun and will not go on: it has no result of its own. ``why`` is one of
        the audit's STOPPED."""
        assert why in STOPPED
        self.cancel(now)
        self._changes["result"] = dumps({"stopped": why, "winners": []})
        rows.set_timer(self.db, rows.TRANSCRIPT, self.row.tag, now)

    @property
    def over(self) -> bool:
        """Whether a game that had begun has ended, or was stopped: nothing of it is secret now."""
        ended = self.status in (GameStatus.FINISHED, GameStatus.CANCELLED)
        return ended and self.row.match is not None and self.row.result is not None

    @property
    def stopped(self) -> str:
        """Why a game that had begun was stopped; "" if it was not."""
        return "" if self.row.result is None else json.loads(self.row.result).get("stopped", "")

    def save(self) -> None:
        """Write what changed. Raises SomebodyWasQuicker."""
        if self._clocks is not None:
            open_now = {seat.number: self.asked(seat.number) for seat in self.seats}
            self._clocks.settle(open_now)
            self._clocks.save()
        if self._entries:
            self._changes |= {"head_number": self.head.number, "head_hash": self.head.hash}
        if self._match_moved:
            self._changes["match"] = dumps(self.match.save())
        if self.status != self.row.status:
            self._changes["status"] = self.status
        if self._changes:
            rows.save_game(self.db, self.row, self._changes)
        if self._entries:
            rows.add_entries(self.db, self._entries)
        if self._joined:
            seat, block = self._joined
            values = {"name": seat.name, "key": seat.key, "nonce": seat.nonce, "join_block": block}
            rows.save_seat(self.db, self.row.id, seat.number, values)

    def save_marks(self) -> None:
        """Write what the seats are asked now and which events they were mailed."""
        marks = [
            (seat.number, self.asked(seat.number), self.told[seat.number]) for seat in self.seats
        ]
        changed = [
            mark
            for mark, seat in zip(marks, self.seats, strict=True)
            if mark[1:] != (seat.asked, seat.told)
        ]
        rows.save_marks(self.db, self.row.id, changed)

    def _note_end(self, now: int) -> None:
        result = self.match.result
        if result is not None:
            self._end(result, now)

    def _end(self, result: Result, now: int) -> None:
        self.result = result
        self.status = GameStatus.FINISHED
        self._changes |= {"ended": now, "result": dumps(result.document())}
        rows.set_timer(self.db, rows.TRANSCRIPT, self.row.tag, now)
        rows.set_timer(self.db, rows.ENDED, self.row.tag, now)

    def _link(
        self,
        seat: int,
        block: bytes | None,
        line: int,
        answer: Answer,
        events: list[Event],
        now: int,
        actor: str = "",
    ) -> None:
        self.clocks(now)
        salt = chain.salt(self._key, self.head.number + 1)
        told = [event.to_json() for event in events]
        outcome = chain.outcome_digest(salt, answer.to_json(), told)
        self.head = chain.extend(self.head, seat, (block or b"").hex(), line, outcome)
        self._entry(seat, block, line, answer, events, now, actor)

    def _entry(
        self,
        seat: int | None,
        block: bytes | None,
        line: int,
        answer: Answer | None,
        events: list[Event],
        now: int,
        actor: str = "",
    ) -> None:
        self._entries.append(
            {
                "game_id": self.row.id,
                "number": self.head.number,
                "seat": seat,
                "block": block,
                "line": line,
                "answer": dumps(answer.to_json()) if answer else "",
                "events": dumps([event.to_json() for event in events]),
                "hash": self.head.hash,
                "made": now,
                "actor": actor,
            }
        )

    # --- events -------------------------------------------------------------------------------

    def events_since(self, number: int) -> list[Event]:
        """All events of the entries after this one, those of this transaction included."""
        told = [each for each in self._stored_after(number) if number < each.number <= self._stored]
        told += [
            rows.Told(*(entry[name] for name in rows.Told._fields))
            for entry in self._entries
            if entry["number"] > number
        ]
        return [event for each in told for event in self._events_of(each)]

    def _events_of(self, entry: rows.Told) -> list[Event]:
        events = [Event.from_json(raw) for raw in json.loads(entry.events)]
        if not entry.actor:
            return events
        assert entry.seat is not None
        answer = Answer.from_json(json.loads(entry.answer))
        name = self.names[entry.seat]
        return [*marks.told(entry.actor, entry.seat, name, answer, self.rules.phrase), *events]

    @property
    def _stored(self) -> int:
        """The number of the last entry from before this transaction; -1 if there was none."""
        return -1 if self.row.match is None else self.row.head_number

    def _stored_after(self, number: int) -> list[rows.Told]:
        """Entries after this one, read once for all seats that get a mail."""
        if number >= self._stored:
            return []
        if self._older is None or self._older[0] > number:
            self._older = (number, rows.events_after(self.db, self.row.id, number))
        return self._older[1]
