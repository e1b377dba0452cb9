"""Rating the games that ended, and checking that the ratings follow from the results."""

from __future__ import annotations

import json

from sqlalchemy import Connection, func, select

from sigilpost_server.leagues import outcome, ratings, store
from sigilpost_server.leagues.outcome import Outcome
from sigilpost_server.leagues.ratings import Rated
from sigilpost_server.leagues.reliability import What
from sigilpost_server.models import entries
from sigilpost_server.transaction import substitutes
from sigilpost_server.transaction.play import FORFEITED, RATED, RESIGNED, Play, dumps

_NO_MOVES = (dumps(RESIGNED.to_json()), dumps(FORFEITED.to_json()))


def outcome_of(play: Play) -> Outcome:
    """What the end of a finished game means."""
    assert play.row.result is not None
    sides = play.rules.sides(len(play.seats), play.options)
    return outcome.read(json.loads(play.row.result), [seat.name for seat in play.seats], sides)


def rate(db: Connection, play: Play, ended: int) -> bool:
    """Rate a finished game, once; False if it is not to be rated."""
    rules = json.loads(play.row.rules)
    sides = play.rules.sides(len(play.seats), play.options)
    by_seat = substitutes.rated(play)
    if by_seat is None:
        return False
    players = tuple(tuple(by_seat[seat] for seat in side) for side in sides)
    everybody = [player for side in players for player in side]
    if rules.get(RATED) == "no" or 0 in everybody or len(set(everybody)) < len(everybody):
        return False
    if len(sides) < 2 or store.was_rated(db, play.row.id):
        return False
    ends = outcome_of(play)
    if ends.nobody:
        return False
    if not all(ratings.counts(True, _moves(db, play, seat)) for seat in ends.gave_up):
        return False
    pool = ratings.pool_of(play.row.kind, play.options)
    result = Rated(pool, store.next_result(db, pool), ended, players, ends.places)
    before = store.ratings(db, pool, everybody)
    store.add_result(db, result, play.row.id, ratings.rate(result, before))
    return True


def remember(db: Connection, play: Play, ended: int) -> None:
    """Note for each player's reliability that a game ended: to its end, or by their absence."""
    ends = outcome_of(play)
    for seat in play.seats:
        if seat.player_id is not None:
            late = ends.late and seat.number in ends.gave_up
            what = What.MISSED if late else What.FINISHED
            store.mark(db, seat.player_id, what, ended, play.row.id)


def _moves(db: Connection, play: Play, seat: int) -> int:
    """How many answers a seat gave, giving up apart."""
    statement = (
        select(func.count())
        .select_from(entries)
        .where(
            entries.c.game_id == play.row.id,
            entries.c.seat == seat,
            entries.c.answer.not_in(_NO_MOVES),
        )
    )
    return int(db.execute(statement).scalar_one())


def differences(db: Connection) -> list[tuple[str, int]]:
    """Pools and players whose stored rating is not the one that all results give."""
    stored, again = store.all_ratings(db), ratings.recompute(store.results(db))
    return sorted(key for key in stored.keys() | again.keys() if stored.get(key) != again.get(key))


def repair(db: Connection) -> int:
    """Store the ratings that all results give; how many were others."""
    again = ratings.recompute(store.results(db))
    wrong = differences(db)
    for pool, player in wrong:
        if (pool, player) in again:
            store.put_rating(db, pool, player, again[pool, player])
    return len(wrong)
