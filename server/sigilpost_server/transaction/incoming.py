"""What can be known of a mail from its bytes alone, before the database is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from sigilpost_engine.wire.blocks import Candidate
from sigilpost_server.mail_in import addresses, bounces, door, extract, machine, postmaster, reply
from sigilpost_server.mail_in.addresses import Address, BadAddress
from sigilpost_server.mail_in.bounces import Report
from sigilpost_server.mail_in.door import Mail, Refused
from sigilpost_server.mail_in.extract import Extract
from sigilpost_server.mail_in.machine import Mark, Ours
from sigilpost_server.mail_in.reply import Reply

# What may be a Message-ID that we repeat in a header (RFC 5322 section 3.6.4, loosely).
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,240}>")
_BARE = re.compile(r"[^\s<>,;:\"()]{1,64}@[^\s<>,;:\"()]{1,255}")
ANSWERS_MAX = 5

REPORTING = frozenset(["delivery-report", "null-return-path", "robot-sender", "auto-submitted"])
"""The marks of mail that may report a delivery; flufl.bounce tells which do."""


@dataclass(frozen=True)
class Incoming:
    """A mail as read. ``digest`` is SHA-256 of its bytes.

    ``refused`` is the door's reason ("" if it was let in), ``sender`` the one address in From
    (None if there is none, or several could be meant), ``mark`` what tells a machine,
    ``subject`` the cleaned subject.
    ``recipients`` are the values of all headers that say to whom it was sent, ``answers`` the
    Message-IDs that it says it answers, ``lists`` its List-Ids. ``to_postmaster``: it is for the
    host.
    """

    digest: bytes
    size: int
    source: str
    refused: str = ""
    message_id: str = ""
    subject: str = ""
    sender: Address | None = None
    mark: Mark | None = None
    said: Extract | None = None
    recipients: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    raw: bytes = field(default=b"", repr=False)
    to_postmaster: bool = False

    @cached_property
    def reply(self) -> Reply:
        """The codes in it, and the lines that would count with one."""
        if self.said is None:
            return Reply()
        texts = (text.text for text in self.said.texts)
        return Reply(reply.commands(self.said), reply.codes(self.recipients, texts))

    @property
    def addressed(self) -> list[str]:
        """The bare addresses that it was sent to, as they are written."""
        return _BARE.findall(" ".join(self.recipients))

    @cached_property
    def report(self) -> Report | None:
        """The failed delivery that it reports; None for any other mail."""
        reporting = self.mark is not None and self.mark.reason in REPORTING
        return bounces.read(self.raw) if reporting and not self.refused else None

    @property
    def sender_key(self) -> str:
        """The sender's address in its normal form, "" if unknown."""
        return self.sender.normal if self.sender else ""

    @property
    def candidates(self) -> list[Candidate]:
        """The blocks in the mail, damaged ones among them."""
        return self.said.blocks if self.said else []


def read(raw: bytes, source: str, ours: Ours) -> Incoming:
    """Read a mail's bytes. Raises nothing: what cannot be read says so in ``refused``."""
    mail = door.admit(raw)
    said = mail if isinstance(mail, Refused) else extract.extract(mail)
    if isinstance(said, Refused):
        return _of(said.head, raw, said.digest, source, ours, refused=said.reason)
    assert not isinstance(mail, Refused)
    return _of(mail, raw, mail.digest, source, ours, said=said)


def _of(
    head: Mail | None,
    raw: bytes,
    digest: str,
    source: str,
    ours: Ours,
    *,
    refused: str = "",
    said: Extract | None = None,
) -> Incoming:
    to_postmaster = postmaster.is_for(raw)
    if head is None:
        known = bytes.fromhex(digest), len(raw), source, refused
        return Incoming(*known, raw=raw, to_postmaster=to_postmaster)
    found = _MESSAGE_ID.search(head.header("Message-ID"))
    return Incoming(
        bytes.fromhex(digest),
        len(raw),
        source,
        refused,
        message_id=found[0] if found else "",
        subject=addresses.clean_subject(head.header("Subject")),
        sender=_sender(head),
        mark=machine.machine_made(head, ours),
        said=said,
        recipients=reply.recipients(head),
        raw=raw,
        answers=_answers(head),
        lists=machine.list_ids(head),
        to_postmaster=to_postmaster,
    )


def _answers(head: Mail) -> tuple[str, ...]:
    """What is in In-Reply-To, and the last of References; not more than a mail needs."""
    parents = _MESSAGE_ID.findall(head.header("In-Reply-To"))[:ANSWERS_MAX]
    threads = _MESSAGE_ID.findall(head.header("References"))[-ANSWERS_MAX:]
    return tuple(dict.fromkeys([*parents, *threads]))


def _sender(head: Mail) -> Address | None:
    try:
        return addresses.sender(head.headers("From"))
    except BadAddress:
        return None
