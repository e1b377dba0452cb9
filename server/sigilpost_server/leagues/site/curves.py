"""Rating curves as SVG: one small picture for a player, all of a pool on the same scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sigilpost_server.leagues import ratings
from sigilpost_server.leagues.ratings import Rated, Rating

WIDTH, HEIGHT = 320, 96
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 8, 18


class Point(NamedTuple):
    """A rating after a game: the moment, what is shown, and its margin."""

    moment: int
    rating: int
    margin: int


class Scale(NamedTuple):
    """The limits of all curves of a pool."""

    begin: int
    end: int
    low: int
    high: int

    def x(self, moment: int) -> float:
        """The place of a moment."""
        span = max(1, self.end - self.begin)
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (moment - self.begin) / span

    def y(self, rating: float) -> float:
        """The place of a rating, from the top."""
        span = max(1, self.high - self.low)
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (self.high - rating) / span


class Curve(NamedTuple):
    """What a picture is made of: SVG coordinates as text, and the figures beside it."""

    line: str
    band: str
    dots: tuple[tuple[str, str], ...]
    ticks: tuple[tuple[str, int], ...]
    last: Point


def histories(results: Iterable[Rated]) -> dict[str, dict[int, list[Point]]]:
    """Every player's ratings after each game, by pool and player."""
    now: ratings.Ratings = {}
    found: dict[str, dict[int, list[Point]]] = {}
    for result in sorted(results, key=lambda each: (each.pool, each.number)):
        players = [player for side in result.sides for player in side]
        before = {p: now[result.pool, p] for p in players if (result.pool, p) in now}
        for player, rating in ratings.rate(result, before).items():
            now[result.pool, player] = rating
            points = found.setdefault(result.pool, {}).setdefault(player, [])
            points.append(_point(rating))
    return found


def _point(rating: Rating) -> Point:
    return Point(rating.last, rating.shown, rating.margin)


def scale(curves: Iterable[Sequence[Point]]) -> Scale:
    """The scale that holds all curves, in whole hundreds."""
    points = [point for curve in curves for point in curve]
    low = min(point.rating - point.margin // 2 for point in points)
    high = max(point.rating + point.margin // 2 for point in points)
    moments = [point.moment for point in points]
    return Scale(min(moments), max(moments), low // 100 * 100, -(-high // 100) * 100)


def curve(points: Sequence[Point], to: Scale) -> Curve:
    """One player's picture. The band is one deviation to both sides."""
    line = " ".join(_at(to, p.moment, p.rating) for p in points)
    upper = [_at(to, p.moment, p.rating + p.margin / 2) for p in points]
    lower = [_at(to, p.moment, p.rating - p.margin / 2) for p in reversed(points)]
    dots = tuple((f"{to.x(p.moment):.1f}", f"{to.y(p.rating):.1f}") for p in points)
    middle = (to.low + to.high) // 200 * 100
    ticks = tuple((f"{to.y(each):.1f}", each) for each in dict.fromkeys((to.low, middle, to.high)))
    return Curve(line, " ".join([*upper, *lower]), dots, ticks, points[-1])


def _at(to: Scale, moment: int, rating: float) -> str:
    return f"{to.x(moment):.1f},{to.y(rating):.1f}"
