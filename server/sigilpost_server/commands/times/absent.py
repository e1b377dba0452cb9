"""Players whose time is out, and players who come back."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_server.clocks.store import CLAIMABLE
from sigilpost_server.commands.times import frame
from sigilpost_server.transaction import absence, marks, rows
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def claim(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``claim GAME``: end a game in which somebody else's time is out."""
    play, seat = frame.table(work, player, args)
    tag, clocks = play.row.tag, play.clocks(work.now)
    late = [row for row in clocks.running() if row.stage == CLAIMABLE]
    if not late:
        raise frame.not_possible("claim.nobody", game=tag)
    if any(row.number == seat.number for row in clocks.unanswered()):
        raise frame.not_possible("claim.late", game=tag)
    play.run_out([row.number for row in late], marks.claim(seat.shown), work.now)
    play.save()
    teller = Teller(play, work.post)
    answer = teller.now(seat, teller.answer_envelope(seat)) if work.answering else None
    teller.others(answered=seat if work.answering else None)
    play.save_marks()
    return Outcome("ok", answer, player.language, tag, play.row.id, play.seq)


def back(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``back GAME``: no bot acts in the seat any longer."""
    play, seat = frame.table(work, player, args)
    said = absence.back(play, seat, work.post)
    if not said:
        raise frame.not_possible("back.nobody", game=play.row.tag)
    play.save()
    return frame.receipt_of(work, play, play.seats[seat.number], *said)
