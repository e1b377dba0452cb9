"""``serve``, ``deliver`` and ``flush``: mail comes in and goes out."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from sigilpost_server import config_file, logs
from sigilpost_server.backoff import delay
from sigilpost_server.errors import NotReady, TryLater
from sigilpost_server.tools import opened
from sigilpost_server.words import text

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from sigilpost_server.daemon import Daemon
    from sigilpost_server.service import Service

log = logging.getLogger(__name__)

ENDS = (signal.SIGTERM, signal.SIGINT)


def serve() -> None:
    """Read and answer mail until SIGTERM or SIGINT."""
    from sigilpost_server.daemon import Daemon
    from sigilpost_server.service import Service
    from sigilpost_server.sources import build as sources
    from sigilpost_server.ways_out import build as ways_out

    settings = config_file.load()
    logs.set_up(settings.daemon.log, settings.daemon.level)
    service = _patiently(lambda: Service.open(settings))
    try:
        service.load()
        daemon = Daemon(service, settings, sources.build(settings), ways_out.build(settings))
        # What is loaded by now stays for good, so the collector need not look at it for every
        # mail again: an eighth of the mean time of a mail.
        gc.collect()
        gc.freeze()
        _run(daemon)
    finally:
        service.close()


def _patiently(open_service: Callable[[], Service]) -> Service:
    """Open the service as soon as its database can be had: after a boot it may come later."""
    attempt = 0
    while True:
        try:
            return open_service()
        except TryLater as fault:
            attempt += 1
            pause = delay(attempt, 1.0, 60.0)
            log.warning("no database yet", extra={"why": fault, "again_in": round(pause, 1)})
            time.sleep(pause)


def _run(daemon: Daemon) -> None:
    """Run the daemon until a signal asks for the end; a second one ends the process at once.

    The signals are waited for, not handled: a handler could interrupt anything, a lock's owner
    too. All other threads inherit that they are blocked.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    work = threading.Thread(target=daemon.run, name="daemon")
    work.start()
    while work.is_alive() and signal.sigtimedwait(ENDS, 1.0) is None:
        pass
    daemon.stop.set()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
    work.join()


def deliver() -> None:
    """Take one mail from standard input, for the pipe of an MTA."""
    from sigilpost_server.mail_in.door import LIMITS
    from sigilpost_server.sources import pipe

    def later(number: int, frame: FrameType | None) -> None:
        raise typer.Exit(pipe.TRY_AGAIN)

    signal.signal(signal.SIGTERM, later)
    if sys.stdin is None:  # closed by who called
        raise NotReady("standard input is closed: `deliver` takes its mail from there")
    # First the mail: an MTA takes a pipe that closes early for an error of another kind.
    raw = pipe.read_mail(sys.stdin.buffer, LIMITS.size)
    with opened.service() as service:
        service.handle(raw, source="pipe")


def flush() -> None:
    """Send once what is due in the outbox."""
    from sigilpost_server.clock import now
    from sigilpost_server.ways_out import build as ways_out
    from sigilpost_server.ways_out.drain import drain

    settings = config_file.load()
    logs.set_up(settings.daemon.log, "error")
    way = ways_out.build(settings)
    if way is None:
        typer.echo(text("host.flush.no-way"), err=True)
        raise typer.Exit(1)
    with closing(way), opened.service(settings) as service:
        tally = drain(service.outbox, way, settings.out, now)
    typer.echo(text("host.flush.done", **tally._asdict()))
