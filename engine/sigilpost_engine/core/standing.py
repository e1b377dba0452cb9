"""Standing orders: lines that are tried, in order, whenever their seat is asked something.

    [on TOPIC] [when CONDITION] do COMMAND[; COMMAND…] [once] [until DATE]

A topic is the kind of question asked, a condition compares facts of the seat's own view
(:mod:`~sigilpost_engine.core.conditions`). Nothing here knows the time: ``until`` is kept as a
date for whoever keeps the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sigilpost_engine.core import conditions
from sigilpost_engine.core.conditions import Condition, Facts
from sigilpost_engine.core.errors import Unparseable
from sigilpost_engine.core.grammar import key, tidy
from sigilpost_engine.core.messages import say

LONGEST = 400
"""Characters in an order."""


@dataclass(frozen=True, slots=True)
class StandingOrder:
    """One order. ``topic`` and ``until`` (``YYYY-MM-DD``) are "" where none is given."""

    topic: str
    condition: Condition | None
    commands: tuple[str, ...]
    once: bool = False
    until: str = ""

    def fits(self, topic: str, facts: Facts) -> bool:
        """Whether it is to be tried for a question of this topic, as things stand."""
        if self.topic and key(self.topic) != key(topic):
            return False
        return self.condition is None or self.condition.holds(facts)


def read(line: str, topics: Sequence[str], facts: Sequence[str]) -> StandingOrder:
    """The order that a line gives, for a game with these topics and facts.

    Raises Unparseable, saying what was expected where.
    """
    text = tidy(line)
    if len(text) > LONGEST:
        raise _bad("core.standing.too-long", longest=LONGEST)
    head, commands = _cut_do(text)
    topic, condition = _cut_head(head)
    commands, once, until = _cut_tail(commands)
    spoken = tuple(part.strip() for part in commands.split(";"))
    if not all(spoken):
        raise _bad("core.standing.no-command")
    return StandingOrder(
        _known_topic(topic, topics),
        None if condition is None else conditions.read(condition, facts),
        spoken,
        once,
        until,
    )


# --- the parts of a line --------------------------------------------------------------------------

_QUOTED = re.compile(r'"[^"]*"')


def _words_at(text: str, word: str) -> Iterator[int]:
    """Where ``word`` stands alone and outside quotes."""
    plain = _QUOTED.sub(lambda quoted: "\0" * len(quoted[0]), text)
    for found in re.finditer(rf"(?<!\S){word}(?!\S)", plain, re.IGNORECASE):
        yield found.start()


def _cut_do(text: str) -> tuple[str, str]:
    place = next(_words_at(text, "do"), None)
    if place is None:
        raise _bad("core.standing.no-do")
    return text[:place].strip(), text[place + 2 :].strip()


def _cut_head(head: str) -> tuple[str, str | None]:
    place = next(_words_at(head, "when"), None)
    condition = None if place is None else head[place + 4 :].strip()
    topic = head if place is None else head[:place].strip()
    if not topic:
        return "", condition
    first, _, rest = topic.partition(" ")
    if first.casefold() != "on" or not rest:
        raise _bad("core.standing.expected", expected="on TOPIC", found=topic)
    return rest, condition


_UNTIL = re.compile(r"(?:^|\s)until ([0-9]{4}-[0-9]{2}-[0-9]{2})$", re.IGNORECASE)
_ONCE = re.compile(r"(?:^|\s)once$", re.IGNORECASE)


def _cut_tail(commands: str) -> tuple[str, bool, str]:
    once, until = False, ""
    while True:
        if (found := _UNTIL.search(commands)) and not until:
            until = found[1]
            if _day(until) is None:
                raise _bad("core.standing.no-date", date=until)
        elif (found := _ONCE.search(commands)) and not once:
            once = True
        else:
            return commands, once, until
        commands = commands[: found.start()]


_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAY, HOUR = 86_400, 3_600


def over(until: str) -> int:
    """The moment (Unix seconds) from which a day, ``YYYY-MM-DD``, is over in every zone."""
    day = _day(until)
    assert day is not None, "read has checked it"
    return (day + 1) * DAY + 12 * HOUR


def _day(date: str) -> int | None:
    """The number of days from 1970-01-01 to a date of the Gregorian calendar; None if there is no
    such date."""
    year, month, day = map(int, date.split("-"))
    if year < 1 or not 1 <= month <= 12:
        return None
    leap = _days_before(year + 1) - _days_before(year) - 365
    months = [length + leap * (number == 2) for number, length in enumerate(_MONTHS, start=1)]
    if not 1 <= day <= months[month - 1]:
        return None
    return _days_before(year) - _days_before(1970) + sum(months[: month - 1]) + day - 1


def _days_before(year: int) -> int:
    """So many days passed before the first of January of a year."""
    past = year - 1
    return 365 * past + past // 4 - past // 100 + past // 400


def _known_topic(topic: str, topics: Sequence[str]) -> str:
    if not topic:
        return ""
    for known in topics:
        if key(known) == key(topic):
            return known
    raise _bad("core.standing.no-topic", topic=topic, known=list(topics))


def _bad(id: str, **values: object) -> Unparseable:
    return Unparseable(say(id, **values))
