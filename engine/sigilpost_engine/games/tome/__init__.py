"""Tome: the Light Edition, our own Dusk Edition, and whatever sets are installed.

``spells`` what a set is made of, ``sets`` the sets, ``kit`` what they need; ``state`` and its
``atoms``; ``strength`` the chapter as it stands; ``effects`` what an effect acts with; ``rules``
the course of the game; ``documents`` and ``setting_up`` positions; ``looking`` what a view tells;
``commands``, ``reading``, ``bot``, ``searching``, ``table_talk``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.game import Document, Game, Option, Options, Result
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.core.table import Step, Table
from sigilpost_engine.games.tome import (
    bot,
    commands,
    documents,
    facts,
    reading,
    rules,
    searching,
    sets,
    setting_up,
    table_talk,
)
from sigilpost_engine.games.tome.spells import BadSet, Book
from sigilpost_engine.games.tome.state import State, basics_needed, side_of

SEATS = {"team": (4,), "duel": (2,), "survival": (3, 4)}


class Tome(Game[State]):
    """The rules of Tome."""

    name = "tome"
    options = (
        Option("mode", "word", "team", tuple(SEATS)),
        Option("easy", "flag", False),
        Option("sets", "names", documents.DEFAULT_SETS),
    )
    verbs = commands.VERBS
    reserved = documents.KEYS
    state = State
    draws = frozenset(
        ["tome.event.flips", "tome.event.deals", "tome.event.draws", "tome.event.title"]
    )
    reveals = frozenset(
        [
            "tome.event.plays",
            "tome.event.title",
            "tome.event.swap-title",
            "tome.event.exchanges",
        ]
    )

    @property
    def cards(self) -> Sequence[str]:
        """The spells of all sets that are installed and in working order."""
        return reading.names()

    # --- standing orders ----------------------------------------------------------------------

    fact_names = facts.NAMES

    @property
    def topics(self) -> Sequence[str]:
        return facts.topics()

    def topics_of(self, prompt: Prompt) -> tuple[str, ...]:
        return facts.topics_of(prompt)

    def facts(self, view: Document) -> Facts:
        return facts.facts(view)

    def about_topic(self, topic: str) -> Msg:
        return facts.about(topic)

    def sides(self, seats: int, options: Options) -> tuple[tuple[int, ...], ...]:
        return ((0, 2), (1, 3)) if options["mode"] == "team" else super().sides(seats, options)

    # --- options ------------------------------------------------------------------------------

    def read_options(self, raw: Mapping[str, Any]) -> Options:
        options = super().read_options(raw)
        options["sets"] = [sets.named(name) for name in options["sets"]]
        return options

    def check_options(self, options: Options) -> None:
        """All sets are there, in working order, go together, and suffice for a deck."""
        try:
            names = [sets.named(name) for name in options["sets"]]
            book = Book(map(sets.find, names))
        except sets.UnknownSet as fault:
            raise BadOption(
                "sets", say("tome.option.no-set", name=str(fault), known=sets.names())
            ) from fault
        except BadSet as fault:
            raise BadOption("sets", say("tome.option.bad-set", fault=str(fault))) from fault
        if len(set(names)) != len(names):
            raise BadOption("sets", say("tome.option.set-twice"))
        if book.clash is not None:
            raise BadOption("sets", say("tome.option.clash", name=book.clash))
        if not self._counts(options, book):
            raise BadOption("sets", say("tome.option.too-few-elements"))

    def seat_counts(self, options: Options) -> Sequence[int]:
        return self._counts(options, Book(map(sets.find, options["sets"])))

    def _counts(self, options: Options, book: Book) -> Sequence[int]:
        """Those for which there are Elements enough."""
        if not book.specials:
            return ()
        return [
            count for count in SEATS[options["mode"]] if len(book.basics) >= basics_needed(count)
        ]

    def document_options(self, doc: Document) -> Mapping[str, Any]:
        return setting_up.document_options(doc)

    # --- playing ------------------------------------------------------------------------------

    def new(self, seats: Sequence[str], options: Options, key: bytes) -> State:
        return State.new(seats, options, key)

    def step(self, table: Table[State]) -> Step[None]:
        return rules.step(table)

    def result(self, state: State) -> Result | None:
        return rules.result(state)

    def winners_without(self, state: State, seat: int) -> tuple[str, ...]:
        """All who are not on the side of ``seat``."""
        side = side_of(state, seat)
        return tuple(
            name for number, name in enumerate(state.seats) if side_of(state, number) != side
        )

    def may_chat(self, state: State, seat: int, to: int | None) -> Msg | None:
        return table_talk.may_chat(state, seat, to)

    # --- documents ----------------------------------------------------------------------------

    def setup(self, doc: Document, seats: Sequence[str], options: Options, key: bytes) -> State:
        return setting_up.setup(doc, seats, options, key)

    def dump(self, state: State) -> Document:
        return documents.dump(state)

    def view(self, state: State, seat: int | None) -> Document:
        return documents.view(state, seat)

    def blur(self, state: State, seat: int | None, rng: Rng) -> State:
        return documents.blur(state, seat, rng)

    # --- people -------------------------------------------------------------------------------

    def parse(self, view: Document, prompt: Prompt, line: str) -> Answer:
        return commands.parse(view, prompt, line)

    def sheet(self, view: Document) -> Sheet:
        return reading.sheet(view)

    def past(self, view: Document) -> Sheet:
        return reading.past(view)

    def greedy(self, view: Document, prompt: Prompt) -> Answer:
        return bot.greedy(view, prompt)

    def explain(self, card: str) -> tuple[Msg, ...]:
        return reading.explain(card)

    # --- for bots that search -----------------------------------------------------------------

    horizon = 0

    def imagine(self, view: Document, rng: Rng) -> State | None:
        return searching.imagine(view, rng)

    def shortlist(self, view: Document, prompt: Prompt) -> Sequence[Answer]:
        return list(prompt.answers())

    def hunch(self, state: State, prompt: Prompt, rng: Rng) -> Answer | None:
        return bot.hunch(state, prompt)

    def worth(self, state: State, seat: int) -> float | None:
        return searching.chances(state, seat)
