"""The acceptance table: its rules over every combination of facts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from sigilpost_server.acceptance import TABLE, Action, judge
from sigilpost_server.mail_in.machine import Effect, Mark
from sigilpost_server.mail_in.reasons import REASONS, Verdict

MARKS = (
    None,
    Mark("auto-submitted", Effect.NOTHING_COUNTS),
    Mark("bulk", Effect.NO_ANSWER),
    Mark("out-of-office", Effect.UNLESS_FRESH),
)


@dataclass
class Mail:
    """Facts as a test wants them."""

    same_bytes: bool = False
    refused: str = ""
    mark: Mark | None = None
    fresh: int = 0
    same_message_id: bool = False
    seen: bool = False
    sender_known: bool = True
    fault: str = ""
    blank: bool = False
    standing: str = "registered"
    coded: bool = False
    code_fault: str = ""
    to_postmaster: bool = False


FLAGS = (False, True)
combinations: Any = product  # of more values than its types know of
EVERY = [
    Mail(*facts)
    for facts in combinations(
        FLAGS,
        ("", "too-big", "unparsable-mail"),
        MARKS,
        (0, 1, 2),
        FLAGS,
        FLAGS,
        FLAGS,
        ("", "bad-signature"),
        FLAGS,
        ("registered", "unconfirmed", "unregistered"),
        FLAGS,
        ("", "used-code", "bad-code"),
        FLAGS,
    )
]


def test_the_table_decides_every_mail_by_a_published_reason() -> None:
    for mail in EVERY:
        judged = judge(mail)
        assert judged.reason in REASONS
        if judged.action is Action.CARRY_OUT:
            assert judged.reason == "ok"


def test_every_rule_decides_some_mail() -> None:
    used = {next(rule for rule in TABLE if rule.holds(mail)) for mail in EVERY}
    assert used == set(TABLE)


def test_nothing_is_ever_done_with_bytes_that_came_before() -> None:
    for mail in EVERY:
        if mail.same_bytes:
            assert judge(mail).action is Action.NOTHING
            assert REASONS[judge(mail).reason].verdict is Verdict.DUPLICATE


def test_a_machine_s_mail_never_gets_an_answer() -> None:
    for mail in EVERY:
        judged = judge(mail)
        if mail.mark is None or judged.action in (Action.NOTHING, Action.TO_HOST):
            continue
        assert mail.mark.effect is not Effect.NOTHING_COUNTS
        assert mail.fresh
        assert judged.answering is (mail.mark.effect is Effect.UNLESS_FRESH)


def test_rfc_5321_4_5_1_mail_to_the_postmaster_is_the_host_s_whatever_is_in_it() -> None:
    for mail in EVERY:
        if mail.to_postmaster and not mail.same_bytes:
            assert judge(mail).action is Action.TO_HOST
            assert not REASONS[judge(mail).reason].answer


def test_only_what_the_door_let_in_is_carried_out() -> None:
    for mail in EVERY:
        if mail.refused:
            assert judge(mail).action in (Action.NOTHING, Action.TO_HOST, Action.EXPLAIN)


def test_whatever_is_explained_goes_to_an_address_that_is_sure_and_has_words() -> None:
    for mail in EVERY:
        judged = judge(mail)
        if judged.action is Action.EXPLAIN:
            assert mail.sender_known
            assert REASONS[judged.reason].answer


@pytest.mark.parametrize(
    ("mail", "reason", "action"),
    [
        (Mail(fresh=1), "ok", Action.CARRY_OUT),
        (Mail(fresh=1, seen=True, fault="damaged-block"), "ok", Action.CARRY_OUT),
        (Mail(fresh=1, same_message_id=True), "ok", Action.CARRY_OUT),
        (Mail(fresh=1, sender_known=False), "ok", Action.CARRY_OUT),
        (Mail(fresh=2, seen=True), "conflicting-blocks", Action.CONFLICT),
        (Mail(seen=True, fault="bad-signature"), "replayed", Action.REPEAT),
        (Mail(seen=True, same_message_id=True), "duplicate", Action.NOTHING),
        (Mail(seen=True, mark=MARKS[2]), "bulk", Action.NOTHING),
        (Mail(coded=True, mark=MARKS[2]), "bulk", Action.NOTHING),
        (Mail(coded=True, fresh=1), "ok", Action.CARRY_OUT),
        (Mail(coded=True, seen=True, same_message_id=True), "ok", Action.BY_CODE),
        (Mail(code_fault="used-code"), "used-code", Action.RENEW),
        (Mail(code_fault="bad-code", fault="bad-signature"), "bad-code", Action.EXPLAIN),
        (Mail(code_fault="bad-code", sender_known=False), "bad-from", Action.NOTHING),
        (Mail(fault="bad-signature", sender_known=False), "bad-from", Action.NOTHING),
        (Mail(fault="bad-signature"), "bad-signature", Action.EXPLAIN),
        (Mail(blank=True, standing="unregistered"), "empty", Action.EXPLAIN),
        (Mail(), "no-block", Action.EXPLAIN),
        (Mail(standing="unregistered"), "unregistered", Action.EXPLAIN),
    ],
)
def test_the_order_of_the_rules(mail: Mail, reason: str, action: Action) -> None:
    judged = judge(mail)
    assert (judged.reason, judged.action) == (reason, action)
