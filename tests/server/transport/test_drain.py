"""The outbox on its way out: what is taken, what waits, what bounces."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from sigilpost_server.backoff import delay
from sigilpost_server.clock import ManualClock
from sigilpost_server.models import OutgoingStatus, outgoing
from sigilpost_server.service import Service
from sigilpost_server.sources.base import Stop
from sigilpost_server.ways_out.base import NoWay, Post
from sigilpost_server.ways_out.drain import Tally, drain
from sigilpost_server.ways_out.relay import Relay
from sigilpost_server.ways_out.settings import OutSettings, RelaySettings
from tests.server.transport.desk import letter
from tests.server.transport.host import Host
from tests.server.transport.relays import RelayPeer, relay_peer
from tests.services.process import HOST

DAY = 86_400
SETTINGS = OutSettings(batch=2)


@pytest.fixture
def clock() -> ManualClock:
    """A clock that the test moves."""
    return ManualClock()


@pytest.fixture
def service(host: Host, clock: ManualClock) -> Iterator[Service]:
    """A service with a clock that the test moves."""
    service = Service.open(host.settings, clock)
    yield service
    service.close()


def put(service: Service, *numbers: int) -> None:
    """Put mails of ours into the outbox."""
    now = service.clock()
    rows = [
        {
            "message_id": f"<{n}@play.test>",
            "recipient": f"p{n}@mail.test",
            "raw": letter(n),
            "created": now,
            "due": now,
        }
        for n in numbers
    ]
    with service.database.write() as db:
        db.execute(outgoing.insert(), rows)


def states(service: Service) -> dict[str, str]:
    """The state of every mail by its recipient."""
    with service.database.read() as db:
        found = db.execute(select(outgoing.c.recipient, outgoing.c.status))
        return {row.recipient.partition("@")[0]: row.status for row in found}


def way(peer: RelayPeer) -> Relay:
    """The way over the peer."""
    return Relay(RelaySettings(host=HOST, port=peer.port, timeout_seconds=5))


def send(service: Service, peer: RelayPeer, settings: OutSettings = SETTINGS) -> Tally:
    """Drain once over the peer."""
    out = way(peer)
    try:
        return drain(service.outbox, out, settings, service.clock)
    finally:
        out.close()


def test_everything_due_goes_out_once(service: Service) -> None:
    put(service, *range(5))
    with relay_peer() as peer:
        assert send(service, peer) == Tally(sent=5)
        assert send(service, peer) == Tally()
        assert [mail.raw for mail in peer.taken] == [letter(n) for n in range(5)]
    assert set(states(service).values()) == {OutgoingStatus.SENT}


def test_hazard_16_4yz_is_tried_again_later_and_the_others_go(
    service: Service, clock: ManualClock
) -> None:
    put(service, 1, 2, 3)
    with relay_peer() as peer:
        peer.at_rcpt = "450 4.2.0 greylisted"
        assert send(service, peer) == Tally(later=3)
        peer.at_rcpt = ""
        assert send(service, peer) == Tally(), "not yet"
        clock.advance(SETTINGS.first_retry_seconds * 2)
        assert send(service, peer) == Tally(sent=3)
        assert sorted(mail.recipient for mail in peer.taken) == [
            "p1@mail.test",
            "p2@mail.test",
            "p3@mail.test",
        ]


def test_4yz_for_five_days_is_a_bounce(service: Service, clock: ManualClock) -> None:
    put(service, 1)
    attempts = 0
    with relay_peer() as peer:
        peer.at_rcpt = "451 4.3.0 later"
        began = clock.seconds
        while states(service) == {"p1": OutgoingStatus.WAITING}:
            tally = send(service, peer)
            attempts += tally.later + tally.bounced
            clock.advance(600)
    assert states(service) == {"p1": OutgoingStatus.FAILED}
    assert 5 * DAY <= clock.seconds - began < 6 * DAY
    assert 25 < attempts < 60


def test_4yz_after_an_outage_of_a_week_is_no_bounce_yet(
    service: Service, clock: ManualClock
) -> None:
    put(service, 1)
    clock.advance(7 * DAY)
    began = clock.seconds
    with relay_peer() as peer:
        peer.at_rcpt = "451 4.7.1 greylisted"
        assert send(service, peer) == Tally(later=1)
        while states(service) == {"p1": OutgoingStatus.WAITING}:
            clock.advance(600)
            send(service, peer)
    assert 3.5 * DAY < clock.seconds - began < 6 * DAY


def test_no_mail_is_sent_when_its_claim_may_have_ended(
    host: Host, service: Service, clock: ManualClock
) -> None:
    """A relay that takes half an hour for each mail: the rest is let go and claimed anew."""
    put(service, 1, 2, 3, 4)
    other = Service.open(host.settings, clock)
    with relay_peer() as peer:

        class Slow(Relay):
            def send(self, post: Post) -> None:
                super().send(post)
                clock.advance(1_900)
                assert send(other, peer) == Tally(), "the rest is claimed"

        out = Slow(RelaySettings(host=HOST, port=peer.port))
        assert drain(service.outbox, out, OutSettings(batch=50), service.clock) == Tally(sent=4)
        out.close()
        recipients = sorted(mail.recipient for mail in peer.taken)
    other.close()
    assert recipients == sorted(f"p{n}@mail.test" for n in range(1, 5))


def test_5yz_is_a_bounce_at_once(service: Service) -> None:
    put(service, 1)
    with relay_peer() as peer:
        peer.at_rcpt = "550 5.1.1 no such user"
        assert send(service, peer) == Tally(bounced=1)
        peer.at_rcpt = ""
        assert send(service, peer) == Tally()


def test_a_relay_that_is_down_makes_no_mail_older(service: Service) -> None:
    put(service, 1, 2, 3)
    with relay_peer() as peer:
        pass
    for _ in range(10):
        with pytest.raises(NoWay):
            send(service, peer)
    with service.database.read() as db:
        assert set(db.execute(select(outgoing.c.attempts)).scalars()) == {0}
    with relay_peer(peer.port) as back:
        assert send(service, back) == Tally(sent=3)


def test_a_mail_that_makes_the_relay_hang_up_does_not_stop_the_others(
    service: Service, clock: ManualClock
) -> None:
    put(service, 1, 2, 3)
    with relay_peer() as peer:
        peer.drop = True
        with pytest.raises(NoWay):
            send(service, peer)
        peer.drop = False
        peer.taken.clear()
        assert send(service, peer) == Tally(sent=2)
        clock.advance(SETTINGS.first_retry_seconds * 2)
        assert send(service, peer) == Tally(sent=1)


def test_when_the_end_is_asked_for_the_rest_waits_as_before(service: Service) -> None:
    put(service, 1, 2, 3, 4)
    stop = Stop()
    with relay_peer() as peer:

        class EndsAfterOne(Relay):
            def send(self, post: object) -> None:
                super().send(post)  # type: ignore[arg-type]
                stop.set()

        out = EndsAfterOne(RelaySettings(host=HOST, port=peer.port))
        assert drain(service.outbox, out, SETTINGS, service.clock, stop) == Tally(sent=1)
        out.close()
        assert send(service, peer) == Tally(sent=3), "nothing is left claimed"


def test_two_drains_at_once_send_nothing_twice(
    host: Host, service: Service, clock: ManualClock
) -> None:
    put(service, *range(40))
    other = Service.open(host.settings, clock)
    with relay_peer() as peer:
        threads = [threading.Thread(target=send, args=(each, peer)) for each in (service, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        recipients = sorted(mail.recipient for mail in peer.taken)
    other.close()
    assert recipients == sorted(f"p{n}@mail.test" for n in range(40))


def test_waiting_doubles_with_jitter_up_to_a_limit() -> None:
    dice = random.Random(7)
    for attempt in range(1, 100):
        plain = min(60 * 2 ** (attempt - 1), 3_600)
        found = {delay(attempt, 60, 3_600, dice.random) for _ in range(50)}
        assert all(plain * 0.75 <= seconds <= plain * 1.25 for seconds in found)
        assert len(found) > 40
