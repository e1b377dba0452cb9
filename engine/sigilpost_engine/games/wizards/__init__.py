"""Wizards of the Grimoire: a duel with a shared pool of spells.

``book`` what the rules know of a spell, ``spells/`` the spells themselves (``effect`` is what
their functions are given, ``scribe`` how they enter the book), ``state`` and ``atoms`` the table,
``rules`` the turn, ``documents`` positions and views, ``commands`` what players type, ``reading``
the layout, ``bot`` the reckoning.
"""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.game import Document, Game, Option, Options, Result
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.core.table import Step, Table
from sigilpost_engine.games.wizards import (
    bot,
    commands,
    documents,
    facts,
    reading,
    rules,
    spells,
)
from sigilpost_engine.games.wizards.book import BOOK, SETS, whole_name
from sigilpost_engine.games.wizards.state import State, spells_of

__all__ = ["Wizards", "spells"]


class Wizards(Game[State]):
    """The rules of Wizards of the Grimoire."""

    name = "wizards"
    options = (
        Option("sets", "words", ["base"], SETS),
        Option("beginner", "flag", False),
        Option("health", "number", 60),
        Option("hand_limit", "number", None),
        Option("ban", "names", []),
    )
    verbs = commands.VERBS
    reserved = documents.KEYS
    state = State
    cards = tuple(BOOK)
    draws = rules.DRAWS
    reveals = rules.REVEALS
    topics = facts.TOPICS
    fact_names = facts.NAMES

    def seat_counts(self, options: Options) -> Sequence[int]:
        return (2,)

    def check_options(self, options: Options) -> None:
        """At least one health, and banned spells that exist; some spell must be left."""
        if not options["health"]:
            raise BadOption("health", say("wizards.option.no-health"))
        banned = []
        for name in options["ban"]:
            whole = whole_name(name)
            if whole is None:
                raise BadOption("ban", say("core.refusal.unknown-name", text=name))
            banned.append(whole)
        options["ban"] = list(dict.fromkeys(banned))
        if not spells_of(options):
            raise BadOption("sets", say("wizards.option.no-spells"))

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

    def phrase(self, answer: Answer) -> str:
        return commands.phrase(answer)

    def menu(self, prompt: Prompt) -> list[str]:
        return commands.menu(prompt)

    def facts(self, view: Document) -> Facts:
        return facts.facts(view)

    def about_topic(self, topic: str) -> Msg:
        return facts.about(topic)

    def sheet(self, view: Document) -> Sheet:
        return reading.sheet(view)

    def explain(self, card: str) -> tuple[Msg, ...]:
        return reading.explain(card)

    def greedy(self, view: Document, prompt: Prompt) -> Answer:
        return bot.greedy(view, prompt)

    def imagine(self, view: Document, rng: Rng) -> State | None:
        return documents.imagine(view, rng)

    def shortlist(self, view: Document, prompt: Prompt) -> Sequence[Answer]:
        return bot.shortlist(prompt)

    def hunch(self, state: State, prompt: Prompt, rng: Rng) -> Answer | None:
        return bot.hunch(state, prompt, rng)

    def worth(self, state: State, seat: int) -> float | None:
        return bot.chances(state, seat)
