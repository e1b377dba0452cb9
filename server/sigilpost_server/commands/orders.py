"""ORDERS: commands for a seat, the first of them in answer to the question that is open."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Held, Refusal, Unparseable
from sigilpost_engine.core.grammar import tidy
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Orders
from sigilpost_server.mail_out.letter import Line
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import absence, rows
from sigilpost_server.transaction.automatic import Automatic, Runner
from sigilpost_server.transaction.hold import hold
from sigilpost_server.transaction.house import texts
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def run(work: Work, signed: Signed) -> Outcome:
    """Play the lines until one is refused; answer with each line's result and what is asked."""
    orders, player = signed.payload, signed.player
    assert isinstance(orders, Orders)
    assert player is not None
    play = Play.load(work.db, orders.game)
    if play is None:
        return work.error(player, "unknown-game")
    reason = obstacle(play, player, orders.seat)
    if reason:
        # What the host or an opponent may yet change uses nothing up.
        return work.error(player, reason, game=orders.game, judged=reason in ("not-running",))
    notices = absence.back(play, play.seats[orders.seat - 1], work.post)
    try:
        runner = Runner(play, work.now)
        digest = signed.block.digest
        lines, reason = play_lines(runner, orders.seat - 1, orders.lines, orders.prompt, digest)
        done = runner.finish()
    except Held as held:
        return hold(work, play, held)
    notices += _notices(work, signed, orders)
    return tell(work, play, orders.seat - 1, Result(lines, reason, notices, done))


class Result(NamedTuple):
    """What came of orders: each line, the reason of the whole, what else there is to say, and
    what was answered then without anybody."""

    lines: list[Line]
    reason: str
    notices: list[Msg]
    done: Automatic


def obstacle(play: Play, player: rows.Player, number: int) -> str:
    """Why a player cannot act for a seat (from 1) of a game; "" if nothing is in the way."""
    seat = play.seat_of(player.id)
    if seat is None:
        return "wrong-key"
    if seat.number != number - 1:
        return "not-your-seat"
    if play.status == GameStatus.HELD:
        return "held"
    return "" if play.status == GameStatus.RUNNING else "not-running"


def play_lines(
    runner: Runner,
    seat: int,
    given: Sequence[str],
    prompt: str,
    block: bytes | None,
    actor: str = "",
    prose: Container[int] = (),
) -> tuple[list[Line], str]:
    """Play line by line, the first in answer to the question ``prompt``; each with its result,
    and the reason of the whole.

    ``block`` signs them, or ``actor`` says what else they count by. A line in ``prose`` that is
    no command at all ends them without being refused. What others' standing orders answer is
    answered between the lines.
    """
    play, now = runner.play, runner.now
    lines: list[Line] = []
    for number, typed in enumerate(given):
        if number:
            runner.between(seat)
        try:
            play.submit(seat, typed, None if number else prompt, block, number, now, actor)
        except Refusal as refusal:
            if number in prose and refusal.kind == "unparseable":
                break
            end = _end(play.rules.verbs, given, number + 1, prose)
            rest = [Line(line, accepted=None) for line in given[number + 1 : end]]
            refused = Line(typed, refusal.message, accepted=False)
            return [*lines, refused, *rest], "partial" if lines else refusal.kind
        lines.append(Line(typed))
    return lines, "ok"


def _end(verbs: Iterable[str], given: Sequence[str], start: int, prose: Container[int]) -> int:
    """Where the lines end of which none is looked at any more: at prose that is no command."""
    for number in range(start, len(given)):
        try:
            if number in prose:
                grammar.verb_of(given[number], verbs)
        except Unparseable:
            return number
    return len(given)


def tell(work: Work, play: Play, number: int, result: Result) -> Outcome:
    """Write the game, and the mails to whoever ordered and to the others."""
    seat = play.seats[number]
    teller = Teller(play, work.post)
    play.save()
    answer = None
    if work.answering:
        answer = teller.answer(seat, result.lines, result.notices)
    teller.others(answered=seat if work.answering else None, acted=result.done.seats)
    play.save_marks()
    result.done.go_on(play, work.now)
    language = seat.language or work.house.settings.server.language
    return Outcome(result.reason, answer, language, play.row.tag, play.row.id, play.seq)


def _notices(work: Work, signed: Signed, orders: Orders) -> Iterable[Msg]:
    """Say that words beside the block were not used, if they are others than the block's."""
    said = work.incoming.said
    assert said is not None
    assert signed.player is not None
    above = {tidy(line) for line in said.words_above(signed.candidate)}
    above -= {tidy(line) for line in orders.lines}
    for language in (signed.player.language, "en"):
        # What the client itself writes above a block.
        own = texts(language)
        above.discard(tidy(own("client.mail.orders", game=orders.game)))
        above.discard(tidy(own("client.mail.block")))
    if above:
        yield say("server.orders.words")
