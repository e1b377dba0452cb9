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

from flufl.bounce import all_failures

from .addresses import clean

READ_MAX = 128 * 1024
"""Bytes of a report that are looked at; the returned mail comes last."""
WHY_MAX = 300
IDS_MAX = 20

# RFC 3463: what says nothing about the mailbox itself, but about this mail or this moment. A full
# mailbox (5.2.2) and a message too big (5.2.3) pass, as do faults of systems and of content, and
# policies; the rest (no such mailbox, disabled, moved away) lasts.
_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]\d)")
_PASSING = frozenset(["2.2", "2.3"])
_PASSING_SUBJECTS = frozenset(["3", "5", "6", "7"])

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)


class Report(NamedTuple):
    """A delivery that failed. ``lasting``: not only for now. ``why`` is one line."""

    lasting: bool
    why: str


def read(raw: bytes) -> Report | None:
    """Return what a mail reports, or None if it is no report of a failure. Raises nothing.

    The mail must have come through the door.
    """
    message = message_from_bytes(raw[:READ_MAX], policy=compat32)
    try:
        passing, lasting = all_failures(message)
    except Exception:
        # A detector stumbled over this mail: then it is no report that anybody can read.
        return None
    if not passing and not lasting:
        return None
    words = next(_diagnoses(message), "")
    return Report(bool(lasting) and lasts(words), words)


def lasts(words: str) -> bool:
    """Whether a failure that these words are about is one of the mailbox itself."""
    found = _STATUS.search(words)
    if found is None or found[1] != "5":
        return True
    subject, detail = found[2], found[3]
    return subject not in _PASSING_SUBJECTS and f"{subject}.{detail}" not in _PASSING


def quoted_ids(raw: bytes, domain: str) -> list[str]:
    """The Message-IDs of this domain that a report quotes, each once, at most 20."""
    pattern = re.compile(rb"<([0-9a-f]{8,64})@" + re.escape(domain.encode("ascii")) + rb">")
    found = dict.fromkeys(match[0].decode("ascii") for match in pattern.finditer(raw))
    return list(found)[:IDS_MAX]


def _diagnoses(message: Message[Any, Any]) -> Iterator[str]:
    """The status and diagnosis of each recipient (RFC 3464 section 2.3)."""
    for part in message.walk():
        status, diagnosis = part.get("Status"), part.get("Diagnostic-Code")
        if status and part.get("Action"):
            yield clean(f"{status} {str(diagnosis or '').partition(';')[2]}", WHY_MAX)
