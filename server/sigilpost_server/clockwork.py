"""What is due by the clock: each timer is a row, and is worked on by one process at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, select, update

from sigilpost_engine.core.messages import say
from sigilpost_server import transcripts
from sigilpost_server.clocks import store
from sigilpost_server.clocks.store import CLOCK
from sigilpost_server.commands import recover
from sigilpost_server.commands.decline import cancel
from sigilpost_server.leagues import ended
from sigilpost_server.leagues.running.invitations import REMINDER
from sigilpost_server.leagues.running.league import LEAGUE
from sigilpost_server.models import (
    GameStatus,
    OutgoingStatus,
    failures,
    games,
    mails,
    outgoing,
    recoveries,
    registrations,
    reply_codes,
    timers,
    traffic,
)
from sigilpost_server.transaction import bounces, keys, pauses, substitutes, timeouts
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.rows import BOUNCED, INVITATION, ONCE, TRANSCRIPT, set_timer

DAY = 86_400
HOUR = 3600
BATCH = 1_000
"""Mails forgotten at a time."""

RETRY = HOUR
"""So much later is tried again what failed by our own fault."""


class Due(NamedTuple):
    """A timer whose time has come."""

    kind: str
    subject: str


TIME_TO_WRITE = (INVITATION, REMINDER, keys.RECOVERY)
"""Timers at which a time is over in which people can write. An outage is no part of it, as their
mails lie unread meanwhile."""

RECKONED = (CLOCK, LEAGUE, pauses.ENDS, substitutes.OFFER)
"""Timers whose moment is reckoned anew each time that they are looked at."""


def beat(db: Connection, now: int, patience: int) -> None:
    """A server is at work. If none was for longer than ``patience``, that is noted as an outage,
    and what people have time for until a moment ends so much later: or sooner, where a clock that
    was set back shows that it was none."""
    for gap in store.beat(db, now, patience):
        theirs = (timers.c.kind.in_(TIME_TO_WRITE), timers.c.due > gap.begun)
        db.execute(update(timers).where(*theirs).values(due=timers.c.due + gap.length))
        for each in (registrations.c.expires, recoveries.c.expires, recoveries.c.due):
            later = {each: each + gap.length}
            db.execute(update(each.table).where(each > gap.begun).values(later))
        if gap.length < 0:
            reckoned = (timers.c.kind.in_(RECKONED), timers.c.due > now)
            db.execute(update(timers).where(*reckoned).values(due=now))


def next_due(db: Connection, now: int) -> Due | None:
    """The timer that is due longest; None if none is that nobody else works on."""
    row = _due_for_game(db, now) or _due_otherwise(db, now)
    return None if row is None else Due(row.kind, row.subject)


def run(db: Connection, post: Post, due: Due) -> None:
    """Do what is due, in this transaction."""
    if db.execute(delete(timers).where(*_own(due, post.now))).rowcount:  # else another was quicker
        KINDS[due.kind](db, post, due.subject)


def put_off(db: Connection, due: Due, now: int) -> None:
    """Try again later what failed."""
    db.execute(update(timers).where(*_own(due, now)).values(due=now + RETRY))


def _own(due: Due, now: int) -> tuple[ColumnElement[bool], ...]:
    return timers.c.kind == due.kind, timers.c.subject == due.subject, timers.c.due <= now


def _due_for_game(db: Connection, now: int) -> Any:
    """The timer of a game that is due longest. It is the game that is locked, as a mail locks it:
    so that the two never wait for each other."""
    due = (
        select(timers.c.kind, timers.c.subject)
        .select_from(timers.join(games, games.c.tag == timers.c.subject))
        .where(timers.c.due <= now)
        .order_by(timers.c.due)
        .limit(1)
        .with_for_update(of=games, skip_locked=True)
    )
    return db.execute(due).first()


def _due_otherwise(db: Connection, now: int) -> Any:
    """The timer that is due longest of those that belong to no game."""
    game = select(games.c.tag).where(games.c.tag == timers.c.subject)
    due = (
        select(timers.c.kind, timers.c.subject)
        .where(timers.c.due <= now, ~game.exists())
        .order_by(timers.c.due)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return db.execute(due).first()


def _invitation(db: Connection, post: Post, tag: str) -> None:
    play = Play.load(db, tag)
    if play is not None and play.status == GameStatus.HELD and play.row.match is None:
        set_timer(db, INVITATION, tag, post.now + DAY)  # it may be released
    elif play is not None and play.status == GameStatus.PROPOSED:
        cancel(play, post, say("server.invitation.expired", names=play.waiting()))


KINDS: dict[str, Callable[[Connection, Post, str], None]] = {
    INVITATION: _invitation,
    TRANSCRIPT: transcripts.mail,
    keys.RECOVERY: recover.over,
    BOUNCED: bounces.refused,
    CLOCK: timeouts.look,
    pauses.ENDS: pauses.over,
    substitutes.OFFER: substitutes.lapse,
    **ended.TIMERS,
}


def tidy(db: Connection, now: int, keep_days: int) -> None:
    """Forget what no longer matters: registrations out of date, mails sent long ago, failures
    that were got over, mails counted in hours gone by, codes of games long over."""
    db.execute(delete(registrations).where(registrations.c.expires <= now))
    db.execute(delete(recoveries).where(recoveries.c.expires <= now, recoveries.c.due.is_(None)))
    _forget_sent(db, now - keep_days * DAY)
    db.execute(delete(traffic).where(traffic.c.hour < now // HOUR))
    over = select(games.c.id).where(games.c.ended < now - keep_days * DAY)
    db.execute(delete(reply_codes).where(reply_codes.c.game_id.in_(over)))
    done = select(mails.c.digest).where(mails.c.digest == failures.c.digest, ONCE)
    db.execute(delete(failures).where(failures.c.aside.is_(False), done.exists()))


def _forget_sent(db: Connection, before: int) -> None:
    """Forget mails sent before a moment, a batch at a time: the oldest rows come first, so that
    it is enough to look at those."""
    number, made, status = outgoing.c.id, outgoing.c.created, outgoing.c.status
    oldest = db.execute(select(number, made, status).order_by(number).limit(BATCH)).all()
    old = [row[0] for row in oldest if row[1] < before and row[2] != OutgoingStatus.WAITING]
    if old:
        db.execute(delete(outgoing).where(number.in_(old)))
