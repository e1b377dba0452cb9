"""Leagues, ratings and reliability in the database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from sigilpost_engine.core import codec
from sigilpost_server.db import SomebodyWasQuicker
from sigilpost_server.leagues.models import (
    league_audits,
    league_games,
    league_seasons,
    leagues,
    player_marks,
    player_ratings,
    rated_results,
    rating_pools,
)
from sigilpost_server.leagues.ratings import Rated, Rating, Ratings
from sigilpost_server.leagues.reliability import Mark, What
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.state import Season
from sigilpost_server.models import GOING, games, players, seats
from sigilpost_server.transaction.rows import upsert


class LeagueStatus(StrEnum):
    """Where a league stands."""

    RUNNING = "running"
    PAUSED = "paused"
    ENDED = "ended"


def dumps(value: Any) -> str:
    """JSON text as it is stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Row:
    """A league as it is stored, its running season apart."""

    id: int
    name: str
    status: LeagueStatus
    file: str
    rules: LeagueRules
    season: int
    seq: int
    lots: str
    created: int


_ROW = [
    leagues.c[name]
    for name in ["id", "name", "status", "file", "rules", "season", "seq", "lots", "created"]
]


def find(db: Connection, name: str, *, lock: bool = True) -> Row | None:
    """A league by its name; ``lock`` keeps every other process from changing it meanwhile."""
    statement = select(*_ROW).where(leagues.c.name == name)
    row = db.execute(statement.with_for_update() if lock else statement).first()
    return _row(row) if row else None


def every(db: Connection) -> list[Row]:
    """All leagues, by name."""
    return [_row(row) for row in db.execute(select(*_ROW).order_by(leagues.c.name))]


def _row(row: Any) -> Row:
    rules = LeagueRules.model_validate_json(row.rules)
    return Row(
        row.id,
        row.name,
        LeagueStatus(row.status),
        row.file,
        rules,
        row.season,
        row.seq,
        row.lots,
        row.created,
    )


def add(db: Connection, rules: LeagueRules, file: str, lots: str, now: int) -> Row:
    """A new league, its first season not stored yet."""
    values = {
        "name": rules.name,
        "status": LeagueStatus.RUNNING,
        "file": file,
        "rules": rules.model_dump_json(),
        "season": 1,
        "seq": 0,
        "lots": lots,
        "created": now,
    }
    db.execute(leagues.insert().values(values))
    row = find(db, rules.name)
    assert row is not None
    return row


def save(db: Connection, row: Row) -> None:
    """Write a league, if it still is as it was read. Raises SomebodyWasQuicker."""
    done = db.execute(
        update(leagues)
        .where(leagues.c.id == row.id, leagues.c.seq == row.seq)
        .values(
            seq=row.seq + 1,
            status=row.status,
            file=row.file,
            rules=row.rules.model_dump_json(),
            season=row.season,
        )
    )
    if done.rowcount != 1:
        raise SomebodyWasQuicker(row.name)
    row.seq += 1


def season(db: Connection, league_id: int, number: int) -> tuple[Season, LeagueRules] | None:
    """A season and the rules that it is played by."""
    statement = select(league_seasons.c.state, league_seasons.c.rules).where(
        league_seasons.c.league_id == league_id, league_seasons.c.number == number
    )
    found = db.execute(statement).first()
    if found is None:
        return None
    state = codec.decode(Season, json.loads(found.state))
    return state, LeagueRules.model_validate_json(found.rules)


def save_season(db: Connection, league_id: int, state: Season, rules: LeagueRules) -> None:
    """Write a season."""
    values = {"rules": rules.model_dump_json(), "state": dumps(codec.encode(state))}
    statement = (
        upsert(db, league_seasons)
        .values(league_id=league_id, number=state.number, **values)
        .on_conflict_do_update(index_elements=["league_id", "number"], set_=values)
    )
    db.execute(statement)


# --- games ----------------------------------------------------------------------------------------


class Fixed(NamedTuple):
    """Which fixture a game is."""

    league: str
    season: int
    fixture: int


def add_game(db: Connection, game_id: int, league_id: int, season: int, fixture: int) -> None:
    """Note which fixture a game is."""
    db.execute(
        league_games.insert().values(
            game_id=game_id, league_id=league_id, season=season, fixture=fixture
        )
    )


def fixture_of(db: Connection, game_id: int) -> Fixed | None:
    """The fixture that a game is; None for a game of no league."""
    statement = (
        select(leagues.c.name, league_games.c.season, league_games.c.fixture)
        .select_from(league_games.join(leagues))
        .where(league_games.c.game_id == game_id)
    )
    row = db.execute(statement).first()
    return Fixed(*row) if row else None


def games_of_players(db: Connection, player_ids: Iterable[int]) -> dict[int, int]:
    """How many games that have not ended each of some players sits in."""
    statement = (
        select(seats.c.player_id, func.count())
        .select_from(seats.join(games))
        .where(seats.c.player_id.in_(list(player_ids)), games.c.status.in_(GOING))
        .group_by(seats.c.player_id)
    )
    return {row[0]: row[1] for row in db.execute(statement)}


