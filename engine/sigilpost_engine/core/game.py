"""The contract of a game: what a folder in ``games/`` provides.

Seats are numbers from 0 inside the engine; people see names. ``State`` is the game's own
dataclass; it must hold ``rng`` (:class:`~sigilpost_engine.core.rng.Rng`) and ``seats`` (the
names in seat order).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from sigilpost_engine.core import grammar
from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.errors import BadOption, Illegal
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Answer, Move, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.core.table import Step, Table

Document = dict[str, Any]
"""A position document (common.md): JSON data, seats by name."""

Options = dict[str, Any]
"""The options of a game, complete and checked."""


class HasTable(Protocol):
    """What every game's state holds."""

    rng: Rng
    seats: list[str]


S = TypeVar("S", bound=HasTable)


class Option(NamedTuple):
    """One option of ``create``.

    ``kind``: ``word`` (one of ``words``), ``words`` (a list of those), ``flag``, ``number`` (or
    None) or ``names`` (a list of free names, which the game checks in ``check_options``).
    """

    name: str
    kind: str
    default: Any
    words: tuple[str, ...] = ()


class Result(NamedTuple):
    """How a game ended: the winners' names in seat order, and what else the document tells."""

    winners: tuple[str, ...]
    detail: Mapping[str, Any] = {}

    def document(self) -> Document:
        """The ``result`` table of a position document."""
        return {**self.detail, "winners": list(self.winners)}


def given_up(game: Game[S], state: S, how: str, seats: Sequence[int]) -> Result:
    """The result if all of ``seats`` give up at once (``how`` is ``resigned``) or are late together
    (``forfeited``): whoever has won without each of them has won. Nobody, if that leaves none."""
    each = [game.winners_without(state, seat) for seat in seats]
    winners = tuple(name for name in state.seats if all(name in others for others in each))
    names = [state.seats[seat] for seat in seats]
    return Result(winners, {how: names[0] if len(names) == 1 else names})


