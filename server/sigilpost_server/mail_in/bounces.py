"""What a delivery report says: which of our mails it is about, and whether the failure lasts.

``flufl.bounce`` tells a report from other automatic mail and lasting failures from passing ones,
in all the formats that mail systems write. Only reports about mail of ours are believed: they came
to the return path of that mail, or quote its Message-ID, and nobody can guess either.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import compat32
from typing import Any, NamedTuple

from .addresses import clean

READ_MAX = 128 * 1024
LINES_MAX = 10_000
"""Bytes and lines of a report that are looked at; the returned mail comes last. The readers try
every line on dozens of patterns, an empty one too."""
WHY_MAX = 300
IDS_MAX = 20

# RFC 3463: what says nothing about the mailbox itself, but about this mail or this moment. A full
# mailbox (5.2.2) and a message too big (5.2.3) pass, as do too much mail in an hour (5.2.121 and
# 5.2.122, as Exchange has it), objections to the sender (5.1.7, 5.1.8), faults of systems and of
# content, and policies; the rest (no such mailbox, disabled, moved away) lasts.
_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]\d)")
_UNDEFINED = "0"
_PASSING = frozenset(["1.7", "1.8", "2.2", "2.3", "2.121", "2.122"])
_PASSING_SUBJECTS = frozenset(["3", "5", "6", "7"])
# Where nothing more exact is said: RFC 5321's reply 552, and the words of some mail systems.
_FULL = re.compile(
    r"(?<![\d.])552[ -]|\b(?:mailbox|mail ?folder|inbox|account|storage)\b[\w ]{0,20}\bfull\b"
    r"|\bover ?quota\b|\bquota (?:is )?exceeded\b|\bexceed\w* [\w ]{0,30}\bquota\b",
    re.IGNORECASE,
)
_FAILED = ("failed", "delayed")
_ARRIVED = ("delivered", "relayed", "expanded")
# Below such a line, reports without a form of their own have our mail.
_COPY = re.compile(r"^-{3,}", re.MULTILINE)

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)


class Report(NamedTuple):
    """A delivery that failed. ``lasting``: not only for now. ``why`` is one line."""

    lasting: bool
    why: str


def read(raw: bytes) -> Report | None:
    """Return what a mail reports, or None if it is no report of a failure. Raises nothing.

    The mail must have come through the door.
    """
    from flufl.bounce import all_failures  # late: dozens of readers, for few mails

    beginning = b"".join(raw[:READ_MAX].splitlines(keepends=True)[:LINES_MAX])
    message = message_from_bytes(beginning, policy=compat32)
    try:
        passing, lasting = all_failures(message)
    except Exception:
        # A detector stumbled over this mail: then it is no report that anybody can read.
        return None
    if not passing and not lasting:
        return None
    fates = list(_fates(message))
    failed = [fate.words for fate in fates if fate.action in _FAILED]
    if not fates:
        failed = list(_told(message))
    # Our mail went to one address. Where that stands for several, and one of them got the mail,
    # the address can be reached.
    arrived = any(fate.action in _ARRIVED for fate in fates)
    worst = next(filter(lasts, failed), next(iter(failed), ""))
    return Report(bool(lasting) and not arrived and lasts(worst), worst)


def lasts(words: str) -> bool:
    """Whether a failure that these words are about is one of the mailbox itself.

    The first status that tells anything counts: many mail systems write 5.0.0, and the status
    that they were told behind it. A failure for now (4.y.z) lasts once its sender has given up.
    """
    for kind, subject, detail in _STATUS.findall(words):
        if subject != _UNDEFINED:
            passing = subject in _PASSING_SUBJECTS or f"{subject}.{detail}" in _PASSING
            return kind != "5" or not passing
    return not _FULL.search(words)


def quoted_ids(raw: bytes, domain: str) -> list[str]:
    """The Message-IDs of this domain that a report quotes, each once, at most 20."""
    pattern = re.compile(rb"<([0-9a-f]{8,64})@" + re.escape(domain.encode("ascii")) + rb">")
    found = dict.fromkeys(match[0].decode("ascii") for match in pattern.finditer(raw))
    return list(found)[:IDS_MAX]


class _Fate(NamedTuple):
    """What became of the mail for one recipient (RFC 3464 section 2.3): the action, the words."""

    action: str
    words: str


def _fates(message: Message[Any, Any]) -> Iterator[_Fate]:
    """What a delivery report says of each recipient."""
    for part in message.walk():
        status, action = part.get("Status"), part.get("Action")
        if status and action:
            diagnosis = str(part.get("Diagnostic-Code") or "").partition(";")[2]
            words = str(action).split()
            yield _Fate(words[0].lower() if words else "", clean(f"{status} {diagnosis}", WHY_MAX))


def _told(message: Message[Any, Any]) -> Iterator[str]:
    """The line with a status or a reason in a report that is plain text (qmail's, old Exim's)."""
    text = message.get_payload()
    if isinstance(text, str):
        for line in _COPY.split(text, maxsplit=1)[0].splitlines():
            if _STATUS.search(line) or _FULL.search(line):
                yield clean(line, WHY_MAX)
