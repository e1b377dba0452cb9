"""Standing orders and bots answer, one question after another, until somebody has to.

A seat's standing orders are tried whenever it is newly asked something; the first that fits and
is legal is used. One that is refused leaves no trace for anybody but its player. Where a bot acts
for an absent player, it answers what no standing order does.
"""

from __future__ import annotations

import hmac
from collections import Counter
from dataclasses import dataclass, field

from sigilpost_engine.bots import BOTS
from sigilpost_engine.core.errors import Refusal
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.standing import StandingOrder
from sigilpost_engine.core.trials import first_used
from sigilpost_server.clocks import days, shown, standing
from sigilpost_server.clocks.standing import Kept
from sigilpost_server.clocks.store import CLOCK, set_timer
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import marks, rows
from sigilpost_server.transaction.play import Play

SOON = 60
MOST_ANSWERS = 100
"""In one transaction. Then standing orders rest until somebody has written, and bots go on when
the clock looks at the game next."""


@dataclass
class Automatic:
    """What was answered without anybody: how often each standing order (seat, number) was used,
    and whether bots have more to answer."""

    used: Counter[tuple[int, int]] = field(default_factory=Counter)
    answers: int = 0
    more: bool = False

    @property
    def seats(self) -> set[int]:
        """The seats whose standing orders were used."""
        return {seat for seat, _ in self.used}

    def go_on(self, play: Play, now: int) -> None:
        """If bots have more to answer, have the clock look at the game soon."""
        if self.more:
            set_timer(play.db, CLOCK, play.row.tag, now + SOON)


def run(play: Play, now: int) -> Automatic:
    """Answer what can be answered. Raises Held."""
    return Runner(play, now).finish()


class Runner:
    """Answers what can be answered, between the lines of a mail and after them."""

    def __init__(self, play: Play, now: int) -> None:
        self.play = play
        self.now = now
        self.done = Automatic()
        self._kept: dict[int, list[Kept]] = {}

    def between(self, seat: int) -> None:
        """Answer for everybody but ``seat``, whose own next line comes first. Raises Held."""
        self._go(but=seat)

    def finish(self) -> Automatic:
        """Answer for everybody, and note which orders were used. Raises Held."""
        self._go()
        self._note()
        return self.done

    def _go(self, but: int | None = None) -> None:
        while self.done.answers < MOST_ANSWERS:
            if not self._one(but):
                return
        self.done.more = any(seat.acting for seat in self._asked())

    def _asked(self, but: int | None = None) -> list[rows.Seat]:
        play = self.play
        if play.status != GameStatus.RUNNING or not _concerned(play):
            return []
        return [play.seats[prompt.seat] for prompt in play.match.open if prompt.seat != but]

    def _one(self, but: int | None) -> bool:
        """Answer one question; False if nobody is asked who has somebody to answer."""
        return any(self._by_order(seat) or self._by_bot(seat) for seat in self._asked(but))

    # --- standing orders ----------------------------------------------------------------------

    def _by_order(self, seat: rows.Seat) -> bool:
        play = self.play
        if not seat.standing or play.asked(seat.number) == seat.asked:
            return False
        prompt = play.match.prompt(seat.number)
        assert prompt is not None
        known = self._in_force(seat)
        view = play.match.view(seat.number)
        trial = first_used(play.rules, view, prompt, [order for _, order in known])
        if trial is None:
            return False
        self._carry_out(seat, *known[trial.place])
        return True

    def _in_force(self, seat: rows.Seat) -> list[tuple[Kept, StandingOrder]]:
        play = self.play
        if seat.number not in self._kept:
            self._kept[seat.number] = standing.of_seat(play.db, play.row.id, seat.number)
        today = days.today(self.now, shown.zone_of(seat.zone or "UTC")).isoformat()
        found = []
        for kept in self._kept[seat.number]:
            order = standing.parsed(play.row.kind, kept.line)
            if order is None or not standing.counts(order, today):
                continue
            if order.once and (kept.used or self.done.used[seat.number, kept.number]):
                continue
            found.append((kept, order))
        return found

    def _carry_out(self, seat: rows.Seat, kept: Kept, order: StandingOrder) -> None:
        """Play an order's commands, as the lines of a mail: the first that is refused ends it."""
        actor = marks.standing(kept.number)
        self.done.used[seat.number, kept.number] += 1
        for place, command in enumerate(order.commands):
            index = kept.first + place
            try:
                self.play.submit(seat.number, command, None, kept.block, index, self.now, actor)
            except Refusal:
                return
            self.done.answers += 1

    def _note(self) -> None:
        """Write which orders were used, and drop those that were for once."""
        play = self.play
        for (number, order_number), times in self.done.used.items():
            kept = next(each for each in self._kept[number] if each.number == order_number)
            order = standing.parsed(play.row.kind, kept.line)
            gone = order is not None and order.once
            for _ in range(times):
                standing.note_use(play.db, play.row.id, number, order_number, gone=gone)
            if gone:
                play.change_seat(number, standing=play.seats[number].standing - 1)

    # --- bots ---------------------------------------------------------------------------------

    def _by_bot(self, seat: rows.Seat) -> bool:
        if not seat.acting:
            return False
        play = self.play
        prompt = play.match.prompt(seat.number)
        assert prompt is not None
        bot = BOTS[seat.acting](self._chance(seat, prompt))
        answer = bot.choose(play.rules, play.match.view(seat.number), prompt)
        play.act(seat.number, answer, marks.bot(seat.acting), self.now)
        self.done.answers += 1
        return True

    def _chance(self, seat: rows.Seat, prompt: Prompt) -> Rng:
        """A stream for one answer of a bot: the same if the work is done again, known to nobody
        before the game is over, and apart from the game's own."""
        about = f"sigilpost bot v1\n{seat.number} {self.play.head.number} {prompt.fingerprint()}"
        return Rng(hmac.digest(self.play.row.secret, about.encode(), "sha256"))


def _concerned(play: Play) -> bool:
    """Whether any seat has standing orders or a bot."""
    return any(seat.standing or seat.acting for seat in play.seats)
