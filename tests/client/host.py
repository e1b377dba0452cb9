"""The other end of the line, in the test's own hand: signs documents, writes mails, reads orders.

The documents are sealed by the same code as the server's, the games are real matches.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from sigilpost_engine import games
from sigilpost_engine.core.events import told
from sigilpost_engine.core.match import Match
from sigilpost_engine.wire import chain, payloads
from sigilpost_engine.wire.blocks import Block, find
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Payload
from sigilpost_engine.wire.turn import FILE_NAME, MEDIA_TYPE, TurnDoc, seal

ADDRESS = "play@server.test"


class Host:
    """A game server's pen and seal."""

    def __init__(self, seed: bytes = b"\x07" * 32) -> None:
        self.key = PrivateKey.from_seed(seed)
        self._numbers = itertools.count(1)

    def document(self, **values: Any) -> bytes:
        """A signed document with these fields."""
        known: dict[str, Any] = {
            "server": self.key.fingerprint,
            "address": ADDRESS,
            "made": 1_700_000_000 + next(self._numbers),
        }
        return seal(TurnDoc(**{**known, **values}), self.key)

    def challenge(self, token: str = "0123456789abcdef") -> bytes:
        """The challenge of a registration."""
        return self.document(notice={"type": "challenge", "token": token})

    def mail(self, document: bytes, *, answers: str = "", subject: str = "Your turn") -> bytes:
        """A whole mail, as the server writes them: text, HTML, attachment."""
        mail = EmailMessage()
        mail["From"] = f"The host <{ADDRESS}>"
        mail["To"] = "alice@player.test"
        mail["Subject"] = subject
        mail["Message-ID"] = f"<{next(self._numbers)}.abc@server.test>"
        mail["Auto-Submitted"] = "auto-generated"
        if answers:
            mail["In-Reply-To"] = answers
            mail["References"] = answers
        mail.set_content("You are asked something.\n")
        mail.add_alternative("<p>You are asked something.</p>\n", subtype="html")
        kind, _, sub = MEDIA_TYPE.partition("/")
        mail.add_attachment(document, maintype=kind, subtype=sub, filename=FILE_NAME)
        return mail.as_bytes()


class Table:
    """A real match of ``kind``, hosted: documents for its seats."""

    def __init__(
        self,
        host: Host,
        tag: str = "weaver-7k2q",
        seats: Sequence[str] = ("alice", "bob", "carol"),
        options: Mapping[str, Any] | None = None,
        key: bytes = b"\1" * 32,
    ) -> None:
        self.host = host
        self.tag = tag
        self.kind = tag.partition("-")[0]
        self.seats = list(seats)
        self.options = dict(options or {})
        self.match = Match.begin(games.find(self.kind), seats, self.options, key)
        self.events = self.match.take_events()
        self.head = chain.start(tag, self.kind, self.options, self.seats, "0" * 64)

    def document(self, seat: int, **values: Any) -> bytes:
        """What ``seat`` (from 0) is mailed now."""
        match = self.match
        prompt = match.prompt(seat)
        asked = [self.seats[each.seat] for each in match.open]
        known: dict[str, Any] = {
            "kind": self.kind,
            "game": self.tag,
            "title": self.kind,
            "seat": seat + 1,
            "seats": tuple(self.seats),
            "number": match.number,
            "status": "running" if match.result is None else "finished",
            "view": match.view(seat),
            "prompt": prompt and {**prompt.to_json(), "id": match.prompt_id(seat)},
            "events": tuple(
                (message.id, message.to_json()[1]) for message in told(self.events, seat)
            ),
            "head": self.head,
            "options": self.options,
            "extra": {"waiting": asked},
        }
        return self.host.document(**{**known, **values})

    def play(self, line: str) -> None:
        """Play a line in the seat that is asked."""
        self.match.submit(self.match.open[0].seat, line)
        self.events = self.match.take_events()
        self.head = chain.extend(self.head, 0, "", 0, "")

    @property
    def turn(self) -> int:
        """The seat that is asked."""
        return self.match.open[0].seat

    def some_line(self) -> str:
        """A legal line."""
        prompt = self.match.open[0]
        return self.match.game.phrase(next(prompt.answers()))


def blocks_of(raw: bytes) -> list[Block]:
    """The signed blocks in a mail, found as the server finds them."""
    import email

    mail = email.message_from_bytes(raw)
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return [each.block for each in find([payload.decode("utf-8")]) if each.block]


def payload_of(raw: bytes) -> Payload:
    """What the only block of a mail says."""
    (block,) = blocks_of(raw)
    return payloads.read(block)


def drop(folder: Path, raw: bytes, name: str = "") -> Path:
    """Deliver a mail into a Maildir."""
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    number = len(list((folder / "new").iterdir())) + len(list((folder / "cur").iterdir()))
    name = name or f"{1_700_000_000 + number}.{number}.test"
    draft = folder / "tmp" / name
    draft.write_bytes(raw)
    return draft.rename(folder / "new" / name)


def mails(folder: Path) -> list[bytes]:
    """The mails in a Maildir, oldest first."""
    found = sorted((folder / "new").glob("*")) if folder.exists() else []
    return [path.read_bytes() for path in found]
