"""What can be known of a mail from its bytes alone, before the database is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sigilpost_engine.wire.blocks import Candidate
from sigilpost_server.mail_in import addresses, door, extract, machine
from sigilpost_server.mail_in.addresses import Address, BadAddress
from sigilpost_server.mail_in.door import Mail, Refused
from sigilpost_server.mail_in.extract import Extract
from sigilpost_server.mail_in.machine import Mark, Ours

# What may be a Message-ID that we repeat in a header (RFC 5322 section 3.6.4, loosely).
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,240}>")


@dataclass(frozen=True)
class Incoming:
    """A mail as read. ``digest`` is SHA-256 of its bytes.

    ``refused`` is the door's reason ("" if it was let in), ``sender`` the one address in From
    (None if there is none, or several could be meant), ``mark`` what tells a machine.
    """

    digest: bytes
    size: int
    source: str
    refused: str = ""
    message_id: str = ""
    sender: Address | None = None
    mark: Mark | None = None
    said: Extract | None = None

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
    if head is None:
        return Incoming(bytes.fromhex(digest), len(raw), source, refused)
    found = _MESSAGE_ID.search(head.header("Message-ID"))
    return Incoming(
        bytes.fromhex(digest),
        len(raw),
        source,
        refused,
        message_id=found[0] if found else "",
        sender=_sender(head),
        mark=machine.machine_made(head, ours),
        said=said,
    )


def _sender(head: Mail) -> Address | None:
    try:
        return addresses.sender(head.headers("From"))
    except BadAddress:
        return None
