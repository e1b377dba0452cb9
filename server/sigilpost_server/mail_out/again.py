"""A mail of ours sent once more: the same words and attachments, a new head, a note above.

The line that replies stand above stays the first, and they go where the first mail's went.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from typing import Any

from sigilpost_engine.texts import layout
from sigilpost_server.mail_in.addresses import clean_subject
from sigilpost_server.mail_out import headers, mime
from sigilpost_server.mail_out.letter import Envelope

# The beginning of a page, with the line to reply above if there is one.
_TOP = re.compile(
    r"<body\b[^>]*>(?:\s*(?:<div\b[^>]*>\s*)*<p\b[^>]*>---[^<]*---</p>)?", re.IGNORECASE
)
_ABOVE = re.compile(r"--- [^\n]* ---\n+")
# The note stands over the column of the page below it.
_BESIDE = "max-width:680px;margin:0 auto;padding:14px"


def again(raw: bytes, envelope: Envelope, note: str, tag: str = "") -> bytes:
    """Return the mail ``raw``, which ``compose`` wrote, for another envelope.

    ``note`` stands above its text and in its HTML; ``tag`` is the game's ("" for none).
    """
    old = message_from_bytes(raw)
    subject = clean_subject(str(old["Subject"])).removeprefix(f"[{tag}]").strip()
    envelope = replace(envelope, reply_to=str(old["Reply-To"] or ""))
    head = headers.fields(envelope, subject, tag, str(old["Content-Language"]))
    body = _part(old, note, envelope.message_id)
    return (mime.CRLF.join(head) + mime.CRLF + body).encode("utf-8")


def _part(part: Message[Any, Any], note: str, seed: str) -> str:
    if part.is_multipart():
        parts = [_part(each, note, seed) for each in _children(part)]
        return mime.multipart(part.get_content_subtype(), parts, seed)
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    if part.get_filename():
        return mime.file_part(str(part.get_filename()), part.get_content_type(), data)
    text = data.decode("utf-8").replace(mime.CRLF, "\n")
    if part.get_content_subtype() == "html":
        return mime.text_part("html", _noted_html(text, note))
    return mime.text_part("plain", _noted_text(text, note))


def _children(part: Message[Any, Any]) -> list[Message[Any, Any]]:
    return [each for each in part.get_payload() if isinstance(each, Message)]


def _noted_text(text: str, note: str) -> str:
    above = _ABOVE.match(text)
    at = above.end() if above else 0
    return "\n".join([text[:at] + "\n".join(layout.wrap(note)), "", text[at:]])


def _noted_html(text: str, note: str) -> str:
    escaped = html.escape(note).encode("ascii", "xmlcharrefreplace").decode("ascii")
    noted = f'<p style="{_BESIDE}">{escaped}</p>'
    return _TOP.sub(lambda top: f"{top[0]}\n{noted}", text, count=1)
