"""MIME bodies as bytes (RFC 2045, 2046): flat, 7-bit, CRLF, no line over 998 octets.

Written by hand because a mail of ours has one fixed shape, and the standard library's generator
takes several times as long for it. Equal input gives equal bytes.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64, b2a_qp
from collections.abc import Sequence

CRLF = "\r\n"
LINE = 998
"""Octets of a line, its end not counted (RFC 5322, 2.1.1)."""


def text_part(subtype: str, text: str) -> str:
    """A text part. ``text`` has lines that end with ``\\n``.

    ASCII stays readable as it is; other text is quoted-printable, or base64 where that is
    shorter.
    """
    lines = text.replace("\n", CRLF)
    if text.isascii() and _plain(text):
        return _part(f"text/{subtype}; charset=utf-8", "7bit", lines)
    octets = lines.encode("utf-8", "replace")
    quoted = b2a_qp(octets, istext=True)
    if len(quoted) > len(octets) * 4 // 3:
        return _part(f"text/{subtype}; charset=utf-8", "base64", base64(octets))
    # mbox files escape "From " at the start of a line; so it is spelt otherwise (RFC 2049, 3).
    body = (CRLF + quoted.decode("ascii")).replace(f"{CRLF}From ", f"{CRLF}=46rom ")
    return _part(f"text/{subtype}; charset=utf-8", "quoted-printable", body[len(CRLF) :])


def _plain(text: str) -> bool:
    """Whether ASCII text goes through any mail system as it is."""
    return not (
        text.startswith(("From ", ".\n"))
        or "\nFrom " in text
        or "\n.\n" in text
        or max(map(len, text.split("\n"))) > LINE
        or not text.replace("\n", "").isprintable()
    )


def file_part(name: str, media: str, data: bytes) -> str:
    """An attachment. ``name`` and ``media`` are our own: plain ASCII without quotes."""
    head = (
        f"Content-Type: {media}{CRLF}"
        f'Content-Disposition: attachment; filename="{name}"{CRLF}'
        f"Content-Transfer-Encoding: base64{CRLF}{CRLF}"
    )
    return head + base64(data)


def _part(media: str, encoding: str, body: str) -> str:
    head = f"Content-Type: {media}{CRLF}Content-Transfer-Encoding: {encoding}{CRLF}{CRLF}"
    return head + body


def base64(data: bytes) -> str:
    """Base64 in lines of 76 (RFC 2045, 6.8)."""
    text = b2a_base64(data, newline=False).decode("ascii")
    return CRLF.join([text[at : at + 76] for at in range(0, len(text), 76)]) + CRLF


def multipart(subtype: str, parts: Sequence[str], seed: str) -> str:
    """Parts as one, with its Content-Type before it.

    The boundary follows from ``seed``, which nobody knows beforehand, and occurs in no part.
    """
    number = 0
    while True:
        digest = hashlib.sha256(f"{subtype} {number} {seed}".encode()).hexdigest()
        boundary = f"=_{digest[:32]}"
        if not any(boundary in part for part in parts):
            break
        number += 1
    head = f'Content-Type: multipart/{subtype};{CRLF} boundary="{boundary}"{CRLF}{CRLF}'
    body = "".join(f"--{boundary}{CRLF}{part}{CRLF}" for part in parts)
    return f"{head}{body}--{boundary}--{CRLF}"
