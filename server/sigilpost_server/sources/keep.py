"""Keeping one source going for ever, whatever happens to it."""

from __future__ import annotations

import logging

from sigilpost_server.backoff import delay
from sigilpost_server.errors import TryLater
from sigilpost_server.sources.base import Handle, LoginFailed, Source, SourceError, Stop

log = logging.getLogger(__name__)

FIRST = 1.0
FIRST_AFTER_LOGIN = 60.0
LONGEST = 300.0
"""Seconds between attempts. Some servers lock an account after a few failed logins a minute."""


def keep(source: Source, handle: Handle, stop: Stop, first: float = FIRST) -> None:
    """Run rounds of the source until the end is asked for; what fails is tried again.

    A failure is reported when it begins and when it changes, not at each attempt.
    """
    failures = 0
    said = ""
    while not stop.is_set():
        try:
            source.round(handle, stop)
            if said:
                log.info("source works again", extra={"source": source.name})
                said = ""
            source.wait(stop)
            failures = 0
        except Exception as error:
            if stop.is_set():
                break
            failures += 1
            if not isinstance(error, TryLater):
                source.close()
            pause = _pause(error, failures, first)
            said = _report(source, error, pause, said)
            stop.wait(pause)
    source.close()


def _pause(error: Exception, failures: int, first: float) -> float:
    if isinstance(error, LoginFailed):
        first *= FIRST_AFTER_LOGIN / FIRST
    return delay(failures, first, LONGEST)


def _report(source: Source, error: Exception, pause: float, said: str) -> str:
    """Log the failure unless it is the one that was logged last; return what it is."""
    why = str(error) or type(error).__name__
    if why != said:
        known = isinstance(error, SourceError | TryLater | OSError)
        log.warning(
            "source does not work",
            extra={"source": source.name, "why": why, "again_in": round(pause, 1)},
            exc_info=None if known else error,
        )
    return why
