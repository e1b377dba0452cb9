"""The seat of an absent player is offered to the pool, one player after another.

Whoever takes it sees what the seat may see, and nothing that another seat knows: so nobody is
offered a seat in a game in which they sit, or sat.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, func, select, update

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import say
from sigilpost_server.clocks import shown, standing, terms
from sigilpost_server.clocks.calendar import Calendar, NeverEnds, Span
from sigilpost_server.clocks.control import HOUR
from sigilpost_server.clocks.store import HOLIDAY, set_timer, stillness
from sigilpost_server.mail_out import clock_letters
from sigilpost_server.mail_out.letter import Address, Command
from sigilpost_server.models import (
    GameStatus,
    players,
    seat_offers,
    substitutes,
    substitutions,
)
from sigilpost_server.transaction import marks, pauses, rows
from sigilpost_server.transaction.hold import stop
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import sealed_notice

OFFERED = "offered"
"""The stage of a question whose seat is offered to substitutes."""

OFFER = "seat offer"
"""The kind of timer at which an offer lapses; the subject is the game's tag."""

OPEN, TAKEN, REFUSED, EXPIRED, WITHDRAWN = "open", "taken", "refused", "expired", "withdrawn"


class Offer(NamedTuple):
    """An open offer of a seat."""

    id: int
    seat: int
    player_id: int
    made: int
    expires: int


_OFFER = [seat_offers.c[name] for name in Offer._fields]


def offer(play: Play, seat: rows.Seat, post: Post) -> bool:
    """Offer a seat to the next player of the pool; False if there is none."""
    candidate = next(_candidates(play, post), None)
    if candidate is None:
        return False
    settings = post.house.settings.clocks
    values = {
        "game_id": play.row.id,
        "seat": seat.number,
        "player_id": candidate.id,
        "made": post.now,
        "expires": post.now + settings.offer,
        "state": OPEN,
    }
    play.db.execute(seat_offers.insert().values(values))
    play.clocks(post.now).set_stage(seat.number, OFFERED)
    _set_timer(play)
    _invite(play, seat, candidate, post)
    return True


def enough(play: Play, post: Post, number: int) -> bool:
    """Whether so many seats of a game can be offered at once, each to somebody else."""
    return len(list(islice(_candidates(play, post), number))) == number


def _candidates(play: Play, post: Post) -> Iterator[rows.Player]:
    """Who is longest in the pool, has room for a game, and never sat at this table nor was
    offered a seat of it; then who is next longest."""
    offered = select(seat_offers.c.player_id).where(seat_offers.c.game_id == play.row.id)
    left = select(substitutions.c.old_player_id).where(substitutions.c.game_id == play.row.id)
    seated = [seat.player_id for seat in play.seats if seat.player_id is not None]
    since = func.min(substitutes.c.since)
    statement = (
        select(substitutes.c.player_id)
        .where(
            substitutes.c.kind.in_(["", play.row.kind]),
            substitutes.c.player_id.not_in(seated),
            substitutes.c.player_id.not_in(offered),
            substitutes.c.player_id.not_in(left),
        )
        .group_by(substitutes.c.player_id)
        .order_by(since, substitutes.c.player_id)
    )
    most = post.house.settings.limits.running_games
    for (player_id,) in play.db.execute(statement).all():
        if rows.sits_in(play.db, player_id) < most:
            player = player_by_id(play.db, player_id)
            if player is not None:
                yield player


def player_by_id(db: Connection, player_id: int) -> rows.Player | None:
    """A registered player."""
    key = select(players.c.address_key).where(players.c.id == player_id)
    address = db.execute(key).scalar()
    return rows.player_by_address(db, address) if address else None


def _invite(play: Play, seat: rows.Seat, player: rows.Player, post: Post) -> None:
    """The offer tells what everybody at the table knows: nothing of the hand."""
    zone = shown.zone_of(player.zone)
    expires = shown.when(post.now + post.house.settings.clocks.offer, zone)
    tag, title = play.row.tag, say(f"{play.row.kind}.title")
    opening = say("clock.offer.opening", seat=seat.shown, game=tag, title=title)
    until = say("clock.offer.until", when=expires, players=play.names)
    letter = clock_letters.notice(
        post.envelope(
            Address(player.address, player.name), f"offer {tag} {post.occasion}", seat.number
        ),
        say("clock.offer.subject", title=title),
        (opening, until),
        commands=(
            Command(f"sigil substitute take {tag}", say("clock.command.take")),
            Command(f"sigil substitute refuse {tag}", say("clock.command.refuse")),
            Command("sigil substitute off", say("clock.command.off")),
        ),
        turn=sealed_notice(post.house, post.now, opening, until, type="offer", game=tag),
    )
    post.put(letter, player.language)


# --- answers --------------------------------------------------------------------------------------


