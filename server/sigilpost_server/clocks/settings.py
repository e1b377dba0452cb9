"""The host's settings about time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from sigilpost_engine.core.messages import Msg
from sigilpost_engine.texts import Texts
from sigilpost_server.clocks import control, terms
from sigilpost_server.clocks.control import DAY, HOUR, MINUTE, BadControl
from sigilpost_server.clocks.terms import Terms
from sigilpost_server.section import Count, Positive, Section


def _control(line: str) -> str:
    return _readable(control.read, line)


def _policy(line: str) -> str:
    return _readable(terms.read_policy, line)


def _readable(read: Any, line: str) -> str:
    try:
        read(line)
    except BadControl as bad:
        message: Msg = bad.message
        raise ValueError(Texts().render(message)) from None
    return line


ControlLine = Annotated[str, AfterValidator(_control)]
PolicyLine = Annotated[str, AfterValidator(_policy)]


class ClockSettings(Section):
    """``[clocks]``: time. What a game itself says about clock and timeout counts first."""

    control: ControlLine = "no limit"
    """The time control of games whose proposal names none, such as "3d per move"."""
    timeout: PolicyLine = "forfeit"
    """What happens there when time is out: forfeit, bot NAME, claim, substitute; excuses N."""
    vacation_days: Count = 30
    """Days of holiday that a player may have in a calendar year."""
    deadline_minutes: Count = 60
    """A holiday moves no deadline that is nearer than that when it is announced."""
    pause_days: Positive = 60
    """The longest pause on which players can agree."""
    emergency_days: Count = 7
    """The length of an emergency pause; 0: there are none."""
    emergency_every_days: Positive = 183
    """How long after an emergency pause a player can have the next one."""
    outage_minutes: Positive = 30
    """A server that is not at work for longer than that has an outage, which counts on no clock."""
    offer_hours: Positive = 48
    """How long a substitute can think about the offer of a seat."""
    substitute_rated: Literal["first", "substitute", "none"] = "substitute"
    """For whom a game is rated whose seat changed hands: who began it, who ended it, nobody."""

    @property
    def terms(self) -> Terms:
        """What a game agrees about time by saying nothing."""
        return terms.read({terms.CLOCK: self.control, terms.TIMEOUT: self.timeout})

    @property
    def patience(self) -> int:
        """``outage_minutes`` in seconds."""
        return self.outage_minutes * MINUTE

    @property
    def offer(self) -> int:
        """``offer_hours`` in seconds."""
        return self.offer_hours * HOUR

    @property
    def emergency(self) -> int:
        """``emergency_days`` in seconds."""
        return self.emergency_days * DAY
