"""The acceptance table (protocol.md): what becomes of a mail, as rules in their order.

The first rule that holds decides. A rule sees the facts of a mail and nothing else; what its
action does is in ``service/actions.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple, Protocol

from sigilpost_server.mail_in.machine import Effect, Mark
from sigilpost_server.mail_in.reasons import REASONS


class Action(Enum):
    """What is done with a mail."""

    NOTHING = "nothing"
    """It is noted, and that is all."""

    CARRY_OUT = "carry out"
    """Its one fresh block is carried out, and answered."""

    BY_CODE = "by code"
    """The lines of a reply are carried out by its code, and answered."""

    RENEW = "renew"
    """Nothing is done, and the seat of an old code is mailed the one that counts."""

    REPEAT = "repeat"
    """The first answer to its block is sent again."""

    CONFLICT = "conflict"
    """Nothing is done, and a signer of its blocks is told why."""

    TO_HOST = "to host"
    """Nothing is done, nobody is answered, and the host has the mail."""

    EXPLAIN = "explain"
    """Nothing is done, and its sender is told why, without any game content."""


class Facts(Protocol):
    """What the rules ask of a mail. Later facts cost more than earlier ones."""

    @property
    def same_bytes(self) -> bool:
        """Whether these bytes were handled before."""

    @property
    def to_postmaster(self) -> bool:
        """Whether it was delivered to the postmaster."""

    @property
    def refused(self) -> str:
        """Why the door refused it; "" if it was let in."""

    @property
    def mark(self) -> Mark | None:
        """What tells a machine."""

    @property
    def fresh(self) -> int:
        """How many different fresh blocks with good signatures it holds, stale orders apart."""

    @property
    def same_message_id(self) -> bool:
        """Whether another mail with its Message-ID was handled before."""

    @property
    def seen(self) -> bool:
        """Whether it holds a block that was judged before."""

    @property
    def coded(self) -> bool:
        """Whether it is a reply with a code that was not used yet, and no copy of one judged."""

    @property
    def code_fault(self) -> str:
        """Why its reply code does not count; "" if it does, or there is none."""

    @property
    def sender_known(self) -> bool:
        """Whether its From is one address that everybody reads alike."""

    @property
    def fault(self) -> str:
        """Why its first block does not count; "" if there is no block."""

    @property
    def blank(self) -> bool:
        """Whether there is no text in it."""

    @property
    def standing(self) -> str:
        """What its sender is to us: ``registered``, ``unconfirmed`` or ``unregistered``."""


class Rule(NamedTuple):
    """If ``holds``, the mail's reason is ``reason`` and the action is taken."""

    holds: Callable[[Facts], bool]
    reason: str | Callable[[Facts], str]
    action: Action


class Judgement(NamedTuple):
    """What the table says of a mail. ``answering``: False withholds the answer."""

    reason: str
    action: Action
    answering: bool


TABLE = (
    Rule(lambda mail: mail.same_bytes, "duplicate", Action.NOTHING),
    Rule(lambda mail: mail.to_postmaster, "to-postmaster", Action.TO_HOST),
    Rule(
        lambda mail: _effect(mail) is Effect.NOTHING_COUNTS,
        lambda mail: _reason(mail),
        Action.NOTHING,
    ),
    Rule(
        lambda mail: mail.refused != "" and _explicable(mail),
        lambda mail: mail.refused,
        Action.EXPLAIN,
    ),
    Rule(lambda mail: mail.refused != "", lambda mail: mail.refused, Action.NOTHING),
    Rule(lambda mail: mail.fresh > 1, "conflicting-blocks", Action.CONFLICT),
    Rule(lambda mail: mail.fresh == 1, "ok", Action.CARRY_OUT),
    Rule(lambda mail: mail.mark is not None, lambda mail: _reason(mail), Action.NOTHING),
    Rule(lambda mail: mail.coded, "ok", Action.BY_CODE),
    Rule(lambda mail: mail.same_message_id, "duplicate", Action.NOTHING),
    Rule(lambda mail: mail.seen, "replayed", Action.REPEAT),
    Rule(lambda mail: not mail.sender_known, "bad-from", Action.NOTHING),
    Rule(lambda mail: mail.code_fault == "used-code", "used-code", Action.RENEW),
    Rule(lambda mail: mail.code_fault != "", lambda mail: mail.code_fault, Action.EXPLAIN),
    Rule(lambda mail: mail.fault != "", lambda mail: mail.fault, Action.EXPLAIN),
    Rule(lambda mail: mail.blank, "empty", Action.EXPLAIN),
    Rule(lambda mail: mail.standing == "registered", "no-block", Action.EXPLAIN),
    Rule(lambda mail: True, lambda mail: mail.standing, Action.EXPLAIN),
)


def judge(mail: Facts) -> Judgement:
    """What becomes of a mail. A mark that only withholds the answer does so for every action."""
    rule = next(rule for rule in TABLE if rule.holds(mail))
    reason = rule.reason if isinstance(rule.reason, str) else rule.reason(mail)
    return Judgement(reason, rule.action, _effect(mail) is not Effect.NO_ANSWER)


def _effect(mail: Facts) -> Effect | None:
    return mail.mark.effect if mail.mark else None


def _reason(mail: Facts) -> str:
    assert mail.mark is not None
    return mail.mark.reason


def _explicable(mail: Facts) -> bool:
    """Whether a mail that the door refused is a person's, and there is an answer to it."""
    return mail.mark is None and mail.sender_known and REASONS[mail.refused].answer != ""
