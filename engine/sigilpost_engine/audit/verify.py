"""Checking a transcript: everything in it is worked out again, and compared.

Commitment, keys, joins, the game key, every shuffle and draw (by replaying the game with the
engine), every signature, every rule, the hash chain, the result, the seal, and the receipts
that a player kept. The first thing that is wrong is named with its line and its meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.transcript import Line
from sigilpost_engine.core.errors import BadOption, Held, Refusal
from sigilpost_engine.core.events import Event
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg, Value, say
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.wire import chain, fair, payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.errors import BadSignature, WireError
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_engine.wire.payloads import Create, Join, Orders, Payload, Resign, Rotate

FindGame = Callable[[str], Game[Any]]
Progress = Callable[[int, int], None]
"""Told the number of lines checked, and of all."""

ENDINGS = frozenset(["resign", "forfeit"])
"""Answers that end a game from outside its rules."""


class Receipt(NamedTuple):
    """A head that a mail stated, signed by the server: what a player was told."""

    number: int
    hash: str


class Fault(NamedTuple):
    """The first thing that is wrong: its line (from 1), and what that means."""

    line: int
    message: Msg


@dataclass
class Report:
    """What was checked (how often, by kind), the fault if there is one, and the result."""

    game: str = ""
    kind: str = ""
    checked: Counter[str] = field(default_factory=Counter)
    fault: Fault | None = None
    result: Mapping[str, Any] = field(default_factory=dict)


class _Wrong(Exception):
    def __init__(self, line: int, what: str, /, **values: Value) -> None:
        super().__init__(what)
        self.fault = Fault(line, say(f"audit.fault.{what}", **values))


def verify(
    data: bytes,
    find_game: FindGame,
    receipts: Iterable[Receipt] = (),
    server: bytes | None = None,
    progress: Progress | None = None,
) -> Report:
    """Check a transcript.

    ``receipts`` are the heads that the checking player was mailed, ``server`` the raw public key
    that is known of the server. Raises Unreadable if ``data`` is no transcript, and
    ``games.UnknownGame`` for a game that is not installed.
    """
    audit = _Audit(transcript.read(data), find_game)
    report = audit.report
    try:
        audit.check_head(server)
        for number, line in enumerate(audit.lines[1:], start=1):
            audit.check(line)
            if progress is not None:
                progress(number, len(audit.lines) - 1)
        audit.check_whole(data)
        audit.check_receipts(receipts)
    except _Wrong as wrong:
        report.fault = wrong.fault
    return report


class _Audit:
    """The state of a check: what the lines so far have established."""

    def __init__(self, lines: list[Line], find_game: FindGame) -> None:
        self.lines = lines
        self.head_line = lines[0]
        self.game: Game[Any] = find_game(self.head_line["kind"])
        self.report = Report(self.head_line["game"], self.head_line["kind"])
        self.keys: dict[int, PublicKey] = {}
        self.blocks: dict[str, tuple[int, Payload]] = {}
        self.spent: set[tuple[str, int]] = set()
        self.nonces: dict[int, str] = {}
        self.secret: bytes | None = None
        self.match: Match[Any] | None = None
        self.chain = Head(0, "")
        self.heads: dict[int, str] = {}
        self.draws = 0
        self.ended_by: tuple[str, int] | None = None
        self.sealed = False
        self.end: Line | None = None

    def passed(self, what: str, times: int = 1) -> None:
        self.report.checked[what] += times

    def check_head(self, server: bytes | None) -> None:
        """What the game was agreed to be, and whose server it was."""
        head = self.head_line
        if server is not None and head["server"] != server.hex():
            raise _Wrong(1, "other-server")
        for entry in head["roster"]:
            if not isinstance(entry, dict) or entry.keys() != {"name", "key"}:
                raise _Wrong(1, "roster")
        if head["schema"] > self.game.schema:
            raise _Wrong(1, "newer-rules", kind=head["kind"])

    def check(self, line: Line) -> None:
        """One line after the first."""
        if self.sealed:
            raise _Wrong(line.number, "after-seal")
        if self.end is not None and line.kind != "seal":
            raise _Wrong(line.number, "after-end")
        checks: dict[str, Callable[[Line], None]] = {
            "key": self._key,
            "block": self._block,
            "secret": self._secret,
            "start": self._start,
            "answer": self._answer,
            "end": self._end,
            "seal": self._seal,
        }
        if line.kind not in checks:
            raise _Wrong(line.number, "out-of-place", kind=line.kind)
        checks[line.kind](line)

    # --- who plays ----------------------------------------------------------------------------

    def _seat(self, line: Line) -> int:
        """The seat's number from 0."""
        seat: int = line["seat"] - 1
        if not 0 <= seat < len(self.head_line["roster"]):
            raise _Wrong(line.number, "no-seat", seat=line["seat"])
        return seat

    def _name(self, seat: int) -> str:
        return str(self.head_line["roster"][seat]["name"])

    def _key(self, line: Line) -> None:
        seat = self._seat(line)
        try:
            key = PublicKey.from_hex(line["public"])
        except WireError:
            raise _Wrong(line.number, "key", seat=self._name(seat)) from None
        if seat in self.keys or key.fingerprint != self.head_line["roster"][seat]["key"]:
            raise _Wrong(line.number, "key", seat=self._name(seat))
        self.keys[seat] = key
        self.passed("keys")

    def _block(self, line: Line) -> None:
        seat = self._seat(line)
        block = _block_of(line)
        if seat not in self.keys:
            raise _Wrong(line.number, "key-missing", seat=self._name(seat))
        try:
            payload = payloads.verify(block, self.keys[seat])
        except BadSignature:
            raise _Wrong(line.number, "signature", seat=self._name(seat)) from None
        except WireError:
            raise _Wrong(line.number, "block", seat=self._name(seat)) from None
        digest = block.digest.hex()
        if digest in self.blocks:
            raise _Wrong(line.number, "block-twice", seat=self._name(seat))
        self.blocks[digest] = (seat, payload)
        self.passed("signatures")
        self._mean(line, seat, payload)

    def _mean(self, line: Line, seat: int, payload: Payload) -> None:
        """What a block means for what follows: a nonce, another key."""
        if isinstance(payload, Join | Create):
            self._agree(line, seat, payload)
        elif isinstance(payload, Rotate):
            self.keys[seat] = PublicKey.from_hex(payload.public)
            self.passed("rotations")
        elif isinstance(payload, Orders | Resign):
            self._same_game(line, payload.game)
            if payload.seat - 1 != seat:
                raise _Wrong(line.number, "other-seat", seat=self._name(seat))

    def _agree(self, line: Line, seat: int, payload: Join | Create) -> None:
        if self.match is not None or seat in self.nonces:
            raise _Wrong(line.number, "nonce-changed", seat=self._name(seat))
        if isinstance(payload, Create):
            if payload.game != self.head_line["kind"]:
                raise _Wrong(line.number, "other-game", game=payload.game)
            self._same_options(line, payload.options)
        else:
            self._same_game(line, payload.game)
            if payload.commitment not in ("", self.head_line["commitment"]):
                raise _Wrong(line.number, "commitment-told", seat=self._name(seat))
        self.nonces[seat] = payload.nonce
        self.passed("joins")

    def _same_game(self, line: Line, game: str) -> None:
        if game != self.head_line["game"]:
            raise _Wrong(line.number, "other-game", game=game)

    def _same_options(self, line: Line, asked: Mapping[str, Any]) -> None:
        try:
            options = self.game.read_options(asked)
        except BadOption:
            raise _Wrong(line.number, "options") from None
        if options != self.head_line["options"]:
            raise _Wrong(1, "options")

    # --- the shuffle --------------------------------------------------------------------------

    def _secret(self, line: Line) -> None:
        try:
            secret = bytes.fromhex(line["secret"])
        except ValueError:
            raise _Wrong(line.number, "secret") from None
        if not fair.opens(secret, self.head_line["commitment"]):
            raise _Wrong(line.number, "secret")
        self.secret = secret
        self.passed("commitment")

    def _start(self, line: Line) -> None:
        head = self.head_line
        roster: Sequence[Mapping[str, Any]] = head["roster"]
        seats = range(len(roster))
        if self.match is not None:
            raise _Wrong(line.number, "out-of-place", kind=line.kind)
        if self.secret is None:
            raise _Wrong(line.number, "secret-missing")
        for seat in seats:
            if seat not in self.nonces:
                raise _Wrong(line.number, "join-missing", seat=self._name(seat))
        nonces = [self.nonces[seat] for seat in seats]
        self.key = fair.game_key(self.secret, head["game"], head["options"], roster, nonces)
        names = [entry["name"] for entry in roster]
        try:
            self.match = Match.begin(self.game, names, head["options"], self.key)
        except (BadOption, Held):
            raise _Wrong(1, "options") from None
        self._compare_events(line, self.match.take_events())
        self.chain = chain.start(
            head["game"], head["kind"], head["options"], roster, head["commitment"]
        )
        self._compare_head(line)
        self.passed("deal")

    # --- the game -----------------------------------------------------------------------------

    def _answer(self, line: Line) -> None:
        if self.match is None:
            raise _Wrong(line.number, "out-of-place", kind=line.kind)
        if line["n"] != self.chain.number + 1:
            raise _Wrong(line.number, "number", expected=self.chain.number + 1, found=line["n"])
        if self.ended_by is not None or self.match.result is not None:
            raise _Wrong(line.number, "after-result")
        seat = self._seat(line)
        answer = _answer_of(line)
        self._who_said(line, seat, answer)
        if answer.verb in ENDINGS:
            self.ended_by = (answer.verb, seat)
        else:
            self._apply(line, seat, answer)
        self._extend(line, seat)

    def _who_said(self, line: Line, seat: int, answer: Answer) -> None:
        """A signed answer is what its signer wrote; an unsigned one is marked as the server's."""
        if not line["block"]:
            if line["by"] not in ("bot", "clock", "host"):
                raise _Wrong(line.number, "unsigned", seat=self._name(seat))
            self.passed("unsigned")
            return
        if line["block"] not in self.blocks:
            raise _Wrong(line.number, "block-missing", seat=self._name(seat))
        signer, payload = self.blocks[line["block"]]
        if signer != seat:
            raise _Wrong(line.number, "other-seat", seat=self._name(seat))
        use = (line["block"], line["index"])
        if use in self.spent and line["by"] == "orders":
            raise _Wrong(line.number, "answer-twice", seat=self._name(seat))
        self.spent.add(use)
        if isinstance(payload, Resign):
            if answer != Answer("resign"):
                raise _Wrong(line.number, "other-answer", seat=self._name(seat))
            return
        self._as_written(line, seat, payload, answer)

    def _as_written(self, line: Line, seat: int, payload: Payload, answer: Answer) -> None:
        assert self.match is not None
        text = spoken_line(payload, line["index"], self.game)
        if text is None:
            raise _Wrong(line.number, "no-such-line", seat=self._name(seat))
        if isinstance(payload, Orders):
            self._in_its_place(line, seat, payload)
        try:
            meant = self.match.read(seat, text)
        except Refusal as refusal:
            raise _Wrong(
                line.number, "illegal", seat=self._name(seat), line=text, why=refusal.message
            ) from None
        if meant != answer:
            raise _Wrong(line.number, "other-answer", seat=self._name(seat))

    def _in_its_place(self, line: Line, seat: int, payload: Orders) -> None:
        """The first line of orders answers the question that they name; others follow it."""
        assert self.match is not None
        if line["index"] == 0:
            asked = self.match.prompt_id(seat)
            if payload.prompt != asked:
                raise _Wrong(
                    line.number, "stale", seat=self._name(seat), asked=asked, named=payload.prompt
                )
        elif (line["block"], line["index"] - 1) not in self.spent:
            raise _Wrong(line.number, "dropped", seat=self._name(seat))

    def _apply(self, line: Line, seat: int, answer: Answer) -> None:
        assert self.match is not None
        try:
            self.match.apply(seat, answer)
        except Refusal as refusal:
            raise _Wrong(
                line.number,
                "illegal",
                seat=self._name(seat),
                line=self.game.phrase(answer),
                why=refusal.message,
            ) from None
        except Held:
            raise _Wrong(line.number, "held") from None
        self._compare_events(line, self.match.take_events())
        self.passed("answers")

    def _compare_events(self, line: Line, events: list[Event]) -> None:
        """What the replay tells must be what was told, event by event."""
        expected = [event.to_json() for event in events]
        found: list[Any] = line["events"]
        for place, event in enumerate(events):
            draws = event.name in self.game.draws
            self.draws += draws
            if place < len(found) and found[place] == expected[place]:
                continue
            if draws:
                raise _Wrong(line.number, "deck", draw=self.draws)
            raise _Wrong(line.number, "events", place=place + 1)
        if len(found) > len(expected):
            raise _Wrong(line.number, "events", place=len(expected) + 1)
        self.passed("events", len(events))

    def _extend(self, line: Line, seat: int) -> None:
        salt = chain.salt(self.key, self.chain.number + 1)
        outcome = chain.outcome_digest(salt, line["answer"], line["events"])
        self.chain = chain.extend(self.chain, seat, line["block"], line["index"], outcome)
        self._compare_head(line)

    def _compare_head(self, line: Line) -> None:
        if line["hash"] != self.chain.hash:
            raise _Wrong(line.number, "chain", number=self.chain.number)
        self.heads[self.chain.number] = self.chain.hash
        self.passed("links")

    # --- the end ------------------------------------------------------------------------------

    def _end(self, line: Line) -> None:
        if self.match is None:
            raise _Wrong(line.number, "out-of-place", kind=line.kind)
        result = self._result()
        if result is None:
            raise _Wrong(line.number, "not-over", number=self.chain.number)
        if line["n"] != self.chain.number or line["hash"] != self.chain.hash:
            raise _Wrong(line.number, "cut-end", number=self.chain.number)
        if line["result"] != result:
            raise _Wrong(line.number, "result")
        self.end = line
        self.report.result = result
        self.passed("result")

    def _result(self) -> Mapping[str, Any] | None:
        assert self.match is not None
        if self.ended_by is None:
            result = self.match.result
            return None if result is None else _plain(result.document())
        verb, seat = self.ended_by
        how = {"resign": "resigned", "forfeit": "forfeited"}[verb]
        winners = list(self.game.winners_without(self.match.state, seat))
        return {how: self._name(seat), "winners": winners}

    def _seal(self, line: Line) -> None:
        if self.end is None:
            raise _Wrong(line.number, "cut-short")
        if line["key"] != self.head_line["server"]:
            raise _Wrong(line.number, "other-server")
        try:
            key = PublicKey.from_hex(line["key"])
            signature = bytes.fromhex(line["signature"])
            key.verify(transcript.SEAL_KIND, line["digest"].encode("utf-8"), signature)
        except (WireError, ValueError):
            raise _Wrong(line.number, "seal") from None
        self.sealed = True

    def check_whole(self, data: bytes) -> None:
        """Nothing was cut off, and the seal is over just these bytes."""
        if not self.sealed:
            raise _Wrong(self.lines[-1].number, "cut-short")
        if self.lines[-1]["digest"] != transcript.body_digest(data):
            raise _Wrong(self.lines[-1].number, "seal")
        for digest, (seat, payload) in self.blocks.items():
            if isinstance(payload, Orders) and (digest, 0) not in self.spent:
                raise _Wrong(self.lines[-1].number, "unused", seat=self._name(seat))
        self.passed("seal")

    def check_receipts(self, receipts: Iterable[Receipt]) -> None:
        """Every head that the player was told is on this chain."""
        for receipt in receipts:
            if self.heads.get(receipt.number) != receipt.hash:
                line = next(
                    (each.number for each in self.lines if each.fields.get("n") == receipt.number),
                    self.lines[-1].number,
                )
                raise _Wrong(line, "receipt", number=receipt.number)
            self.passed("receipts")


def spoken_line(payload: Payload, index: int, game: Game[Any]) -> str | None:
    """The line of a signed block that an answer was read from; None if there is none."""
    if isinstance(payload, Orders) and 0 <= index < len(payload.lines):
        return payload.lines[index]
    return None


def _block_of(line: Line) -> Block:
    try:
        signature = bytes.fromhex(line["signature"])
    except ValueError:
        signature = b""
    return Block(line["kind"], line["payload"].encode("utf-8"), signature)


def _answer_of(line: Line) -> Answer:
    raw = line["answer"]
    try:
        verb, target, picks = raw
        answer = Answer(verb, target, tuple(picks))
    except (TypeError, ValueError):
        raise _Wrong(line.number, "answer") from None
    if not all(isinstance(word, str) for word in (verb, target, *picks)):
        raise _Wrong(line.number, "answer")
    return answer


def _plain(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """As JSON gives it back: tuples as lists."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in document.items()
    }
