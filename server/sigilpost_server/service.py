"""One mail, one transaction; what is due by the clock is in ``ticking``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, delete, func, select

from sigilpost_engine import games
from sigilpost_server import acceptance, commands, db
from sigilpost_server.clock import Clock, now
from sigilpost_server.db import Database, SomebodyWasQuicker
from sigilpost_server.errors import MailFailed, NotReady, TryLater
from sigilpost_server.mail_in.reasons import REASONS
from sigilpost_server.mail_in.reasons import Verdict as Word
from sigilpost_server.mail_out.compose import Composer
from sigilpost_server.models import mails, outgoing
from sigilpost_server.outbox import Outbox
from sigilpost_server.settings import Settings
from sigilpost_server.transaction import rows, shunt
from sigilpost_server.transaction.actions import ACTIONS
from sigilpost_server.transaction.case import Case
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.incoming import Incoming, read
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.work import Outcome, Work

log = logging.getLogger(__name__)

TRIES = 5
"""How often a transaction is begun anew because another process was quicker."""

R = TypeVar("R")


class Verdict(NamedTuple):
    """What became of a mail: SHA-256 of its bytes in hexadecimal, the address in its From, the
    verdict, the reason (a slug of the published list), and the game that it changed."""

    digest: str
    sender: str
    verdict: str
    reason: str
    game: str = ""
    seq: int | None = None


class Rehearsal(NamedTuple):
    """What would become of a mail, and whom mails would go to."""

    verdict: Verdict
    recipients: list[str]


class _Undone(Exception):
    """Ends a transaction of which nothing is to be kept."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        super().__init__("a rehearsal")
        self.rehearsal = rehearsal


def _failed_again(digest: bytes) -> MailFailed:
    """What an error says may name cards; where it was raised is kept with the mail."""
    name = digest.hex()[:16]
    return MailFailed(f"the mail {name} fails and stays set aside: sigilpost mail show {name}")


