"""The lobby: proposed games with free places for whoever comes up to what their offerer asks.

An offer is a CREATE with the rule ``open``, the number of free places; ``rating`` and
``reliability`` say what is needed to take one, ``rated = no`` makes the game a friendly one.
Whoever joins an offer takes the next place; the last one begins the game as any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, select

from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire import fair
from sigilpost_server.leagues import ratings, reliability, store
from sigilpost_server.leagues.models import offers
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus, blocks, games, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import RATED, Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Work

OPEN, RATING, RELIABILITY = "open", "rating", "reliability"
RULES = frozenset((OPEN, RATING, RELIABILITY, RATED))
"""The rules of a CREATE that are the lobby's."""

MOST_RATING = 4_000


class Terms(NamedTuple):
    """``open`` places are free; taking one needs a ``rating`` and a ``reliability``."""

    open: int = 0
    rating: int = 0
    reliability: int = 0

    @property
    def places(self) -> list[str]:
        """Names that nobody has, one for each free place: to check the number of seats with."""
        return [f"?{place}" for place in range(self.open)]


def read(rules: Mapping[str, Any]) -> Terms:
    """The terms of an offer; without ``open`` it is none. Raises BadOption."""
    terms = Terms(
        _number(rules, OPEN, 15),
        _number(rules, RATING, MOST_RATING),
        _number(rules, RELIABILITY, 100),
    )
    if rules.get(RATED, "yes") not in ("yes", "no"):
        raise BadOption(RATED, say("league.offer.rated"))
    if not terms.open and (terms.rating or terms.reliability):
        raise BadOption(OPEN, say("league.offer.not-open"))
    return terms


def _number(rules: Mapping[str, Any], name: str, most: int) -> int:
    value = rules.get(name, 0)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadOption(name, say("league.offer.number", name=name, most=most))
    return value


def put(db: Connection, tag: str, terms: Terms) -> None:
    """Offer the free places of a game that was proposed."""
    if not terms.open:
        return
    row = rows.game(db, tag, lock=False)
    assert row is not None
    taken = len(rows.seats_of(db, row.id))
    db.execute(
        offers.insert().values(
            game_id=row.id,
            seats=taken + terms.open,
            rating=terms.rating,
            reliability=terms.reliability,
        )
    )


class Offer(NamedTuple):
    """An offer as it is stored: seats in all, and what taking one needs."""

    seats: int
    rating: int
    reliability: int


def of_game(db: Connection, game_id: int) -> Offer | None:
    """The offer of a game; None if it has none."""
    columns = [offers.c[name] for name in Offer._fields]
    row = db.execute(select(*columns).where(offers.c.game_id == game_id)).first()
    return Offer(*row) if row else None


def free(db: Connection, play: Play) -> int:
    """How many places of a proposed game wait for anybody."""
    offer = of_game(db, play.row.id)
    return 0 if offer is None else max(0, offer.seats - len(play.seats))


def take(work: Work, play: Play, player: rows.Player) -> rows.Seat | Outcome | None:
    """The next free place of a game, for a player; why not; None where nothing is offered."""
    if play.status != GameStatus.PROPOSED or not free(work.db, play):
        return None
    offer = of_game(work.db, play.row.id)
    assert offer is not None
    why = _unfit(work, play, player, offer)
    if why is not None:
        return work.error(player, "bad-option", why, game=play.row.tag)
    number = len(play.seats)
    work.db.execute(
        seats.insert().values(
            game_id=play.row.id,
            number=number,
            player_id=player.id,
            address=player.address,
            address_key=player.address_key,
            name="",
            key="",
            nonce="",
            join_block=None,
            asked="",
            told=-1,
        )
    )
    play.seats[:] = rows.seats_of(work.db, play.row.id)
    play.told[number] = -1
    return play.seats[number]


def _unfit(work: Work, play: Play, player: rows.Player, offer: Offer) -> Msg | None:
    limit = work.limits.running_games
    if rows.sits_in(work.db, player.id) >= limit:
        return say("league.offer.many-games", n=limit)
    if offer.rating:
        pool = ratings.pool_of(play.row.kind, play.options)
        known = store.ratings(work.db, pool, [player.id]).get(player.id, ratings.Rating())
        if known.provisional or known.shown < offer.rating:
            return say("league.refused.rating", needed=offer.rating)
    if offer.reliability:
        score = reliability.score(store.marks(work.db, [player.id])[player.id], work.now)
        if score < offer.reliability:
            return say("league.refused.reliability", needed=offer.reliability)
    return None


def leave(work: Work, play: Play, seat: rows.Seat) -> Outcome | None:
    """Free a place of an offer again; None if the game cannot do without who leaves."""
    if of_game(work.db, play.row.id) is None or seat.player_id == play.row.creator_id:
        return None
    moves = _moves(work.db, play, seat)
    if moves is None:
        return None
    teller = Teller(play, work.post)
    envelope = teller.answer_envelope(seat)
    c = seats.c
    work.db.execute(delete(seats).where(c.game_id == play.row.id, c.number == seat.number))
    for old, new in moves:
        rows.save_seat(work.db, play.row.id, old, {"number": new})
    rows.save_game(work.db, play.row, {"status": play.status})
    notice = say("league.offer.left", game=play.row.tag)
    turn = work.notice(notice)
    answer = letters.receipt(envelope, notices=[notice], game=teller.game, turn=turn)
    return Outcome("ok", answer, seat.language or "en", play.row.tag, play.row.id, play.seq)


def _moves(db: Connection, play: Play, gone: rows.Seat) -> list[tuple[int, int]] | None:
    """Which seats change their number, and to which, so that none is left out; None if none can:
    whoever was told a seat has signed it, or will, and has a nonce for no other."""
    c = seats.c
    joins = select(c.number, blocks.c.payload).join(blocks, blocks.c.digest == c.join_block)
    signed = db.execute(joins.where(c.game_id == play.row.id, c.number > gone.number))
    untold = {number for number, payload in signed if not json.loads(payload).get("seat")}
    later = [seat.number for seat in play.seats[gone.number + 1 :]]
    if untold.issuperset(later):
        return [(number, number - 1) for number in later]
    return [(later[-1], gone.number)] if later[-1] in untold else None


# --- what is on offer -----------------------------------------------------------------------------


class Listed(NamedTuple):
    """An offer as it is listed."""

    tag: str
    kind: str
    options: str
    rules: str
    secret: bytes
    seats: int
    rating: int
    reliability: int
    taken: int

    @property
    def commitment(self) -> str:
        """What whoever joins should repeat."""
        return fair.commitment(self.secret)

    @property
    def time(self) -> str:
        """The time control; "" for none."""
        return str(json.loads(self.rules).get("clock", ""))


def listed(db: Connection) -> list[Listed]:
    """All offers with a free place, oldest first."""
    taken = select(func.count()).where(seats.c.game_id == games.c.id).scalar_subquery()
    g, o = games.c, offers.c
    columns = (g.tag, g.kind, g.options, g.rules, g.secret, o.seats, o.rating, o.reliability)
    statement = (
        select(*columns, taken)
        .select_from(games.join(offers))
        .where(g.status == GameStatus.PROPOSED, taken < o.seats)
        .order_by(g.id)
    )
    return [Listed(*row) for row in db.execute(statement)]
