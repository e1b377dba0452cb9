"""The outbox: each mail is claimed by one process at a time, and none is forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sigilpost_server.outbox import CLAIM_SECONDS, Outbox, is_dead, process_name
from tests.server.service.town import Town


@pytest.fixture
def full(any_town: Town) -> Town:
    """A town with three mails in its outbox."""
    for number in range(3):
        any_town.deliver(any_town.mail(f"zoe{number}@else.test", "Hello"))
    return any_town


def other(town: Town) -> Outbox:
    """The outbox as another process sees it."""
    outbox = Outbox(town.service.database, town.service.house.return_path, town.clock)
    outbox._mine = "elsewhere 1 1"
    return outbox


def test_a_claimed_mail_has_its_envelope_and_bytes(full: Town) -> None:
    (read, *_), (claimed, *_) = full.post(), full.service.outbox.claim(3)
    assert claimed.raw == read.raw
    assert claimed.envelope_from == full.service.house.return_path(claimed.message_id)
    assert claimed.envelope_to == read.to
    assert claimed.message_id == read.mail["Message-ID"]


def test_what_one_process_claimed_no_other_is_given(full: Town) -> None:
    mine = full.service.outbox.claim(2)
    theirs = other(full).claim(5)
    assert len(mine) == 2
    assert len(theirs) == 1
    assert {mail.id for mail in mine}.isdisjoint({mail.id for mail in theirs})
    assert full.service.outbox.claim(5) == []


def test_a_sent_mail_does_not_come_again(full: Town) -> None:
    for mail in full.service.outbox.claim(3):
        full.service.outbox.sent(mail.id)
    full.clock.advance(10 * CLAIM_SECONDS)
    assert full.service.outbox.claim(3) == []


def test_a_mail_put_off_comes_again_when_it_is_due_and_counts_its_attempts(full: Town) -> None:
    outbox = full.service.outbox
    first, *rest = outbox.claim(3)
    for mail in rest:
        outbox.sent(mail.id)
    outbox.retry(first.id, "450 greylisted", full.clock() + 60)
    assert outbox.claim(3) == []
    full.clock.advance(60)
    (again,) = outbox.claim(3)
    assert (again.id, again.attempts, again.message_id) == (first.id, 1, first.message_id)


def test_a_bounced_mail_is_not_tried_again(full: Town) -> None:
    for mail in full.service.outbox.claim(3):
        full.service.outbox.bounced(mail.id, "550 no such user")
    full.clock.advance(10 * CLAIM_SECONDS)
    assert full.service.outbox.claim(3) == []


def test_a_released_mail_waits_as_before(full: Town) -> None:
    mails = full.service.outbox.claim(3)
    full.service.outbox.release([mail.id for mail in mails])
    assert other(full).claim(3) == mails


def test_a_claim_ends_after_an_hour(full: Town) -> None:
    full.service.outbox.claim(3)
    full.clock.advance(CLAIM_SECONDS)
    assert len(other(full).claim(3)) == 3


def test_who_lost_a_claim_changes_nothing_any_more(full: Town) -> None:
    mine = full.service.outbox.claim(3)
    full.clock.advance(CLAIM_SECONDS)
    theirs = other(full)
    theirs.claim(3)
    full.service.outbox.retry(mine[0].id, "late", full.clock())
    assert full.service.outbox.claim(3) == []


def test_the_claims_of_a_process_that_is_gone_are_freed_at_the_next_start(full: Town) -> None:
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, cwd=Path.cwd()) as process:
        dying = other(full)
        dying._mine = process_name(process.pid)
        dying.claim(3)
        full.service.outbox.release_dead()
        assert full.service.outbox.claim(3) == []
        process.kill()
        process.wait()
        full.service.outbox.release_dead()
        assert len(full.service.outbox.claim(3)) == 3


def test_a_process_s_own_claims_and_those_of_other_computers_stay() -> None:
    assert not is_dead(process_name(os.getpid()))
    assert not is_dead("elsewhere 1 1")


def test_a_later_process_of_the_same_number_is_another_one() -> None:
    name = process_name(os.getpid())
    host, pid, started = name.rsplit(" ", 2)
    assert is_dead(f"{host} {pid} {int(started) - 1}")