class Game(ABC, Generic[S]):
    """A game's rules, as the kernel, the server and the client need them."""

    name: ClassVar[str]
    """The word that players type, also the prefix of the game's message ids."""

    schema: ClassVar[int] = 1
    """The version of the stored state. Raise it with an entry in ``upcasters``."""

    upcasters: ClassVar[Mapping[int, Callable[[Document], Document]]] = {}
    """From schema n to n + 1, on stored JSON."""

    options: ClassVar[tuple[Option, ...]] = ()
    verbs: ClassVar[tuple[str, ...]]
    """Every command word of the game."""

    reserved: ClassVar[frozenset[str]]
    """Keys of the position document, which no seat may be named like (common.md)."""

    draws: ClassVar[frozenset[str]] = frozenset()
    """The events that show what came off a shuffled deck; a proof names the first that is wrong."""

    state: ClassVar[type[Any]]
    """The dataclass of the state."""

    reveals: ClassVar[frozenset[str]] = frozenset()
    """Events by which the rules show a hidden card that may be hidden again afterwards."""

    @property
    @abstractmethod
    def cards(self) -> Sequence[str]:
        """The names of all cards that a position of this game can name."""

    # --- beginning and going on ---------------------------------------------------------------

    @abstractmethod
    def seat_counts(self, options: Options) -> Sequence[int]:
        """For how many seats the game with these options can be played."""

    def sides(self, seats: int, options: Options) -> tuple[tuple[int, ...], ...]:
        """Who wins together: the seats of each side. Everybody alone, unless there are partners."""
        return tuple((seat,) for seat in range(seats))

    @abstractmethod
    def new(self, seats: Sequence[str], options: Options, key: bytes) -> S:
        """A state before anything happened. The first step deals, so that dealing tells events."""

    @abstractmethod
    def step(self, table: Table[S]) -> Step[None]:
        """The next step: one play, one spell. It asks only by yielding, changes only by atoms."""

    @abstractmethod
    def result(self, state: S) -> Result | None:
        """How it ended; None while it goes on. Asked after every step."""

    # --- documents ----------------------------------------------------------------------------

    @abstractmethod
    def setup(self, doc: Document, seats: Sequence[str], options: Options, key: bytes) -> S:
        """The state of a position document. Raises BadSetup with the key's path."""

    @abstractmethod
    def dump(self, state: S) -> Document:
        """The whole position; ``setup`` accepts it and goes on in the same way."""

    @abstractmethod
    def view(self, state: S, seat: int | None) -> Document:
        """The position as ``seat`` may know it (None: a spectator), built up from nothing.

        A part of the position document's shape: an unknown card is ``"?"``. Beside the
        document's keys, ``you`` is the seat's own name; a spectator's view has none.
        """

    @abstractmethod
    def blur(self, state: S, seat: int | None, rng: Rng) -> S:
        """A state that ``seat`` cannot tell from ``state``: all it may not know, permuted.

        For the law of non-interference and for bots that search.
        """

    # --- people -------------------------------------------------------------------------------

    @abstractmethod
    def parse(self, view: Document, prompt: Prompt, line: str) -> Answer:
        """What ``line`` answers to ``prompt``, judged by the seat's view alone.

        Raises Unparseable, Ambiguous or Illegal. A seat that is asked nothing is judged against
        a prompt without moves, so that nonsense is unparseable even then.
        """

    @abstractmethod
    def sheet(self, view: Document) -> Sheet:
        """The view laid out for reading."""

    def past(self, view: Document) -> Sheet:
        """What happened before and may be looked up, laid out: too much for every mail."""
        return ()

    @abstractmethod
    def greedy(self, view: Document, prompt: Prompt) -> Answer:
        """A decent answer by simple reckoning, from what the seat knows."""

    def winners_without(self, state: S, seat: int) -> tuple[str, ...]:
        """Who has won if ``seat`` gives up or its time is out: here, all the others.

        Names in seat order. A game with partners names the other side.
        """
        return tuple(name for number, name in enumerate(state.seats) if number != seat)

    def may_chat(self, state: S, seat: int, to: int | None) -> Msg | None:
        """Why ``seat`` may not write to the seat ``to`` (None: to all) now; None if it may."""
        return None

    @property
    def topics(self) -> Sequence[str]:
        """Every kind of question that standing orders can be about."""
        return ()

    @property
    def fact_names(self) -> Sequence[str]:
        """The names of all facts that conditions of standing orders can compare."""
        return ()

    def topics_of(self, prompt: Prompt) -> tuple[str, ...]:
        """The kinds that a question belongs to, some of ``topics``."""
        return (prompt.topic,)

    def facts(self, view: Document) -> Facts:
        """What a seat knows, by name, for the conditions of its standing orders.

        Exactly the names of ``fact_names``. Told from the seat's own view and nothing else.
        """
        return {}

    def about_topic(self, topic: str) -> Msg:
        """What a kind of question is about: the message ``<game>.topic.<topic>``."""
        return Msg(f"{self.name}.topic.{_dashed(topic)}")

    def about_fact(self, fact: str) -> Msg:
        """What a fact tells: the message ``<game>.fact.<name>``."""
        return Msg(f"{self.name}.fact.{_dashed(fact)}")

    def explain(self, card: str) -> tuple[Msg, ...]:
        """What there is to say about a card, most important first."""
        return ()

    def phrase(self, answer: Answer) -> str:
        """The line to type for ``answer``. The inverse of ``parse``."""
        head = f"{answer.verb} {answer.target}".strip()
        if answer.verb == "choose" and not answer.picks:
            return f"{head} none"
        if not answer.picks:
            return head
        joiner = " with " if answer.target else " "
        return head + joiner + ", ".join(answer.picks)

    def menu(self, prompt: Prompt) -> list[str]:
        """A line for each move of ``prompt``: a command, ``/`` between alternative picks."""
        return [self._menu_line(move) for move in prompt.moves]

    def _menu_line(self, move: Move) -> str:
        first = next(move.answers(), None)
        if first is None or move.pick is None:
            return self.phrase(Answer(move.verb, move.target))
        if move.pick.high == 1:
            line, *others = [self.phrase(answer) for answer in move.answers()]
            skip = len(line) - len(first.picks[0]) if first.picks else len(move.verb) + 1
            return " / ".join([line, *(other[skip:] for other in others)])
        return self.phrase(first)

    # --- for bots that search -----------------------------------------------------------------

    horizon: ClassVar[int] = 2
    """How often a question comes back to its seat before ``worth`` judges what was played on; 0:
    as soon as it can."""

    def imagine(self, view: Document, rng: Rng) -> S | None:
        """A whole state between two steps that agrees with a seat's view; all that it does
        not tell is dealt by chance. None: the game does not offer it."""
        return None

    def shortlist(self, view: Document, prompt: Prompt) -> Sequence[Answer]:
        """The answers worth trying. Here: the first few of each move."""
        return [answer for move in prompt.moves for answer in islice(move.answers(), 8)]

    def hunch(self, state: S, prompt: Prompt, rng: Rng) -> Answer | None:
        """A quick sensible answer, for playing on in an imagined world; None: any will do."""
        return None

    def worth(self, state: S, seat: int) -> float | None:
        """The chances of ``seat`` from 0 to 1, by estimate; None where they cannot be judged."""
        return None

    # --- options ------------------------------------------------------------------------------

    def document_options(self, doc: Document) -> Mapping[str, Any]:
        """Options that a position document states itself; those given with it count first."""
        return {}

    def read_options(self, raw: Mapping[str, Any]) -> Options:
        """``raw`` (strings as typed, or JSON values) completed with the defaults and checked.

        Raises BadOption with the option's name.
        """
        known = {option.name: option for option in self.options}
        for name in raw:
            if name not in known:
                raise BadOption(name, say("core.option.unknown", name=name, known=list(known)))
        options = {
            name: _read_option(option, raw[name]) if name in raw else option.default
            for name, option in known.items()
        }
        self.check_options(options)
        return options

    def check_options(self, options: Options) -> None:
        """Raise BadOption for values that do not go together."""

    def check_seats(self, seats: Sequence[str], options: Options) -> None:
        """Raise BadOption unless the game can be played by ``seats``."""
        counts = list(self.seat_counts(options))
        if len(seats) not in counts:
            raise BadOption("seats", say("core.option.seat-count", counts=counts))
        if len(set(map(str.casefold, seats))) != len(seats):
            raise BadOption("seats", say("core.option.seat-twice"))


