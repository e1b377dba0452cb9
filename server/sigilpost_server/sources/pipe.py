"""Mail from an MTA's pipe: ``sigilpost deliver < mail``.

An MTA reads the exit code (sysexits.h): 0 means dealt with, EX_TEMPFAIL (75) means keep it and
try again. Every other code would bounce a player's mail for a fault of ours, so there is none.
"""

from __future__ import annotations

from typing import BinaryIO

from sigilpost_server.sources.base import Handle

TRY_AGAIN = 75

_CHUNK = 1 << 16


def read_mail(stream: BinaryIO, limit: int) -> bytes:
    """The mail on a stream, without a leading ``From `` line (mbox's, RFC 4155).

    Of a mail of more than ``limit`` bytes so many and one more come back, and the rest is read
    and dropped: an MTA takes a pipe that closes early for an error.
    """
    raw = stream.read(limit + 1)
    while len(raw) > limit and stream.read(_CHUNK):
        pass
    if raw.startswith((b"From ", b">From ")):
        raw = raw.partition(b"\n")[2]
    return raw


def deliver(handle: Handle, stream: BinaryIO, limit: int) -> None:
    """Hand over the one mail on the stream. Raises TryLater."""
    handle(read_mail(stream, limit), source="pipe")
