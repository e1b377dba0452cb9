"""The outbox: mails wait here from the commit that made them until a way out took them.

Several processes may drain one outbox: each claims the mails that it is about to send. A claim
ends with its mail sent, put off or bounced, after an hour, or when its process is gone.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update

from sigilpost_server.clock import Clock, now
from sigilpost_server.db import Database
from sigilpost_server.models import OutgoingStatus, outgoing
from sigilpost_server.transaction.rows import BOUNCED, set_timer

CLAIM_SECONDS = 3600


class Outgoing(NamedTuple):
    """A claimed mail: its envelope and its bytes. ``attempts`` failed so far."""

    id: int
    message_id: str
    envelope_from: str
    envelope_to: str
    raw: bytes
    created: int
    attempts: int


_WAITING = outgoing.c.status == OutgoingStatus.WAITING
_DUE = (
    select(
        *(
            outgoing.c[name]
            for name in ("id", "message_id", "recipient", "raw", "created", "attempts")
        )
    )
    .where(
        _WAITING,
        outgoing.c.due <= bindparam("now"),
        outgoing.c.claimed_until <= bindparam("now"),
    )
    .order_by(outgoing.c.id)
    .limit(bindparam("number"))
    .with_for_update(skip_locked=True)
)
_CHANGE = update(outgoing).where(
    outgoing.c.id == bindparam("of_id"), outgoing.c.claimed_by == bindparam("mine")
)
_CLAIM = (
    update(outgoing)
    .where(outgoing.c.id == bindparam("of_id"))
    .values(claimed_by=bindparam("mine"), claimed_until=bindparam("until"))
)
_FREE = {"claimed_by": "", "claimed_until": 0}


class Outbox:
    """The mails that wait to be sent. Every method is a transaction, and raises TryLater."""

    def __init__(
        self, database: Database, return_path: Callable[[str], str], clock: Clock = now
    ) -> None:
        """``return_path`` gives the envelope's sender of a mail by its Message-ID."""
        self._database = database
        self._return_path = return_path
        self._clock = clock
        self._mine = process_name(os.getpid())

    def claim(self, limit: int) -> list[Outgoing]:
        """Up to ``limit`` mails that are due, oldest first; nobody else is given them."""
        moment = self._clock()
        with self._database.write() as db:
            found = db.execute(_DUE, {"now": moment, "number": limit}).all()
            if found:
                claim = {"mine": self._mine, "until": moment + CLAIM_SECONDS}
                db.execute(_CLAIM, [{"of_id": row.id, **claim} for row in found])
        return [
            Outgoing(
                row.id,
                row.message_id,
                self._return_path(row.message_id),
                row.recipient,
                row.raw,
                row.created,
                row.attempts,
            )
            for row in found
        ]

    def sent(self, id: int) -> None:
        """A claimed mail was taken for good."""
        self._change([id], status=OutgoingStatus.SENT, why="", **_FREE)

    def retry(self, id: int, why: str, due: int) -> None:
        """A claimed mail was not taken; try again at ``due``."""
        attempts = outgoing.c.attempts + 1
        self._change([id], attempts=attempts, due=due, why=why, **_FREE)

    def bounced(self, id: int, why: str) -> None:
        """A claimed mail was refused for good; the clock's work counts that for its address."""
        with self._database.write() as db:
            keys = {"of_id": id, "mine": self._mine}
            values = {"status": OutgoingStatus.FAILED, "why": why, **_FREE}
            if db.execute(_CHANGE.values(**values), keys).rowcount:
                where = outgoing.c.id == id
                message_id = db.execute(select(outgoing.c.message_id).where(where)).scalar_one()
                set_timer(db, BOUNCED, message_id, self._clock())

    def release(self, ids: Sequence[int]) -> None:
        """Claimed mails are not tried now: they wait as before."""
        self._change(ids, **_FREE)

    def release_dead(self) -> None:
        """Free the claims of processes of this computer that are gone: a crash delays nothing."""
        with self._database.write() as db:
            claimed = select(outgoing.c.claimed_by).where(_WAITING, outgoing.c.claimed_by != "")
            for (name,) in db.execute(claimed.distinct()).all():
                if is_dead(name):
                    where = (_WAITING, outgoing.c.claimed_by == name)
                    db.execute(update(outgoing).where(*where).values(**_FREE))

    def _change(self, ids: Sequence[int], **values: Any) -> None:
        if ids:
            with self._database.write() as db:
                keys = [{"of_id": id, "mine": self._mine} for id in ids]
                db.execute(_CHANGE.values(**values), keys)


def process_name(pid: int) -> str:
    """What a process is called in a claim: no later one on any computer is called so."""
    return f"{socket.gethostname()} {pid} {_started(pid)}"


def is_dead(name: str) -> bool:
    """Whether a process that claimed something ran on this computer and is gone."""
    host, pid, _ = name.rsplit(" ", 2)
    return host == socket.gethostname() and process_name(int(pid)) != name


def _started(pid: int) -> str:
    """When a process started, in clock ticks since boot; "-" if it is gone (proc(5), stat, 22)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "-"
    return stat.rpartition(")")[2].split()[19]
