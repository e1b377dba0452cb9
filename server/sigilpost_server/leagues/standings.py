"""Points, tie-breaks and tables. See ``docs/leagues.md`` for each tie-break in words.

Points are exact fractions: those who tie in a game share the points of the places they take.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams, TieBreak
from sigilpost_server.leagues.state import Entrant, Fixture, How, Season, Status


@dataclass(frozen=True)
class Row:
    """A line of the table. ``rank`` counts from 1; ``breaks`` are the tie-breaks' values."""

    rank: int
    entrant: Entrant
    points: Fraction
    played: int
    wins: int
    draws: int
    losses: int
    breaks: tuple[Fraction, ...]


def sides(rules: LeagueRules, fixture: Fixture) -> list[tuple[int, ...]]:
    """The entrants of a fixture by side: each alone, but for changing partners."""
    e = fixture.entrants
    if rules.teams is Teams.CHANGING and len(e) == 4:
        return [(e[0], e[2]), (e[1], e[3])]
    return [(entrant,) for entrant in e]


def points_of(rules: LeagueRules, fixture: Fixture) -> dict[int, Fraction]:
    """What each entrant of a fixture with a result got."""
    if fixture.status is not Status.DONE:
        return {}
    if fixture.how is How.BYE:
        return {fixture.entrants[0]: Fraction(rules.points[0])}
    place = dict(zip(fixture.entrants, fixture.places, strict=True))
    parties = sides(rules, fixture)
    at = [place[side[0]] for side in parties]
    found: dict[int, Fraction] = {}
    for side, mine in zip(parties, at, strict=True):
        ahead, level = sum(p < mine for p in at), at.count(mine)
        worth = Fraction(sum(rules.points[ahead : ahead + level]), level)
        found |= dict.fromkeys(side, worth)
    return found | dict.fromkeys(fixture.absent, Fraction(0))


class Table:
    """The counted results of one division, and everything that tie-breaks ask of them."""

    def __init__(self, rules: LeagueRules, season: Season, division: int) -> None:
        self.rules, self.season, self.division = rules, season, division
        self.members = [e for e in season.entrants if e.division == division]
        self.points: dict[int, Fraction] = {e.number: Fraction(0) for e in self.members}
        self.results: list[tuple[Fixture, dict[int, Fraction]]] = []
        for fixture in season.of_division(division):
            got = points_of(rules, fixture)
            if got:
                self.results.append((fixture, got))
            for entrant, worth in got.items():
                self.points[entrant] += worth
        for adjustment in season.adjustments:
            if adjustment.entrant in self.points:
                self.points[adjustment.entrant] += adjustment.points

    def of(self, entrant: int) -> Iterable[tuple[Fixture, dict[int, Fraction]]]:
        """The results of an entrant."""
        return ((fixture, got) for fixture, got in self.results if entrant in got)

    def opponents(self, entrant: int) -> list[int]:
        """Whom an entrant met, as often as it did."""
        found: list[int] = []
        for fixture, _ in self.of(entrant):
            for side in sides(self.rules, fixture):
                if entrant not in side:
                    found += side
        return found

    def record(self, entrant: int) -> tuple[int, int, int]:
        """Games won, drawn (a place shared with all others) and not won."""
        wins = draws = losses = 0
        for fixture, _ in self.of(entrant):
            if fixture.how is How.BYE:
                continue
            mine = fixture.places[fixture.entrants.index(entrant)]
            others = [
                fixture.places[fixture.entrants.index(side[0])]
                for side in sides(self.rules, fixture)
                if entrant not in side
            ]
            if all(mine < other for other in others):
                wins += 1
            elif mine == 1:
                draws += 1
            else:
                losses += 1
        return wins, draws, losses


Value = Callable[[Table, int, Sequence[int]], Fraction]
"""A tie-break: the value of an entrant among those of equal points; more is better."""


