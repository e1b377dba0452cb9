"""Rating curves as SVG: one small picture for a player, ratings of a pool on the same scale.

A curve goes from game to game, not from day to day: so a season of three games shows as much as
one of thirty, and games that end together lie beside each other. It begins where everybody does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sigilpost_server.leagues import ratings
from sigilpost_server.leagues.ratings import Rated, Rating

WIDTH, HEIGHT = 320, 150
LEFT, RIGHT, TOP, BOTTOM = 42, 310, 22, 122
"""The limits of the curve within the picture; beyond them are the axes' labels."""

_TICKS = 5
"""About so many labels on an axis."""

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


class Point(NamedTuple):
    """A rating after a game: the moment, what is shown, and its margin."""

    moment: int
    rating: int
    margin: int


BEGINNING = Point(0, Rating().shown, Rating().margin)
"""Where everybody begins, before any game."""


class Scale(NamedTuple):
    """The ratings at the bottom and at the top of all curves of a pool."""

    low: int
    high: int

    def y(self, rating: float) -> float:
        """The place of a rating, from the top of the picture; what lies beyond is at the rim."""
        inside = min(max(rating, self.low), self.high)
        return TOP + (BOTTOM - TOP) * (self.high - inside) / (self.high - self.low)


class Dot(NamedTuple):
    """A rating after so many games, and where it is in the picture."""

    x: str
    y: str
    games: int
    point: Point


class Tick(NamedTuple):
    """A label of an axis, and its place along it."""

    at: str
    value: int


class Curve(NamedTuple):
    """What a picture is made of: SVG coordinates as text. The first dot is the beginning."""

    line: str
    band: str
    dots: tuple[Dot, ...]
    radius: int
    base: str
    """The height of the beginning."""
    ratings: tuple[Tick, ...]
    games: tuple[Tick, ...]


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
    """The scale of a pool: every rating is well within it. Bands of newcomers are wider."""
    shown = [BEGINNING.rating, *(point.rating for curve in curves for point in curve)]
    return Scale((min(shown) - 60) // 100 * 100, -(-(max(shown) + 60) // 100) * 100)


def curve(points: Sequence[Point], to: Scale) -> Curve:
    """One player's picture, from the beginning on. The band is one deviation to both sides."""
    all_points = (BEGINNING, *points)
    places = [LEFT + (RIGHT - LEFT) * n / len(points) for n in range(len(all_points))]
    dots = tuple(
        Dot(f"{x:.1f}", f"{to.y(point.rating):.1f}", games, point)
        for games, (x, point) in enumerate(zip(places, all_points, strict=True))
    )
    around = list(zip(places, all_points, strict=True))
    upper = [f"{x:.1f},{to.y(p.rating + p.margin / 2):.1f}" for x, p in around]
    lower = [f"{x:.1f},{to.y(p.rating - p.margin / 2):.1f}" for x, p in reversed(around)]
    return Curve(
        " ".join(f"{dot.x},{dot.y}" for dot in dots),
        " ".join([*upper, *lower]),
        dots,
        3 if len(points) <= 30 else 2 if len(points) <= 80 else 1,
        f"{to.y(BEGINNING.rating):.1f}",
        tuple(Tick(f"{to.y(value):.1f}", value) for value in _labels(to.low, to.high)),
        tuple(Tick(f"{places[games]:.1f}", games) for games in _labels(0, len(points))),
    )


def _labels(low: int, high: int) -> range:
    """Round numbers from ``low`` to ``high``, about as many as an axis can hold."""
    step = next((s for s in _STEPS if (high - low) / s <= _TICKS), _STEPS[-1])
    return range(-(-low // step) * step, high + 1, step)
