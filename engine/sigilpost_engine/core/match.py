"""The kernel: a running match, its open step, and how it is stored.

A match is stored as *the state at the start of the open step, and the answers given in it since*.
To resume, the step is run again with those answers. Two guards make that safe: the fingerprint
of every question answered, and a digest of the events told up to then; if a re-run differs,
:class:`~sigilpost_engine.core.errors.Diverged` is raised and nothing is guessed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from sigilpost_engine.core import codec
from sigilpost_engine.core.errors import Diverged, Held, Illegal, Refusal, Stale, UnknownVersion
from sigilpost_engine.core.events import Event
from sigilpost_engine.core.game import Document, Game, Options, Result, S
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.table import Step, Table

SCHEMA = 1
"""The version of what :meth:`Match.save` writes."""


class Run(Generic[S]):
    """A game going on in memory, without a record: for playouts, and inside :class:`Match`.

    ``open`` holds the questions now asked, in seat order; it is empty once the game is over.
    """

    def __init__(self, game: Game[S], state: S, *, quiet: bool = True) -> None:
        self.game = game
        self.table = Table(state, quiet=quiet)
        self.open: tuple[Prompt, ...] = ()
        self.asked = 0  # questions (or groups asked at once) so far
        self._single = True
        self._step: Step[None] | None = None

    @property
    def state(self) -> S:
        """The working state. Read it only."""
        return self.table.state

    def start(self) -> None:
        """Run on to the first question."""
        self._next_step()

    def answer(self, *answers: Answer) -> None:
        """Go on with an answer to every open question, in their order. They must be legal."""
        self.table.ticks = 0
        if not self._send(answers[0] if self._single else answers):
            self._next_step()

    def on_step(self) -> None:
        """Called before each step, when the state is between two steps, and at the end."""

    def _next_step(self) -> None:
        while self.game.result(self.table.state) is None:
            self.table.tick()
            self.on_step()
            self._step = self.game.step(self.table)
            if self._send(None):
                return
        self.on_step()
        self._step = None
        self.open = ()

    def _send(self, answer: Any) -> bool:
        """Run the open step on, giving it forced answers; True once something is asked, False at
        its end."""
        step = self._step
        assert step is not None, "nothing is asked"
        try:
            while True:
                answer = self._put(step.send(answer))
                if answer is None:
                    self.asked += 1
                    return True
        except StopIteration:
            return False

    def _put(self, asked: Prompt | tuple[Prompt, ...]) -> Any:
        """Open the question unless it is forced; then the answer to it."""
        if isinstance(asked, Prompt):
            forced = asked.only()
            if forced is None:
                self._single = True
                self.open = (asked,)
            return forced
        prompts: tuple[Prompt, ...] = asked
        answers = tuple(prompt.only() for prompt in prompts)
        if all(answer is not None for answer in answers):
            return answers
        self._single = False
        self.open = prompts
        return None


class Match(Generic[S]):
    """A match that can be saved after every answer and goes on anywhere."""

    def __init__(self, game: Game[S], state: S) -> None:
        self.game = game
        self._run: _Recorded[S] = _Recorded(game, state)
        self._pending: dict[int, Answer] = {}
        self._told = 0

    # --- beginning, saving, loading -----------------------------------------------------------

    @classmethod
    def begin(
        cls, game: Game[S], seats: Sequence[str], options: Mapping[str, Any], key: bytes
    ) -> Match[S]:
        """A new match, run on to its first question. ``key`` decides all randomness.

        Raises BadOption.
        """
        complete = game.read_options(options)
        game.check_seats(seats, complete)
        match = cls(game, game.new(seats, complete, key))
        match._run.start()
        return match

    @classmethod
    def from_setup(
        cls,
        game: Game[S],
        doc: Document,
        seats: Sequence[str],
        options: Mapping[str, Any],
        key: bytes,
    ) -> Match[S]:
        """A match that goes on from a position document. Raises BadSetup, BadOption."""
        complete: Options = game.read_options({**game.document_options(doc), **options})
        game.check_seats(seats, complete)
        match = cls(game, game.setup(doc, seats, complete, key))
        match._run.start()
        return match

    def save(self) -> Document:
        """All of the match as JSON data."""
        return {
            "schema": SCHEMA,
            "game": self.game.name,
            "state_schema": self.game.schema,
            "start": self._run.record.start,
            "before": self._run.record.asked_before,
            "given": list(self._run.record.given),
            "pending": {str(seat): a.to_json() for seat, a in self._pending.items()},
            "asking": self._run.fingerprints(),
            "told": self._run.digest(),
        }

    @classmethod
    def load(cls, game: Game[S], raw: Document) -> Match[S]:
        """The match that :meth:`save` wrote. Its events are not told again.

        Raises Diverged, and UnknownVersion for a newer program's row.
        """
        raw = _upcast_match(raw)
        state_json = _upcast_state(game, raw["start"], raw["state_schema"])
        match = cls(game, codec.decode(game.state, state_json))
        match._run.asked = raw["before"]
        match._resume(raw["given"])
        if match._run.fingerprints() != raw["asking"]:
            raise Diverged("another question is asked than the one that was mailed")
        if match._run.digest() != raw["told"]:
            raise Diverged("other events come of the open step than those that were mailed")
        match._pending = {int(s): Answer.from_json(a) for s, a in raw["pending"].items()}
        match.take_events()
        return match

    def _resume(self, given: list[Any]) -> None:
        self._run.start()
        for place, (asked, answers) in enumerate(given, start=1):
            if self._run.fingerprints() != asked:
                raise Diverged("another question is asked than the one that was answered")
            self._run.answer(*map(Answer.from_json, answers))
            if len(self._run.record.given) != place:
                raise Diverged("the open step ends sooner than it did")

    # --- what is asked ------------------------------------------------------------------------

    @property
    def state(self) -> S:
        """The working state. Read it only."""
        return self._run.state

    @property
    def number(self) -> int:
        """The number of the question (or group asked at once) now open, from 1."""
        return self._run.asked

    @property
    def open(self) -> tuple[Prompt, ...]:
        """The questions that are waited for, in seat order."""
        return tuple(p for p in self._run.open if p.seat not in self._pending)

    @property
    def result(self) -> Result | None:
        """How the match ended; None while it goes on."""
        return self.game.result(self.state)

    def prompt(self, seat: int) -> Prompt | None:
        """The question that ``seat`` may answer now (again, while others are still waited for)."""
        for prompt in self._run.open:
            if prompt.seat == seat:
                return prompt
        return None

    def prompt_id(self, seat: int) -> str:
        """The name of that question in an orders block: ``12-3fa9c1d2``; "" if none is open."""
        for prompt, fingerprint in zip(self._run.open, self._run.fingerprints(), strict=True):
            if prompt.seat == seat:
                return f"{self.number}-{fingerprint[:8]}"
        return ""

    def view(self, seat: int | None) -> Document:
        """The position as ``seat`` may know it (None: a spectator)."""
        return self.game.view(self.state, seat)

    def dump(self) -> Document:
        """The whole position document."""
        return self.game.dump(self.state)

    def start_dump(self) -> Document:
        """The position at the start of the open step."""
        state: S = codec.decode(self.game.state, self._run.record.start)
        return self.game.dump(state)

    def given_since_start(self) -> list[tuple[int, Answer]]:
        """The answers given in the open step, with their seats."""
        pairs = zip(self._run.record.seats, self._run.record.given, strict=True)
        return [
            (seat, Answer.from_json(answer))
            for seats, (_, answers) in pairs
            for seat, answer in zip(seats, answers, strict=True)
        ]

    # --- answering ----------------------------------------------------------------------------

    def read(self, seat: int, line: str) -> Answer:
        """The answer that ``line`` gives, checked. Raises a Refusal; changes nothing."""
        prompt = self.prompt(seat)
        judged = prompt if prompt is not None else Prompt(seat, "idle", ())
        answer = self.game.parse(self.view(seat), judged, line)
        if prompt is None:
            raise Illegal(say("core.refusal.not-asked"))
        prompt.check(answer)
        return answer

    def submit(self, seat: int, line: str, prompt_id: str | None = None) -> Answer:
        """Play one line. Raises a Refusal (nothing changed) or Held (the match is to be held).

        With ``prompt_id`` the line must answer that question, else Stale.
        """
        if prompt_id is not None and prompt_id != self.prompt_id(seat):
            raise Stale(say("core.refusal.stale"))
        answer = self.read(seat, line)
        self.apply(seat, answer)
        return answer

    def apply(self, seat: int, answer: Answer) -> None:
        """Give a legal answer. Raises Illegal, or Held with the match as it was before."""
        prompt = self.prompt(seat)
        if prompt is None:
            raise Illegal(say("core.refusal.not-asked"))
        prompt.check(answer)
        before = replace(self._run.record), dict(self._pending)
        self._pending[seat] = answer
        if self.open:
            return
        answers = [self._pending[prompt.seat] for prompt in self._run.open]
        self._pending = {}
        try:
            self._run.answer(*answers)
        except Refusal as fault:
            self._restore(*before)
            raise Held(f"the rules refused a legal answer: {fault}") from fault
        except Exception as fault:
            self._restore(*before)
            if isinstance(fault, Held):
                raise
            raise Held(f"{type(fault).__name__} in the rules") from fault

    def _restore(self, record: Record, pending: dict[int, Answer]) -> None:
        """Back to where an answer found the match; what happened in the rules is forgotten."""
        self._run = _Recorded(self.game, codec.decode(self.game.state, record.start))
        self._run.asked = record.asked_before
        self._resume(record.given)
        self._pending = pending
        self.take_events()

    def take_events(self) -> list[Event]:
        """The events since the last call."""
        events = self._run.table.events
        fresh = events[self._told :]
        self._told = len(events)
        return fresh


@dataclass
class Record:
    """What a match stores of its open step."""

    start: Document = field(default_factory=dict)
    asked_before: int = 0
    given: list[Any] = field(default_factory=list)  # [fingerprints, answers], oldest first
    seats: list[tuple[int, ...]] = field(default_factory=list)  # who answered, as ``given``
    first_event: int = 0


class _Recorded(Run[S]):
    """A run that keeps the record of its open step."""

    def __init__(self, game: Game[S], state: S) -> None:
        super().__init__(game, state, quiet=False)
        self.record = Record()
        self._named: tuple[tuple[Prompt, ...], list[str]] = ((), [])

    def fingerprints(self) -> list[str]:
        """Those of the open questions. Questions never change, so each is named once."""
        if self._named[0] is not self.open:
            self._named = self.open, [prompt.fingerprint() for prompt in self.open]
        return list(self._named[1])

    def on_step(self) -> None:
        self.record = Record(
            codec.encode(self.table.state), self.asked, first_event=len(self.table.events)
        )

    def answer(self, *answers: Answer) -> None:
        asked = self.fingerprints()
        seats = tuple(prompt.seat for prompt in self.open)
        record = self.record
        record.given = [*record.given, [asked, [answer.to_json() for answer in answers]]]
        record.seats = [*record.seats, seats]
        super().answer(*answers)

    def digest(self) -> str:
        """Of the events of the open step so far."""
        return events_digest(self.table.events[self.record.first_event :])


def events_digest(events: Sequence[Event]) -> str:
    """64 hex digits that change whenever anything that anybody was told does."""
    raw = [event.to_json() for event in events]
    text = json.dumps(raw, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _upcast_match(raw: Document) -> Document:
    if raw["schema"] != SCHEMA:
        raise UnknownVersion(f"match schema {raw['schema']}")
    return raw


def _upcast_state(game: Game[S], state: Document, schema: int) -> Document:
    if schema > game.schema:
        raise UnknownVersion(f"{game.name} schema {schema}")
    while schema < game.schema:
        state = game.upcasters[schema](state)
        schema += 1
    return state
