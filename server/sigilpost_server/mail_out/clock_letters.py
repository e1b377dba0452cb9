"""The kinds of letter about time. Their words are in the catalogue ``clock``."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_out.letter import Command, Envelope, GameTag, Kind, Letter, Position


def reminder(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    left: Msg,
    consequence: Msg | None = None,
    happened: Sequence[Msg] = (),
    notices: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To a seat that is asked something and has not answered yet.

    ``left`` is the time until the deadline; ``consequence`` (in the last reminder) says what
    happens then.
    """
    warning = () if consequence is None else (say("clock.reminder.last", what=consequence),)
    return Letter(
        Kind.REMINDER,
        envelope,
        say("clock.reminder.subject", left=left),
        game,
        opening=(say("clock.reminder.opening", game=game.tag, left=left), *warning, *notices),
        happened=tuple(happened),
        position=position,
        turn=turn,
    )


def notice(
    envelope: Envelope,
    subject: Msg,
    opening: Sequence[Msg],
    *,
    game: GameTag | None = None,
    commands: Sequence[Command] = (),
    turn: bytes | None = None,
) -> Letter:
    """News about time: a holiday, a pause, a player who is away or back, a seat on offer."""
    return Letter(
        Kind.NOTICE,
        envelope,
        subject,
        game,
        opening=tuple(opening),
        commands=tuple(commands),
        turn=turn,
    )
