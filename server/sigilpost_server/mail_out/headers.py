"""Header fields of our own mails: cleaned, encoded (RFC 2047) and folded (RFC 5322, 2.2.3).

Nothing that anybody else wrote gets into a header without passing one of these functions. No
line is longer than 78 octets unless one word of it is; Message-IDs and addresses are never
encoded or cut.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterable
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache

from sigilpost_engine.texts.layout import tidy
from sigilpost_server.mail_out.letter import Address, Envelope

LINE = 78
"""Octets of a header line, where its words allow it (RFC 5322, 2.1.1)."""

NAME = 200
"""Characters of a display name that are kept."""

SUBJECT = 300
"""Characters of a subject that are kept."""

THREAD = 30
"""Message-IDs that ``References`` keeps: the first, and the last of the others."""

# Message-IDs of others are written back only if they are plain (RFC 5322, 3.6.4): printable
# ASCII, room left in a line, and nothing on the left that some parser might trip over.
_MESSAGE_ID = re.compile(
    r"""(?=.{5,900}\Z)<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.:-]+@[A-Za-z0-9!#$%&'*+/=?^_`{|}~.:\[\]-]+>"""
)
_LIST_ID = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")
_TAG = re.compile(r"[A-Za-z0-9-]*")
# The part before the @: a dot-atom (RFC 5322, 3.2.3), or letters beyond ASCII (RFC 6532).
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\-\x80-\U0010ffff]{1,64}")
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*|\[[0-9A-Fa-f.:IPv]+\]")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")

_WORD = 45  # octets of UTF-8 in an encoded word: 60 of base64, and 12 around them


class BadHeader(ValueError):
    """What the server itself puts into a header is malformed: a fault of the caller."""


def fields(envelope: Envelope, subject: str, tag: str, language: str) -> list[str]:
    """Return the header lines of a mail, those about its body apart, without line ends.

    Raises `BadHeader` if an address, the Message-ID, the date, the List-Id, the game's tag or
    the language is malformed.
    """
    if not _MESSAGE_ID.fullmatch(envelope.message_id):
        raise BadHeader(f"Message-ID {envelope.message_id!r}")
    if not _LIST_ID.fullmatch(envelope.list_id):
        raise BadHeader(f"List-Id {envelope.list_id!r}")
    if not _TAG.fullmatch(tag):
        raise BadHeader(f"tag {tag!r}")
    if envelope.date.tzinfo is None:
        raise BadHeader("a date without a time zone")
    lines = [
        *mailbox("From", envelope.sender),
        *mailbox("To", envelope.to),
        *unstructured("Subject", subject, prefix=f"[{tag}]" if tag else ""),
        f"Date: {date(envelope.date)}",
        f"Message-ID: {envelope.message_id}",
        *_thread(envelope),
        f"Auto-Submitted: {envelope.automatic}",
        f"List-Id: <{envelope.list_id}>",
        # Ours, to know our own mail by when it comes back.
        f"X-Loop: {address(envelope.sender.mail)}",
        f"Content-Language: {language_tag(language)}",
        "MIME-Version: 1.0",
    ]
    if envelope.reply_to:
        lines.insert(2, f"Reply-To: {address(envelope.reply_to)}")
    return lines


@lru_cache(maxsize=16)
def date(when: datetime) -> str:
    """``Mon, 01 Dec 2025 10:00:00 +0000``: never in the language of the machine."""
    return format_datetime(when)


@lru_cache(maxsize=64)
def language_tag(language: str) -> str:
    """An IETF language tag of what a catalogue may be called."""
    tag = language.replace("_", "-")
    if not re.fullmatch(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*", tag):
        raise BadHeader(f"language {language!r}")
    return tag


@lru_cache(maxsize=1024)
def address(mail: str) -> str:
    """``mail`` as it stands in a header, its domain in ASCII. Raises `BadHeader`."""
    local, at, domain = mail.rpartition("@")
    if not domain.isascii():
        try:
            domain = domain.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise BadHeader(f"address {mail!r}") from error
    sound = at and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain) and len(mail) <= 254
    if not sound or tidy(local) != local:
        raise BadHeader(f"address {mail!r}")
    return f"{local}@{domain}"


def mailbox(name: str, box: Address) -> list[str]:
    """A field with one mailbox: ``To: alice <alice@example.org>``. Raises `BadHeader`."""
    mail = address(box.mail)
    shown = tidy(box.name)[:NAME].strip()
    if not shown:
        return [f"{name}: {mail}"]
    return _fold(name, [*_phrase(shown), f"<{mail}>"])


def _phrase(text: str) -> list[str]:
    if not text.isascii() or "=?" in text:
        return encoded_words(text)
    if _ATOMS.fullmatch(text):
        return text.split(" ")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.split(" ")


def unstructured(name: str, text: str, *, prefix: str = "") -> list[str]:
    """A field of free text, ``prefix`` before it as it is. Never more than one field."""
    shown = tidy(text)[:SUBJECT].strip()
    words = shown.split(" ")
    if not shown.isascii() or "=?" in shown or any(len(word) > LINE - 2 for word in words):
        words = encoded_words(shown)
    return _fold(name, [word for word in (prefix, *words) if word])


def encoded_words(text: str) -> list[str]:
    """``text`` as words of RFC 2047, each of whole characters and at most 72 octets."""
    words = []
    piece = b""
    for char in text:
        octets = char.encode("utf-8", "replace")
        if len(piece) + len(octets) > _WORD:
            words.append(piece)
            piece = b""
        piece += octets
    words.append(piece)
    return [f"=?utf-8?b?{b2a_base64(word, newline=False).decode()}?=" for word in words]


def _thread(envelope: Envelope) -> list[str]:
    references = _sound(envelope.references)
    if len(references) > THREAD:
        references = [references[0], *references[1 - THREAD :]]
    parent = _sound([envelope.in_reply_to]) or references[-1:]
    lines = [f"In-Reply-To: {parent[0]}"] if parent else []
    return lines + (_fold("References", references) if references else [])


def _sound(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found for found in ids if _MESSAGE_ID.fullmatch(found)))


def _fold(name: str, words: list[str]) -> list[str]:
    """A field in lines; words are kept whole, and a line breaks only between two."""
    lines = []
    line = f"{name}:"
    for word in words:
        if len(line) + 1 + len(word) > LINE and not line.endswith(":"):
            lines.append(line)
            line = ""
        line += f" {word}"
    lines.append(line)
    return lines
