"""The state of a game, and the plain questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sigilpost_engine.core.game import Options
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.spells import Book, F

HAND = 6
"""Spells dealt to each player, and chapters of a round: the Element Deck has as many."""

CHAPTERS = 6
HEALTH = 2
NOBODY = -1

ON_A_CHAPTER = {"team": 1, "duel": 2, "survival": 1}
"""How many spells each player plays on a chapter, by mode."""


@dataclass(slots=True)
class Played:
    """A spell on the chapter. ``power`` and ``element`` are its values without constants: printed,
    then changed by activated effects."""

    by: int
    spell: str
    power: int
    element: str
    silenced: bool = False


@dataclass(slots=True)
class Due:
    """An effect of the present timing that has not had its turn. ``timing``: one of TIMINGS."""

    spell: str
    timing: str


@dataclass(slots=True)
class Laid:
    """A spell in the pile of those played: ``chapter`` 0 where nobody wrote it down."""

    spell: str
    by: int = NOBODY
    chapter: int = 0


@dataclass(slots=True)
class State:
    """A game between two steps.

    ``phase``: what comes next when no effect is due: ``draft``, ``deal``, ``open`` (a chapter),
    ``play``, ``judge`` (effects before judging have begun), ``score`` (the chapter is judged),
    ``over``. ``played`` is the chapter in play order, ``pile`` the spells of earlier chapters,
    ``aside`` what lies face down and was never played: covered Title Spells, discarded hands.
    ``chain`` is the Element of the Chain begun this chapter, "" before one. ``score`` is by side.
    ``health`` is empty but in survival. ``sets`` maps each set to the version begun with.
    """

    rng: Rng
    seats: list[str]
    mode: str
    easy: bool
    sets: dict[str, str]
    elements: list[str]
    phase: str = "draft"
    dealer: int = NOBODY
    leader: int = 0
    turn: int = 0
    round: int = 0
    chapter: int = 0
    title: str = ""
    title_element: str = ""
    chain: str = ""
    chain_broken: bool = False
    strongest: int = NOBODY
    weakest: int = NOBODY
    hands: list[list[str]] = field(default_factory=list)
    element_deck: list[str] = field(default_factory=list)
    draw_deck: list[str] = field(default_factory=list)
    played: list[Played] = field(default_factory=list)
    due: list[Due] = field(default_factory=list)
    pile: list[Laid] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    score: list[int] = field(default_factory=list)
    health: list[int] = field(default_factory=list)
    _book: Book | None = field(default=None, compare=False, repr=False)

    @classmethod
    def new(cls, seats: Sequence[str], options: Options, key: bytes) -> State:
        """An empty table; the first steps choose the Elements and deal."""
        survival = options["mode"] == "survival"
        state = cls(
            rng=Rng(key),
            seats=list(seats),
            mode=options["mode"],
            easy=options["easy"],
            sets=sets.newest(options["sets"]),
            elements=[],
            hands=[[] for _ in seats],
            health=[HEALTH] * len(seats) if survival else [],
        )
        state.score = [0] * (2 if state.mode == "team" else len(seats))
        if draft_is_settled(state.book, len(seats)):
            state.elements = [*state.book.basics, *state.book.specials]
            state.phase = "deal"
        return state

    @property
    def book(self) -> Book:
        """The sets that this game was begun with. Raises UnknownVersion."""
        return self.bind() if self._book is None else self._book

    def bind(self) -> Book:
        """Find the sets, in the versions begun with. Raises UnknownVersion.

        A game that is over goes on in no way: any version of its sets serves to look at it.
        """
        if self._book is None:
            over = self.phase == "over"
            self._book = sets.book(sets.newest(list(self.sets)) if over else self.sets)
        return self._book


def basics_needed(seats: int) -> int:
    """How many Basic Elements make the deck: 4 for two players, 3 for three, 4 for four."""
    return 3 if seats == 3 else 4


def draft_is_settled(book: Book, seats: int) -> bool:
    """Whether there are no more Elements on offer than the deck takes."""
    return len(book.basics) == basics_needed(seats) and len(book.specials) == 1


def side_of(s: State, seat: int) -> int:
    """The number of the side that ``seat`` is on, as in ``score``: a team, or the player alone."""
    return seat % 2 if s.mode == "team" else seat


def members(s: State, side: int) -> list[int]:
    """The seats of a side."""
    return [seat for seat in range(len(s.seats)) if side_of(s, seat) == side]


def is_in(s: State, seat: int) -> bool:
    """Whether ``seat`` takes part in this round (survival: has health left)."""
    return not s.health or s.health[seat] > 0


def those_in(s: State) -> list[int]:
    """The seats that take part in this round, in seat order."""
    return [seat for seat in range(len(s.seats)) if is_in(s, seat)]


def next_to_play(s: State, after: int) -> int:
    """The first seat clockwise after ``after`` that has still to play on this chapter and holds
    a spell; NOBODY if none has."""
    seats = len(s.seats)
    each = ON_A_CHAPTER[s.mode]
    for step in range(1, seats + 1):
        seat = (after + step) % seats
        if s.hands[seat] and is_in(s, seat):
            plays = 0
            for spell in s.played:
                if spell.by == seat:
                    plays += 1
            if plays < each:
                return seat
    return NOBODY


def on_chapter(s: State, name: str) -> Played | None:
    """The spell of that name on the chapter, if it lies there."""
    for spell in s.played:
        if spell.spell == name:
            return spell
    return None


def shown(power: int) -> int | str:
    """A Power as people read it."""
    return "F" if power == F else power