def _head_to_head(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    """Points from games in which it met one of them, for each opponent among them."""
    total = Fraction(0)
    for fixture, got in table.of(entrant):
        rivals = [
            side[0]
            for side in sides(table.rules, fixture)
            if entrant not in side and any(member in tied for member in side)
        ]
        if rivals:
            total += got[entrant]
    return total


def _wins(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    return Fraction(table.record(entrant)[0])


def _sonneborn_berger(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    """The points of all opponents, each times the share of points that was won against it."""
    best = table.rules.points[0] or 1
    total = Fraction(0)
    for fixture, got in table.of(entrant):
        for side in sides(table.rules, fixture):
            if entrant not in side:
                total += sum(table.points[e] for e in side) * got[entrant] / best
    return total


def _buchholz(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    return sum((table.points[e] for e in table.opponents(entrant)), Fraction(0))


def _buchholz_cut(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    met = sorted(table.points[e] for e in table.opponents(entrant))
    return sum(met[1:], Fraction(0))


def _score(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    """The game's own scores, summed."""
    return Fraction(
        sum(
            fixture.scores[fixture.entrants.index(entrant)]
            for fixture, _ in table.of(entrant)
            if fixture.scores
        )
    )


def _seed(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    return Fraction(-table.season.entrant(entrant).seed)


def lot(season: Season, entrant: Entrant) -> int:
    """The entrant's lot: 32 bits that nobody chose, the same for ever."""
    text = f"{season.lots} {season.number} {entrant.players}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def _lots(table: Table, entrant: int, tied: Sequence[int]) -> Fraction:
    return Fraction(lot(table.season, table.season.entrant(entrant)))


VALUES: dict[TieBreak, Value] = {
    TieBreak.HEAD_TO_HEAD: _head_to_head,
    TieBreak.WINS: _wins,
    TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
    TieBreak.BUCHHOLZ: _buchholz,
    TieBreak.BUCHHOLZ_CUT: _buchholz_cut,
    TieBreak.SCORE: _score,
    TieBreak.SEED: _seed,
    TieBreak.LOTS: _lots,
}


def ranking(rules: LeagueRules, season: Season, division: int) -> list[Row]:
    """The table of a division, best first; who withdrew comes last."""
    table = Table(rules, season, division)
    inside = [e.number for e in table.members if e.active]
    outside = [e.number for e in table.members if not e.active]
    order = [*_ordered(table, inside), *_ordered(table, outside)]
    return [_row(table, entrant, rank) for rank, entrant in enumerate(order, 1)]


def _ordered(table: Table, entrants: list[int]) -> list[int]:
    kind = table.rules.format.kind
    if kind is Kind.LADDER:
        return sorted(entrants, key=_at(table.season.divisions[table.division].order))
    if kind is Kind.KNOCKOUT:
        entrants = sorted(entrants, key=lambda e: -_reached(table, e))
        return _grouped(table, entrants, lambda e: Fraction(_reached(table, e)))
    return _grouped(table, entrants, lambda e: table.points[e])


def _at(order: list[int]) -> Callable[[int], int]:
    place = {entrant: at for at, entrant in enumerate(order)}
    return lambda entrant: place.get(entrant, len(place))


def _reached(table: Table, entrant: int) -> int:
    """The last round of a knockout that the entrant was drawn for; its winner one more."""
    rounds = [f.round for f in table.season.of_division(table.division) if entrant in f.entrants]
    won = table.season.divisions[table.division].winner == entrant
    return max(rounds, default=0) + won


def _grouped(table: Table, entrants: list[int], value: Callable[[int], Fraction]) -> list[int]:
    groups: dict[Fraction, list[int]] = defaultdict(list)
    for entrant in entrants:
        groups[value(entrant)].append(entrant)
    found = []
    for worth in sorted(groups, reverse=True):
        found += _broken(table, groups[worth], table.rules.tiebreaks)
    return found


def _broken(table: Table, tied: list[int], breaks: Sequence[TieBreak]) -> list[int]:
    """Those of equal points, in order: each tie-break decides among those still equal."""
    if len(tied) < 2 or not breaks:
        return tied
    value = VALUES[breaks[0]]
    groups: dict[Fraction, list[int]] = defaultdict(list)
    for entrant in tied:
        groups[value(table, entrant, tied)].append(entrant)
    found = []
    for worth in sorted(groups, reverse=True):
        found += _broken(table, groups[worth], breaks[1:])
    return found


def _row(table: Table, number: int, rank: int) -> Row:
    wins, draws, losses = table.record(number)
    entrant = table.season.entrant(number)
    equal = [e.number for e in table.members if table.points[e.number] == table.points[number]]
    shown = [b for b in table.rules.tiebreaks if b not in (TieBreak.LOTS, TieBreak.SEED)]
    breaks = tuple(VALUES[b](table, number, equal) for b in shown)
    played = wins + draws + losses
    return Row(rank, entrant, table.points[number], played, wins, draws, losses, breaks)


def shown(points: Fraction) -> str:
    """Points as people write them: ``7``, ``4.5``, ``2.33``."""
    if points.denominator == 1:
        return str(points.numerator)
    return f"{float(points):.2f}".rstrip("0")
