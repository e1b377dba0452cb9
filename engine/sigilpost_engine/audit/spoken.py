"""Whether an answer is what its signed block says: a line of orders, or of standing orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sigilpost_engine.audit.faults import Wrong
from sigilpost_engine.audit.transcript import Line
from sigilpost_engine.core import standing
from sigilpost_engine.core.errors import Refusal, Unparseable
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.core.standing import StandingOrder
from sigilpost_engine.wire.payloads import Orders, Standing

Use = tuple[str, int]
"""A block's digest, and the index of a line or command in it."""


class Command(NamedTuple):
    """A command of a standing order: the order, its place in the block, its own place in it."""

    order: StandingOrder
    number: int
    place: int


class Rest(NamedTuple):
    """The line of a mail, or the command of a standing order, that comes next; ``at_once``: with
    nobody's answer between."""

    block: str
    number: int
    text: str
    at_once: bool


AUTOMATIC = ("standing", "bot")
"""What may answer between two lines of one mail."""


@dataclass
class Spoken:
    """The lines that were used so far, and the checks of the next one."""

    game: Game[Any]
    spent: set[Use] = field(default_factory=set)
    last: dict[int, Use | None] = field(default_factory=dict)
    _once: set[Use] = field(default_factory=set)
    _rest: dict[int, Rest] = field(default_factory=dict)

    def orders(
        self, line: Line, seat: int, name: str, said: Orders, match: Match[Any], answer: Answer
    ) -> None:
        """A line of orders: the first answers the question that they name; others follow it."""
        use = (line["block"], line["index"])
        if use in self.spent:
            raise Wrong(line.number, "answer-twice", seat=name)
        if not 0 <= line["index"] < len(said.lines):
            raise Wrong(line.number, "no-such-line", seat=name)
        if line["index"] == 0:
            asked = match.prompt_id(seat)
            if said.prompt != asked:
                raise Wrong(line.number, "stale", seat=name, asked=asked, named=said.prompt)
        elif (line["block"], line["index"] - 1) != self.last.get(seat):
            raise Wrong(line.number, "dropped", seat=name)
        self._meant(line, seat, name, said.lines[line["index"]], match, answer)
        self.use(seat, use)
        self._expect(seat, use, line["index"], said.lines)

    def standing(
        self, line: Line, seat: int, name: str, said: Standing, match: Match[Any], answer: Answer
    ) -> None:
        """A command of a standing order that fits the question, as its seat saw it."""
        use = (line["block"], line["index"])
        command = _command(self.game, said, line["index"])
        if command is None:
            raise Wrong(line.number, "no-such-line", seat=name)
        order = command.order
        if command.place > 0:
            if self.last.get(seat) != (line["block"], line["index"] - 1):
                raise Wrong(line.number, "dropped", seat=name)
        elif not self._fits(order, seat, match):
            raise Wrong(line.number, "standing-unfit", seat=name, line=said.add[command.number])
        elif order.once and (line["block"], command.number) in self._once:
            raise Wrong(line.number, "standing-once", seat=name, line=said.add[command.number])
        if order.until and line["made"] >= standing.over(order.until):
            raise Wrong(line.number, "standing-late", seat=name, line=said.add[command.number])
        if order.once:
            self._once.add((line["block"], command.number))
        self._meant(line, seat, name, order.commands[command.place], match, answer)
        self.use(seat, use)
        self._expect(seat, use, command.place, order.commands, at_once=True)

    def next_lines(
        self, line: Line, seat: int, name: Callable[[int], str], match: Match[Any]
    ) -> None:
        """Before an answer: what comes next in mails and orders is played as soon as it can be.

        Between two lines of a mail others' standing orders and bots may answer; the first line
        that is refused ends the mail. So a line that is possible until something else is answered
        was left out.
        """
        for each, rest in list(self._rest.items()):
            follows = (line["block"], line["index"]) == (rest.block, rest.number)
            if follows or not _possible(match, each, rest.text):
                del self._rest[each]
            elif rest.at_once or each == seat or line["by"] not in AUTOMATIC:
                raise Wrong(line.number, "left-out", seat=name(each), line=rest.text)

    def _expect(
        self, seat: int, use: Use, place: int, lines: Sequence[str], *, at_once: bool = False
    ) -> None:
        block, index = use
        if place + 1 < len(lines):
            self._rest[seat] = Rest(block, index + 1, lines[place + 1], at_once)

    def use(self, seat: int, use: Use | None) -> None:
        """Note what the newest answer of a seat came from; None if from no line."""
        self.last[seat] = use
        if use is not None:
            self.spent.add(use)

    def _fits(self, order: StandingOrder, seat: int, match: Match[Any]) -> bool:
        prompt = match.prompt(seat)
        if prompt is None:
            return False
        facts = self.game.facts(match.view(seat)) if order.condition is not None else {}
        return any(order.fits(topic, facts) for topic in self.game.topics_of(prompt))

    def _meant(
        self, line: Line, seat: int, name: str, text: str, match: Match[Any], answer: Answer
    ) -> None:
        try:
            meant = match.read(seat, text)
        except Refusal as refusal:
            raise Wrong(line.number, "illegal", seat=name, line=text, why=refusal.message) from None
        if meant != answer:
            raise Wrong(line.number, "other-answer", seat=name)


def _possible(match: Match[Any], seat: int, text: str) -> bool:
    try:
        match.read(seat, text)
    except Refusal:
        return False
    return True


def _command(game: Game[Any], said: Standing, index: int) -> Command | None:
    """The command with this index among all of a block; None if there is none."""
    first = 0
    for number, line in enumerate(said.add):
        try:
            order = standing.read(line, game.topics, game.fact_names)
        except Unparseable:
            return None
        if first <= index < first + len(order.commands):
            return Command(order, number, index - first)
        first += len(order.commands)
    return None