class Person(NamedTuple):
    """A player, as letters need them."""

    id: int
    name: str
    address: str
    address_key: str
    language: str
    zone: str


_PERSON = [players.c[name] for name in Person._fields]


def people(db: Connection, player_ids: Iterable[int]) -> dict[int, Person]:
    """Some players by id."""
    statement = select(*_PERSON).where(players.c.id.in_(list(player_ids)))
    return {row.id: Person(*row) for row in db.execute(statement)}


def person_named(db: Connection, name_key: str) -> Person | None:
    """A player by name, whatever its case (see ``commands.names``)."""
    row = db.execute(select(*_PERSON).where(players.c.name_key == name_key)).first()
    return Person(*row) if row else None


# --- the audit ------------------------------------------------------------------------------------


class Act(NamedTuple):
    """A line of the audit."""

    moment: int
    who: str
    act: str
    why: str
    detail: str


def audit(db: Connection, league_id: int, act: Act) -> None:
    """Note what somebody did to a league, and why."""
    db.execute(league_audits.insert().values(league_id=league_id, **act._asdict()))


def audited(db: Connection, league_id: int) -> list[Act]:
    """All that was done to a league, oldest first."""
    columns = [league_audits.c[name] for name in Act._fields]
    statement = select(*columns).where(league_audits.c.league_id == league_id)
    return [Act(*row) for row in db.execute(statement.order_by(league_audits.c.id))]


# --- ratings --------------------------------------------------------------------------------------

_RATING = [player_ratings.c[name] for name in Rating._fields]


def ratings(db: Connection, pool: str, player_ids: Iterable[int]) -> dict[int, Rating]:
    """The ratings of some players in a pool; newcomers are not in it."""
    statement = select(player_ratings.c.player_id, *_RATING).where(
        player_ratings.c.pool == pool, player_ratings.c.player_id.in_(list(player_ids))
    )
    return {row[0]: Rating(*row[1:]) for row in db.execute(statement)}


def all_ratings(db: Connection) -> Ratings:
    """Every rating, by pool and player."""
    statement = select(player_ratings.c.pool, player_ratings.c.player_id, *_RATING)
    return {(row[0], row[1]): Rating(*row[2:]) for row in db.execute(statement)}


def next_result(db: Connection, pool: str) -> int:
    """The number of the next result of a pool. Whoever has it is alone at the pool until its
    transaction ends, so that numbers are in order of commit."""
    counted = rating_pools.c.results + 1
    statement = (
        upsert(db, rating_pools)
        .values(pool=pool, results=1)
        .on_conflict_do_update(index_elements=["pool"], set_={"results": counted})
        .returning(rating_pools.c.results)
    )
    return int(db.execute(statement).scalar_one())


def was_rated(db: Connection, game_id: int) -> bool:
    """Whether a game's result was rated."""
    statement = select(rated_results.c.number).where(rated_results.c.game_id == game_id)
    return db.execute(statement).first() is not None


def add_result(db: Connection, result: Rated, game_id: int, after: dict[int, Rating]) -> None:
    """A rated result, and the ratings that came of it."""
    db.execute(
        rated_results.insert().values(
            pool=result.pool,
            number=result.number,
            game_id=game_id,
            ended=result.ended,
            sides=dumps(result.sides),
            places=dumps(result.places),
        )
    )
    for player, rating in after.items():
        put_rating(db, result.pool, player, rating)


def put_rating(db: Connection, pool: str, player: int, rating: Rating) -> None:
    """Write a rating."""
    statement = (
        upsert(db, player_ratings)
        .values(pool=pool, player_id=player, **rating._asdict())
        .on_conflict_do_update(index_elements=["pool", "player_id"], set_=rating._asdict())
    )
    db.execute(statement)


def results(db: Connection, pool: str = "") -> list[Rated]:
    """All rated results, or those of a pool, by pool and number."""
    c = rated_results.c
    statement = select(c.pool, c.number, c.ended, c.sides, c.places).order_by(c.pool, c.number)
    if pool:
        statement = statement.where(c.pool == pool)
    return [
        Rated(
            row[0], row[1], row[2], tuple(map(tuple, json.loads(row[3]))), tuple(json.loads(row[4]))
        )
        for row in db.execute(statement)
    ]


# --- reliability ----------------------------------------------------------------------------------


def mark(db: Connection, player: int, what: What, moment: int, game_id: int) -> None:
    """Remember a missed deadline or a finished game; a second time is the first."""
    statement = (
        upsert(db, player_marks)
        .values(player_id=player, what=what, moment=moment, game_id=game_id)
        .on_conflict_do_nothing()
    )
    db.execute(statement)


def marks(db: Connection, player_ids: Sequence[int]) -> dict[int, list[Mark]]:
    """What is remembered of some players."""
    c = player_marks.c
    found: dict[int, list[Mark]] = {player: [] for player in player_ids}
    statement = select(c.player_id, c.moment, c.what).where(c.player_id.in_(list(player_ids)))
    for player, moment, what in db.execute(statement):
        found[player].append(Mark(moment, What(what)))
    return found
