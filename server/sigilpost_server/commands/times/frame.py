"""What every request about time needs: its refusals, its game, its receipt."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import absence, rows
from sigilpost_server.transaction.hold import check
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Work, address_of


class Refused(Exception):
    """The request is not carried out: the reason, and what more there is to say."""

    def __init__(self, reason: str, *details: Msg, game: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.details = details
        self.game = game


def not_possible(what: str, game: str = "", **values: object) -> Refused:
    """The refusal ``clock.<what>``."""
    return Refused("not-possible", say(f"clock.{what}", **{"game": game, **values}), game=game)


def table(work: Work, player: rows.Player, args: Sequence[str]) -> tuple[Play, rows.Seat]:
    """The running game that the first argument names, and the player's seat in it. Raises Refused,
    Stuck."""
    play = Play.load(work.db, args[0]) if args else None
    seat = play.seat_of(player.id) if play else None
    if play is None or seat is None:
        raise Refused("unknown-game")
    if play.status == GameStatus.HELD:
        raise Refused("held", game=play.row.tag)
    if play.status != GameStatus.RUNNING:
        raise Refused("not-running", game=play.row.tag)
    check(play)
    return play, seat


def timed(play: Play, work: Work) -> None:
    """Raise Refused for a game without a clock."""
    if not play.clocks(work.now).timed:
        raise not_possible("no-clock", game=play.row.tag)


def here_again(work: Work, play: Play, seat: rows.Seat) -> tuple[rows.Seat, list[Msg]]:
    """Whoever writes about a game is back in it: the seat as it is now, and what to say of it."""
    said = absence.back(play, seat, work.post)
    if said:
        play.save()
    return play.seats[seat.number], said


def receipt(work: Work, player: rows.Player, *notices: Msg) -> Outcome:
    """Done, and it concerns no one game."""
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)), notices=notices, turn=work.notice(*notices)
    )
    return Outcome("ok", letter, player.language)


def receipt_of(work: Work, play: Play, seat: rows.Seat, *notices: Msg) -> Outcome:
    """Done, in a game."""
    teller = Teller(play, work.post)
    turn = teller.document(seat, type="answer", messages=[each.to_json() for each in notices])
    letter = letters.receipt(
        teller.answer_envelope(seat), notices=notices, game=teller.game, turn=turn
    )
    return Outcome("ok", letter, seat.language or "en", play.row.tag, play.row.id, play.seq)
