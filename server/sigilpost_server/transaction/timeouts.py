"""A game's clocks are looked at: reminders go out, and where time is out, the policy acts.

All of it is one transaction with the timer that caused it, so that each reminder goes out once,
whatever is killed when.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

from sqlalchemy import Connection

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clocks import shown, terms
from sigilpost_server.clocks.store import CLAIMABLE, Row
from sigilpost_server.clocks.terms import Policy
from sigilpost_server.leagues import store
from sigilpost_server.leagues.reliability import What
from sigilpost_server.mail_out import clock_letters
from sigilpost_server.mail_out.letter import Command, Envelope, Letter
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import absence, automatic, bounces, marks, rows, substitutes
from sigilpost_server.transaction.hold import stop
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller

EXCUSE = "excuse"
"""What happens to a seat whose miss is let pass, beside the policies of ``terms``."""

_FORFEITS = {terms.SUBSTITUTE: terms.FORFEIT}
"""What happens where there is nobody to whom a seat could be offered."""

ABANDONED = "abandoned"
"""Why a game was stopped, as its transcript says."""


def look(db: Connection, post: Post, tag: str) -> None:
    """Do what is due by a game's clocks."""
    play = Play.load(db, tag)
    if play is None or play.status != GameStatus.RUNNING:
        return
    try:
        _Look(play, post).run()
    except Held as held:
        stop(play, post, held)


