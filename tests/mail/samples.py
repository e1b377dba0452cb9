"""Mails for the tests: built by hand, byte for byte, as no library would write them."""

from __future__ import annotations

import base64
from pathlib import Path

from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_server.mail_in import door, extract
from sigilpost_server.mail_in.door import Mail, Refused
from sigilpost_server.mail_in.extract import Extract
from sigilpost_server.mail_in.machine import Ours
from tests.wire.samples import block, orders

FIXTURES = Path(__file__).parent / "fixtures"

FRESH = block(orders())
OTHER = block(orders("pass", nonce="f" * 32))
TEXT = armour(FRESH)
OURS = Ours.of(["games@games.example"], ["weaver-7k2q.games.example"])


def mail(
    body: bytes | str = TEXT,
    *,
    kind: str = "text/plain; charset=utf-8",
    encoding: str = "8bit",
    sender: str = "Alice <alice@good.example>",
    subject: str = "Re: [weaver-7k2q] Your move",
    extra: str = "",
) -> bytes:
    """A whole mail around a body that is already encoded as the header says."""
    head = (
        f"From: {sender}\nTo: games@games.example\nSubject: {subject}\n"
        f"Message-ID: <m1@mail.good.example>\nMIME-Version: 1.0\n"
        f"Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n{extra}\n"
    )
    data = body.encode("utf-8") if isinstance(body, str) else body
    return head.replace("\n", "\r\n").encode("utf-8", "surrogateescape") + data


def part(body: bytes | str, kind: str = "text/plain; charset=utf-8", extra: str = "") -> bytes:
    """A part for `multipart`."""
    data = body.encode("utf-8") if isinstance(body, str) else body
    return f"Content-Type: {kind}\r\n{extra}\r\n".encode() + data


def multipart(*parts: bytes, kind: str = "multipart/mixed", boundary: str = "b") -> bytes:
    """A mail with parts."""
    return mail(joined(*parts, boundary=boundary), kind=f'{kind}; boundary="{boundary}"')


def joined(*parts: bytes, boundary: str = "b") -> bytes:
    """The body of a multipart."""
    mark = f"--{boundary}".encode()
    return b"".join(mark + b"\r\n" + each + b"\r\n" for each in parts) + mark + b"--\r\n"


def base64_lines(data: bytes) -> str:
    """Base64 in lines of 76."""
    return base64.encodebytes(data).decode("ascii").replace("\n", "\r\n")


def admitted(raw: bytes) -> Mail:
    """The mail, which the door must let in."""
    it = door.admit(raw)
    assert isinstance(it, Mail), it
    return it


def extracted(raw: bytes) -> Extract:
    """What the mail says."""
    it = extract.extract(admitted(raw))
    assert isinstance(it, Extract), it
    return it


def refusal(raw: bytes) -> str:
    """The reason for which the mail is refused, "" if it is not."""
    it = door.admit(raw)
    if isinstance(it, Mail):
        said = extract.extract(it)
        return said.reason if isinstance(said, Refused) else ""
    return it.reason


def found(raw: bytes) -> list[Block]:
    """The intact blocks of a mail."""
    return [candidate.block for candidate in extracted(raw).blocks if candidate.block]


def fixture(name: str) -> bytes:
    """The bytes of a fixture mail."""
    return (FIXTURES / f"{name}.eml").read_bytes()
