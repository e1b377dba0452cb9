"""Requests about time: holidays, pauses, claims, coming back, substitutes.

Signed like every command; a word and its arguments. What cannot be done changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import delete, select, update

from sigilpost_engine import games as engine
from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Request
from sigilpost_server.clocks import days, shown
from sigilpost_server.clocks.control import DAY
from sigilpost_server.clocks.days import BadHoliday, Days
from sigilpost_server.clocks.store import CLOCK, set_timer
from sigilpost_server.mail_out import clock_letters, letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import (
    GameStatus,
    holidays,
    substitutes,
)
from sigilpost_server.transaction import absence, marks, pauses, rows, timeouts
from sigilpost_server.transaction import substitutes as pool
from sigilpost_server.transaction.hold import hold
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of

GOING = (GameStatus.PROPOSED, GameStatus.RUNNING, GameStatus.HELD)
DEFAULT_PAUSE_DAYS = 14


class _Refused(Exception):
    """The request is not carried out: the reason, and what more there is to say."""

    def __init__(self, reason: str, *details: Msg, game: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.details = details
        self.game = game


class _Stuck(Exception):
    """A game whose open step does not run as it did: it is to be held."""

    def __init__(self, play: Play, held: Held) -> None:
        super().__init__(str(held))
        self.play = play
        self.held = held


def run(work: Work, signed: Signed) -> Outcome:
    """Carry out a request of REQUESTS."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Request)
    assert player is not None
    try:
        return REQUESTS[wish.what](work, signed, player, wish.args)
    except _Refused as refused:
        return work.error(player, refused.reason, *refused.details, game=refused.game)
    except _Stuck as stuck:
        return hold(work, stuck.play, stuck.held)


def _not_possible(what: str, game: str = "", **values: object) -> _Refused:
    return _Refused("not-possible", say(f"clock.{what}", **{"game": game, **values}), game=game)


def _table(work: Work, player: rows.Player, args: Sequence[str]) -> tuple[Play, rows.Seat]:
    """The running game that the first argument names, and the player's seat in it."""
    play = Play.load(work.db, args[0]) if args else None
    seat = play.seat_of(player.id) if play else None
    if play is None or seat is None:
        raise _Refused("unknown-game")
    if play.status == GameStatus.HELD:
        raise _Refused("held", game=play.row.tag)
    if play.status != GameStatus.RUNNING:
        raise _Refused("not-running", game=play.row.tag)
    _check(play)
    return play, seat


def _check(play: Play) -> None:
    """Load the match now: nothing that comes later can be stuck."""
    try:
        _ = play.match
    except Held as held:
        raise _Stuck(play, held) from held


def _timed(play: Play, work: Work) -> None:
    if not play.clocks(work.now).timed:
        raise _not_possible("no-clock", game=play.row.tag)


def _here_again(work: Work, play: Play, seat: rows.Seat) -> tuple[rows.Seat, list[Msg]]:
    """Whoever writes about a game is back in it: the seat as it is now, and what to say of it."""
    said = absence.back(play, seat, work.post)
    if said:
        play.save()
    return play.seats[seat.number], said


def _receipt(work: Work, player: rows.Player, *notices: Msg) -> Outcome:
    """Done, and it concerns no one game."""
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)), notices=notices, turn=work.notice(*notices)
    )
    return Outcome("ok", letter, player.language)


def _receipt_of(work: Work, play: Play, seat: rows.Seat, *notices: Msg) -> Outcome:
    """Done, in a game."""
    teller = Teller(play, work.post)
    turn = teller.document(seat, type="answer", messages=[each.to_json() for each in notices])
    letter = letters.receipt(
        teller.answer_envelope(seat), notices=notices, game=teller.game, turn=turn
    )
    return Outcome("ok", letter, seat.language or "en", play.row.tag, play.row.id, play.seq)


# --- holidays -------------------------------------------------------------------------------------


