"""A mail to the server: a readable, ordinary letter with one signed block in it.

Bytes are made here once and for all, by hand where the standard library would fold an
unbroken Message-ID into encoded words. Never ``Auto-Submitted``: people's mail is answered.
"""

from __future__ import annotations

import quopri
import re
import secrets
import time
from collections.abc import Sequence
from email.header import Header
from email.utils import formatdate
from typing import NamedTuple

from sigilpost_client.config import Config
from sigilpost_client.words import text
from sigilpost_engine.wire.blocks import Block, armour

WIDTH = 78
_DOMAIN = re.compile(r"[A-Za-z0-9.-]{1,200}")


class Outgoing(NamedTuple):
    """A finished mail: envelope addresses, Message-ID (with brackets), bytes with CRLF."""

    sender: str
    recipient: str
    message_id: str
    raw: bytes


def compose(
    config: Config,
    block: Block,
    *,
    subject: str,
    words: Sequence[str],
    to: str = "",
    references: Sequence[str] = (),
) -> Outgoing:
    """The mail that carries ``block``. ``words`` are the lines that a person reads above it.

    ``to`` is the server's address for the game, else that of the settings; ``references`` are
    Message-IDs, oldest first; the last is the mail that this one answers.
    """
    recipient = to or config.server.address
    message_id = _message_id(config.player.address, block)
    headers = [
        ("From", _mailbox(config.player.name, config.player.address)),
        ("To", recipient),
        ("Subject", _encoded(subject)),
        ("Date", formatdate(time.time(), localtime=True)),
        ("Message-ID", message_id),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
    ]
    if references:
        headers.append(("In-Reply-To", references[-1]))
        headers.append(("References", "\r\n ".join(references)))
    body = "\n".join([*words, "", text("client.mail.block"), "", armour(block)])
    encoding, data = _encode_body(body)
    headers.append(("Content-Transfer-Encoding", encoding))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return Outgoing(
        config.player.address, recipient, message_id, head.encode("utf-8") + b"\r\n" + data
    )


def _message_id(address: str, block: Block) -> str:
    domain = address.rpartition("@")[2]
    if not _DOMAIN.fullmatch(domain):
        domain = "localhost"  # of no meaning here, but it must be ASCII
    return f"<{block.digest.hex()[:24]}.{secrets.token_hex(4)}@{domain}>"


def _mailbox(name: str, address: str) -> str:
    """``name <address>`` (RFC 5322 section 3.4): the name quoted, or encoded if not ASCII."""
    if not name.isascii():
        return f"{_encoded(name)} <{address}>"
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}" <{address}>'


def _encoded(words: str) -> str:
    """A header's free text; RFC 2047 words where it is not ASCII."""
    plain = " ".join(words.split())
    return plain if plain.isascii() else Header(plain, "utf-8", WIDTH).encode(linesep="\r\n")


def _encode_body(body: str) -> tuple[str, bytes]:
    """The transfer encoding and the bytes of the text, with CRLF."""
    data = body.encode("utf-8")
    if body.isascii() and all(len(line) < 990 for line in body.splitlines()):
        return "7bit", data.replace(b"\n", b"\r\n")
    return "quoted-printable", quopri.encodestring(data).replace(b"\n", b"\r\n")