def open_offers(db: Connection, game_id: int) -> list[Offer]:
    """The open offers of a game's seats."""
    where = (seat_offers.c.game_id == game_id, seat_offers.c.state == OPEN)
    return [Offer(*row) for row in db.execute(select(*_OFFER).where(*where))]


def was_offered(db: Connection, game_id: int, player_id: int) -> bool:
    """Whether a player was ever offered a seat of a game."""
    where = (seat_offers.c.game_id == game_id, seat_offers.c.player_id == player_id)
    return db.execute(select(seat_offers.c.id).where(*where)).first() is not None


def close(db: Connection, offer: Offer, state: str) -> None:
    """An offer is open no longer."""
    db.execute(update(seat_offers).where(seat_offers.c.id == offer.id).values(state=state))


def stands(play: Play, offer: Offer, now: int) -> bool:
    """Whether the seat still is on offer: its player has not answered after all."""
    row = play.clocks(now).row(offer.seat)
    return play.status == GameStatus.RUNNING and row is not None and row.stage == OFFERED


def take(play: Play, offer: Offer, player: rows.Player, block: bytes, post: Post) -> rows.Seat:
    """The player takes the seat. Returns the seat as it is now."""
    old = play.seats[offer.seat]
    assert old.player_id is not None
    close(play.db, offer, TAKEN)
    standing.remove_all(play.db, play.row.id, offer.seat)
    pauses.forget_votes(play, offer.seat)
    play.hand_over(offer.seat, player, block, post.now)
    values = {
        "game_id": play.row.id,
        "number": play.head.number,
        "seat": offer.seat,
        "old_player_id": old.player_id,
        "new_player_id": player.id,
        "made": post.now,
        "rated": post.house.settings.clocks.substitute_rated,
    }
    play.db.execute(substitutions.insert().values(values))
    play.save()
    teller = Teller(play, post)
    said = say("clock.taken.you", player=player.name, game=play.row.tag)
    letter = clock_letters.notice(
        teller.envelope(old, "taken"),
        say("clock.taken.subject"),
        (said,),
        game=teller.game,
        turn=sealed_notice(post.house, post.now, said, type="taken", game=play.row.tag),
    )
    teller.put(old, letter)
    for other in play.seats:
        if other.number != offer.seat:
            teller.put(other, teller.now(other, teller.envelope(other, "substituted")))
    _set_timer(play)
    return play.seats[offer.seat]


def lapse(db: Connection, post: Post, tag: str) -> None:
    """Offers that nobody took in time go to the next; with nobody left, the seat forfeits."""
    play = Play.load(db, tag)
    if play is None:
        return
    try:
        for each in open_offers(db, play.row.id):
            ends = _ends(play, each, post)
            if ends > post.now:
                own = seat_offers.c.id == each.id
                db.execute(update(seat_offers).where(own).values(expires=ends))
            else:
                pass_on(play, each, EXPIRED, post)
    except Held as held:
        stop(play, post, held)
    _set_timer(play)


def _ends(play: Play, offer_: Offer, post: Post) -> int:
    """When the time to think about an offer is over: pauses of the game and outages do not count.
    In a pause without an end, when to look again."""
    still = stillness(play.db, play.row.id, offer_.made, post.now)
    off = [Span(each.begin, each.end) for each in still if each.kind != HOLIDAY]
    calendar = Calendar(terms.NO_LIMIT, shown.zone_of("UTC"), off)
    try:
        return calendar.after(offer_.made, post.house.settings.clocks.offer)
    except NeverEnds:
        return post.now + HOUR


def pass_on(play: Play, offer_: Offer, state: str, post: Post) -> None:
    """Close an offer, and offer the seat to the next; with nobody left, the seat forfeits."""
    if not stands(play, offer_, post.now):
        close(play.db, offer_, WITHDRAWN)
        return
    close(play.db, offer_, state)
    if offer(play, play.seats[offer_.seat], post):
        play.save()
        return
    play.run_out([offer_.seat], marks.CLOCK, post.now)
    play.save()
    teller = Teller(play, post)
    for seat in play.seats:
        teller.put(seat, teller.now(seat, teller.envelope(seat, "over")))
    play.save_marks()


def rated(play: Play) -> list[int] | None:
    """For whom a finished game is rated, the player of each seat; None: it is not rated at all.

    As the host had configured it when a seat changed hands.
    """
    found = [seat.player_id or 0 for seat in play.seats]
    statement = select(substitutions).where(substitutions.c.game_id == play.row.id)
    for row in play.db.execute(statement.order_by(substitutions.c.number.desc())):
        if row.rated == "none":
            return None
        if row.rated == "first":
            found[row.seat] = row.old_player_id
    return found


def _set_timer(play: Play) -> None:
    moments = [each.expires for each in open_offers(play.db, play.row.id)]
    set_timer(play.db, OFFER, play.row.tag, min(moments, default=None))
