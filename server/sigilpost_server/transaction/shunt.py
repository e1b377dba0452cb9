"""Mails set aside for the host: those that failed by our own fault some times, those that cannot
be read, and the postmaster's where nobody else has them."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from sigilpost_server.models import failures
from sigilpost_server.transaction.incoming import Incoming
from sigilpost_server.transaction.rows import upsert

UNREADABLE = "not read: "
"""What stands instead of a traceback where the mail itself was to blame, before the reason."""

TO_POSTMASTER = "to postmaster"
"""The same where the mail is the host's own."""


class Kept(NamedTuple):
    """A mail set aside: its bytes, how it came, when it failed last, and where or why."""

    digest: bytes
    raw: bytes
    source: str
    last: int
    traceback: str


class Listed(NamedTuple):
    """The same in a list: its size in the place of the bytes, which may be many; and how often
    it failed."""

    digest: bytes
    size: int
    source: str
    failures: int
    last: int
    traceback: str

    @property
    def why(self) -> str:
        """In a word: the reason against a mail that could not be read, or the fault of ours."""
        return self.traceback.removeprefix(UNREADABLE).strip().rpartition("\n")[2]


_KEPT = [failures.c[name] for name in Kept._fields]
_LISTED = [
    func.length(failures.c.raw) if name == "size" else failures.c[name] for name in Listed._fields
]


def count(db: Connection, incoming: Incoming, raw: bytes, now: int, where: str) -> int:
    """Note that a mail failed; return how often it has."""
    statement = (
        _insert(db, incoming, raw, now, where, aside=False)
        .on_conflict_do_update(
            index_elements=["digest"],
            set_={"failures": failures.c.failures + 1, "last": now, "traceback": where},
        )
        .returning(failures.c.failures)
    )
    return int(db.execute(statement).scalar_one())


def keep(db: Connection, incoming: Incoming, raw: bytes, now: int, where: str) -> None:
    """Set a mail aside at once."""
    changes = {"aside": True, "last": now, "traceback": where}
    statement = _insert(db, incoming, raw, now, where, aside=True)
    db.execute(statement.on_conflict_do_update(index_elements=["digest"], set_=changes))


def failed_again(db: Connection, digest: bytes, now: int, where: str) -> None:
    """Note that a mail that was set aside failed once more."""
    values = {"failures": failures.c.failures + 1, "last": now, "traceback": where}
    db.execute(update(failures).where(failures.c.digest == digest).values(values))


def set_aside(db: Connection, digest: bytes) -> None:
    """Keep a mail that failed for the host."""
    db.execute(update(failures).where(failures.c.digest == digest).values(aside=True))


def kept(db: Connection, digest: bytes) -> Kept | None:
    """A mail that was set aside, by the SHA-256 of its bytes."""
    where = (failures.c.digest == digest, failures.c.aside.is_(True))
    row = db.execute(select(*_KEPT).where(*where)).first()
    return Kept(*row) if row else None


def listed(db: Connection) -> list[Listed]:
    """All mails that were set aside, the oldest failure first."""
    statement = select(*_LISTED).where(failures.c.aside.is_(True)).order_by(failures.c.last)
    return [Listed(*row) for row in db.execute(statement)]


def limit(db: Connection, most: int) -> None:
    """Forget the oldest of the mails that were set aside because they could not be read, and of the
    postmaster's, so that nobody fills the disk with either, nor pushes the one out by the other.
    Those that failed by our own fault stay."""
    for why in (UNREADABLE, TO_POSTMASTER):
        of_kind = (failures.c.aside.is_(True), failures.c.traceback.like(f"{why}%"))
        newest = select(failures.c.digest).where(*of_kind).order_by(failures.c.last.desc())
        kept = [row.digest for row in db.execute(newest.limit(most + 1))]
        if len(kept) > most:
            db.execute(delete(failures).where(*of_kind, failures.c.digest.not_in(kept[:most])))


def forget(db: Connection, digest: bytes) -> None:
    """A mail is set aside no more."""
    db.execute(delete(failures).where(failures.c.digest == digest))


def _insert(
    db: Connection, incoming: Incoming, raw: bytes, now: int, where: str, *, aside: bool
) -> Any:
    return upsert(db, failures).values(
        digest=incoming.digest,
        raw=raw,
        source=incoming.source,
        failures=1,
        aside=aside,
        last=now,
        traceback=where,
    )


def frames(error: BaseException) -> str:
    """Where an error comes from, its causes too: files, lines and types, but no values.

    What an error says may name cards, keys or addresses; where it was raised does not.
    """
    parts: list[str] = []
    current: BaseException | None = error
    while current is not None:
        stack = traceback.extract_tb(current.__traceback__)
        parts.append("".join(stack.format()) + type(current).__name__)
        current = current.__cause__ or current.__context__
    return "\ncaused by\n".join(parts)