def _read_option(option: Option, value: Any) -> Any:
    reader = {
        "word": _read_word,
        "words": _read_words,
        "flag": _read_flag,
        "number": _read_number,
        "names": _read_names,
    }[option.kind]
    return reader(option, value)


def _bad(option: Option, value: Any) -> BadOption:
    words = ["yes", "no"] if option.kind == "flag" else list(option.words)
    values = {"name": option.name, "value": str(value)}
    if words:
        return BadOption(option.name, say("core.option.value", **values, words=words))
    return BadOption(option.name, say(f"core.option.no-{option.kind}", **values))


def _read_word(option: Option, value: Any) -> str:
    for word in option.words:
        if isinstance(value, str) and grammar.key(value) == grammar.key(word):
            return word
    raise _bad(option, value)


def _read_words(option: Option, value: Any) -> list[str]:
    words = [_read_word(option, item) for item in _read_names(option, value)]
    if not words or len(set(words)) != len(words):
        raise _bad(option, value)
    return words


def _read_names(option: Option, value: Any) -> list[str]:
    if isinstance(value, str):
        return [] if grammar.key(value) == "none" else grammar.items(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return list(value)
    raise _bad(option, value)


def _read_flag(option: Option, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
    if isinstance(value, str) and value.casefold() in words:
        return words[value.casefold()]
    raise _bad(option, value)


def _read_number(option: Option, value: Any) -> int | None:
    if value is None or (isinstance(value, str) and value.casefold() == "none"):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _bad(option, value)


def _dashed(name: str) -> str:
    """A name as part of a message id."""
    return name.replace(" ", "-").replace("_", "-")


def refuse_idle(prompt: Prompt) -> None:
    """Raise Illegal if the seat is asked nothing (a prompt without moves)."""
    if not prompt.moves:
        raise Illegal(say("core.refusal.not-asked"))
