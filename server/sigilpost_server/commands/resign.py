"""RESIGN: a seat gives up. The game is over at once, and all the other seats have won it.

A game of three or more does not go on without one: its hand and its turns would have to be played
by nobody, and what the others planned on would change under them.
"""

from __future__ import annotations

from sigilpost_engine.wire.payloads import Resign
from sigilpost_server.commands.orders import obstacle
from sigilpost_server.transaction import marks, rows
from sigilpost_server.transaction.hold import check
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """End the game, and tell everybody."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Resign)
    assert player is not None
    play = Play.load(work.db, wish.game)
    if play is None:
        return work.error(player, "unknown-game")
    reason = obstacle(play, player, wish.seat)
    if reason:
        return work.error(player, reason, game=wish.game, judged=reason == "not-running")
    check(play)
    return give_up(work, play, play.seats[wish.seat - 1], player, signed.block.digest)


def give_up(
    work: Work, play: Play, seat: rows.Seat, player: rows.Player, block: bytes | None
) -> Outcome:
    """End the game for a seat that gives up by a signed block, or by a code if there is none."""
    play.resign(seat.number, block, work.now, "" if block else marks.CODE)
    play.save()
    teller = Teller(play, work.post)
    answer = None
    for each in play.seats:
        if each.number == seat.number and work.answering:
            answer = teller.resigned(each, teller.answer_envelope(each), player.name)
        else:
            envelope = teller.envelope(each, "resigned")
            teller.put(each, teller.resigned(each, envelope, player.name))
    play.save_marks()
    return Outcome("ok", answer, player.language, play.row.tag, play.row.id, play.seq)
