"""All clocks of a game stand still: by everybody's vote, by the host, in an emergency, and while
the game is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clocks import shown
from sigilpost_server.clocks.control import DAY
from sigilpost_server.clocks.store import add_pause, set_timer
from sigilpost_server.models import GameStatus, pauses, votes
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.hold import stop
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.rows import upsert
from sigilpost_server.transaction.tell import Teller

VOTE, HOST, EMERGENCY = "vote", "host", "emergency"
PAUSE, RESUME = "pause", "resume"

ENDS = "pause"
"""The kind of timer at which a pause ends; the subject is the game's tag."""

VOTES_LAST = 14 * DAY
"""A vote that is older counts no more."""


class Open(NamedTuple):
    """A pause that goes on: its end if that is known, and whose emergency it is."""

    id: int
    kind: str
    end: int | None
    player_id: int | None


def going_on(db: Connection, game_id: int, now: int) -> list[Open]:
    """The pauses of a game that go on now."""
    statement = select(*(pauses.c[name] for name in Open._fields)).where(
        pauses.c.game_id == game_id,
        pauses.c.begin <= now,
        pauses.c.end.is_(None) | (pauses.c.end > now),
    )
    return [Open(*row) for row in db.execute(statement)]


def last_emergency(db: Connection, player_id: int) -> int | None:
    """When a player's last emergency pause began."""
    where = (pauses.c.player_id == player_id, pauses.c.kind == EMERGENCY)
    return db.execute(select(func.max(pauses.c.begin)).where(*where)).scalar()


def begin(play: Play, kind: str, until: int | None, now: int, player_id: int | None = None) -> None:
    """Stop all clocks of a game, until a moment or until somebody ends it."""
    add_pause(play.db, play.row.id, kind, until, now, player_id)
    play.db.execute(delete(votes).where(votes.c.game_id == play.row.id))
    play.clocks(now).forget_stillness()
    play.save()
    _set_timer(play, now)


def end(play: Play, which: Sequence[Open], now: int) -> None:
    """Let the clocks run on."""
    for each in which:
        play.db.execute(update(pauses).where(pauses.c.id == each.id).values(end=now))
    play.db.execute(delete(votes).where(votes.c.game_id == play.row.id))
    play.clocks(now).forget_stillness()
    play.save()
    _set_timer(play, now)


def _set_timer(play: Play, now: int) -> None:
    """Have the end of the pause that ends first noticed."""
    ends = [each.end for each in going_on(play.db, play.row.id, now) if each.end is not None]
    set_timer(play.db, ENDS, play.row.tag, min(ends, default=None))


# --- votes ----------------------------------------------------------------------------------------


def vote(play: Play, seat: rows.Seat, what: str, days: int, now: int) -> int | None:
    """A seat votes. Returns the smallest number of days named once everybody has, else None."""
    values = {"days": days, "made": now}
    statement = upsert(play.db, votes).values(
        game_id=play.row.id, number=seat.number, what=what, **values
    )
    play.db.execute(
        statement.on_conflict_do_update(index_elements=["game_id", "number", "what"], set_=values)
    )
    where = (votes.c.game_id == play.row.id, votes.c.what == what, votes.c.made > now - VOTES_LAST)
    cast = {row.number: row.days for row in play.db.execute(select(votes).where(*where))}
    needed = {each.number for each in play.seats if not each.acting}
    return min(cast.values()) if needed <= cast.keys() else None


def forget_votes(play: Play, seat: int) -> None:
    """Somebody else sits in a seat now: what its former player voted counts no more."""
    where = (votes.c.game_id == play.row.id, votes.c.number == seat)
    play.db.execute(delete(votes).where(*where))


# --- news -----------------------------------------------------------------------------------------


def tell(
    play: Play, post: Post, event: str, subject: Msg, opening: Msg, but: rows.Seat | None = None
) -> None:
    """Tell everybody at the table, ``but`` one apart."""
    teller = Teller(play, post)
    for seat in play.seats:
        if seat != but:
            envelope = teller.envelope(seat, f"{event} {post.occasion}")
            teller.put(seat, teller.notice(seat, envelope, subject, opening))


def until(moment: int | None, seat_zone: str | None) -> Msg:
    """When a pause ends, in a player's zone."""
    if moment is None:
        return say("clock.paused.open")
    return say("clock.paused.until", when=shown.when(moment, shown.zone_of(seat_zone or "UTC")))


def tell_begun(play: Play, post: Post, why: Msg, moment: int | None, but: rows.Seat | None) -> None:
    """Tell everybody that the clocks stand still, ``but`` one apart."""
    teller = Teller(play, post)
    for seat in play.seats:
        if seat != but:
            letter = teller.notice(
                seat,
                teller.envelope(seat, f"paused {post.occasion}"),
                say("clock.paused.subject"),
                why,
                until(moment, seat.zone),
            )
            teller.put(seat, letter)


def tell_over(play: Play, post: Post, but: rows.Seat | None = None) -> None:
    """The clocks run again: whoever is asked gets the question once more, with its deadline."""
    teller, said = Teller(play, post), say("clock.resumed.opening", game=play.row.tag)
    for seat in play.seats:
        if seat == but:
            continue
        envelope = teller.envelope(seat, f"resumed {post.occasion}")
        if play.asked(seat.number):
            teller.put(seat, teller.now(seat, envelope, notices=[said]))
        else:
            teller.put(seat, teller.notice(seat, envelope, say("clock.resumed.subject"), said))
    play.save_marks()


def over(db: Connection, post: Post, tag: str) -> None:
    """The timer of a pause: it is over, unless another one goes on."""
    play = Play.load(db, tag)
    if play is None or play.status != GameStatus.RUNNING:
        return
    _set_timer(play, post.now)
    if going_on(db, play.row.id, post.now):
        return
    play.clocks(post.now)
    try:
        play.save()
        tell_over(play, post)
    except Held as fault:
        stop(play, post, fault)
