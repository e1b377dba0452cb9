"""What all sources of mail have in common.

A source hands each mail's raw bytes to the service and calls the mail done only when that
returned, which is after the commit. What is fetched twice does no harm, because the service
knows the mail by its digest; so a source remembers nothing across a crash and never counts on
having been somewhere before.
"""

from __future__ import annotations

import logging
import select
import socket
import threading
from typing import Protocol

from sigilpost_server.errors import MailFailed, TryLater

log = logging.getLogger(__name__)


class Handle(Protocol):
    """The service's transaction for one mail: returns after the commit, or raises TryLater."""

    def __call__(self, raw: bytes, *, source: str) -> object:
        """Deal with the raw bytes of one mail that came by ``source``."""


class SourceError(Exception):
    """The mailbox cannot be read now; the text says why, without secrets."""


class LoginFailed(SourceError):
    """The mailbox refused the login: asking again soon would only lock the account."""


class Stop:
    """The wish to end, which can be waited for alone or together with a socket."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._reader, self._writer = socket.socketpair()

    def set(self) -> None:
        """Wake everybody who waits, now and later."""
        if not self._event.is_set():
            self._event.set()
            self._writer.close()  # makes the reader readable for ever

    def is_set(self) -> bool:
        """Whether the end has been asked for."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long or until the end is asked for; True in that case."""
        return self._event.wait(seconds)

    def wait_readable(self, other: socket.socket, seconds: float) -> bool:
        """Wait until ``other`` has something to read (True), the time is over, or the end."""
        poll = select.poll()
        poll.register(self._reader.fileno(), select.POLLIN)
        poll.register(other.fileno(), select.POLLIN)
        return other.fileno() in (fd for fd, _ in poll.poll(seconds * 1000))


class Source(Protocol):
    """A place where mail arrives."""

    name: str
    """What the log and the verdicts call it."""

    def round(self, handle: Handle, stop: Stop) -> int:
        """Hand over all that waits there now; return how many mails that were.

        Raises TryLater when the service cannot take mail now (what was not handed over stays),
        and SourceError or OSError when the place cannot be reached; the next call begins anew.
        """

    def wait(self, stop: Stop) -> None:
        """Return when there may be news, after a while anyway, or when the end is asked for."""

    def probe(self) -> None:
        """See whether it would work, and take nothing. Raises SourceError or OSError."""

    def close(self) -> None:
        """Let go of connections and ports."""


def hand_over(handle: Handle, raw: bytes, source: str) -> bool:
    """Give one mail to the service; True when it is done with and may be marked so.

    A fault of our own makes False: the mail stays where it is and the next one has its turn.
    Raises TryLater.
    """
    try:
        handle(raw, source=source)
    except TryLater:
        raise
    except MailFailed as error:
        log.warning("mail left at its source", extra={"source": source, "why": error})
        return False
    except Exception:
        log.exception("mail left at its source", extra={"source": source})
        return False
    return True
