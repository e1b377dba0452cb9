"""A reply with a one-time code, where a game takes them: moves, ``resign``, ``join``, ``decline``.

Whoever has no client plays by these alone, and is registered by the first ``join``: the code was
mailed to the address, so its return proves that the address was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire import fair
from sigilpost_server.commands import decline, names, resign
from sigilpost_server.commands.orders import Result, play_lines, tell
from sigilpost_server.commands.registration import claim_seats
from sigilpost_server.mail_in.reply import Said
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Line
from sigilpost_server.models import GameStatus, players
from sigilpost_server.transaction import absence, codes, marks, rows
from sigilpost_server.transaction.automatic import Runner
from sigilpost_server.transaction.codes import Code
from sigilpost_server.transaction.hold import hold
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller, address, language
from sigilpost_server.transaction.work import Outcome, Work, reason_text

ZONE = "UTC"
"""That of players without a client, who have never said theirs."""


def run(work: Work, code: Code, lines: Sequence[Said]) -> Outcome:
    """Do what the lines of a reply say by a code that was not used yet."""
    play = Play.load(work.db, code.tag)
    assert play is not None, "a code belongs to a game"
    seat = play.seats[code.seat]
    if seat.mail_key != code.address_key:
        return Outcome("bad-code", judged=False)  # the seat changed hands
    if code.question == codes.JOIN:
        return _invited(work, play, seat, lines)
    if not lines:
        return _asked_again(work, play, seat, "no-line")
    return _ordered(work, play, seat, code, lines)


def renew(work: Work, code: Code) -> Outcome:
    """By a code that was used, or whose question is closed, nothing is done: the seat gets its
    open question with the code that counts, at its own address."""
    play = Play.load(work.db, code.tag)
    assert play is not None, "a code belongs to a game"
    seat = play.seats[code.seat]
    if seat.mail_key != code.address_key:
        return Outcome("bad-code", judged=False)
    return _asked_again(work, play, seat, "used-code")


def _asked_again(work: Work, play: Play, seat: rows.Seat, reason: str) -> Outcome:
    """Nothing was done: the question that is open once more, with its code."""
    if play.status != GameStatus.RUNNING:
        return _refused(work, play, seat, reason)
    teller = Teller(play, work.post)
    since = rows.last_entry_of(work.db, play.row.id, seat.number)
    try:
        letter = teller.now(
            seat, teller.answer_envelope(seat), since, notices=[reason_text(reason)]
        )
    except Held as held:
        return hold(work, play, held)
    play.save_marks()
    return _outcome(work, play, seat, reason)._replace(answer=letter)


def _refused(work: Work, play: Play, seat: rows.Seat, reason: str, *details: Msg) -> Outcome:
    """Nothing was done, and the seat's address is told why. The code counts still: where it is
    for an invitation, it stands in this answer as well."""
    letter = letters.error(
        work.post.answer_envelope(address(seat), tag=play.row.tag),
        reason,
        details=details,
        turn=work.notice(reason_text(reason), *details, reason=reason),
    )
    letter = replace(letter, by_reply=True)
    if play.status == GameStatus.PROPOSED and not seat.joined:
        letter = replace(letter, invited=Teller(play, work.post).reply(seat, codes.JOIN))
    return _outcome(work, play, seat, reason)._replace(answer=letter)


def _outcome(work: Work, play: Play, seat: rows.Seat, reason: str) -> Outcome:
    spoken = language(seat, work.house)
    return Outcome(reason, None, spoken, play.row.tag, play.row.id, play.seq, judged=False)


# --- moves ----------------------------------------------------------------------------------------


def _ordered(work: Work, play: Play, seat: rows.Seat, code: Code, lines: Sequence[Said]) -> Outcome:
    if play.status == GameStatus.HELD:
        return _refused(work, play, seat, "held")
    if play.status != GameStatus.RUNNING:
        return _refused(work, play, seat, "not-running")
    try:
        if play.asked(seat.number) != code.question:
            return _asked_again(work, play, seat, "used-code")
        if _gives_up(lines[0]):
            return _resigned(work, play, seat)
        return _played(work, play, seat, code, lines)
    except Held as held:
        return hold(work, play, held)


def _played(work: Work, play: Play, seat: rows.Seat, code: Code, lines: Sequence[Said]) -> Outcome:
    notices = absence.back(play, seat, work.post)
    runner = Runner(play, work.now)
    played, reason = _judged(runner, seat, code, lines)
    if reason == "unparseable" and lines[0].salutes:
        # No command at all, and nothing was done: a salutation, if what stands below is a command.
        first, lines = played[:1], lines[1:]
        if _gives_up(lines[0]):
            return _resigned(work, play, seat)
        played, reason = _judged(runner, seat, code, lines)
        if reason == "unparseable":
            played = [*first, *played]
    done = runner.finish()
    if reason == "ok" and len(played) < len(lines):
        notices.append(say("server.reply.prose", line=lines[len(played)].line))
    return tell(work, play, seat.number, Result(played, reason, notices, done))


def _judged(
    runner: Runner, seat: rows.Seat, code: Code, lines: Sequence[Said]
) -> tuple[list[Line], str]:
    """Play the lines. Below a blank line, what is no command is a greeting or a signature."""
    given = [said.line for said in lines]
    prose = {number for number, said in enumerate(lines) if number and said.fresh}
    return play_lines(runner, seat.number, given, code.question, None, marks.CODE, prose)


def _gives_up(said: Said) -> bool:
    return said.line.casefold() == "resign"


def _resigned(work: Work, play: Play, seat: rows.Seat) -> Outcome:
    player = rows.player_by_address(work.db, seat.mail_key)
    assert player is not None, "who is asked has joined"
    return resign.give_up(work, play, seat, player, None)


# --- invitations ----------------------------------------------------------------------------------


def _invited(work: Work, play: Play, seat: rows.Seat, lines: Sequence[Said]) -> Outcome:
    from sigilpost_server.commands import join  # late: it knows offers, and so all of the leagues

    if play.status != GameStatus.PROPOSED or seat.joined:
        return _refused(work, play, seat, "not-invited")
    if not lines:
        return _refused(work, play, seat, "no-line")
    line = lines[0].line
    if lines[0].salutes and line.partition(" ")[0].casefold() not in ("join", "decline"):
        line = lines[1].line
    key = seat.mail_key
    player = rows.player_by_address(work.db, key)
    verb, _, rest = line.partition(" ")
    if verb.casefold() == "decline" and not rest:
        return decline.say_no(work, play, seat, player)
    if verb.casefold() != "join":
        return _refused(work, play, seat, "unparseable", say("server.reply.join-form"))
    if player is None:
        name = _name(work, rest)
        reason = _unfit(work, name)
        if reason:
            return _refused(work, play, seat, reason, say("server.reply.join-name", name=name))
        player = _register(work, seat, key, name)
        claim_seats(work, player)
        play = Play.load(work.db, play.row.tag) or play
        seat = play.seats[seat.number]
    reason = join.obstacle(play, seat, player)
    if reason:
        return _refused(work, play, seat, reason)
    committed = fair.commitment(play.row.secret)
    nonce = fair.unsigned_nonce(play.row.tag, committed, seat.number)
    seat = play.join(seat, player.name, "", nonce, None)
    return join.sit_down(work, play, seat)


def _name(work: Work, given: str) -> str:
    """The name after ``join`` (or ``join as``), else the one in From, else the local part."""
    wanted = given[3:] if given.casefold().startswith("as ") else given
    if wanted:
        return wanted.strip()
    sender = work.incoming.sender
    assert sender is not None, "a code counts from its own address only"
    shown = sender.name.split(" ")[0]
    return shown if names.fit(shown) else sender.local


def _unfit(work: Work, name: str) -> str:
    if not names.fit(name):
        return "bad-name"
    return "name-taken" if rows.player_by_name(work.db, names.key(name)) else ""


def _register(work: Work, seat: rows.Seat, key: str, name: str) -> rows.Player:
    spoken = work.house.settings.server.language
    values = {
        "name": name,
        "name_key": names.key(name),
        "address": seat.invited,
        "address_key": key,
        "language": spoken,
        "zone": ZONE,
        "registered": work.now,
    }
    done = work.db.execute(players.insert().values(values).returning(players.c.id))
    return rows.Player(int(done.scalar_one()), name, seat.invited, key, spoken)
