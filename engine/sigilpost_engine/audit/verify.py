"""Checking a transcript: everything in it is worked out again, and compared.

Commitment, keys, joins, the game key, every shuffle and draw (by replaying the game with the
engine), every signature, every rule, the hash chain, the result, the seal, and the receipts
that a player kept. The first thing that is wrong is named with its line and its meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.faults import Fault, Note, Wrong, note
from sigilpost_engine.audit.signers import ServerKeys, Signers
from sigilpost_engine.audit.spoken import Spoken
from sigilpost_engine.audit.transcript import Line
from sigilpost_engine.core.errors import BadOption, Held, Refusal
from sigilpost_engine.core.events import Event
from sigilpost_engine.core.game import Game, given_up
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.wire import chain, fair
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.errors import WireError
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_engine.wire.payloads import (
    Create,
    Join,
    Orders,
    Payload,
    Recover,
    Request,
    Resign,
    Rotate,
    Standing,
)

FindGame = Callable[[str], Game[Any]]
Progress = Callable[[int, int], None]
"""Told the number of lines checked, and of all."""

RESIGN, FORFEIT, SUBSTITUTE = "resign", "forfeit", "substitute"
ENDINGS = (RESIGN, FORFEIT)
"""Answers that end a game from outside its rules."""

CLOCK, HOST = "clock", "host"
"""What a forfeit is marked with: the seat's time was out, or its player left the game's league."""

CREDENTIALS, SIGNED, CODE = "credentials", "signed", "code"

_BY: dict[type[Payload], str] = {
    Orders: "orders",
    Resign: "orders",
    Standing: "standing",
    Request: "substitute",
}
"""What the answers of a kind of block are marked with."""

_ANSWERING = frozenset([Orders, Resign, Standing, Request])
"""Blocks that stand in a transcript for the answers that they gave."""


class Receipt(NamedTuple):
    """A head that a mail stated, signed by the server: what a player was told."""

    number: int
    hash: str


@dataclass
class Report:
    """What was checked (how often, by kind), the fault if there is one, and the result.

    ``program`` is the version that the game was played with, ``server`` the fingerprint of the key
    that seals the transcript. Both are told by the transcript itself.
    ``notes``: what is in order, and yet nobody's but the server's word.
    """

    game: str = ""
    kind: str = ""
    program: str = ""
    server: str = ""
    checked: Counter[str] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    fault: Fault | None = None
    result: Mapping[str, Any] = field(default_factory=dict)


def verify(
    data: bytes,
    find_game: FindGame,
    receipts: Iterable[Receipt] = (),
    servers: Collection[bytes] = (),
    progress: Progress | None = None,
) -> Report:
    """Check a transcript.

    ``receipts`` are the heads that the checking player was mailed, ``servers`` the raw public
    keys that are known to be the server's (none: any is believed). Raises Unreadable if ``data``
    is no transcript or one by newer rules than are known here, and ``games.UnknownGame`` for a
    game that is not installed.
    """
    lines = transcript.read(data)
    head = lines[0]
    report = Report(head["game"], head["kind"], head["program"])
    game = find_game(head["kind"])
    if head["schema"] > game.schema:
        raise transcript.Unreadable(1, say("audit.unreadable.newer-rules", kind=head["kind"]))
    try:
        audit = _Audit(lines, game, report, servers)
        for number, line in enumerate(lines[1:], start=1):
            audit.check(line)
            if progress is not None:
                progress(number, len(lines) - 1)
        audit.check_whole(data)
        audit.check_receipts(receipts)
    except Wrong as wrong:
        report.fault = wrong.fault
    return report


class _Audit:
    """The state of a check: what the lines so far have established."""

    def __init__(
        self, lines: list[Line], game: Game[Any], report: Report, known: Collection[bytes]
    ) -> None:
        self.lines = lines
        self.head_line = lines[0]
        self.game = game
        self.report = report
        self.known = known
        self.servers: frozenset[str] = frozenset()
        self.blocks: dict[str, tuple[int, Payload]] = {}
        self.nonces: dict[int, str] = {}
        self.secret: bytes | None = None
        self.match: Match[Any] | None = None
        self.chain = Head(0, "")
        self.heads: dict[int, str] = {}
        self.draws = 0
        self.ended_by: tuple[str, list[int]] | None = None
        """Who ended the game from outside its rules (RESIGN, or whom a forfeit is marked with),
        and the seats."""
        self.sealed = False
        self.told: set[tuple[str, int]] = set()
        """By what each seat was answered for without its signature, as far as it is noted."""
        self.end: Line | None = None
        self.taking: int | None = None
        """The seat (from 1) of a substitute whose block must come next."""
        self._check_head()
        self.server_keys = ServerKeys(self.head_line)
        self.report.server = self.server_keys.now.fingerprint
        self.signers = Signers(self.head_line["roster"])
        self.spoken = Spoken(game)

    def passed(self, what: str, times: int = 1) -> None:
        self.report.checked[what] += times

    def noted(self, line: Line, what: str, /, **values: str) -> None:
        self.report.notes.append(note(line.number, what, **values))

    def _check_head(self) -> None:
        """What the game was agreed to be."""
        head = self.head_line
        for entry in head["roster"]:
            if not isinstance(entry, dict) or not _is_entry(entry):
                raise Wrong(1, "roster")
            if entry.get(CREDENTIALS) != head["roster"][0].get(CREDENTIALS):
                raise Wrong(1, "roster")
        # Another spelling of the same options would be another shuffle: a choice of the server's.
        try:
            complete = self.game.read_options(head["options"])
        except BadOption:
            raise Wrong(1, "options") from None
        if not transcript.same(complete, head["options"]):
            raise Wrong(1, "options")

    def check(self, line: Line) -> None:
        """One line after the first."""
        if self.sealed:
            raise Wrong(line.number, "after-seal")
        if self.end is not None and line.kind != "seal":
            raise Wrong(line.number, "after-end")
        self._check_taking(line)
        if line.kind != "handover" and not self.servers:
            self.server_keys.settle(line.number, self.known)
            self.servers = self.server_keys.fingerprints
        checks: dict[str, Callable[[Line], None]] = {
            "handover": self._handover,
            "key": self._key,
            "substitute": self._substitute,
            "block": self._block,
            "secret": self._secret,
            "start": self._start,
            "answer": self._answer,
            "end": self._end,
            "seal": self._seal,
        }
        if line.kind not in checks:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        checks[line.kind](line)

    def _check_taking(self, line: Line) -> None:
        """The key of a substitute stands right before the block by which they take the seat."""
        if self.taking is not None:
            found = [line.fields.get(name) for name in ("line", "seat", "kind")]
            if found != ["block", self.taking, "REQUEST"]:
                raise Wrong(line.number, "key-unused", seat=self._name(self.taking - 1))
        self.taking = None

    # --- who plays ----------------------------------------------------------------------------

    def _handover(self, line: Line) -> None:
        if self.servers:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        self.server_keys.hand_over(line)
        self.passed("handovers")

    def _name(self, seat: int) -> str:
        return self.signers.name(seat)

    def _key(self, line: Line) -> None:
        if not self.signers.key(line):
            seat = self.signers.number(line)
            self.noted(line, "unbound", seat=self._name(seat))
        self.passed("keys")

    def _substitute(self, line: Line) -> None:
        self.signers.substitute(line)
        self.taking = line["seat"]
        self.passed("keys")

    def _block(self, line: Line) -> None:
        seat = self.signers.number(line)
        block, payload = self.signers.verify(line, seat)
        if payload.server not in self.servers and payload.server:
            raise Wrong(line.number, "block-server", seat=self._name(seat))
        digest = block.digest.hex()
        if digest in self.blocks:
            raise Wrong(line.number, "block-twice", seat=self._name(seat))
        self.blocks[digest] = (seat, payload)
        self.passed("signatures")
        self._mean(line, seat, payload)

    def _mean(self, line: Line, seat: int, payload: Payload) -> None:
        """What a block means for what follows: a nonce, another key."""
        if isinstance(payload, Create):
            self._propose(line, seat, payload)
        elif isinstance(payload, Join):
            self._agree(line, seat, payload)
        elif isinstance(payload, Rotate):
            self.signers.rotate(seat, payload)
            self.passed("rotations")
        elif isinstance(payload, Recover):
            self.signers.recover(seat, payload)
            self.noted(line, "recovered", seat=self._name(seat))
        elif isinstance(payload, Orders | Resign | Standing):
            self._same_game(line, payload.game)
            if payload.seat - 1 != seat:
                raise Wrong(line.number, "other-seat", seat=self._name(seat))
        elif not isinstance(payload, Request):
            raise Wrong(line.number, "out-of-place", kind=line["kind"])

    def _propose(self, line: Line, seat: int, payload: Create) -> None:
        """What was proposed is what was played. It brings no nonce: whoever proposes joins, too."""
        if self.match is not None or self.report.checked["proposal"]:
            raise Wrong(line.number, "out-of-place", kind="CREATE")
        if seat != 0:
            raise Wrong(line.number, "proposer", seat=self._name(seat))
        if payload.game != self.head_line["kind"]:
            raise Wrong(line.number, "other-game", game=payload.game)
        self._same_options(line, payload)
        self.passed("proposal")

    def _agree(self, line: Line, seat: int, payload: Join) -> None:
        if self.match is not None or seat in self.nonces:
            raise Wrong(line.number, "nonce-changed", seat=self._name(seat))
        self._same_game(line, payload.game)
        if payload.commitment not in ("", self.head_line["commitment"]):
            raise Wrong(line.number, "commitment-told", seat=self._name(seat))
        if not self.head_line["roster"][seat]["key"]:
            raise Wrong(line.number, "nonce-unbound", seat=self._name(seat))
        if payload.seat not in (0, seat + 1):
            raise Wrong(line.number, "other-seat", seat=self._name(seat))
        if not payload.commitment:
            self.noted(line, "blind-join", seat=self._name(seat))
        if not payload.seat and not self._proposed(seat):
            self.noted(line, "seat-untold", seat=self._name(seat))
        self.nonces[seat] = payload.nonce
        self.passed("joins")

    def _proposed(self, seat: int) -> bool:
        """Whether a proposal leaves no choice: its player is first, and of two the other second."""
        two = len(self.head_line["roster"]) == 2
        return bool(self.report.checked["proposal"]) and (seat == 0 or two)

    def _same_game(self, line: Line, game: str) -> None:
        if game != self.head_line["game"]:
            raise Wrong(line.number, "other-game", game=game)

    def _same_options(self, line: Line, proposed: Create) -> None:
        try:
            options = self.game.read_options(proposed.options)
        except BadOption:
            raise Wrong(line.number, "options") from None
        if not transcript.same(options, self.head_line["options"]):
            raise Wrong(1, "options")
        if proposed.rules.get(CREDENTIALS, SIGNED) != self._credentials:
            raise Wrong(1, "options")

    @property
    def _credentials(self) -> str:
        return str(self.head_line["roster"][0].get(CREDENTIALS, SIGNED))

    # --- the shuffle --------------------------------------------------------------------------

    def _secret(self, line: Line) -> None:
        if self.secret is not None:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        try:
            secret = transcript.unhex(line["secret"])
        except ValueError:
            raise Wrong(line.number, "secret") from None
        if not fair.opens(secret, self.head_line["commitment"]):
            raise Wrong(line.number, "secret")
        self.secret = secret
        self.passed("commitment")

    def _start(self, line: Line) -> None:
        head = self.head_line
        roster: Sequence[Mapping[str, Any]] = head["roster"]
        seats = range(len(roster))
        if self.match is not None:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        if self.secret is None:
            raise Wrong(line.number, "secret-missing")
        if not self.report.checked["proposal"]:
            self.noted(line, "no-proposal")
        for seat in seats:
            self._joined(line, seat)
        keys = [entry["key"] for entry in roster]
        nonces = [self.nonces[seat] for seat in seats]
        self.key = fair.game_key(self.secret, head["game"], head["options"], keys, nonces)
        names = [entry["name"] for entry in roster]
        try:
            self.match = Match.begin(self.game, names, head["options"], self.key)
        except (BadOption, Held):
            raise Wrong(1, "options") from None
        self._compare_events(line, self.match.take_events())
        self.chain = chain.start(
            head["game"], head["kind"], head["options"], roster, head["commitment"]
        )
        self._compare_head(line)
        self.passed("deal")

    def _joined(self, line: Line, seat: int) -> None:
        """A seat has given its part of the shuffle; one without a key never had one to give."""
        if seat in self.nonces:
            return
        head = self.head_line
        if self._credentials != CODE or head["roster"][seat]["key"]:
            raise Wrong(line.number, "join-missing", seat=self._name(seat))
        self.nonces[seat] = fair.unsigned_nonce(head["game"], head["commitment"], seat)
        self.noted(line, "no-nonce", seat=self._name(seat))

    # --- the game -----------------------------------------------------------------------------

    def _answer(self, line: Line) -> None:
        if self.match is None:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        if line["n"] != self.chain.number + 1:
            raise Wrong(line.number, "number", expected=self.chain.number + 1, found=line["n"])
        seat = self.signers.number(line)
        answer = _answer_of(line)
        if self.match.result is not None or not self._may_follow(line, seat, answer):
            raise Wrong(line.number, "after-result")
        self.spoken.next_lines(line, seat, self.signers.name, self.match)
        if line["block"]:
            self._signed(line, seat, answer, self.match)
        else:
            self._unsigned(line, seat, answer)
        if answer.verb in ENDINGS:
            late = self.ended_by[1] if self.ended_by else []
            self.ended_by = (line["by"] if answer.verb == FORFEIT else RESIGN, [*late, seat])
        if answer.verb in (*ENDINGS, SUBSTITUTE):
            self._compare_events(line, [])
        else:
            self._apply(line, seat, answer)
        self._extend(line, seat)

    def _may_follow(self, line: Line, seat: int, answer: Answer) -> bool:
        """Whether an answer may come here: after a forfeit only those of others who were late
        together with that seat, in the order of their seats."""
        if self.ended_by is None:
            return True
        by, seats = self.ended_by
        return answer == Answer(FORFEIT) and line["by"] == by == CLOCK and seat > seats[-1]

    def _signed(self, line: Line, seat: int, answer: Answer, match: Match[Any]) -> None:
        """An answer from a block is what its signer wrote."""
        name = self._name(seat)
        if line["block"] not in self.blocks:
            raise Wrong(line.number, "block-missing", seat=name)
        signer, payload = self.blocks[line["block"]]
        if signer != seat:
            raise Wrong(line.number, "other-seat", seat=name)
        if line["by"] != _BY.get(type(payload)):
            raise Wrong(line.number, "other-answer", seat=name)
        if isinstance(payload, Orders):
            self.spoken.orders(line, seat, name, payload, match, answer)
        elif isinstance(payload, Standing):
            self.spoken.standing(line, seat, name, payload, match, answer)
            self.passed("standing")
        elif isinstance(payload, Resign):
            self._exactly(line, seat, answer, RESIGN)
        else:
            self._exactly(line, seat, answer, SUBSTITUTE)
            self._takes(line, seat, payload)

    def _exactly(self, line: Line, seat: int, answer: Answer, verb: str) -> None:
        """The one answer that such a block gives, once."""
        if answer != Answer(verb) or line["index"] != 0:
            raise Wrong(line.number, "other-answer", seat=self._name(seat))
        use = (line["block"], 0)
        if use in self.spoken.spent:
            raise Wrong(line.number, "answer-twice", seat=self._name(seat))
        self.spoken.use(seat, use)

    def _takes(self, line: Line, seat: int, payload: Payload) -> None:
        """The seat changes hands: its player did not sign that, but the substitute did."""
        wish = [self.head_line["game"]]
        if not isinstance(payload, Request) or payload.what != SUBSTITUTE:
            raise Wrong(line.number, "other-answer", seat=self._name(seat))
        if [word.casefold() for word in payload.args[:1]] != ["take"]:
            raise Wrong(line.number, "other-answer", seat=self._name(seat))
        if list(payload.args[1:2]) != wish:
            raise Wrong(line.number, "other-game", game=" ".join(payload.args[1:2]))
        player = self.signers.take(line.number, seat)
        self.noted(line, "substitute", seat=self._name(seat), player=player)
        self.passed("substitutes")

    def _unsigned(self, line: Line, seat: int, answer: Answer) -> None:
        """An answer that nobody signed is marked as what it is, and is only what that may be."""
        by, forfeit = line["by"], answer == Answer(FORFEIT)
        allowed = {
            "bot": answer.verb not in (*ENDINGS, SUBSTITUTE),
            CLOCK: forfeit,
            HOST: forfeit,
            CODE: self._credentials == CODE and answer.verb not in (FORFEIT, SUBSTITUTE),
        }
        if not allowed.get(by, False) or (line["index"] != 0 and by != CODE):
            raise Wrong(line.number, "unsigned", seat=self._name(seat))
        if by == HOST:
            self._of_a_league(line)
        if (by, seat) not in self.told:
            self.told.add((by, seat))
            self.noted(line, by, seat=self._name(seat))
        self.spoken.use(seat, None)
        self.passed(by)

    def _of_a_league(self, line: Line) -> None:
        """What a league alone does to a game is done to none that a player proposed."""
        if self.report.checked["proposal"]:
            raise Wrong(line.number, "no-league", seat=self._name(0))

    def _apply(self, line: Line, seat: int, answer: Answer) -> None:
        assert self.match is not None
        try:
            self.match.apply(seat, answer)
        except Refusal as refusal:
            raise Wrong(
                line.number,
                "illegal",
                seat=self._name(seat),
                line=_spelled(answer),
                why=refusal.message,
            ) from None
        except Held:
            raise Wrong(line.number, "held") from None
        self._compare_events(line, self.match.take_events())
        self.passed("answers")

    def _compare_events(self, line: Line, events: list[Event]) -> None:
        """What the replay tells must be what was told, event by event."""
        expected = [event.to_json() for event in events]
        found: list[Any] = line["events"]
        for place, event in enumerate(events):
            draws = event.name in self.game.draws
            self.draws += draws
            if place < len(found) and transcript.same(found[place], expected[place]):
                continue
            if draws:
                raise Wrong(line.number, "deck", draw=self.draws)
            raise Wrong(line.number, "events", place=place + 1)
        if len(found) > len(expected):
            raise Wrong(line.number, "events", place=len(expected) + 1)
        self.passed("events", len(events))

    def _extend(self, line: Line, seat: int) -> None:
        salt = chain.salt(self.key, self.chain.number + 1)
        outcome = chain.outcome_digest(salt, line["answer"], line["events"])
        self.chain = chain.extend(self.chain, seat, line["block"], line["index"], outcome)
        self._compare_head(line)

    def _compare_head(self, line: Line) -> None:
        if line["hash"] != self.chain.hash:
            raise Wrong(line.number, "chain", number=self.chain.number)
        self.heads[self.chain.number] = self.chain.hash
        self.passed("links")

    # --- the end ------------------------------------------------------------------------------

    def _end(self, line: Line) -> None:
        if self.match is None:
            raise Wrong(line.number, "out-of-place", kind=line.kind)
        result = self._result()
        stopped = self._stopped(line) if result is None else None
        if result is None and stopped is None:
            raise Wrong(line.number, "not-over", number=self.chain.number)
        if line["n"] != self.chain.number or line["hash"] != self.chain.hash:
            raise Wrong(line.number, "cut-end", number=self.chain.number)
        self.end = line
        if stopped is not None:
            if stopped in transcript.STOPPED_IN_LEAGUE:
                self._of_a_league(line)
            self.report.result = line["result"]
            self.noted(line, f"stopped.{stopped}")
            return
        if not transcript.same(line["result"], result):
            raise Wrong(line.number, "result")
        self.report.result = line["result"]
        self.passed("result")

    def _stopped(self, line: Line) -> str | None:
        """Why the game went on no further here, as the end says; None if it does not."""
        why = line["result"].get("stopped")
        said = why in transcript.STOPPED and {"stopped": why, "winners": []} == line["result"]
        return str(why) if said else None

    def _result(self) -> Mapping[str, Any] | None:
        assert self.match is not None
        result = self.match.result
        if self.ended_by is not None:
            by, seats = self.ended_by
            how = "resigned" if by == RESIGN else "forfeited"
            result = given_up(self.game, self.match.state, how, seats)
        return None if result is None else _plain(result.document())

    def _seal(self, line: Line) -> None:
        if self.end is None:
            raise Wrong(line.number, "cut-short")
        if line["key"] != self.head_line["server"]:
            raise Wrong(line.number, "other-server")
        try:
            key = PublicKey.from_hex(line["key"])
            signature = transcript.unhex(line["signature"])
            key.verify(transcript.SEAL_KIND, line["digest"].encode("utf-8"), signature)
        except (WireError, ValueError):
            raise Wrong(line.number, "seal") from None
        self.sealed = True

    def check_whole(self, data: bytes) -> None:
        """Nothing was cut off, and the seal is over just these bytes."""
        if not self.sealed:
            raise Wrong(self.lines[-1].number, "cut-short")
        if self.lines[-1]["digest"] != transcript.body_digest(data):
            raise Wrong(self.lines[-1].number, "seal")
        for digest, (seat, payload) in self.blocks.items():
            if type(payload) in _ANSWERING and not self._was_used(digest, payload):
                raise Wrong(self.lines[-1].number, "unused", seat=self._name(seat))
        self.passed("seal")

    def _was_used(self, digest: str, payload: Payload) -> bool:
        if isinstance(payload, Standing):
            return any(block == digest for block, _ in self.spoken.spent)
        return (digest, 0) in self.spoken.spent

    def check_receipts(self, receipts: Iterable[Receipt]) -> None:
        """Every head that the player was told is on this chain."""
        for receipt in receipts:
            if self.heads.get(receipt.number) != receipt.hash:
                line = next(
                    (each.number for each in self.lines if each.fields.get("n") == receipt.number),
                    self.lines[-1].number,
                )
                raise Wrong(line, "receipt", number=receipt.number)
            self.passed("receipts")


def _is_entry(entry: Mapping[str, Any]) -> bool:
    """Whether this can stand in a roster: a name, a key, and ``credentials`` if codes count."""
    wanted = {"name", "key", *({CREDENTIALS} if CREDENTIALS in entry else ())}
    if entry.keys() != wanted or entry.get(CREDENTIALS, CODE) != CODE:
        return False
    return all(isinstance(value, str) for value in entry.values())


def _answer_of(line: Line) -> Answer:
    match line["answer"]:
        case [str() as verb, str() as target, list() as picks]:
            if all(isinstance(pick, str) for pick in picks):
                return Answer(verb, target, tuple(picks))
    raise Wrong(line.number, "answer")


def _spelled(answer: Answer) -> str:
    """Any answer as words, even one that the rules do not know."""
    return " ".join(filter(None, [answer.verb, answer.target, ", ".join(answer.picks)]))


def _plain(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """As JSON gives it back: tuples as lists."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in document.items()
    }
