"""What is due by the clock: each timer is a row, and is worked on by one process at a time."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, delete, select, update

from sigilpost_engine.core.messages import say
from sigilpost_server import transcripts
from sigilpost_server.commands.decline import cancel
from sigilpost_server.leagues import ended
from sigilpost_server.models import (
    GameStatus,
    OutgoingStatus,
    failures,
    mails,
    outgoing,
    registrations,
    timers,
)
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.rows import INVITATION, TRANSCRIPT

DAY = 86_400


def run_one(db: Connection, post: Post) -> bool:
    """Do what is due longest, in this transaction; False if nothing is."""
    due = (
        select(timers.c.kind, timers.c.subject)
        .where(timers.c.due <= post.now)
        .order_by(timers.c.due)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = db.execute(due).first()
    if row is None:
        return False
    db.execute(delete(timers).where(timers.c.kind == row.kind, timers.c.subject == row.subject))
    KINDS[row.kind](db, post, row.subject)
    return True


def _invitation(db: Connection, post: Post, tag: str) -> None:
    play = Play.load(db, tag)
    if play is not None and play.status == GameStatus.PROPOSED:
        cancel(play, post, say("server.invitation.expired", names=play.waiting()))


KINDS: dict[str, Callable[[Connection, Post, str], None]] = {
    INVITATION: _invitation,
    TRANSCRIPT: transcripts.mail,
    **ended.TIMERS,
}


def tidy(db: Connection, now: int, keep_days: int) -> None:
    """Forget what no longer matters: registrations out of date, the bytes of mails sent long ago,
    failures that were got over."""
    db.execute(delete(registrations).where(registrations.c.expires <= now))
    old = (outgoing.c.status != OutgoingStatus.WAITING, outgoing.c.created < now - keep_days * DAY)
    db.execute(update(outgoing).where(*old, outgoing.c.raw != b"").values(raw=b""))
    done = select(mails.c.digest).where(mails.c.digest == failures.c.digest)
    db.execute(delete(failures).where(failures.c.aside.is_(False), done.exists()))
