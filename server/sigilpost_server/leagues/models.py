"""The tables of leagues, offers, ratings and reliability. Times are whole seconds of Unix time.

``models`` makes them part of the one schema; every change needs a migration.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import BigInteger, Double, Integer, Table, Text
from sqlmodel import Field, SQLModel

_ID: Any = BigInteger().with_variant(Integer, "sqlite")
_TIME: Any = BigInteger
_TEXT: Any = Text
_DOUBLE: Any = Double


def _id() -> Any:
    return Field(default=None, primary_key=True, sa_type=_ID)


def _ref(target: str, *, primary: bool = False, index: bool = False, null: bool = False) -> Any:
    return Field(foreign_key=target, primary_key=primary, index=index, sa_type=_ID, nullable=null)


class League(SQLModel, table=True):
    """A league. ``file`` is its file as given, ``rules`` what it says as JSON.

    ``season`` is the number of the running season, ``seq`` counts changes, ``lots`` is what lots
    are drawn from: fixed when the league is made.
    """

    id: int | None = _id()
    name: str = Field(unique=True)
    status: str
    file: str = Field(sa_type=_TEXT)
    rules: str = Field(sa_type=_TEXT)
    season: int
    seq: int = 0
    lots: str
    created: int = Field(sa_type=_TIME)


class LeagueSeason(SQLModel, table=True):
    """A season: its rules and its state (``leagues.state.Season``) as JSON."""

    __tablename__ = "league_season"

    league_id: int = _ref("league.id", primary=True)
    number: int = Field(primary_key=True)
    rules: str = Field(sa_type=_TEXT)
    state: str = Field(sa_type=_TEXT)


class LeagueGame(SQLModel, table=True):
    """Which fixture a game is."""

    __tablename__ = "league_game"

    game_id: int = _ref("game.id", primary=True)
    league_id: int = _ref("league.id", index=True)
    season: int
    fixture: int


class LeagueAudit(SQLModel, table=True):
    """What was done by whom, and why: never changed, never deleted."""

    __tablename__ = "league_audit"

    id: int | None = _id()
    league_id: int = _ref("league.id", index=True)
    moment: int = Field(sa_type=_TIME)
    who: str
    act: str
    why: str = Field(sa_type=_TEXT)
    detail: str = Field(sa_type=_TEXT)


class Offer(SQLModel, table=True):
    """A proposed game with free places, ``seats`` in all, for whoever comes up to it."""

    game_id: int = _ref("game.id", primary=True)
    seats: int
    rating: int = 0
    reliability: int = 0


class RatingPool(SQLModel, table=True):
    """A pool of ratings; ``results`` numbers its results without gaps, in order of commit."""

    __tablename__ = "rating_pool"

    pool: str = Field(primary_key=True)
    results: int


class RatedResult(SQLModel, table=True):
    """A result that was rated: sides (lists of player ids) and their places, as JSON."""

    __tablename__ = "rated_result"

    pool: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    game_id: int = Field(foreign_key="game.id", unique=True, sa_type=_ID)
    ended: int = Field(sa_type=_TIME)
    sides: str = Field(sa_type=_TEXT)
    places: str = Field(sa_type=_TEXT)


class PlayerRating(SQLModel, table=True):
    """A player's rating in a pool."""

    __tablename__ = "player_rating"

    pool: str = Field(primary_key=True)
    player_id: int = _ref("player.id", primary=True)
    mean: float = Field(sa_type=_DOUBLE)
    deviation: float = Field(sa_type=_DOUBLE)
    games: int
    last: int = Field(sa_type=_TIME)


class PlayerMark(SQLModel, table=True):
    """A deadline missed or a game finished: at most one of a kind for a game and a moment."""

    __tablename__ = "player_mark"

    player_id: int = _ref("player.id", primary=True)
    what: str = Field(primary_key=True)
    moment: int = Field(primary_key=True, sa_type=_TIME)
    game_id: int = _ref("game.id", primary=True)


def _table(model: type[SQLModel]) -> Table:
    return cast(Table, cast(Any, model).__table__)


leagues = _table(League)
league_seasons = _table(LeagueSeason)
league_games = _table(LeagueGame)
league_audits = _table(LeagueAudit)
offers = _table(Offer)
rating_pools = _table(RatingPool)
rated_results = _table(RatedResult)
player_ratings = _table(PlayerRating)
player_marks = _table(PlayerMark)
