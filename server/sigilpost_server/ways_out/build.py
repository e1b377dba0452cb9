"""The way out that the configuration names."""

from __future__ import annotations

from sigilpost_server.settings import Settings
from sigilpost_server.ways_out.base import WayOut


def build(settings: Settings) -> WayOut | None:
    """The way, not open yet; None if mail is to wait in the outbox."""
    out = settings.out
    if out.relay is not None:
        from sigilpost_server.ways_out.relay import Relay

        return Relay(out.relay)
    if out.maildir is not None:
        from sigilpost_server.ways_out.maildir import MaildirOut

        return MaildirOut(settings.path(out.maildir.path))
    return None
