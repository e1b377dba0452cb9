"""``sigilpost serve``: all sources, the outbox and the clock, each in a thread of its own.

What fails is reported and tried again, and the others go on. All state is in the database, so the
daemon may be killed at any moment.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from sigilpost_server.backoff import delay
from sigilpost_server.clock import Clock, now
from sigilpost_server.errors import TryLater
from sigilpost_server.service import Service
from sigilpost_server.settings import Settings
from sigilpost_server.sources.base import Source, Stop
from sigilpost_server.sources.keep import keep
from sigilpost_server.ways_out.base import NoWay, Post, WayOut
from sigilpost_server.ways_out.drain import Tally, drain
from sigilpost_server.ways_out.maildir import MaildirOut

log = logging.getLogger(__name__)

_PATIENCE = 15.0  # seconds that a thread has to end
_LONGEST = 60.0  # seconds between two looks whether a relay is back


class Daemon:
    """The parts of a running server. ``run`` works until the end; ``once`` is one iteration."""

    def __init__(
        self,
        service: Service,
        settings: Settings,
        sources: Sequence[Source],
        way: WayOut | None,
        clock: Clock = now,
    ) -> None:
        self.stop = Stop()
        self._service = service
        self._settings = settings
        self._sources = sources
        self._way = way
        self._clock = clock
        self._posted = threading.Event()
        self._archive: MaildirOut | None = None
        if settings.daemon.keep_incoming is not None:
            self._archive = MaildirOut(settings.path(settings.daemon.keep_incoming))

    # --- the work

    def handle(self, raw: bytes, *, source: str) -> None:
        """One mail, one transaction; then the outbox is looked at. Raises as the service does."""
        verdict = self._service.handle(raw, source=source)
        self._posted.set()
        about: dict[str, object] = {"digest": verdict.digest[:16], "source": source}
        game = {"game": verdict.game, "seq": verdict.seq} if verdict.game else {}
        judged = {"verdict": verdict.verdict, "reason": verdict.reason}
        log.info("mail", extra=about | game | judged)
        if self._archive is not None:
            self._keep_copy(self._archive, verdict.digest, raw)

    def _keep_copy(self, archive: MaildirOut, digest: str, raw: bytes) -> None:
        """Put a mail that is dealt with into the host's own Maildir; that matters less than it."""
        address = self._settings.server.address
        try:
            archive.send(Post(digest, address, address, raw))
        except NoWay as error:
            log.warning("no copy kept", extra={"why": error})

    def once(self) -> Tally:
        """One iteration: every source, what is due by the clock, the outbox.

        Raises whatever goes wrong in any of them.
        """
        for source in self._sources:
            source.round(self.handle, self.stop)
        self._service.tick(self._clock())
        return self._drain()

    def _drain(self) -> Tally:
        if self._way is None:
            return Tally()
        return drain(self._service.outbox, self._way, self._settings.out, self._clock, self.stop)

    # --- threads

    def run(self) -> None:
        """Work until ``stop`` is set; then finish what is in hand and close everything."""
        workers = [self._worker(source.name, self._keep, source) for source in self._sources]
        workers.append(self._worker("clock", self._keep_ticking))
        if self._way is not None:
            workers.append(self._worker(self._way.name, self._keep_draining))
        log.info("serving", extra={"sources": len(self._sources), "out": self._out_name()})
        while not self.stop.wait(3_600):
            pass
        self._posted.set()  # wakes the draining thread
        log.info("ending")
        for worker in workers:
            worker.join(_PATIENCE)
            if worker.is_alive():
                log.warning("did not end in time", extra={"worker": worker.name})

    def _out_name(self) -> str:
        return self._way.name if self._way else "none"

    def _worker(self, name: str, work: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
        thread.start()
        return thread

    def _keep(self, source: Source) -> None:
        keep(source, self.handle, self.stop)

    def _keep_ticking(self) -> None:
        while not self.stop.is_set():
            try:
                self._service.tick(self._clock())
                self._service.outbox.release_dead()
                self._posted.set()
            except TryLater as error:
                log.warning("the clock's work waits", extra={"why": error})
            except Exception:
                log.exception("the clock's work failed")
            self.stop.wait(self._settings.daemon.tick_seconds)

    def _keep_draining(self) -> None:
        assert self._way is not None
        failures = 0
        while not self.stop.is_set():
            self._posted.clear()
            try:
                self._drain()
            except Exception as error:
                failures += 1
                pause = delay(failures, 1.0, _LONGEST)
                known = isinstance(error, NoWay | TryLater)
                log.warning(
                    "mail waits in the outbox",
                    extra={"why": error, "again_in": round(pause, 1)},
                    exc_info=None if known else error,
                )
                self.stop.wait(pause)
            else:
                failures = 0
                if not self._posted.wait(self._settings.out.poll_seconds):
                    self._way.close()  # nobody's connection is kept for nothing
        self._way.close()
