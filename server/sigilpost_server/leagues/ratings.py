"""Ratings: Plackett-Luce by ``openskill`` (Weng and Lin 2011), for two players, several, teams.

A *pool* is a game and its mode (``weaver``, ``tome/duel``); a player has a rating in each. A
rating is a mean and a deviation; who stays away gets less certain, never better or worse. Ratings
follow from the results in the order of their numbers and from nothing else: :func:`recompute`
gives the very numbers that were reached step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from openskill.models import PlackettLuce

MEAN, DEVIATION = 25.0, 25.0 / 3.0
"""A newcomer's, as openskill has them."""

PROVISIONAL = 8
"""With fewer rated games a rating is provisional."""

DRIFT = 0.2
"""The deviation that a week of absence adds, as a root of squares."""

ACTIVE = 28 * 86_400
"""Absences of up to so many seconds add nothing."""

_POINTS, _CENTRE = 48, 1500  # shown: 200 points apart wins about three games of four


class Rating(NamedTuple):
    """A player's skill in a pool: ``games`` rated so far, ``last`` the time of the last."""

    mean: float = MEAN
    deviation: float = DEVIATION
    games: int = 0
    last: int = 0

    @property
    def provisional(self) -> bool:
        """Whether too few games are behind it."""
        return self.games < PROVISIONAL

    @property
    def shown(self) -> int:
        """The number that people see: 1500 is a newcomer's."""
        return round(_CENTRE + _POINTS * (self.mean - MEAN))

    @property
    def margin(self) -> int:
        """Two deviations: with 95 % certainty the skill is so near to what is shown."""
        return round(2 * _POINTS * self.deviation)

    @property
    def careful(self) -> float:
        """What the skill surely is at least: for seeds, and for entry by rating."""
        return _CENTRE + _POINTS * (self.mean - 2 * self.deviation - MEAN)


class Rated(NamedTuple):
    """A result to rate. ``sides`` are the players of each side, ``places`` where each came."""

    pool: str
    number: int
    ended: int
    sides: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]


Ratings = dict[tuple[str, int], Rating]
"""By pool and player."""


def pool_of(game: str, options: Mapping[str, object]) -> str:
    """The pool of a game with these options."""
    mode = options.get("mode")
    return f"{game}/{mode}" if isinstance(mode, str) else game


def counts(forfeited: bool, moves: int) -> bool:
    """Whether a result is rated: not if somebody gave up before making a single move."""
    return not forfeited or moves > 0


def rate(result: Rated, before: Mapping[int, Rating]) -> dict[int, Rating]:
    """The ratings after a result; whom ``before`` does not name is a newcomer.

    Raises ValueError for fewer than two sides.
    """
    if len(result.sides) < 2 or len(result.sides) != len(result.places):
        raise ValueError("a result needs two sides, and a place for each")
    model = _model()
    teams = [
        [_aged(before.get(player, Rating()), result.ended) for player in side]
        for side in result.sides
    ]
    asked = [[model.rating(r.mean, r.deviation) for r in side] for side in teams]
    given = model.rate(asked, ranks=[float(place) for place in result.places])
    return {
        player: Rating(new.mu, new.sigma, old.games + 1, result.ended)
        for side, olds, news in zip(result.sides, teams, given, strict=True)
        for player, old, new in zip(side, olds, news, strict=True)
    }


def now(rating: Rating, moment: int) -> Rating:
    """The rating at a later moment: less certain after an absence."""
    return _aged(rating, moment)


def recompute(results: Iterable[Rated]) -> Ratings:
    """All ratings, from all results, in order of their numbers within each pool."""
    found: Ratings = {}
    for result in sorted(results, key=lambda each: (each.pool, each.number)):
        players = [player for side in result.sides for player in side]
        before = {p: found[result.pool, p] for p in players if (result.pool, p) in found}
        for player, rating in rate(result, before).items():
            found[result.pool, player] = rating
    return found


def _aged(rating: Rating, moment: int) -> Rating:
    away = moment - rating.last - ACTIVE
    if not rating.games or away <= 0:
        return rating
    weeks = away / 604_800
    deviation = min(DEVIATION, (rating.deviation**2 + DRIFT**2 * weeks) ** 0.5)
    return rating._replace(deviation=max(deviation, rating.deviation))


@cache
def _model() -> PlackettLuce:
    return PlackettLuce(mu=MEAN, sigma=DEVIATION)