def _vacation(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    try:
        if not args:
            return _receipt(work, player, *_holidays_of(work, player))
        if args[0].casefold() == "cancel":
            return _cancel_holiday(work, player, args[1:])
        return _announce_holiday(work, player, days.read(args))
    except BadHoliday as bad:
        raise _Refused("not-possible", bad.message) from None


def _known(work: Work, player: rows.Player) -> list[Days]:
    statement = select(holidays.c.first, holidays.c.last).where(holidays.c.player_id == player.id)
    found = work.db.execute(statement.order_by(holidays.c.begin))
    return [Days(days.day_of(row.first), days.day_of(row.last)) for row in found]


def _holidays_of(work: Work, player: rows.Player) -> list[Msg]:
    here = days.today(work.now, shown.zone_of(player.zone))
    known = _known(work, player)
    coming = [each for each in known if each.last >= here]
    budget = work.house.settings.clocks.vacation_days
    left = say("clock.holiday.left", year=here.year, n=days.left(here.year, known, budget))
    listed = [say("clock.holiday.line", **_shown(each)) for each in coming]
    return [*(listed or [say("clock.holiday.none")]), left]


def _shown(holiday: Days) -> dict[str, Msg]:
    return {"first": shown.day(holiday.first), "last": shown.day(holiday.last)}


def _announce_holiday(work: Work, player: rows.Player, wanted: Days) -> Outcome:
    zone, settings = shown.zone_of(player.zone), work.house.settings.clocks
    days.check(wanted, _known(work, player), work.now, zone, settings.vacation_days)
    span = days.span(wanted, zone)
    kept = _keep_near_deadlines(work, player)
    values = {
        "player_id": player.id,
        "first": str(wanted.first),
        "last": str(wanted.last),
        "begin": max(span.begin, work.now),
        "end": span.end,
        "announced": work.now,
    }
    work.db.execute(holidays.insert().values(values))
    _retime(work, player)
    _tell_opponents(work, player, "announced", **_shown(wanted))
    return _receipt(
        work,
        player,
        say("clock.holiday.done", **_shown(wanted)),
        *(say("clock.holiday.kept", game=tag) for tag in kept),
        _holidays_of(work, player)[-1],
    )


def _keep_near_deadlines(work: Work, player: rows.Player) -> list[str]:
    """Deadlines that are very near are not moved by a holiday announced now; the games' tags."""
    nearest = work.now + work.house.settings.clocks.deadline_minutes * 60
    kept = []
    for game in rows.games_of(work.db, player.id, [GameStatus.RUNNING]):
        play = Play.load(work.db, game.tag)
        seat = play.seat_of(player.id) if play else None
        if play is None or seat is None:
            continue
        clocks = play.clocks(work.now)
        due = clocks.due(seat.number)
        if due is not None and due.deadline < nearest:
            clocks.turn_deaf(seat.number)
            clocks.save()
            kept.append(game.tag)
    return kept


def _cancel_holiday(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    first = days.read(args).first
    own = (holidays.c.player_id == player.id, holidays.c.first == str(first))
    found = work.db.execute(select(holidays).where(*own, holidays.c.end > work.now)).all()
    if not found:
        raise BadHoliday(say("clock.holiday.unknown", first=str(first)))
    cancelled = Days(first, max(days.day_of(row.last) for row in found))
    here = str(days.today(work.now, shown.zone_of(player.zone)))
    for row in found:
        this = holidays.c.id == row.id
        if row.begin > work.now:
            work.db.execute(delete(holidays).where(this))
        else:
            ended = {"end": work.now, "last": here}
            work.db.execute(update(holidays).where(this).values(ended))
    _retime(work, player)
    _tell_opponents(work, player, "cancelled", **_shown(cancelled))
    return _receipt(
        work,
        player,
        say("clock.holiday.undone", **_shown(cancelled)),
        _holidays_of(work, player)[-1],
    )


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


# --- pauses ---------------------------------------------------------------------------------------


def _pause(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``pause GAME [DAYS]``: a vote, and the pause itself once everybody wants it."""
    play, seat = _table(work, player, args)
    _timed(play, work)
    tag, most = play.row.tag, work.house.settings.clocks.pause_days
    number = _days(args[1:], min(DEFAULT_PAUSE_DAYS, most), most, tag)
    if pauses.going_on(work.db, play.row.id, work.now):
        raise _not_possible("pause.already", game=tag)
    seat, said = _here_again(work, play, seat)
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
        return _receipt_of(work, play, seat, *said, voted)
    end = work.now + agreed * DAY
    pauses.begin(play, pauses.VOTE, end, work.now)
    why = say("clock.paused.vote", game=tag)
    pauses.tell_begun(play, work.post, why, end, but=seat)
    return _receipt_of(work, play, seat, *said, why, pauses.until(end, seat.zone))


def _days(args: Sequence[str], default: int, most: int, tag: str) -> int:
    """``14``, ``14d`` or nothing."""
    if not args:
        return default
    figures = args[0].rstrip("d")
    number = int(figures) if figures.isascii() and figures.isdigit() and len(figures) < 5 else 0
    if not 1 <= number <= most:
        raise _not_possible("pause.length", game=tag, most=most)
    return number


def _resume(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``resume GAME``: the own emergency is over at once, an agreed pause by everybody's vote."""
    play, seat = _table(work, player, args)
    tag = play.row.tag
    going = pauses.going_on(work.db, play.row.id, work.now)
    own = [each for each in going if each.player_id == player.id]
    agreed = [each for each in going if each.kind == pauses.VOTE]
    if not own and not agreed:
        raise _not_possible("pause.by-host" if going else "pause.none", game=tag)
    seat, said = _here_again(work, play, seat)
    if not own and pauses.vote(play, seat, pauses.RESUME, 0, work.now) is None:
        pauses.tell(
            play,
            work.post,
            "resume wanted",
            say("clock.pause.resume-subject", seat=seat.shown),
            say("clock.pause.resume-wanted", seat=seat.shown, game=tag),
            but=seat,
        )
        return _receipt_of(work, play, seat, *said, say("clock.pause.resume-voted", game=tag))
    pauses.end(play, own or agreed, work.now)
    if pauses.going_on(work.db, play.row.id, work.now):
        return _receipt_of(work, play, seat, *said, say("clock.pause.still", game=tag))
    pauses.tell_over(play, work.post, but=seat)
    return _receipt_of(work, play, seat, *said, say("clock.resumed.opening", game=tag))


def _emergency(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``emergency``: the clocks of all games of a player stand still, at once."""
    settings = work.house.settings.clocks
    last = pauses.last_emergency(work.db, player.id)
    again = None if last is None else last + settings.emergency_every_days * DAY
    if not settings.emergency:
        raise _not_possible("emergency.never")
    if again is not None and work.now < again:
        raise _not_possible("emergency.again", when=_when(player, again))
    end = work.now + settings.emergency
    stopped, passed = [], []
    for game in rows.games_of(work.db, player.id, [GameStatus.RUNNING]):
        play = Play.load(work.db, game.tag)
        seat = play.seat_of(player.id) if play else None
        if play is None or seat is None or not play.clocks(work.now).timed:
            continue
        _check(play)
        due = play.clocks(work.now).due(seat.number)
        if due is not None and due.deadline <= work.now:
            passed.append(game.tag)
        pauses.begin(play, pauses.EMERGENCY, end, work.now, player.id)
        why = say("clock.paused.emergency", seat=seat.shown, game=game.tag)
        pauses.tell_begun(play, work.post, why, end, but=seat)
        stopped.append(game.tag)
    if not stopped:
        raise _not_possible("emergency.no-games")
    return _receipt(
        work,
        player,
        say("clock.emergency.done", games=stopped, when=_when(player, end)),
        *(say("clock.emergency.passed", game=tag) for tag in passed),
    )


def _when(player: rows.Player, moment: int) -> Msg:
    return shown.when(moment, shown.zone_of(player.zone))


# --- absent players -------------------------------------------------------------------------------


def _claim(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``claim GAME``: end a game in which somebody else's time is out."""
    play, seat = _table(work, player, args)
    tag, clocks = play.row.tag, play.clocks(work.now)
    late = [row for row in clocks.running() if row.stage == timeouts.CLAIMABLE]
    if not late:
        raise _not_possible("claim.nobody", game=tag)
    if any(row.number == seat.number for row in late):
        raise _not_possible("claim.late", game=tag)
    first = min(late, key=lambda row: (row.clock.asked or 0) + row.clock.given)
    play.forfeit(first.number, marks.claim(seat.shown), work.now)
    play.save()
    teller = Teller(play, work.post)
    answer = teller.now(seat, teller.answer_envelope(seat)) if work.answering else None
    teller.others(answered=seat if work.answering else None)
    play.save_marks()
    return Outcome("ok", answer, player.language, tag, play.row.id, play.seq)


def _back(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``back GAME``: no bot acts in the seat any longer."""
    play, seat = _table(work, player, args)
    said = absence.back(play, seat, work.post)
    if not said:
        raise _not_possible("back.nobody", game=play.row.tag)
    play.save()
    return _receipt_of(work, play, play.seats[seat.number], *said)


# --- substitutes ----------------------------------------------------------------------------------


def _substitute(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``substitute on [KIND] | off [KIND] | take GAME | refuse GAME``."""
    word = args[0].casefold() if args else ""
    if word == "on":
        return _join_pool(work, player, args[1:])
    if word == "off":
        return _leave_pool(work, player, args[1:])
    if word in ("take", "refuse"):
        return _offered(work, signed, player, word, args[1:])
    raise _Refused("unparseable", say("clock.substitute.form"))


def _kind(args: Sequence[str]) -> str:
    if not args:
        return ""
    if args[0] not in engine.names():
        raise _Refused(
            "unparseable", say("server.create.no-game", name=args[0], known=engine.names())
        )
    return args[0]


def _join_pool(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    kind = _kind(args)
    values = {"player_id": player.id, "kind": kind, "since": work.now}
    statement = rows.upsert(work.db, substitutes).values(values).on_conflict_do_nothing()
    work.db.execute(statement)
    return _receipt(work, player, say("clock.substitute.on", kind=kind or say("clock.any-game")))


def _leave_pool(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    kind = _kind(args)
    where = [substitutes.c.player_id == player.id]
    if kind:
        where.append(substitutes.c.kind == kind)
    work.db.execute(delete(substitutes).where(*where))
    return _receipt(work, player, say("clock.substitute.off", kind=kind or say("clock.any-game")))


def _offered(
    work: Work, signed: Signed, player: rows.Player, word: str, args: Sequence[str]
) -> Outcome:
    """A seat that is on offer is taken or refused."""
    play = Play.load(work.db, args[0]) if args else None
    mine = [
        offer
        for offer in (pool.open_offers(work.db, play.row.id) if play else [])
        if offer.player_id == player.id
    ]
    if play is None or not (mine or pool.was_offered(work.db, play.row.id, player.id)):
        raise _Refused("unknown-game")
    tag = play.row.tag
    if not mine:
        raise _not_possible("offer.none", game=tag)
    (offer,) = mine
    if play.status == GameStatus.HELD:
        raise _Refused("held", game=tag)
    _check(play)
    if word == "refuse":
        pool.pass_on(play, offer, pool.REFUSED, work.post)
        return _receipt(work, player, say("clock.offer.refused", game=tag))
    if not pool.stands(play, offer, work.now):
        pool.close(work.db, offer, pool.WITHDRAWN)
        raise _not_possible("offer.gone", game=tag)
    seat = pool.take(play, offer, player, signed.block.digest, work.post)
    teller = Teller(play, work.post)
    said = [say("clock.offer.taken", seat=seat.shown, game=tag)]
    answer = teller.now(seat, teller.answer_envelope(seat), notices=said)
    play.save_marks()
    return Outcome("ok", answer, player.language, tag, play.row.id, play.seq)


Handler = Callable[[Work, Signed, rows.Player, Sequence[str]], Outcome]

REQUESTS: dict[str, Handler] = {
    "vacation": _vacation,
    "pause": _pause,
    "resume": _resume,
    "emergency": _emergency,
    "claim": _claim,
    "back": _back,
    "substitute": _substitute,
}
