"""What the host can see and do about time: pauses, and the clocks of a game."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import say
from sigilpost_server.models import GameStatus, reminders
from sigilpost_server.service import Service
from sigilpost_server.transaction import pauses
from sigilpost_server.transaction.hold import stop
from sigilpost_server.transaction.play import Play


class ClockLine(NamedTuple):
    """A seat's clock. Moments are Unix time, ``left`` what its bank holds in seconds.

    ``deadline`` is None while nothing runs; ``reminded`` are the moments of the reminders of the
    open question; ``stage`` says what was done about a question whose time is out.
    """

    number: int
    name: str
    asked: int | None
    deadline: int | None
    acts: int | None
    left: int | None
    misses: int
    stage: str
    acting: str
    reminded: tuple[int, ...]


class Clocks(NamedTuple):
    """The terms of a game as they were agreed, whether its clocks stand still, and each clock."""

    rules: dict[str, str]
    paused: list[str]
    seats: list[ClockLine]


def clocks(service: Service, tag: str) -> Clocks | None:
    """The clocks of a game; None if there is no such game. Raises TryLater."""
    with service.database.read() as db:
        play = Play.load(db, tag, lock=False)
        if play is None:
            return None
        now = service.clock()
        piece = play.clocks(now)
        sent = select(reminders).where(reminders.c.game_id == play.row.id)
        by_question: dict[tuple[int, str, int | None], list[int]] = {}
        for each in db.execute(sent.order_by(reminders.c.sent)):
            key = (each.number, each.question, each.asked)
            by_question.setdefault(key, []).append(each.sent)
        lines = []
        for seat in play.seats:
            row = piece.row(seat.number)
            if row is None:
                continue
            due = piece.due(seat.number)
            lines.append(
                ClockLine(
                    seat.number + 1,
                    seat.shown,
                    row.clock.asked,
                    due.deadline if due else None,
                    due.acts if due else None,
                    row.clock.left,
                    row.misses,
                    row.stage,
                    seat.acting,
                    tuple(by_question.get((row.number, row.question, row.clock.asked), ())),
                )
            )
        going = [each.kind for each in pauses.going_on(db, play.row.id, now)]
        return Clocks(piece.terms.rules(), going, lines)


def pause(service: Service, tag: str) -> bool:
    """Let the clocks of a running game stand still until :func:`resume`; its players are told.

    False if there is no such game, or it has no clocks. Raises TryLater.
    """
    with service.changing() as (db, post):
        play = Play.load(db, tag)
        if play is None or play.status != GameStatus.RUNNING or not play.clocks(post.now).timed:
            return False
        try:
            pauses.begin(play, pauses.HOST, None, post.now)
            why = say("clock.paused.host", game=tag)
            pauses.tell_begun(play, post, why, None, but=None)
        except Held as held:
            stop(play, post, held)
    return True


def resume(service: Service, tag: str) -> bool:
    """End every pause of a game, whoever began it; False if there is none. Raises TryLater."""
    with service.changing() as (db, post):
        play = Play.load(db, tag)
        if play is None or play.status != GameStatus.RUNNING:
            return False
        going = pauses.going_on(db, play.row.id, post.now)
        if not going:
            return False
        try:
            pauses.end(play, going, post.now)
            pauses.tell_over(play, post)
        except Held as held:
            stop(play, post, held)
    return True
