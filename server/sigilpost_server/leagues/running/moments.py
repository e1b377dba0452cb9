"""Moments as they stand in mails: in the reader's own time zone."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg
from sigilpost_server.clocks import shown


def when(zone: str | None, moment: int) -> Msg:
    """A moment as it stands in a mail to somebody who lives in this time zone."""
    return shown.when(moment, shown.zone_of(zone or "UTC"))
