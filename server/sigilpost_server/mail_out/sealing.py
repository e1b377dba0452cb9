"""A letter to somebody whose mail is sealed: public words outside, all else encrypted.

What stays is what letters promise to be no secret (``opening``, ``facts``, ``commands``,
``closing``) or what everybody sees. Anything else is left out, so that what is added to letters
later is not told by mistake.
"""

from __future__ import annotations

from dataclasses import replace

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.sealed import close
from sigilpost_server.mail_out.letter import Letter, Position


def sealed(letter: Letter, key: bytes) -> Letter:
    """The letter with its attachment sealed to a raw X25519 key, and nothing private beside it.

    One without an attachment is to a program that has nothing to open: it loses its private parts
    all the same.
    """
    public = letter.position.public if letter.position else None
    opening = letter.opening
    if letter.turn is not None:
        opening = (*opening, say("keys.sealed.opening"))
    return Letter(
        kind=letter.kind,
        envelope=letter.envelope,
        subject=letter.subject,
        game=letter.game,
        opening=opening,
        facts=letter.facts,
        happened=public.happened if public else (),
        position=_seen_by_all(letter.position),
        sheet=letter.sheet,
        commands=letter.commands,
        closing=letter.closing,
        turn=None if letter.turn is None else close(letter.turn, key),
        enclosures=letter.enclosures,
        sealed=True,
    )


def _seen_by_all(position: Position | None) -> Position | None:
    if position is None or position.public is None:
        return None
    return replace(
        position, sheet=position.public.sheet, question=None, menu=(), reply=None, public=None
    )
