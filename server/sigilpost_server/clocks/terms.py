"""What a game agreed about time: its control, and what happens when a player's time is out.

    forfeit                the game is over; the others have won
    bot [NAME]             a bot acts in the seat until its player is back
    claim                  an opponent may end the game, or wait
    substitute             a player of the pool is offered the seat; nobody there: forfeit
    excuses 2              so many misses of a player are let pass first
    reminders 50 75 90     when so many percent of the time are used up; or ``no reminders``
    abandoned 30d          so long after a claim became possible a game that nobody claims is closed
    unreachable claim      what happens instead, without excuses, to a player whose mail comes
                           back; any of the first four

Parts are separated by commas or semicolons, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sigilpost_engine.bots import BOTS
from sigilpost_engine.core.messages import Msg, Value, say
from sigilpost_server.clocks import control
from sigilpost_server.clocks.control import DAY, HOUR, BadControl, Control
from sigilpost_server.clocks.reckon import REMINDERS

FORFEIT, BOT, CLAIM, SUBSTITUTE = "forfeit", "bot", "claim", "substitute"
DEFAULT_BOT = "greedy"
ABANDONED = 90 * DAY
NOTICE = 14 * DAY
MOST_EXCUSES = 20
MOST_REMINDERS = 9

CLOCK, TIMEOUT = "clock", "timeout"
"""The rules of a game (CREATE) that say its terms."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What happens when a player's time is out. ``bot`` is the bot's name where one acts."""

    act: str = FORFEIT
    bot: str = ""
    excuses: int = 0
    reminders: tuple[int, ...] = REMINDERS
    unreachable: tuple[str, str] | None = None
    """What happens to a player whose mail comes back, and the bot's name; None: the same."""
    abandoned: int = ABANDONED
    """Seconds after which a game is closed that can be claimed, and that nobody claims."""

    @property
    def notice(self) -> int:
        """Seconds before that at which everybody is told: two weeks, or half the time."""
        return min(NOTICE, self.abandoned // 2)

    @property
    def for_unreachable(self) -> Policy:
        """The policy for a player whose mail comes back."""
        if self.unreachable is None:
            return self
        act, bot = self.unreachable
        return replace(self, act=act, bot=bot, excuses=0)

    def __str__(self) -> str:
        """The line that gives this policy; :func:`read_policy` reads it back."""
        parts = [f"{self.act} {self.bot}".strip()]
        if self.excuses:
            parts.append(f"excuses {self.excuses}")
        if self.reminders != REMINDERS:
            numbers = " ".join(map(str, self.reminders))
            parts.append(f"reminders {numbers}" if numbers else "no reminders")
        if self.unreachable is not None:
            parts.append(f"unreachable {' '.join(self.unreachable)}".strip())
        if self.abandoned != ABANDONED:
            parts.append(f"abandoned {control.duration(self.abandoned)}")
        return ", ".join(parts)

    @property
    def told(self) -> Msg:
        """What will happen, said to the player whose time runs out."""
        return say(f"clock.policy.{self.act}", bot=self.bot)


NO_LIMIT = Control(limited=False)
FORFEITS = Policy()


@dataclass(frozen=True, slots=True)
class Terms:
    """Control and policy of a game."""

    control: Control = NO_LIMIT
    policy: Policy = FORFEITS

    @property
    def timed(self) -> bool:
        """Whether anybody can be late at all."""
        return self.control.limited

    def rules(self) -> dict[str, str]:
        """The terms as rules of a game."""
        if not self.timed:
            return {CLOCK: str(self.control)}
        return {CLOCK: str(self.control), TIMEOUT: str(self.policy)}

    def allowance(self) -> int:
        """Seconds for a question that an excuse lets be asked anew: those for one move, or a
        tenth of a bank without any, and an hour at least."""
        tenth = (self.control.bank or DAY) // 10
        return max(HOUR, self.control.per_move or tenth)


def read(rules: Mapping[str, Any], default: Terms | None = None) -> Terms:
    """The terms that a game's rules give; what they do not say is as in ``default``.

    Raises BadControl.
    """
    otherwise = default or Terms()
    line, policy = rules.get(CLOCK), rules.get(TIMEOUT)
    return Terms(
        otherwise.control if line is None else control.read(_line(line)),
        otherwise.policy if policy is None else read_policy(_line(policy)),
    )


def read_policy(line: str) -> Policy:
    """The policy that a line gives. Raises BadControl."""
    policy, seen = Policy(), set[str]()
    for part in filter(None, (part.strip() for part in re.split("[,;]", line))):
        name, changes = _part(" ".join(part.split()))
        if name in seen:
            raise _bad("twice", part=part)
        seen.add(name)
        policy = replace(policy, **changes)
    if not seen:
        raise _bad("empty")
    return policy


_ACT = re.compile(r"(forfeit|claim|substitute)|bot(?: ([a-z]+))?", re.IGNORECASE)
_EXCUSES = re.compile(r"excuses (\d{1,3})|(\d{1,3}) (?:excuses?|free misses)", re.IGNORECASE)
_REMINDERS = re.compile(r"no reminders|reminders((?: \d{1,3}%?)+)", re.IGNORECASE)
_ABANDONED = re.compile(f"abandoned {control.DURATION}", re.IGNORECASE)
_UNREACHABLE = re.compile(r"unreachable (.+)", re.IGNORECASE)


def _part(part: str) -> tuple[str, dict[str, Any]]:
    if (found := _UNREACHABLE.fullmatch(part)) and (wanted := _ACT.fullmatch(found[1])):
        act = {"act": wanted[1].lower(), "bot": ""} if wanted[1] else _bot(wanted[2])
        return "unreachable", {"unreachable": (act["act"], act["bot"])}
    if found := _ABANDONED.fullmatch(part):
        return "abandoned", {"abandoned": _day_at_least(found[1])}
    if found := _ACT.fullmatch(part):
        return "act", {"act": found[1].lower(), "bot": ""} if found[1] else _bot(found[2])
    if found := _EXCUSES.fullmatch(part):
        number = int(found[1] or found[2])
        if number > MOST_EXCUSES:
            raise _bad("excuses", most=MOST_EXCUSES)
        return "excuses", {"excuses": number}
    if found := _REMINDERS.fullmatch(part):
        return "reminders", {"reminders": _percents(found[1] or "")}
    raise _bad("unknown", part=part)


def _bot(name: str | None) -> dict[str, str]:
    bot = (name or DEFAULT_BOT).lower()
    if bot not in BOTS:
        raise _bad("no-bot", name=bot, known=sorted(BOTS))
    return {"act": BOT, "bot": bot}


def _day_at_least(text: str) -> int:
    seconds = control.seconds(text)
    if seconds < DAY:
        raise _bad("abandoned")
    return seconds


def _percents(text: str) -> tuple[int, ...]:
    percents = tuple(sorted({int(each) for each in re.findall(r"\d+", text)}))
    if len(percents) > MOST_REMINDERS or any(not 1 <= percent <= 99 for percent in percents):
        raise _bad("reminders", most=MOST_REMINDERS)
    return percents


def _line(value: Any) -> str:
    if not isinstance(value, str):
        raise _bad("unknown", part=str(value))
    return value


def _bad(what: str, **values: Value) -> BadControl:
    return BadControl(say(f"clock.terms.{what}", **values))
