"""Players whose every word is decided by what they were mailed: two runs of a game say the same.

They read turn documents and sign orders. How mail gets from them to the server and back is the
test's: by SMTP and Maildirs around a daemon, or straight into a service.
"""

from __future__ import annotations

import contextlib
import email
import email.policy
import hashlib
import smtplib
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from sqlalchemy import select

from sigilpost_engine import games
from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.turn import FILE_NAME, TurnDoc, open_turn
from sigilpost_server.models import outgoing
from sigilpost_server.service import Service
from tests.server.transport.host import ADDRESS, Host
from tests.services.process import HOST

NAMES = ("alice", "bob", "carol")

Post = Callable[[str, bytes], bool]
"""Hands a mail of an address in; True once it was taken."""


def told(raw: bytes) -> TurnDoc:
    """What the attachment of a mail says."""
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    (part,) = (p for p in mail.iter_attachments() if p.get_filename() == FILE_NAME)
    data = part.get_content()
    assert isinstance(data, bytes)
    return open_turn(data)


def message_id(raw: bytes) -> str:
    """The Message-ID of a mail."""
    return str(email.message_from_bytes(raw)["Message-ID"])


@dataclass
class Player:
    """Somebody with a key who answers every question by a choice that follows from it alone."""

    name: str
    server: str
    key: PrivateKey = field(init=False)
    answered: set[str] = field(default_factory=set)
    over: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.key = PrivateKey.from_seed(hashlib.sha256(self.name.encode()).digest())

    @property
    def address(self) -> str:
        """The player's address."""
        return f"{self.name}@mail.test"

    def mail(self, kind: type[payloads.Payload], about: str, **values: Any) -> bytes:
        """A signed mail; equal for equal words."""
        digest = hashlib.sha256(f"{self.name} {about}".encode()).hexdigest()
        known = {"server": self.server, "key": self.key.fingerprint, "made": 1_700_000_000}
        payload = kind(**{**known, "nonce": digest[:32], **values})
        body = armour(payloads.sign(payload, self.key)).replace("\n", "\r\n")
        head = f"From: {self.address}\r\nTo: {ADDRESS}\r\nMessage-ID: <{digest}@mail.test>\r\n"
        return f"{head}MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n{body}".encode()

    def reply(self, raw: bytes) -> bytes | None:
        """The answer to a mail of the server; None if it asks nothing new."""
        doc = told(raw)
        if doc.status == "finished":
            self.over.add(doc.game)
        if doc.prompt is None or f"{doc.game} {doc.prompt['id']}" in self.answered:
            return None
        about = f"{doc.game} {doc.prompt['id']}"
        self.answered.add(about)
        rng = Rng(hashlib.sha256(f"{self.name} {about}".encode()).digest())
        answer = random_answer(Prompt.from_json(dict(doc.prompt)), rng)
        return self.mail(
            payloads.Orders,
            about,
            game=doc.game,
            seat=doc.seat,
            prompt=doc.prompt["id"],
            lines=(games.find(doc.kind).phrase(answer),),
        )


class Circle:
    """Three registered players in a number of running games, as an open service knows them."""

    def __init__(self, service: Service) -> None:
        self.players = [Player(name, service.house.fingerprint) for name in NAMES]
        self.games: list[str] = []

    def begin(self, service: Service, number: int, kind: str = "weaver") -> None:
        """Register everybody and start the games; the first mails lie in the outbox."""
        for player in self.players:
            self._register(service, player)
        first, *others = self.players
        for n in range(number):
            mail = first.mail(
                payloads.Create,
                f"create {n}",
                game=kind,
                options={},
                opponents=tuple(player.address for player in others),
                rules={},
            )
            tag = taken(service, first.address, mail)
            self.games.append(tag)
            for player in self.players:
                taken(service, player.address, player.mail(payloads.Join, tag, game=tag))

    def _register(self, service: Service, player: Player) -> None:
        values = {
            "public": player.key.public.hex,
            "name": player.name,
            "address": player.address,
            "lang": "en",
            "zone": "UTC",
        }
        taken(service, player.address, player.mail(payloads.Register, "register", **values))
        notice = told(outbox(service, player.address)[-1]).notice or {}
        mail = player.mail(payloads.Confirm, "confirm", token=notice["token"])
        taken(service, player.address, mail)

    @property
    def over(self) -> bool:
        """Whether every player was told the end of every game."""
        return all(player.over == set(self.games) for player in self.players)

    def play_straight(self, service: Service) -> None:
        """Play all games to their ends within this process, undisturbed."""
        read: Counter[str] = Counter()
        while not self.over:
            for player in self.players:
                mails = outbox(service, player.address)
                for raw in mails[read[player.address] :]:
                    if reply := player.reply(raw):
                        taken(service, player.address, reply)
                read[player.address] = len(mails)

    def play_by_mail(self, host: Host, posts: list[Post]) -> list[threading.Thread]:
        """Play all games by mail, a thread for each player; every mail goes by every post."""
        threads = [
            threading.Thread(target=self._at_mailbox, args=(player, host, posts), daemon=True)
            for player in self.players
        ]
        for thread in threads:
            thread.start()
        return threads

    def _at_mailbox(self, player: Player, host: Host, posts: list[Post]) -> None:
        read: set[str] = set()
        while player.over != set(self.games):
            for path in (host.mail / player.address).glob("new/*"):
                if path.name in read:
                    continue
                read.add(path.name)
                if reply := player.reply(path.read_bytes()):
                    for post in posts:
                        while not post(player.address, reply):
                            time.sleep(0.005)
            time.sleep(0.005)


def taken(service: Service, sender: str, raw: bytes) -> str:
    """The service deals with a mail as the listener hands it over; return the game's tag."""
    verdict = service.handle(b"Return-Path: <%s>\r\n" % sender.encode() + raw, source="test")
    assert verdict.reason == "ok", verdict
    return verdict.game


def outbox(service: Service, address: str) -> list[bytes]:
    """All mails to an address, sent or not, in their order."""
    statement = select(outgoing.c.raw).where(outgoing.c.recipient == address)
    with service.database.read() as db:
        return list(db.execute(statement.order_by(outgoing.c.id)).scalars())


def by_smtp(port: int) -> Post:
    """A post that hands mail in by SMTP, and does not mind if nobody is there."""

    def post(sender: str, raw: bytes) -> bool:
        with (
            contextlib.suppress(OSError),
            smtplib.SMTP(HOST, port, "client.test", timeout=10) as client,
        ):
            client.sendmail(sender, [ADDRESS], raw)
            return True
        return False

    return post
