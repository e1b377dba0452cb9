"""Draining the outbox: each mail that is due goes out, waits longer, or bounces."""

from __future__ import annotations

import logging
from typing import NamedTuple

from sigilpost_server.backoff import MORE_OR_LESS, delay, plain
from sigilpost_server.clock import Clock
from sigilpost_server.outbox import CLAIM_SECONDS, Outbox, Outgoing
from sigilpost_server.sources.base import Stop
from sigilpost_server.ways_out.base import NoWay, Post, RefusedForEver, RefusedNow, WayOut
from sigilpost_server.ways_out.settings import OutSettings

log = logging.getLogger(__name__)

_DAY = 86_400


class Tally(NamedTuple):
    """What became of the mails of one drain."""

    sent: int = 0
    later: int = 0
    bounced: int = 0

    def __add__(self, other: object) -> Tally:
        """Add up, place by place."""
        assert isinstance(other, Tally)
        return Tally(*map(sum, zip(self, other, strict=True)))


def drain(
    outbox: Outbox, way: WayOut, settings: OutSettings, clock: Clock, stop: Stop | None = None
) -> Tally:
    """Send what is due, until nothing is or the end is asked for.

    Raises NoWay if the way is not open; then no mail is worse off for it. Raises TryLater if the
    database cannot say which mails wait.
    """
    tally = Tally()
    while not (stop and stop.is_set()):
        # A claim ends some day, and then another process may send: not while we still do.
        until = clock() + CLAIM_SECONDS // 2
        claimed = outbox.claim(settings.batch)
        if not claimed:
            break
        left = [mail.id for mail in claimed]
        try:
            way.open()
            while left and clock() < until and not (stop and stop.is_set()):
                mail = claimed[-len(left)]
                del left[0]
                tally += _send(outbox, way, mail, settings, clock())
        finally:
            outbox.release(left)
    return tally


def _send(outbox: Outbox, way: WayOut, mail: Outgoing, settings: OutSettings, now: int) -> Tally:
    """One attempt of one mail, and its result in the outbox."""
    post = Post(mail.message_id, mail.envelope_from, mail.envelope_to, mail.raw)
    try:
        way.send(post)
    except RefusedForEver as refusal:
        return _bounce(outbox, mail, str(refusal))
    except RefusedNow as refusal:
        if _tried_for_long(mail, settings, now):
            return _bounce(outbox, mail, str(refusal))
        return _later(outbox, mail, str(refusal), settings, now)
    except NoWay as trouble:
        # Perhaps this very mail is the trouble: those behind it have their turn before it.
        _later(outbox, mail, str(trouble), settings, now)
        raise
    outbox.sent(mail.id)
    log.info("mail sent", extra={"message_id": mail.message_id, "by": way.name})
    return Tally(sent=1)


def _tried_for_long(mail: Outgoing, settings: OutSettings, now: int) -> bool:
    """Whether a mail was refused for as many days as are enough.

    Days in which nothing could be sent make it older, but are no attempts: so the waits after
    those must add up to as much, or a little less, as chance may have made them longer.
    """
    first, longest = settings.first_retry_seconds, settings.longest_retry_seconds
    waited = sum(plain(attempt, first, longest) for attempt in range(1, mail.attempts + 1))
    enough = settings.give_up_days * _DAY
    return now - mail.created >= enough and waited >= enough * (1 - MORE_OR_LESS)


def _later(outbox: Outbox, mail: Outgoing, why: str, settings: OutSettings, now: int) -> Tally:
    wait = delay(mail.attempts + 1, settings.first_retry_seconds, settings.longest_retry_seconds)
    outbox.retry(mail.id, why, now + round(wait))
    log.warning(
        "mail not taken yet",
        extra={"message_id": mail.message_id, "why": why, "again_in": round(wait)},
    )
    return Tally(later=1)


def _bounce(outbox: Outbox, mail: Outgoing, why: str) -> Tally:
    outbox.bounced(mail.id, why)
    log.warning("mail bounced", extra={"message_id": mail.message_id, "why": why})
    return Tally(bounced=1)
