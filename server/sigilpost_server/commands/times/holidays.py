"""Holidays: announced, listed, cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import delete, select, update

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clocks import days, shown
from sigilpost_server.clocks.control import MINUTE
from sigilpost_server.clocks.days import BadHoliday, Days
from sigilpost_server.clocks.store import CLOCK, set_timer
from sigilpost_server.commands.times import frame
from sigilpost_server.mail_out import clock_letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import GOING, GameStatus, holidays
from sigilpost_server.transaction import rows
from sigilpost_server.transaction import substitutes as pool
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.work import Outcome, Signed, Work


def vacation(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``vacation [FIRST [to LAST] | cancel FIRST]``: without arguments, what is announced."""
    try:
        if not args:
            return frame.receipt(work, player, *_holidays_of(work, player))
        if args[0].casefold() == "cancel":
            return _cancel_holiday(work, player, args[1:])
        return _announce_holiday(work, player, days.read(args))
    except BadHoliday as bad:
        raise frame.Refused("not-possible", bad.message) from None


def _known(work: Work, player: rows.Player) -> list[Days]:
    statement = select(holidays.c.first, holidays.c.last).where(holidays.c.player_id == player.id)
    found = work.db.execute(statement.order_by(holidays.c.begin))
    return [Days(days.day_of(row.first), days.day_of(row.last)) for row in found]


def _holidays_of(work: Work, player: rows.Player) -> list[Msg]:
    coming = [each for each in _known(work, player) if each.last >= _today(work, player)]
    listed = [say("clock.holiday.line", **_shown(each)) for each in coming]
    return [*(listed or [say("clock.holiday.none")]), _left(work, player)]


def _left(work: Work, player: rows.Player) -> Msg:
    """What the year's budget still has."""
    year, budget = _today(work, player).year, work.house.settings.clocks.vacation_days
    return say("clock.holiday.left", year=year, n=days.left(year, _known(work, player), budget))


def _today(work: Work, player: rows.Player) -> date:
    return days.today(work.now, shown.zone_of(player.zone))


def _shown(holiday: Days) -> dict[str, Msg]:
    return {"first": shown.day(holiday.first), "last": shown.day(holiday.last)}


def _announce_holiday(work: Work, player: rows.Player, wanted: Days) -> Outcome:
    zone, settings = shown.zone_of(player.zone), work.house.settings.clocks
    days.check(wanted, _known(work, player), work.now, zone, settings.vacation_days)
    span = days.span(wanted, zone)
    begin = max(span.begin, work.now)
    kept = _keep_near_deadlines(work, player, begin)
    values = {
        "player_id": player.id,
        "first": str(wanted.first),
        "last": str(wanted.last),
        "begin": begin,
        "end": span.end,
        "announced": work.now,
    }
    work.db.execute(holidays.insert().values(values))
    done = say("clock.holiday.done", **_shown(wanted))
    return _changed(work, player, "announced", wanted, done, *kept)


def _keep_near_deadlines(work: Work, player: rows.Player, begin: int) -> list[Msg]:
    """Deadlines that are very near are not moved by a holiday announced now, nor by any other that
    is announced while the question is open. What there is to say of each that this one, from
    ``begin`` on, would have moved."""
    kept = []
    for game in rows.games_of(work.db, player.id, [GameStatus.RUNNING]):
        play = Play.load(work.db, game.tag)
        if play is not None:
            kept += _keep_near_deadline(work, play, player, begin)
    return kept


def _keep_near_deadline(work: Work, play: Play, player: rows.Player, begin: int) -> list[Msg]:
    seat, clocks = play.seat_of(player.id), play.clocks(work.now)
    if seat is None:
        return []
    near = work.house.settings.clocks.deadline_minutes * MINUTE
    row, due = clocks.row(seat.number), clocks.due(seat.number)
    if row is None or not row.question or (due is not None and due.acts <= begin):
        return []
    if due is not None and due.deadline < work.now + near:
        clocks.turn_deaf(seat.number)
        clocks.save()
    elif row.deaf_from is None:
        return []
    deadline = say("clock.deadline.paused")
    if due is not None:
        deadline = shown.deadline(due.deadline, work.now, shown.zone_of(player.zone))
    values = {"time": shown.length(near), "deadline": deadline}
    return [say("clock.holiday.kept", game=play.row.tag, **values)]


def _cancel_holiday(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    first = days.read(args).first
    own = (holidays.c.player_id == player.id, holidays.c.first == str(first))
    found = work.db.execute(select(holidays).where(*own, holidays.c.end > work.now)).all()
    if not found:
        raise BadHoliday(say("clock.holiday.unknown", first=str(first)))
    cancelled = Days(first, max(days.day_of(row.last) for row in found))
    here = str(_today(work, player))
    for row in found:
        this = holidays.c.id == row.id
        if row.begin > work.now:
            work.db.execute(delete(holidays).where(this))
        else:
            ended = {"end": work.now, "last": here}
            work.db.execute(update(holidays).where(this).values(ended))
    undone = say("clock.holiday.undone", **_shown(cancelled))
    return _changed(work, player, "cancelled", cancelled, undone)


def _changed(work: Work, player: rows.Player, what: str, holiday: Days, *said: Msg) -> Outcome:
    """A holiday was announced or cancelled: what follows from it for clocks and people."""
    _retime(work, player)
    _tell_opponents(work, player, what, **_shown(holiday))
    return frame.receipt(work, player, *said, _left(work, player))


def _retime(work: Work, player: rows.Player) -> None:
    """Have the clocks of a player's games looked at soon: their deadlines have moved."""
    for game in rows.games_of(work.db, player.id, [GameStatus.RUNNING]):
        set_timer(work.db, CLOCK, game.tag, work.now)


def _tell_opponents(work: Work, player: rows.Player, what: str, **values: Msg) -> None:
    """One mail to each player who sits at a table with this one, with those tables."""
    shared: dict[int, list[str]] = {}
    for game in rows.games_of(work.db, player.id, GOING):
        for seat in rows.seats_of(work.db, game.id):
            if seat.player_id not in (None, player.id):
                assert seat.player_id is not None
                shared.setdefault(seat.player_id, []).append(game.tag)
    for player_id, tags in sorted(shared.items()):
        other = pool.player_by_id(work.db, player_id)
        if other is None:
            continue
        opening = say(f"clock.holiday.{what}", player=player.name, games=tags, **values)
        event = f"holiday {what} {work.post.occasion}"
        letter = clock_letters.notice(
            work.post.envelope(Address(other.address, other.name), event, player.id),
            say(f"clock.holiday.{what}-subject", player=player.name),
            [opening],
            turn=work.notice(opening, type="notice"),
        )
        work.post.put(letter, other.language)