class Service:
    """The server's whole work, apart from fetching and sending mail. Threads may share one."""

    def __init__(self, house: House, database: Database, clock: Clock = now) -> None:
        self.house = house
        self.database = database
        self.clock = clock
        self.composer = Composer()
        self.outbox = Outbox(database, house.return_path, clock)
        self._whole = False

    @classmethod
    def open(cls, settings: Settings, clock: Clock = now) -> Service:
        """The service of a configuration. Raises NotReady with the remedy, or TryLater."""
        house = House.of(settings)
        engine = db.open_engine(settings.database_url, settings.database.busy_seconds)
        database = Database(engine)
        db.check_schema(database)
        service = cls(house, database, clock)
        service.outbox.release_dead()
        return service

    def load(self) -> None:
        """Import now what is else imported when it is asked for: where the process stays, and the
        files of another version may come to lie under it. Raises TryLater."""
        commands.load()
        for name in ("sigilpost_server.ticking", "flufl.bounce"):
            import_module(name)
        for kind in games.names():
            games.find(kind)
        self._whole = True

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    # --- mail ---------------------------------------------------------------------------------

    def handle(self, raw: bytes, *, source: str) -> Verdict:
        """Deal with one mail; all of it is committed when this returns.

        Raises TryLater where the database or the disk cannot take it, and MailFailed where it
        failed by our own fault: in both cases nothing happened, and the mail is to come again.
        """
        return self._handle(read(raw, source, self.house.ours), raw)

    def replay(self, digest: bytes) -> Verdict | None:
        """Deal again with a mail that was set aside; None if there is none. Raises as `handle`;
        with MailFailed it stays set aside."""
        kept = self._kept(digest)
        if kept is None:
            return None
        try:
            return self.transaction(lambda db: self._again(db, kept))
        except TryLater:
            raise
        except Exception as error:
            moment, where = self.clock(), shunt.frames(error)
            self.transaction(lambda db: shunt.failed_again(db, digest, moment, where))
            raise _failed_again(digest) from error

    def rehearse(self, digest: bytes) -> Rehearsal | None:
        """What `replay` would do with a mail that was set aside; nothing of it is kept."""
        kept = self._kept(digest)
        if kept is None:
            return None

        def work(db: Connection) -> None:
            last = db.execute(select(func.max(outgoing.c.id))).scalar() or 0
            verdict = self._again(db, kept)
            new = select(outgoing.c.recipient).where(outgoing.c.id > last).order_by(outgoing.c.id)
            raise _Undone(Rehearsal(verdict, list(db.execute(new).scalars())))

        try:
            self.transaction(work)
        except _Undone as undone:
            return undone.rehearsal
        except TryLater:
            raise
        except Exception as error:
            raise _failed_again(digest) from error
        raise AssertionError

    def _kept(self, digest: bytes) -> shunt.Kept | None:
        with self.database.read() as db:
            return shunt.kept(db, digest)

    def _again(self, db: Connection, kept: shunt.Kept) -> Verdict:
        shunt.forget(db, kept.digest)
        db.execute(
            delete(mails).where(mails.c.digest == kept.digest, mails.c.verdict != Word.DUPLICATE)
        )
        incoming = read(kept.raw, kept.source, self.house.ours)
        return self._work(db, incoming, kept.raw, again=f" {kept.last}")

    def _handle(self, incoming: Incoming, raw: bytes) -> Verdict:
        try:
            return self.transaction(lambda db: self._work(db, incoming, raw))
        except TryLater:
            raise
        except Exception as error:
            if isinstance(error, ImportError) and not self._whole:
                # Half an upgrade: that is no fault of the mail, which waits for the other half.
                raise commands.incomplete(error) from error
            where = shunt.frames(error)
        log.error("a mail failed", extra={"digest": incoming.digest.hex(), "where": where})
        failed = self.transaction(lambda db: self._failed(db, incoming, raw, where))
        if failed is None:
            raise MailFailed(f"the mail {incoming.digest.hex()[:16]} failed; see the log")
        return failed

    def _work(self, db: Connection, incoming: Incoming, raw: bytes, again: str = "") -> Verdict:
        """The transaction of one mail. ``again`` tells one that was set aside from its first
        time, when it may have been answered."""
        moment = self.clock()
        post = self.post(moment, incoming, again)
        work = Work(self.house, db, moment, post, incoming)
        case = Case(work)
        judged = acceptance.judge(case)
        work.answering = judged.answering
        outcome = ACTIONS[judged.action](work, case, judged.reason)
        post.store(db)
        if outcome.aside:
            shunt.keep(db, incoming, raw, moment, outcome.aside)
        return self._log(db, incoming, moment, outcome)

    def _failed(self, db: Connection, incoming: Incoming, raw: bytes, where: str) -> Verdict | None:
        """Count a failure; the verdict if it was the last, and the mail is set aside."""
        moment = self.clock()
        limit = self.house.settings.limits.failures
        if shunt.count(db, incoming, raw, moment, where) < limit:
            return None
        shunt.set_aside(db, incoming.digest)
        return self._log(db, incoming, moment, Outcome("internal-error"))

    def _log(self, db: Connection, incoming: Incoming, moment: int, outcome: Outcome) -> Verdict:
        verdict = REASONS[outcome.reason].verdict
        values = {
            "digest": incoming.digest,
            "message_id": incoming.message_id,
            "source": incoming.source,
            "received": moment,
            "size": incoming.size,
            "sender": incoming.sender_key,
            "verdict": verdict,
            "reason": outcome.reason,
            "game": outcome.game,
            "seq": outcome.seq,
        }
        rows.log_mail(db, values)
        return Verdict(
            incoming.digest.hex(),
            incoming.sender_key,
            verdict,
            outcome.reason,
            outcome.game,
            outcome.seq,
        )

    def post(self, moment: int, incoming: Incoming | None = None, again: str = "") -> Post:
        """What the mails of one transaction are put into; it is stored at the transaction's end."""
        if incoming is None:
            return Post(self.house, self.composer, moment)
        cause = f"{incoming.digest.hex()}{again}"
        return Post(self.house, self.composer, moment, cause, incoming.message_id)

    # --- time ---------------------------------------------------------------------------------

    def tick(self, moment: int | None = None) -> None:
        """Do what is due, and forget what no longer matters. Raises TryLater."""
        from sigilpost_server import ticking  # late: a process for one mail does without

        ticking.tick(self, self.clock() if moment is None else moment)

    def take_up_key(self) -> None:
        """Sign with another key from now on, if the host has rotated to one meanwhile."""
        try:
            house = self.house.renewed()
        except NotReady as fault:  # between two files of one change
            log.warning("the key cannot be read", extra={"why": str(fault)})
            return
        if house is not None:
            self.house = house
            log.info("the server has a new key", extra={"key": house.fingerprint})

    # --- transactions -------------------------------------------------------------------------

    @contextmanager
    def changing(self) -> Iterator[tuple[Connection, Post]]:
        """A transaction of the host's: its connection, and a post that is stored at its end."""
        with self.database.write() as db:
            post = self.post(self.clock())
            yield db, post
            post.store(db)

    def transaction(self, work: Callable[[Connection], R]) -> R:
        """Do work in one transaction; anew if another process was quicker."""
        for _ in range(TRIES - 1):
            try:
                with self.database.write() as db:
                    return work(db)
            except SomebodyWasQuicker:
                continue
        with self.database.write() as db:
            return work(db)
