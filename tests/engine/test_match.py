"""The kernel, on a small game made for it: what is stored, and the guards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from sigilpost_engine.core.errors import Diverged, Held, Illegal, Runaway, Stale, UnknownVersion
from sigilpost_engine.core.game import Document, Game, Options, Result
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Answer, Move, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.core.table import Step, Table, ask, ask_all


@dataclass(slots=True)
class State:
    rng: Rng
    seats: list[str]
    total: int = 0
    rounds: int = 0
    said: list[str] = field(default_factory=list)


def words(seat: int, *verbs: str) -> Prompt:
    return Prompt(seat, "word", tuple(Move(verb) for verb in verbs))


class Counting(Game[State]):
    """Each round the first seat says up, down or again; then both vote at once. Three rounds."""

    name = "counting"
    verbs = ("up", "down", "again", "fall", "loop")
    reserved = frozenset({"total"})
    state = State
    cards = ()
    step_size = 1
    question: tuple[str, ...] = ("up", "down", "again", "fall", "loop")

    def seat_counts(self, options: Options) -> Sequence[int]:
        return (2,)

    def new(self, seats: Sequence[str], options: Options, key: bytes) -> State:
        return State(Rng(key), list(seats))

    def step(self, table: Table[State]) -> Step[None]:
        table.tell("counting.round", {"round": table.state.rounds})
        answer = yield from ask(words(0, *self.question))
        while answer.verb == "again":
            table.tell("counting.again", {"size": self.step_size})
            answer = yield from ask(words(0, "up", "again"))
        if answer.verb == "fall":
            raise RuntimeError("a fault in the rules")
        while answer.verb == "loop":
            table.tick()
        table.state.total += self.step_size if answer.verb == "up" else -self.step_size
        table.tell("counting.total", {"total": table.state.total})
        votes = yield from ask_all([words(0, "up", "down"), words(1, "up", "down")])
        table.state.said += [vote.verb for vote in votes]
        table.state.rounds += 1

    def result(self, state: State) -> Result | None:
        return Result((state.seats[0],)) if state.rounds == 3 else None

    def setup(self, doc: Document, seats: Sequence[str], options: Options, key: bytes) -> State:
        return State(Rng(key), list(seats), doc.get("total", 0))

    def dump(self, state: State) -> Document:
        return {"total": state.total}

    def view(self, state: State, seat: int | None) -> Document:
        return {"total": state.total}

    def blur(self, state: State, seat: int | None, rng: Rng) -> State:
        return state

    def parse(self, view: Document, prompt: Prompt, line: str) -> Answer:
        return Answer(line)

    def sheet(self, view: Document) -> Sheet:
        return ()

    def greedy(self, view: Document, prompt: Prompt) -> Answer:
        return next(prompt.answers())


def begin(game: Game[State] | None = None) -> Match[State]:
    return Match.begin(game or Counting(), ["alice", "bob"], {}, b"key")


def through_json(match: Match[State], game: Game[State] | None = None) -> Match[State]:
    return Match.load(game or match.game, json.loads(json.dumps(match.save())))


def test_a_match_is_stored_as_the_step_s_start_and_the_answers_since() -> None:
    match = begin()
    for line in ("again", "again"):
        match.submit(0, line)
    raw = match.save()
    assert raw["start"]["total"] == 0
    assert [answers for _, answers in raw["given"]] == [[["again", "", []]]] * 2
    match.submit(0, "up")
    for seat in (0, 1):
        match.submit(seat, "down")
    assert match.save()["given"] == []
    assert match.save()["start"]["total"] == 1


def test_loading_in_the_middle_of_a_step_tells_nothing_twice() -> None:
    match = begin()
    match.submit(0, "again")
    loaded = through_json(match)
    assert loaded.take_events() == []
    loaded.submit(0, "up")
    assert [event.name for event in loaded.take_events()] == ["counting.total"]


def test_a_changed_question_is_a_divergence() -> None:
    class Changed(Counting):
        question = ("up", "down", "again")

    match = begin()
    match.submit(0, "again")
    with pytest.raises(Diverged, match="question"):
        through_json(match, Changed())


def test_changed_events_are_a_divergence() -> None:
    class Changed(Counting):
        step_size = 2

    match = begin()
    match.submit(0, "again")
    with pytest.raises(Diverged, match="events"):
        through_json(match, Changed())


def test_a_change_that_no_open_step_has_met_is_none() -> None:
    class Changed(Counting):
        step_size = 2

    match = through_json(begin(), Changed())
    match.submit(0, "up")
    assert match.dump() == {"total": 2}


def test_a_newer_program_s_match_is_held() -> None:
    raw = begin().save()
    with pytest.raises(UnknownVersion):
        Match.load(Counting(), {**raw, "schema": 99})
    with pytest.raises(UnknownVersion):
        Match.load(Counting(), {**raw, "state_schema": 99})


def test_old_states_are_lifted_by_upcasters() -> None:
    class Newer(Counting):
        schema = 2
        upcasters: ClassVar = {1: lambda state: {**state, "total": state["total"] + 100}}

    assert through_json(begin(), Newer()).dump() == {"total": 100}


def test_several_seats_asked_at_once_go_on_when_all_have_answered() -> None:
    match = begin()
    match.submit(0, "up")
    assert [prompt.seat for prompt in match.open] == [0, 1]
    match.submit(1, "down")
    assert [prompt.seat for prompt in match.open] == [0]
    match = through_json(match)
    assert [prompt.seat for prompt in match.open] == [0]
    match.submit(0, "up")
    assert match.state.said == ["up", "down"]


def test_a_question_may_be_answered_again_while_others_are_waited_for() -> None:
    match = begin()
    match.submit(0, "up")
    first = match.prompt_id(1)
    match.submit(1, "down", first)
    match.submit(1, "up", first)
    match.submit(0, "up")
    assert match.state.said == ["up", "up"]


def test_an_answer_to_a_closed_question_is_stale() -> None:
    match = begin()
    closed = match.prompt_id(0)
    match.submit(0, "again", closed)
    before = match.save()
    with pytest.raises(Stale):
        match.submit(0, "up", closed)
    assert match.save() == before


def test_who_is_asked_nothing_may_not_answer() -> None:
    match = begin()
    with pytest.raises(Illegal):
        match.submit(1, "up")


@pytest.mark.parametrize(("line", "fault"), [("fall", Held), ("loop", Runaway)])
def test_a_fault_in_the_rules_leaves_the_match_as_it_was(line: str, fault: Any) -> None:
    match = begin()
    match.submit(0, "again")
    match.submit(0, "up")
    for seat in (0, 1):
        match.submit(seat, "up")
    match.take_events()
    before = match.save()
    with pytest.raises(fault):
        match.submit(0, line)
    assert match.save() == before
    match.submit(0, "up")
    assert match.dump() == {"total": 2}


def test_the_end_leaves_nothing_open() -> None:
    match = begin()
    for _ in range(3):
        match.submit(0, "up")
        match.submit(0, "up")
        match.submit(1, "up")
    assert match.result == Result(("alice",))
    assert match.open == ()
    assert match.prompt_id(0) == ""
    assert through_json(match).result == Result(("alice",))
