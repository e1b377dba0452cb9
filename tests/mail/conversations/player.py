"""Plays a recorded conversation to a server, and writes down what the server says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from tests.server.service.town import Received, Town

HERE = Path(__file__).parent
SHOWN = (
    "To",
    "Subject",
    "Auto-Submitted",
    "Message-ID",
    "In-Reply-To",
    "References",
    "List-Id",
    "Content-Language",
)
PAUSE = 600
"""Seconds between two mails."""


class Answer(NamedTuple):
    """All that came of a mail: as text, and the server's mails."""

    text: str
    mails: list[Received]


def answer(town: Town, raw: bytes) -> Answer:
    """Deliver a mail; what came of it."""
    verdict = town.deliver(raw)
    head = f"{verdict.verdict} {verdict.reason} {verdict.game or '-'} {verdict.seq}\n"
    mails = town.post()
    town.clock.advance(PAUSE)
    return Answer(head + "".join(map(shown, mails)), mails)


def shown(mail: Received) -> str:
    """A mail of the server as text: headers, the text part, what the attachment says."""
    head = [f"{name}: {mail.mail[name]}" for name in SHOWN if mail.mail[name]]
    attached = [part.get_filename() for part in mail.mail.iter_attachments()]
    said = turn(mail) if attached else []
    return "\n".join(["", "=" * 78, *head, "", "\n".join(mail.text.splitlines()), *said, ""])


def turn(mail: Received) -> list[str]:
    """The attachment in a few lines."""
    document = mail.turn
    prompt = document.prompt["id"] if document.prompt else "-"
    place = f"seat {document.seat}, question {prompt}" if document.game else "no game"
    lines = [f"[turn.sigil: {document.status or 'notice'}, {place}]"]
    if document.notice:
        lines.append(json.dumps(dict(document.notice), ensure_ascii=False, sort_keys=True))
    return lines


def conversations() -> list[Path]:
    """The folders, in their order."""
    return sorted(path for path in HERE.iterdir() if path.is_dir() and any(path.glob("*.eml")))
