"""What is due by the clock, one transaction after another."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from sigilpost_server import clockwork
from sigilpost_server.errors import TryLater
from sigilpost_server.transaction import bounces, shunt

if TYPE_CHECKING:
    from sigilpost_server.service import Service

log = logging.getLogger(__name__)


def tick(service: Service, moment: int) -> None:
    """Do what is due, and forget what no longer matters. Raises TryLater."""
    settings = service.house.settings
    service.take_up_key()
    # First of all: an outage counts on no clock, so it must be known before anybody is late.
    service.transaction(lambda db: clockwork.beat(db, moment, settings.clocks.patience))
    while _one_timer(service, moment):
        pass
    keep = settings.retention.sent_days
    service.transaction(lambda db: clockwork.tidy(db, moment, keep))
    service.transaction(lambda db: bounces.lift(db, settings.bounces, moment))
    service.transaction(lambda db: shunt.limit(db, settings.limits.set_aside))


def _one_timer(service: Service, moment: int) -> bool:
    """Do one thing that is due; False if there is none. What fails by our own fault is put off: it
    must not keep every other clock waiting. Raises TryLater."""
    at_work: list[clockwork.Due] = []
    try:
        return service.transaction(lambda db: _timer(service, db, moment, at_work))
    except TryLater:
        raise
    except Exception as error:
        if not at_work:
            raise
        due, where = at_work[-1], shunt.frames(error)
    log.error("a timer failed", extra={**due._asdict(), "where": where})
    service.transaction(lambda db: clockwork.put_off(db, due, moment))
    return True


def _timer(service: Service, db: Connection, moment: int, at_work: list[clockwork.Due]) -> bool:
    due = clockwork.next_due(db, moment)
    if due is None:
        return False
    at_work.append(due)
    post = service.post(moment)
    clockwork.run(db, post, due)
    post.store(db)
    return True
