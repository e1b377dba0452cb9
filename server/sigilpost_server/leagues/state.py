"""A season as plain data: what ``season`` changes, ``standings`` reads and the database keeps.

Everything here goes to JSON and back through ``sigilpost_engine.core.codec``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

SCHEMA = 1


class Phase(StrEnum):
    """Where a season stands."""

    ENTRY = "entry"
    PLAYING = "playing"
    ENDED = "ended"


class Status(StrEnum):
    """Where a fixture stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    VOID = "void"
    """It does not count and will not be played."""


class How(StrEnum):
    """How a fixture got its result."""

    PLAYED = "played"
    FORFEITED = "forfeited"
    """Somebody gave up, was late for good, or never came."""
    SHARED = "shared"
    """It could not be played: whoever was still in shares the points."""
    BYE = "bye"
    AWARDED = "awarded"
    """By the director."""


@dataclass
class Entrant:
    """A player, or a team of players, in one season. ``number`` is its own in the season."""

    number: int
    name: str
    players: tuple[int, ...]
    entered: int
    division: int = 0
    seed: int = 0
    left: int | None = None
    """When it withdrew; its results may be annulled then."""
    annulled: bool = False

    @property
    def active(self) -> bool:
        """Whether it is still in."""
        return self.left is None


@dataclass
class Fixture:
    """A game to be played. ``entrants`` come in seat order (of two teams: the first seat's first).

    ``places`` has each entrant's place (1 is best, ties share the better number), ``scores`` the
    game's own scores if it has any. ``line`` is the fixture's place in a knockout's round.
    """

    number: int
    division: int
    round: int
    entrants: tuple[int, ...]
    status: Status = Status.WAITING
    game: str = ""
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    how: How | None = None
    started: int = 0
    ended: int = 0
    line: int = 0
    note: str = ""
    absent: tuple[int, ...] = ()
    """Who never came to it: they get nothing, whatever their place."""

    @property
    def open(self) -> bool:
        """Whether it still has to get a result."""
        return self.status in (Status.WAITING, Status.RUNNING)


@dataclass
class Division:
    """A competition of its own. ``round`` is the last one drawn, ``ended`` the last one over."""

    name: str
    round: int = 0
    rounds: int = 0
    """How many there will be; 0: not known before the end (knockout, ladder)."""
    ended: int = 0
    order: list[int] = field(default_factory=list)
    """A ladder's order, and the seeds of everything else: entrants' numbers, best first."""
    winner: int | None = None
    """A knockout's, once it is known."""
    over: bool = False


class Adjustment(NamedTuple):
    """Points given or taken by the director."""

    entrant: int
    points: int
    why: str


class Wish(NamedTuple):
    """A player's wish to enter with these players (ids, its own among them, ascending)."""

    player: int
    team: tuple[int, ...]


@dataclass
class Season:
    """All of a season. ``lots`` is the text that lots are drawn from."""

    number: int
    opened: int
    closes: int
    lots: str
    phase: Phase = Phase.ENTRY
    announced: bool = False
    """Whether those who are in were told that entry is open."""
    started: int = 0
    ended: int = 0
    schema: int = SCHEMA
    entrants: list[Entrant] = field(default_factory=list)
    divisions: list[Division] = field(default_factory=list)
    fixtures: list[Fixture] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    """Of fixed teams that are not complete: each member has to name the others."""

    def entrant(self, number: int) -> Entrant:
        """The entrant of a number. Raises KeyError."""
        if not 1 <= number <= len(self.entrants):
            raise KeyError(number)
        return self.entrants[number - 1]

    def fixture(self, number: int) -> Fixture:
        """The fixture of a number. Raises KeyError."""
        if not 1 <= number <= len(self.fixtures):
            raise KeyError(number)
        return self.fixtures[number - 1]

    def entrant_of(self, player: int) -> Entrant | None:
        """The entrant that a player is, or plays for, and that is still in."""
        return next((e for e in self.entrants if e.active and player in e.players), None)

    def active(self, division: int | None = None) -> list[Entrant]:
        """Who is still in, in a division or in all."""
        return [e for e in self.entrants if e.active and division in (None, e.division)]

    def of_division(self, division: int) -> list[Fixture]:
        """A division's fixtures."""
        return [f for f in self.fixtures if f.division == division]

    def add(self, division: int, round_: int, entrants: tuple[int, ...], line: int = 0) -> Fixture:
        """Draw a fixture."""
        fixture = Fixture(len(self.fixtures) + 1, division, round_, entrants, line=line)
        self.fixtures.append(fixture)
        return fixture
