"""The mails that tell the end of a demo's game."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path
from typing import NamedTuple

from sigilpost_engine.wire.errors import WireError
from sigilpost_engine.wire.turn import FILE_NAME, open_turn
from sigilpost_server.demo.party import mails_in


class Ending(NamedTuple):
    """What the last mail of a game says: the winners, and its text."""

    winners: tuple[str, ...]
    text: str


def find(maildir: Path) -> Ending | None:
    """The mail in a Maildir that tells a game's end; None if there is none."""
    for path in mails_in(maildir):
        ending = _read(path.read_bytes())
        if ending is not None:
            return ending
    return None


def _read(raw: bytes) -> Ending | None:
    mail = message_from_bytes(raw, policy=policy.default)
    for part in mail.iter_attachments():
        if part.get_filename() == FILE_NAME:
            content = part.get_content()
            data = content.encode() if isinstance(content, str) else content
            winners = _winners(data)
            body = mail.get_body(("plain",))
            if winners is not None and body is not None:
                return Ending(winners, body.get_content())
    return None


def _winners(data: bytes) -> tuple[str, ...] | None:
    try:
        document = open_turn(data)
    except WireError:
        return None
    notice = document.notice or {}
    return tuple(notice["winners"]) if notice.get("type") == "result" else None
