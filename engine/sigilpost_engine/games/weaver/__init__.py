"""Tome Weaver: set collection for two to five players.

``cards`` the deck, ``state`` and its atoms, ``rules`` the turn and the scoring, ``documents``
positions and views, ``commands`` what players type, ``reading`` the layout, ``bot`` the reckoning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.game import Document, Game, Option, Options, Result
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.core.table import Step, Table
from sigilpost_engine.games.weaver import bot, cards, commands, documents, facts, reading, rules
from sigilpost_engine.games.weaver.state import State


class Weaver(Game[State]):
    """The rules of Tome Weaver."""

    name = "weaver"
    options = (
        Option("hidden_cards", "word", "count", ("count", "flat")),
        Option("space_match", "word", "each", ("each", "once")),
    )
    verbs = commands.VERBS
    reserved = documents.KEYS
    draws = frozenset(["weaver.event.start-draw", "weaver.event.dealt", "weaver.event.draws"])
    state = State
    cards = cards.NAMES
    topics = facts.TOPICS
    fact_names = facts.NAMES

    def seat_counts(self, options: Options) -> Sequence[int]:
        return range(2, 6)

    def document_options(self, doc: Document) -> Mapping[str, Any]:
        return documents.document_options(doc)

    def new(self, seats: Sequence[str], options: Options, key: bytes) -> State:
        return State.new(seats, options, key)

    def step(self, table: Table[State]) -> Step[None]:
        return rules.step(table)

    def result(self, state: State) -> Result | None:
        return rules.result(state)

    def setup(self, doc: Document, seats: Sequence[str], options: Options, key: bytes) -> State:
        return documents.setup(doc, seats, options, key)

    def dump(self, state: State) -> Document:
        return documents.dump(state)

    def view(self, state: State, seat: int | None) -> Document:
        return documents.view(state, seat)

    def blur(self, state: State, seat: int | None, rng: Rng) -> State:
        return documents.blur(state, seat, rng)

    def parse(self, view: Document, prompt: Prompt, line: str) -> Answer:
        return commands.parse(view, prompt, line)

    def facts(self, view: Document) -> Facts:
        return facts.facts(view)

    def sheet(self, view: Document) -> Sheet:
        return reading.sheet(view)

    def greedy(self, view: Document, prompt: Prompt) -> Answer:
        return bot.greedy(view, prompt)

    def explain(self, card: str) -> tuple[Msg, ...]:
        return reading.explain(card)

    def phrase(self, answer: Answer) -> str:
        return commands.phrase(answer)

    def imagine(self, view: Document, rng: Rng) -> State | None:
        return documents.imagine(view, rng)

    def shortlist(self, view: Document, prompt: Prompt) -> Sequence[Answer]:
        return bot.shortlist(view, prompt)

    def hunch(self, state: State, prompt: Prompt, rng: Rng) -> Answer | None:
        return bot.hunch(state, prompt, rng)

    def worth(self, state: State, seat: int) -> float | None:
        return bot.chances(state, seat)
