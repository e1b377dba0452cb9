"""Out of a mail's bytes: the signed documents attached to it, and the headers for threading."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import Message
from typing import NamedTuple

from sigilpost_client.inbox import SIZE_MAX
from sigilpost_engine.wire.turn import FILE_NAME, MEDIA_TYPE

# Whatever has none of these is not parsed at all. Both are ASCII and stand in part headers.
_MARKS = (MEDIA_TYPE.encode(), FILE_NAME.encode())
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,250}>")
# The standard parser's own faults on hostile mail.
_PARSER_FAULTS = (RecursionError, LookupError, ValueError, AttributeError, TypeError)
DOCUMENTS_MAX = 20
TRANSCRIPT = ".transcript.jsonl"
"""How the name of an attached transcript ends."""


class Letter(NamedTuple):
    """What counts of a mail: its documents' bytes, its Message-ID, and what it answers."""

    documents: tuple[bytes, ...]
    message_id: str = ""
    answers: tuple[str, ...] = ()


def read_letter(raw: bytes) -> Letter:
    """The signed documents of a mail (or one that was saved by itself). Nothing is verified.

    Never raises: what cannot be parsed has no documents.
    """
    if len(raw) > SIZE_MAX:
        return Letter(())
    if raw.lstrip()[:1] == b"{":
        return Letter((raw.strip(),))
    lowered = raw.lower()
    if not any(mark in lowered for mark in _MARKS):
        return Letter(())
    try:
        return _letter(_parsed(raw))
    except _PARSER_FAULTS:
        return Letter(())


def read_transcript(raw: bytes) -> bytes:
    """The transcript that is attached to a mail; anything but a mail with one stays as it is."""
    if raw.lstrip()[:1] == b"{" or TRANSCRIPT.encode() not in raw:
        return raw
    try:
        for part in _parsed(raw).walk():
            data = part.get_payload(decode=True)
            if isinstance(data, bytes) and str(part.get_filename()).endswith(TRANSCRIPT):
                return data
    except _PARSER_FAULTS:
        pass
    return raw


def _parsed(raw: bytes) -> Message:
    if raw.startswith((b"From ", b">From ")):  # the separator line of mbox
        raw = raw.partition(b"\n")[2]
    return message_from_bytes(raw)


def _letter(mail: Message) -> Letter:
    documents: list[bytes] = []
    for part in mail.walk():
        if part.is_multipart() or not _is_document(part):
            continue
        data = part.get_payload(decode=True)
        if isinstance(data, bytes) and len(documents) < DOCUMENTS_MAX:
            documents.append(data.strip())
    ids = _ids(mail, "References") + _ids(mail, "In-Reply-To")
    own = _ids(mail, "Message-ID")
    return Letter(tuple(documents), own[0] if own else "", ids)


def _is_document(part: Message) -> bool:
    # Some gateways give every attachment the type application/octet-stream.
    return part.get_content_type() == MEDIA_TYPE or part.get_filename() == FILE_NAME


def _ids(mail: Message, name: str) -> tuple[str, ...]:
    return tuple(_MESSAGE_ID.findall(str(mail.get(name, ""))[:8000]))
