"""JOIN: an invitation is taken, with a nonce for the shuffles. The last one begins the game."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.games import find
from sigilpost_engine.wire import fair
from sigilpost_engine.wire.payloads import Join
from sigilpost_server.commands import names
from sigilpost_server.leagues import lobby
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import automatic, keys, rows
from sigilpost_server.transaction.hold import hold
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """Seat the player; begin if nobody is missing any more."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Join)
    assert player is not None
    play = Play.load(work.db, wish.game)
    seat = play.seat_of(player.id) if play else None
    if play is not None and seat is None:
        taken = lobby.take(work, play, player)
        if isinstance(taken, Outcome):
            return taken
        seat = taken
    if play is None or seat is None:
        return work.error(player, "unknown-game")
    reason = obstacle(play, seat, player) or _other_terms(wish, play, seat)
    if reason:
        return work.error(player, reason, game=play.row.tag)
    notices = []
    left = keys.forget_standing_of_others(work.db, play.row.id, seat.number, wish.key)
    if left is not None:
        play.change_seat(seat.number, standing=left)
        notices.append(say("clock.standing.lapsed"))
    seat = play.seats[seat.number]
    joined = play.join(seat, player.name, wish.key, wish.nonce, signed.block.digest)
    return sit_down(work, play, joined, notices)


def obstacle(play: Play, seat: rows.Seat, player: rows.Player) -> str:
    """Why a player cannot take a seat that they are invited to; "" if nothing is in the way."""
    if play.status != GameStatus.PROPOSED or seat.joined:
        return "not-invited"
    if names.reserved(find(play.row.kind), player.name):
        return "bad-name"
    return ""


def _other_terms(wish: Join, play: Play, seat: rows.Seat) -> str:
    """What the join states otherwise than the invitation did; "" if nothing."""
    if wish.commitment not in ("", fair.commitment(play.row.secret)):
        return "other-commitment"
    return "" if wish.seat in (0, seat.number + 1) else "not-your-seat"


def sit_down(work: Work, play: Play, seat: rows.Seat, notices: Sequence[Msg] = ()) -> Outcome:
    """Write that a seat was taken, and begin if nobody is missing any more; ``notices`` are for
    the seat's player."""
    if play.waiting() or lobby.free(work.db, play):
        play.save()
        return _welcome(work, play, seat, notices)
    return _begin(work, play, seat, notices)


def _welcome(work: Work, play: Play, seat: rows.Seat, notices: Sequence[Msg]) -> Outcome:
    teller = Teller(play, work.post)
    missing = play.waiting()
    notice = say("server.join.waiting", n=len(missing), names=missing)
    if not missing:
        notice = say("league.offer.waiting", n=lobby.free(work.db, play))
    answer = letters.receipt(
        teller.answer_envelope(seat),
        notices=[say("server.join.joined", game=play.row.tag), notice, *notices],
        game=teller.game,
        turn=teller.document(seat, type="answer", messages=[notice.to_json()]),
    )
    return _ok(play, answer, seat)


def _begin(work: Work, play: Play, last: rows.Seat, notices: Sequence[Msg]) -> Outcome:
    try:
        play.begin(work.now)
        done = automatic.run(play, work.now)
    except Held as held:
        return hold(work, play, held)
    play.save()
    rows.clear_timer(work.db, rows.INVITATION, play.row.tag)
    teller = Teller(play, work.post)
    answer = None
    for seat in play.seats:
        if seat.number == last.number and work.answering:
            notice = say("server.join.joined", game=play.row.tag)
            answer = teller.started(seat, teller.answer_envelope(seat), [notice, *notices])
        else:
            teller.put(seat, teller.started(seat, teller.envelope(seat, "started")))
    play.save_marks()
    done.go_on(play, work.now)
    return _ok(play, answer, last)


def _ok(play: Play, answer: Letter | None, seat: rows.Seat) -> Outcome:
    return Outcome("ok", answer, seat.language or "en", play.row.tag, play.row.id, play.seq)
