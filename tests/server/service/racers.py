"""Processes that work on one database at the same time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from typing import Any

from sigilpost_server.clock import ManualClock
from sigilpost_server.service import Service
from tests.server.service.town import open_service

Work = Callable[[Service, Any], Any]


def race(url: str, seconds: int, work: Work, each: Sequence[Any]) -> list[Any]:
    """Run ``work(service, argument)`` for every argument in a process of its own, all at once.

    ``seconds`` is what their clocks show. Returns what they returned.
    """
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(each))
    results = context.Queue()
    processes = [
        context.Process(target=_run, args=(url, seconds, work, argument, barrier, results))
        for argument in each
    ]
    for process in processes:
        process.start()
    found = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(timeout=30)
        assert process.exitcode == 0
    return found


def _run(url: str, seconds: int, work: Work, argument: Any, barrier: Barrier, results: Any) -> None:
    service = open_service(url, ManualClock(seconds))
    barrier.wait()
    try:
        results.put(work(service, argument))
    finally:
        service.close()


def deliver(service: Service, mails: Sequence[bytes]) -> list[str]:
    """Deal with these mails in their order; the verdicts."""
    return [service.handle(raw, source="race").verdict for raw in mails]


def drain(service: Service, batch: int) -> list[str]:
    """Send all that waits, a batch at a time; the Message-IDs sent."""
    sent = []
    while claimed := service.outbox.claim(batch):
        for mail in claimed:
            service.outbox.sent(mail.id)
            sent.append(mail.message_id)
    return sent


def tick(service: Service, times: int) -> None:
    """Do what is due."""
    for _ in range(times):
        service.tick()
