"""REQUEST: a signed question that changes nothing. ``games`` lists one's games, ``show GAME``
mails where one stands once more."""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Request
from sigilpost_server.commands import recover, times
from sigilpost_server.leagues import requests as leagues
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GOING, GameStatus
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.hold import hold
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of


def run(work: Work, signed: Signed) -> Outcome:
    """Answer the question."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Request)
    assert player is not None
    if wish.what in times.REQUESTS:
        return times.run(work, signed)
    answer = REQUESTS.get(wish.what)
    if answer is None:
        detail = say(
            "server.request.unknown", name=wish.what, known=sorted({**REQUESTS, **times.REQUESTS})
        )
        return work.error(player, "unparseable", detail)
    return answer(work, player, wish)


def _games(work: Work, player: rows.Player, wish: Request) -> Outcome:
    found = rows.games_of(work.db, player.id, GOING)
    notices = [_line(work, player, game) for game in found] or [say("server.games.none")]
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=notices,
        turn=work.notice(*notices),
    )
    return Outcome("ok", letter, player.language)


def _line(work: Work, player: rows.Player, game: rows.Game) -> Msg:
    seats = rows.seats_of(work.db, game.id)
    others = [seat.shown for seat in seats if seat.player_id != player.id]
    if game.status == GameStatus.PROPOSED:
        waiting = [seat.shown for seat in seats if not seat.joined]
    else:
        waiting = [seat.shown for seat in seats if seat.asked]
    return say(f"server.games.{game.status}", game=game.tag, others=others, waiting=waiting)


def _show(work: Work, player: rows.Player, wish: Request) -> Outcome:
    play = Play.load(work.db, wish.args[0]) if wish.args else None
    seat = play.seat_of(player.id) if play else None
    if play is None or seat is None:
        return work.error(player, "unknown-game")
    if play.status == GameStatus.HELD:
        return work.error(player, "held", game=play.row.tag, judged=False)
    if play.status == GameStatus.CANCELLED:
        return work.error(player, "not-running", game=play.row.tag)
    teller = Teller(play, work.post)
    envelope = teller.answer_envelope(seat)
    if play.status == GameStatus.PROPOSED:
        host = next(each for each in play.seats if each.player_id == play.row.creator_id)
        letter = teller.invitation(seat, envelope, host.shown)
    else:
        try:
            letter = teller.now(
                seat, envelope, rows.last_entry_of(work.db, play.row.id, seat.number)
            )
        except Held as held:
            return hold(work, play, held)
        play.save_marks()
    return Outcome("ok", letter, player.language, play.row.tag, play.row.id, play.seq)


REQUESTS: dict[str, Callable[[Work, rows.Player, Request], Outcome]] = {
    "games": _games,
    "show": _show,
    "recovery": recover.cancel,
    **leagues.REQUESTS,
}
