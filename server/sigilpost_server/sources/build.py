"""The sources that the configuration names."""

from __future__ import annotations

from sigilpost_server.mail_in.door import LIMITS
from sigilpost_server.settings import Settings
from sigilpost_server.sources.base import Source


def build(settings: Settings) -> list[Source]:
    """All of them; nothing is connected or listened on yet."""
    return [*_imap(settings), *_listeners(settings), *_maildirs(settings)]


def _imap(settings: Settings) -> list[Source]:
    if not settings.sources.imap:
        return []
    from sigilpost_server.sources.imap import ImapSource

    return [ImapSource(each, limit=LIMITS.size) for each in settings.sources.imap]


def _listeners(settings: Settings) -> list[Source]:
    if not settings.sources.listener:
        return []
    from sigilpost_server.sources.listener import Listener

    return [
        Listener(
            each,
            address=settings.server.address,
            limit=LIMITS.size,
            lines=LIMITS.lines,
            path=each.socket and settings.path(each.socket),
            also=[settings.bounces.address] if settings.bounces.address else [],
            mark=settings.server.subaddress,
        )
        for each in settings.sources.listener
    ]


def _maildirs(settings: Settings) -> list[Source]:
    if not settings.sources.maildir:
        return []
    from sigilpost_server.sources.maildir import MaildirSource

    return [
        MaildirSource(
            each, settings.path(each.path), settings.path(each.done_path), limit=LIMITS.size
        )
        for each in settings.sources.maildir
    ]
