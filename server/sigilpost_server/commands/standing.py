"""STANDING: lines that the server keeps for a seat, and tries whenever it is asked something.

Nobody but the seat's player hears of them. They count from the next question on: for the one that
is open, its player can answer as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sigilpost_engine.core import standing as language
from sigilpost_engine.core.errors import Unparseable
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Standing
from sigilpost_server.clocks import standing
from sigilpost_server.clocks.standing import Kept
from sigilpost_server.commands.orders import obstacle
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import absence, rows
from sigilpost_server.transaction.hold import check
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """Change a seat's standing orders, all of what is asked for or nothing."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Standing)
    assert player is not None
    play = Play.load(work.db, wish.game)
    if play is None:
        return work.error(player, "unknown-game")
    reason = obstacle(play, player, wish.seat)
    if reason and not _soon(play, reason):
        return work.error(player, reason, game=wish.game, judged=reason == "not-running")
    check(play)
    seat = play.seats[wish.seat - 1]
    kept = standing.of_seat(work.db, play.row.id, seat.number)
    fault = _fault(play, wish, kept)
    if fault is not None:
        return work.error(player, "unparseable", fault, game=wish.game)
    notices = absence.back(play, seat, work.post)
    everything = _change(work, play, seat.number, wish, signed.block.digest)
    play.change_seat(seat.number, standing=len(everything))
    play.save()
    return _answer(work, play, play.seats[seat.number], [*notices, *_list(everything)])


def _soon(play: Play, reason: str) -> bool:
    """Whether the game has not begun yet: orders may be ready before it does."""
    return reason == "not-running" and play.status == GameStatus.PROPOSED


def _fault(play: Play, wish: Standing, kept: Sequence[Kept]) -> Msg | None:
    """Why the change cannot be made."""
    numbers = {each.number for each in kept}
    for number in (*wish.remove, *filter(None, [wish.before])):
        if number not in numbers:
            return say("clock.standing.no-order", number=number)
    if len(numbers - set(wish.remove)) + len(wish.add) > standing.MOST:
        return say("clock.standing.too-many", most=standing.MOST)
    for line in wish.add:
        try:
            language.read(line, play.rules.topics, play.rules.fact_names)
        except Unparseable as refusal:
            return say("clock.standing.refused", line=line, why=refusal.message)
    return None


def _change(work: Work, play: Play, seat: int, wish: Standing, block: bytes) -> list[Kept]:
    game_id = play.row.id
    for number in wish.remove:
        standing.remove(work.db, game_id, seat, number)
    lines, first = [], 0
    for line in wish.add:
        order = language.read(line, play.rules.topics, play.rules.fact_names)
        lines.append((line, first))
        first += len(order.commands)
    return standing.add(
        work.db, game_id, seat, lines, before=wish.before, block=block, now=work.now
    )


def _list(kept: Sequence[Kept]) -> list[Msg]:
    if not kept:
        return [say("clock.standing.none")]
    return [
        say("clock.standing.kept", n=len(kept)),
        *(say("clock.standing.line", number=each.number, line=each.line) for each in kept),
    ]


def _answer(work: Work, play: Play, seat: rows.Seat, notices: Sequence[Msg]) -> Outcome:
    teller = Teller(play, work.post)
    letter = letters.receipt(
        teller.answer_envelope(seat),
        notices=notices,
        game=teller.game,
        turn=teller.document(
            seat, type="standing", messages=[notice.to_json() for notice in notices]
        ),
    )
    letter = replace(letter, closing=(say("clock.standing.from-now"),))
    language_ = seat.language or work.house.settings.server.language
    return Outcome("ok", letter, language_, play.row.tag, play.row.id, play.seq)
