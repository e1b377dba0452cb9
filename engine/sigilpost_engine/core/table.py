"""The table: the working state of a step, what happened on it, and what is due.

Games change the state only through *atoms*: small functions that take the table, change its
state and tell exactly one event.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sigilpost_engine.core.errors import Runaway
from sigilpost_engine.core.events import Event
from sigilpost_engine.core.messages import NOTHING, Value
from sigilpost_engine.core.prompts import Answer, Prompt

S = TypeVar("S")
R = TypeVar("R")

Step = Generator[Prompt | tuple[Prompt, ...], Any, R]
"""Rules and effects. They yield a question and are sent its answer; a tuple of questions (to
different seats, asked at once) is answered by the tuple of their answers."""

CAP = 10_000
"""Triggers and silent steps in a row after which a match is held instead of hanging."""


class Trigger(NamedTuple):
    """An effect that is due: whose it is, the name shown when its owner orders several, and how
    it resolves."""

    seat: int
    name: str
    resolve: Callable[[], Step[None]]


class Table(Generic[S]):
    """The working state of a match while a step runs."""

    __slots__ = ("due", "events", "quiet", "state", "ticks")

    def __init__(self, state: S, *, quiet: bool = False) -> None:
        self.state = state
        self.events: list[Event] = []
        self.due: list[Trigger] = []
        self.ticks = 0
        self.quiet = quiet

    def tell(
        self,
        name: str,
        values: Mapping[str, Value] = NOTHING,
        *,
        secret: Mapping[int, Mapping[str, Value]] = NOTHING,  # type: ignore[assignment]
        only: tuple[int, ...] | None = None,
    ) -> None:
        """Record one event. A quiet table (playouts) keeps none."""
        if not self.quiet:
            self.events.append(Event(name, values, secret, only))

    def tick(self) -> None:
        """Count one trigger or silent step; raises Runaway at the cap."""
        self.ticks += 1
        if self.ticks > CAP:
            raise Runaway(f"{CAP} steps without a question")

    def queue(self, seat: int, name: str, resolve: Callable[[], Step[None]]) -> None:
        """Put an effect among those that are due."""
        self.due.append(Trigger(seat, name, resolve))


def ask(prompt: Prompt) -> Step[Answer]:
    """``answer = yield from ask(prompt)``: as ``yield``, with a type."""
    answer: Answer = yield prompt
    return answer


def ask_all(prompts: Sequence[Prompt]) -> Step[tuple[Answer, ...]]:
    """Ask several seats at once; the answers come in the order of ``prompts``."""
    answers: tuple[Answer, ...] = yield tuple(prompts)
    return answers


def drain(table: Table[S], order: Callable[[Sequence[Trigger]], Step[int]]) -> Step[None]:
    """Resolve what is due, also what comes due meanwhile, until nothing is.

    ``order`` picks the index of the next of two or more (common.md 7).
    """
    while table.due:
        table.tick()
        place = 0
        if len(table.due) > 1:
            place = yield from order(tuple(table.due))
        yield from table.due.pop(place).resolve()
