"""DECLINE: an invitation is refused, or the proposal taken back; the game will not begin."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Decline
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """Withdraw the invitation of everybody, as the game needs all of them."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Decline)
    assert player is not None
    play = Play.load(work.db, wish.game)
    seat = play.seat_of(player.id) if play else None
    if play is None or seat is None:
        return work.error(player, "unknown-game")
    if play.status != GameStatus.PROPOSED:
        return work.error(player, "not-invited", game=play.row.tag)
    return say_no(work, play, seat, player)


def say_no(work: Work, play: Play, seat: rows.Seat, player: rows.Player | None) -> Outcome:
    """Whoever is invited to a seat, registered or not, does not take it."""
    left = _left(work, play, seat) if player else None
    if left is not None:
        return left
    rows.clear_timer(work.db, rows.INVITATION, play.row.tag)
    cancel(play, work.post, say("server.decline.why", player=seat.shown), but=seat)
    teller = Teller(play, work.post)
    notice = say("server.decline.done", game=play.row.tag)
    answer = letters.receipt(
        teller.answer_envelope(seat),
        notices=[notice],
        game=teller.game,
        turn=teller.document(seat, type="answer", messages=[notice.to_json()]),
    )
    language = player.language if player else work.house.settings.server.language
    return Outcome("ok", answer, language, play.row.tag, play.row.id, play.seq)


def _left(work: Work, play: Play, seat: rows.Seat) -> Outcome | None:
    """What a refusal is where the game is an offer that goes on without this player; a league
    counts it as a game lost."""
    from sigilpost_server.leagues import ended, lobby  # they cancel games themselves

    assert seat.player_id is not None
    ended.declined(work.db, work.post, play.row.id, seat.player_id)
    return lobby.leave(work, play, seat)


def cancel(play: Play, post: Post, why: Msg, but: rows.Seat | None = None) -> None:
    """Cancel a proposed game and tell those invited who are registered, ``but`` one apart."""
    play.cancel(post.now)
    play.save()
    teller = Teller(play, post)
    for seat in play.seats:
        if seat != but and seat.player_id is not None:
            turn = teller.document(seat, type="cancelled", messages=[why.to_json()])
            envelope = teller.envelope(seat, "cancelled")
            teller.put(seat, letters.cancelled(envelope, teller.game, why=why, turn=turn))