class _Look:
    """One look at the clocks of a game."""

    def __init__(self, play: Play, post: Post) -> None:
        self.play = play
        self.post = post
        self.now = post.now
        self.clocks = play.clocks(post.now)
        self.teller = Teller(play, post)
        self.reminders: dict[int, int] = {}
        self.news: dict[int, list[Msg]] = defaultdict(list)
        self.commands: dict[int, list[Command]] = defaultdict(list)

    def run(self) -> None:
        late = self.clocks.late()
        self._remind(late)
        for _, at_once in groupby(late, key=self.clocks.ran_out):
            self._act(list(at_once))
            if self.play.status != GameStatus.RUNNING:
                break
        self._close()
        done = automatic.run(self.play, self.now)
        self.play.save()
        for seat in self.play.seats:
            self._tell(seat, acted=seat.number in done.seats)
        self.play.save_marks()
        done.go_on(self.play, self.now)

    # --- reminders ----------------------------------------------------------------------------

    def _remind(self, late: list[Row]) -> None:
        for row in self.clocks.running():
            percent = self.clocks.reminder(row)
            if percent is not None and row not in late and not row.stage:
                self.clocks.remind(row, percent)
                self.reminders[row.number] = percent

    def _consequence(self, seat: int) -> Msg | None:
        """What the last reminder says will happen."""
        policy, row = self._policy(self.play.seats[seat]), self.clocks.row(seat)
        assert row is not None
        if self.reminders[seat] != max(policy.reminders):
            return None
        return say("clock.policy.excuse") if row.misses < policy.excuses else policy.told

    # --- time is out --------------------------------------------------------------------------

    def _act(self, at_once: list[Row]) -> None:
        """Clocks whose time was out at the same moment: no seat comes before another."""
        wanted = {row.number: self._wanted(row) for row in at_once}
        for row in at_once:
            player = self.play.seats[row.number].player_id
            if player is not None:
                store.mark(self.play.db, player, What.MISSED, self.now, self.play.row.id)
        searching = list(wanted.values()).count(terms.SUBSTITUTE)
        if searching and not substitutes.enough(self.play, self.post, searching):
            wanted = {n: _FORFEITS.get(act, act) for n, act in wanted.items()}
        if terms.FORFEIT in wanted.values():
            lost = {n for n, act in wanted.items() if act not in (EXCUSE, terms.BOT)}
            self.play.run_out(lost, marks.CLOCK, self.now)
            return
        for row in at_once:
            self._stand_by(row, self.play.seats[row.number], wanted[row.number])

    def _wanted(self, row: Row) -> str:
        """What is to happen to a seat whose time is out."""
        policy = self._policy(self.play.seats[row.number])
        return EXCUSE if row.misses < policy.excuses else policy.act

    def _stand_by(self, row: Row, seat: rows.Seat, what: str) -> None:
        """The game goes on without an answer of this seat."""
        if what == EXCUSE:
            self._excuse(row, seat)
        elif what == terms.BOT:
            self._leave(seat, self._policy(seat).bot)
        elif what == terms.CLAIM:
            self._claimable(seat)
        elif substitutes.offer(self.play, seat, self.post):
            told = say("clock.offered.opening", seat=seat.shown)
            self._news(seat, say("clock.offered.you"), told)

    def _leave(self, seat: rows.Seat, bot: str) -> None:
        absence.leave(self.play, seat, bot)
        self._news(seat, absence.bot_acts_for_you(bot), absence.bot_acts(seat.shown, bot))
        self.commands[seat.number].append(absence.come_back(self.play.row.tag))

    def _policy(self, seat: rows.Seat) -> Policy:
        """The policy of the game, for a seat whose player can be reached or not."""
        policy = self.clocks.terms.policy
        if policy.unreachable is not None and bounces.seat_unreachable(self.play.db, seat):
            return policy.for_unreachable
        return policy

    def _excuse(self, row: Row, seat: rows.Seat) -> None:
        self.clocks.excuse(row)
        left = self.clocks.terms.policy.excuses - row.misses - 1
        time = shown.length(self.clocks.terms.allowance())
        self._news(
            seat,
            say("clock.excused.you", time=time, n=left),
            say("clock.excused.opening", seat=seat.shown, time=time, n=left),
        )

    def _claimable(self, seat: rows.Seat) -> None:
        self.clocks.set_stage(seat.number, CLAIMABLE)
        time = shown.length(self.clocks.terms.policy.abandoned)
        told = say("clock.claimable.opening", seat=seat.shown, time=time)
        self._news(seat, say("clock.claimable.you", time=time), told)
        for other in self.play.seats:
            if other.number != seat.number:
                self.commands[other.number].append(self._claim(seat))

    # --- nobody claims ------------------------------------------------------------------------

    def _close(self) -> None:
        """Close a game that can be claimed and that everybody has left, some time after they were
        told of it."""
        for row in self.clocks.unanswered():
            closing = self.clocks.closing(row)
            if self.play.status != GameStatus.RUNNING or closing is None or closing.due > self.now:
                continue
            if closing.told is None:
                self._announce_closing(self.play.seats[row.number], row)
            else:
                self.play.stop(ABANDONED, self.now)

    def _announce_closing(self, late: rows.Seat, row: Row) -> None:
        moment = self.clocks.announce_closing(row)
        waiting = {each.number for each in self.clocks.unanswered()}
        for seat in self.play.seats:
            when = shown.when(moment, shown.zone_of(seat.zone or "UTC"))
            values = {"seat": late.shown, "game": self.play.row.tag, "when": when}
            if seat.number in waiting:
                self.news[seat.number].append(say("clock.closing.you", **values))
            else:
                self.news[seat.number].append(say("clock.closing.opening", **values))
                self.commands[seat.number].append(self._claim(late))

    def _claim(self, late: rows.Seat) -> Command:
        what = say("clock.command.claim", seat=late.shown)
        return Command(f"sigil claim {self.play.row.tag}", what)

    def _news(self, seat: rows.Seat, to_seat: Msg, to_others: Msg) -> None:
        for each in self.play.seats:
            self.news[each.number].append(to_seat if each.number == seat.number else to_others)

    # --- letters ------------------------------------------------------------------------------

    def _tell(self, seat: rows.Seat, *, acted: bool) -> None:
        """At most one mail to a seat."""
        asked, news = self.play.asked(seat.number), self.news[seat.number]
        envelope = self.teller.envelope(seat, f"clock {self.now}")
        if self.play.status == GameStatus.CANCELLED:
            letter = self._closed(seat, envelope)
        elif seat.number in self.reminders and asked == seat.asked != "":
            letter = self.teller.reminder(seat, envelope, self._consequence(seat.number), news)
        elif (
            news
            or acted
            or self.play.status == GameStatus.FINISHED
            or (asked and asked != seat.asked)
        ):
            letter = self.teller.now(
                seat, envelope, notices=news, commands=self.commands[seat.number]
            )
        else:
            return
        self.teller.put(seat, letter)

    def _closed(self, seat: rows.Seat, envelope: Envelope) -> Letter:
        said = say("clock.abandoned.opening", game=self.play.row.tag)
        turn = self.teller.document(seat, type="cancelled", messages=[said.to_json()])
        subject, game = say("clock.abandoned.subject"), self.teller.game
        return clock_letters.notice(envelope, subject, [said], game=game, turn=turn)
