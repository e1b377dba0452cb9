"""The place where sources hand their mail over, in tests that are about the sources alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sigilpost_server.sources.base import Handle, Source, Stop
from sigilpost_server.sources.keep import keep
from tests.services.process import wait_until


def letter(number: int | str, body: str = "move") -> bytes:
    """A small mail that can be told from others."""
    return (
        f"From: alice@mail.test\r\nTo: game@mail.test\r\nSubject: {number}\r\n"
        f"Message-ID: <{number}@mail.test>\r\n\r\n{body}\r\n"
    ).encode()


class Desk:
    """Keeps the mails that it was handed; raises ``fault`` for those whose bytes have ``on``."""

    def __init__(self, fault: BaseException | None = None, on: bytes = b"") -> None:
        self.mails: list[bytes] = []
        self.fault = fault
        self.on = on

    def __call__(self, raw: bytes, *, source: str) -> None:
        if self.fault is not None and self.on in raw:
            raise self.fault
        self.mails.append(raw)

    def wait(self, count: int, seconds: float = 10.0) -> list[bytes]:
        """All mails, as soon as there are so many."""
        wait_until(lambda: len(self.mails) >= count, f"{count} mails handed over", seconds)
        return self.mails


@contextmanager
def kept(source: Source, desk: Handle, first: float = 0.1) -> Iterator[Stop]:
    """The source going on in a thread, as in the daemon, but quicker to try again."""
    stop = Stop()
    thread = threading.Thread(target=keep, args=(source, desk, stop, first))
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive(), "the source does not end"
