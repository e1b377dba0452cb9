"""Pauses that all agree to, and emergencies."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clocks import shown
from sigilpost_server.clocks.control import DAY
from sigilpost_server.commands.times import frame
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import pauses, rows
from sigilpost_server.transaction.hold import Stuck, check, stop
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.work import Outcome, Signed, Work

DEFAULT_PAUSE_DAYS = 14


def pause(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``pause GAME [DAYS]``: a vote, and the pause itself once everybody wants it."""
    play, seat = frame.table(work, player, args)
    frame.timed(play, work)
    tag, most = play.row.tag, work.house.settings.clocks.pause_days
    number = _days(args[1:], min(DEFAULT_PAUSE_DAYS, most), most, tag)
    if pauses.going_on(work.db, play.row.id, work.now):
        raise frame.not_possible("pause.already", game=tag)
    seat, said = frame.here_again(work, play, seat)
    agreed = pauses.vote(play, seat, pauses.PAUSE, number, work.now)
    if agreed is None:
        pauses.tell(
            play,
            work.post,
            "pause wanted",
            say("clock.pause.subject", seat=seat.shown),
            say("clock.pause.wanted", seat=seat.shown, game=tag, n=number),
            but=seat,
        )
        voted = say("clock.pause.voted", game=tag, n=number)
        return frame.receipt_of(work, play, seat, *said, voted)
    end = work.now + agreed * DAY
    pauses.begin(play, pauses.VOTE, end, work.now)
    why = say("clock.paused.vote", game=tag)
    pauses.tell_begun(play, work.post, why, end, but=seat)
    return frame.receipt_of(work, play, seat, *said, why, pauses.until(end, seat.zone))


def _days(args: Sequence[str], default: int, most: int, tag: str) -> int:
    """``14``, ``14d`` or nothing."""
    if not args:
        return default
    figures = args[0].rstrip("d")
    number = int(figures) if figures.isascii() and figures.isdigit() and len(figures) < 5 else 0
    if not 1 <= number <= most:
        raise frame.not_possible("pause.length", game=tag, most=most)
    return number


def resume(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``resume GAME``: the own emergency is over at once, an agreed pause by everybody's vote."""
    play, seat = frame.table(work, player, args)
    tag = play.row.tag
    going = pauses.going_on(work.db, play.row.id, work.now)
    own = [each for each in going if each.player_id == player.id]
    agreed = [each for each in going if each.kind == pauses.VOTE]
    if not own and not agreed:
        raise frame.not_possible("pause.by-host" if going else "pause.none", game=tag)
    seat, said = frame.here_again(work, play, seat)
    if not own and pauses.vote(play, seat, pauses.RESUME, 0, work.now) is None:
        pauses.tell(
            play,
            work.post,
            "resume wanted",
            say("clock.pause.resume-subject", seat=seat.shown),
            say("clock.pause.resume-wanted", seat=seat.shown, game=tag),
            but=seat,
        )
        return frame.receipt_of(work, play, seat, *said, say("clock.pause.resume-voted", game=tag))
    pauses.end(play, own or agreed, work.now)
    if pauses.going_on(work.db, play.row.id, work.now):
        return frame.receipt_of(work, play, seat, *said, say("clock.pause.still", game=tag))
    pauses.tell_over(play, work.post, but=seat)
    return frame.receipt_of(work, play, seat, *said, say("clock.resumed.opening", game=tag))


def emergency(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``emergency``: the clocks of all games of a player stand still, at once."""
    settings = work.house.settings.clocks
    last = pauses.last_emergency(work.db, player.id)
    again = None if last is None else last + settings.emergency_every_days * DAY
    if not settings.emergency:
        raise frame.not_possible("emergency.never")
    if again is not None and work.now < again:
        raise frame.not_possible("emergency.again", when=_when(player, again))
    end = work.now + settings.emergency
    stopped, passed = [], []
    for game in rows.games_of(work.db, player.id, [GameStatus.RUNNING]):
        play = Play.load(work.db, game.tag)
        seat = play.seat_of(player.id) if play else None
        if play is None or seat is None or not play.clocks(work.now).timed:
            continue
        try:
            check(play)
        except Stuck as stuck:  # a held game stands still, and the others are stopped
            stop(play, work.post, stuck.held)
            continue
        due = play.clocks(work.now).due(seat.number)
        if due is not None and due.deadline <= work.now:
            passed.append(game.tag)
        pauses.begin(play, pauses.EMERGENCY, end, work.now, player.id)
        why = say("clock.paused.emergency", seat=seat.shown, game=game.tag)
        pauses.tell_begun(play, work.post, why, end, but=seat)
        stopped.append(game.tag)
    if not stopped:
        raise frame.not_possible("emergency.no-games")
    return frame.receipt(
        work,
        player,
        say("clock.emergency.done", games=stopped, when=_when(player, end)),
        *(say("clock.emergency.passed", game=tag) for tag in passed),
    )


def _when(player: rows.Player, moment: int) -> Msg:
    return shown.when(moment, shown.zone_of(player.zone))
