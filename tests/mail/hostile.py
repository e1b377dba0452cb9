"""Hostile mails: each made to cost time or memory, or to make a parser stumble.

``measure`` reads one in a process of its own, so that its memory can be told apart.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import resource
from collections.abc import Callable
from contextlib import suppress
from time import process_time
from typing import NamedTuple

from sigilpost_server.mail_in import addresses, bounces, door, extract, machine, reply
from sigilpost_server.mail_in.door import Mail, Refused
from sigilpost_server.mail_in.machine import Ours

_HEAD = b"From: Eve <eve@evil.example>\r\nTo: g@games.example\r\nMIME-Version: 1.0\r\n"
_MIXED = _HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
_HTML = _HEAD + b"Content-Type: text/html; charset=utf-8\r\n\r\n"
_TEXT = 2_000_000


def _nested(depth: int) -> bytes:
    parts = (
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        for n in range(depth)
    )
    return _HEAD + b"".join(parts) + b"\r\n"


def _fill(head: bytes, piece: bytes, size: int = _TEXT, tail: bytes = b"") -> bytes:
    return head + piece * (size // len(piece)) + tail


def _plain(charset: bytes) -> bytes:
    return _HEAD + b"Content-Type: text/plain; charset=" + charset + b"\r\n\r\n"


HOSTILE: dict[str, Callable[[], bytes]] = {
    "500 nested multiparts": lambda: _nested(500),
    "39 nested multiparts around 290,000 lines": lambda: _nested(39) + b"x\n" * 290_000,
    "200 nested messages": lambda: _HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 200,
    "200,000 empty parts": lambda: _MIXED + b"--b\r\n\r\n" * 200_000,
    "200,000 empty parts, short lines": lambda: _MIXED + b"--b\n\n" * 149_000,
    "998 parts": lambda: _MIXED + b"--b\r\n\r\nhi\r\n" * 998,
    "490 messages in a digest": lambda: (
        _HEAD
        + b"Content-Type: multipart/digest; boundary=b\r\n\r\n"
        + b"--b\r\n\r\nA: b\r\n\r\nhi\r\n" * 490
    ),
    "149,000 blocks of delivery status": lambda: (
        _HEAD + b"Content-Type: message/delivery-status\r\n\r\n" + b"a: b\n\n" * 149_000
    ),
    "a boundary that is a prefix of another": lambda: (
        _MIXED + b"--b\r\nContent-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\n\r\n" * 30
    ),
    "subject of 140 KB in encoded words": lambda: (
        _HEAD + b"Subject:" + b" =?utf-8?q?" + b"a" * 140_000 + b"?=\r\n\r\nhi"
    ),
    "subject of 140 KB, folded": lambda: (
        _HEAD + b"Subject:" + b" =?utf-8?q?a?=\r\n" * 8000 + b"\r\nhi"
    ),
    "subject of 8 KB in encoded words": lambda: (
        _HEAD + b"Subject:" + b" =?utf-8?q?a?=" * 580 + b"\r\n\r\nhi"
    ),
    "subject of 8 KB in broken base64": lambda: (
        _HEAD + b"Subject:" + b" =?utf-8?b?a?=" * 580 + b"\r\n\r\nhi"
    ),
    "a header of a megabyte": lambda: _HEAD + b"X: " + b"y" * 1_000_000 + b"\r\n\r\nhi",
    "a million short headers": lambda: _HEAD + b"a:b\n" * 1_000_000 + b"\nhi",
    "From with 8 KB of angle brackets": lambda: b"From: " + b"<" * 8000 + b"\r\n\r\nhi",
    "From with 8 KB of quotes": lambda: b"From: " + b'"\\' * 4000 + b" <a@b>\r\n\r\nhi",
    "From with 8 KB of comments": lambda: b"From: " + b"(" * 8000 + b" a@b\r\n\r\nhi",
    "From with 8 KB of dots": lambda: b"From: " + b"a." * 4000 + b"@b\r\n\r\nhi",
    "parameters of 8 KB of quotes": lambda: (
        _HEAD + b"Content-Type: text/plain" + b';"' * 4000 + b"\r\n\r\nhi"
    ),
    "31 parts with parameters of 8 KB": lambda: (
        _MIXED + (b"--b\r\nContent-Type: text/plain" + b';a="' * 2000 + b"\r\n\r\nhi\r\n") * 31
    ),
    "500 continued parameters": lambda: (
        _HEAD
        + b"Content-Type: text/plain; "
        + b"".join(b"a*%d*=utf-8''x;" % n for n in range(500))
        + b"\r\n\r\nhi"
    ),
    "a parameter's number of 8,000 digits": lambda: (
        _HEAD + b"Content-Type: multipart/report; a*" + b"9" * 8000 + b"=x; boundary=b\r\n\r\nhi"
    ),
    "a text's parameter with a number of 8,000 digits": lambda: (
        _HEAD + b"Content-Type: text/plain; a*" + b"9" * 8000 + b"=x\r\n\r\nhi"
    ),
    "a parameter in an unknown charset": lambda: (
        _HEAD + b"Content-Type: text/plain; charset*=nope'nope'%ff%fe\r\n\r\nhi"
    ),
    "290,000 misplaced envelope lines": lambda: _MIXED + b"--b\r\n" + b"From x\n" * 290_000,
    "290,000 headers without a name": lambda: _MIXED + b"--b\r\n" + b":\n" * 290_000,
    "12 MB of empty lines": lambda: _fill(_HEAD + b"\r\n", b"\n", 12_000_000),
    "299,000 empty lines": lambda: _fill(_HEAD + b"\r\n", b"\n", 299_000),
    "299,000 lines ended by CR": lambda: _fill(_HEAD + b"\r\n", b"a\r", 590_000),
    "one line of 12 MB": lambda: _fill(_HEAD + b"\r\n", b"a", 12_500_000),
    "12 MB attached in base64": lambda: _fill(
        _HEAD + b"Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        b"QUJD" * 18 + b"\r\n",
        12_000_000,
    ),
    "2 MB of letters in lines of four": lambda: _fill(
        _HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n", b"QUJD\r\n", 1_700_000
    ),
    "2 MB of base64 with a space in each line": lambda: _fill(
        _HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n", b"QUJD \r\n", 1_700_000
    ),
    "299,000 quoted empty lines in base64": lambda: _fill(
        _HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n", b">\r\n", 890_000
    ),
    "2 MB of uuencode": lambda: _fill(
        _HEAD + b"Content-Transfer-Encoding: x-uue\r\n\r\n", b"#0V%T\n", 1_700_000
    ),
    "2 MB of broken quoted-printable": lambda: _fill(
        _HEAD + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=Z"
    ),
    "HTML: 2 MB of <": lambda: _fill(_HTML, b"<"),
    "HTML: 2 MB of tags": lambda: _fill(_HTML, b"<a>"),
    "HTML: 2 MB of tags without end": lambda: _fill(_HTML, b"<a"),
    "HTML: 2 MB of quotes that hide ends": lambda: _fill(_HTML, b"<b '>' ", tail=b'"'),
    "HTML: 2 MB of comments without end": lambda: _fill(_HTML, b"<!--"),
    "HTML: 2 MB of scripts without end": lambda: _fill(_HTML, b"<script>"),
    "HTML: 2 MB of heads": lambda: _fill(_HTML, b"<head></head>"),
    "HTML: 2 MB of nested quotes": lambda: _fill(_HTML, b"<blockquote><pre>\n"),
    "HTML: 2 MB of nested tables": lambda: _fill(_HTML, b"<table><tr><td>"),
    "HTML: 2 MB of entities without end": lambda: _fill(_HTML, b"&aaaaaaaaaaaaaaa"),
    "HTML: a character number of 2 MB": lambda: _fill(_HTML + b"&#", b"9"),
    "2 MB of dashes": lambda: _fill(_HEAD + b"\r\n", b"-"),
    "2 MB of dashes and spaces": lambda: _fill(_HEAD + b"\r\n", b"- "),
    "2 MB of markers without end": lambda: _fill(_HEAD + b"\r\n", b"-BEGIN SIGIL "),
    "2 MB of begins": lambda: _fill(_HEAD + b"\r\n", b"-BEGIN SIGIL ORDERS-"),
    "2 MB of damaged blocks": lambda: _fill(
        _HEAD + b"\r\n", b"-BEGIN SIGIL ORDERS-A>\n-END SIGIL ORDERS-\n"
    ),
    "2 MB of quotes in a block": lambda: (
        _HEAD + b"\r\n-BEGIN SIGIL ORDERS-" + b"a>" * 900_000 + b"-END SIGIL ORDERS-"
    ),
    "2 MB of soft hyphens": lambda: _fill(_plain(b"utf-8"), b"\xc2\xad"),
    "2 MB of punycode": lambda: _fill(_plain(b"punycode"), b"-a"),
    "2 MB of idna": lambda: _fill(_plain(b"idna"), b"xn--a"),
    "2 MB of UTF-7": lambda: _fill(_plain(b"utf-7"), b"+AC0-"),
    "2 MB of ISO-2022-JP": lambda: _fill(_plain(b"iso-2022-jp"), b"\x1b$B\x1b(B"),
    "2 MB of HZ": lambda: _fill(_plain(b"hz"), b"~{"),
    "2 MB of UTF-16": lambda: _fill(_plain(b"utf-16"), b"SIGIL "),
    "1 MB of nothing known, marked": lambda: _fill(
        _plain(b"x-nope"), b"SIGIL <div> =41 \xff\xfe\x00", 1_000_000
    ),
    "2 MB of flowed text": lambda: _fill(_plain(b"utf-8; format=flowed; delsp=yes"), b"a "),
    "600,000 flowed lines": lambda: _fill(_plain(b"utf-8; format=flowed"), b"> a \n", 1_490_000),
    "2 MB of what looks like codes": lambda: _fill(_plain(b"utf-8"), b"1234-5678-9ABC "),
    "2 MB of half codes": lambda: _fill(_plain(b"utf-8"), b"1234-5678-\n> "),
    "2 MB of brackets, as around codes": lambda: _fill(_plain(b"utf-8"), b"([{<*_"),
    "2 MB of marks of lists": lambda: _fill(_plain(b"utf-8"), b"1. * "),
    "2 MB of lines after a comma": lambda: _fill(_plain(b"utf-8"), b"a,\n", 890_000),
    "2 MB of colons above a quote": lambda: _fill(_plain(b"utf-8"), b"a:\n", 890_000, b">\n"),
    "31 To headers of 8 KB": lambda: (
        _HEAD + (b"To: " + b"a+1234567890ab@b," * 450 + b"\r\n") * 31 + b"\r\nhi"
    ),
    "a report with 290,000 lines": lambda: (
        _HEAD + b"Return-Path: <>\r\nContent-Type: multipart/report; boundary=b;"
        b" report-type=delivery-status\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        + b"Action: failed\nStatus: 5.1.1\nFinal-Recipient: rfc822; a@b\n\n"
        * 70_000
    ),
    "a bounce of 2 MB in no format": lambda: _fill(
        b"Return-Path: <>\r\n" + _HEAD + b"\r\n", b"<a@b>: could not be delivered to <c@d>\n"
    ),
    "Message-ID <[abc@x>": lambda: _HEAD + b"Message-ID: <[abc@x>\r\n\r\nhi",
    "NUL bytes everywhere": lambda: b"Fr\x00om: a@b\r\nSub\x00ject: \x00\r\n\r\nh\x00i",
    "raw 8-bit headers": lambda: b"From: \xff\xfe <a@b>\r\nSubject: \x80\x81\r\n\r\nhi",
    "every byte": lambda: bytes(range(256)) * 4000,
    "winmail.dat that promises more than it has": lambda: (
        _HEAD
        + b"Content-Type: application/ms-tnef\r\n\r\n"
        + bytes.fromhex("789f3e22 0100 01 03900600 ffffff7f ffffffff")
    ),
}


class Cost(NamedTuple):
    """Seconds of CPU, megabytes beyond what was there before, and the reason ("" if admitted)."""

    seconds: float
    megabytes: float
    reason: str


def read(raw: bytes) -> str:
    """Do all that a server does with a mail before it looks at games."""
    mail = door.admit(raw)
    if isinstance(mail, Refused):
        return mail.reason
    machine.machine_made(mail, Ours())
    with suppress(addresses.BadAddress):
        addresses.sender(mail.headers("From"))
    said = extract.extract(mail)
    if isinstance(said, Refused):
        return said.reason
    assert isinstance(mail, Mail)
    for candidate in said.blocks:
        said.words_above(candidate)
    assert isinstance(said.words, tuple)
    reply.commands(said)
    reply.codes(reply.recipients(mail), (text.text for text in said.texts))
    bounces.read(raw)
    bounces.quoted_ids(raw, "games.example")
    return ""


def measure(name: str) -> Cost:
    """Read one hostile mail in a process of its own."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_measure, args=(name, there))
    child.start()
    there.close()
    try:
        return Cost(*here.recv())
    finally:
        child.join()


def _measure(name: str, pipe: multiprocessing.connection.Connection) -> None:
    raw = HOSTILE[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = process_time()
    reason = read(raw)
    seconds = process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pipe.send((seconds, (after - before) / 1024, reason))
