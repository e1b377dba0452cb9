"""A server and its players, by real mails: what the tests of the service play with.

Blocks are built and signed by the wire, mails are written as bytes, answers are read from the
outbox as any mail reader would.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from sqlalchemy import func, select

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.wire import fair, payloads
from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.turn import FILE_NAME, TurnDoc, open_turn
from sigilpost_server.clock import ManualClock
from sigilpost_server.db import Database, open_engine
from sigilpost_server.models import entries, games, mails, outgoing, seats
from sigilpost_server.service import Service, Verdict
from sigilpost_server.settings import Settings
from sigilpost_server.transaction.house import Chance, House

SERVER = "play@server.test"
NAMES = ("alice", "bob", "carol", "dan", "erin")


@dataclass
class Person:
    """Somebody with a key, a name and an address."""

    name: str
    key: PrivateKey
    address: str
    language: str = "en"

    @classmethod
    def called(cls, name: str, address: str = "") -> Person:
        """A person whose key follows from the name."""
        seed = hashlib.sha256(name.encode()).digest()
        return cls(name, PrivateKey.from_seed(seed), address or f"{name}@player.test")


@dataclass
class Received:
    """A mail of the server, as its reader finds it."""

    raw: bytes
    mail: EmailMessage = field(init=False)

    def __post_init__(self) -> None:
        mail = email.message_from_bytes(self.raw, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        self.mail = mail

    @property
    def to(self) -> str:
        """The address in To."""
        return str(self.mail["To"].addresses[0].addr_spec)

    @property
    def subject(self) -> str:
        """The subject."""
        return str(self.mail["Subject"])

    @property
    def text(self) -> str:
        """The text part, its lines joined: what a person reads."""
        body = self.mail.get_body(("plain",))
        assert body is not None
        return str(body.get_content())

    @property
    def words(self) -> str:
        """The text part with single spaces, so that wrapping does not matter."""
        return " ".join(self.text.split())

    @property
    def turn(self) -> TurnDoc:
        """What the attachment says, its signature checked."""
        return open_turn(self.attachment)

    @property
    def attachment(self) -> bytes:
        """The bytes of ``turn.sigil``."""
        for part in self.mail.iter_attachments():
            if part.get_filename() == FILE_NAME:
                data = part.get_content()
                assert isinstance(data, bytes)
                return data
        raise AssertionError("no turn.sigil")


class Town:
    """A server whose clock the test moves, and people who write to it."""

    def __init__(self, service: Service, clock: ManualClock) -> None:
        self.service = service
        self.clock = clock
        self.people = {name: Person.called(name) for name in NAMES}
        self._numbers = itertools.count(1)
        self._read = 0
        self._rng = Rng(b"a test's bots")

    @classmethod
    @contextmanager
    def on(cls, url: str, **sections: Any) -> Iterator[Town]:
        """A town on a database that has the schema; ``sections`` of the settings."""
        clock = ManualClock()
        service = open_service(url, clock, **sections)
        try:
            yield cls(service, clock)
        finally:
            service.close()

    def adopt(self, other: Town, tables: list[Table]) -> None:
        """Go on where another town stood, on a copy of its database: its people, its tables."""
        self.people = other.people
        self._numbers, self._read = other._numbers, other._read
        for table in tables:
            table.town = self

    # --- writing ------------------------------------------------------------------------------

    def block(self, name: str, kind: type[payloads.Payload], /, **values: Any) -> Block:
        """A block that somebody signs."""
        number = next(self._numbers)
        known = {
            "server": self.service.house.fingerprint,
            "key": self.people[name].key.fingerprint,
            "nonce": f"{number:032x}",
            "made": 1_700_000_000,
        }
        return payloads.sign(kind(**{**known, **values}), self.people[name].key)

    def mail(self, sender: str, text: str | Block, **headers: str) -> bytes:
        """The bytes of a mail: from a person by name or from any address."""
        body = text if isinstance(text, str) else armour(text)
        person = self.people.get(sender)
        known = {
            "From": f"{person.name} <{person.address}>" if person else sender,
            "To": SERVER,
            "Subject": "sigil",
            "Message-ID": f"<{next(self._numbers)}@player.test>",
            "MIME-Version": "1.0",
            "Content-Type": "text/plain; charset=utf-8",
        }
        fields = {**known, **{name.replace("_", "-"): value for name, value in headers.items()}}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value != "-")
        return (head + "\r\n" + body.replace("\n", "\r\n")).encode()

    def deliver(self, raw: bytes) -> Verdict:
        """The server deals with a mail."""
        return self.service.handle(raw, source="test")

    def send(self, name: str, kind: type[payloads.Payload], /, **values: Any) -> Verdict:
        """Somebody signs and sends something."""
        return self.deliver(self.mail(name, self.block(name, kind, **values)))

    # --- reading ------------------------------------------------------------------------------

    def post(self) -> list[Received]:
        """The mails since the last call, oldest first."""
        with self.service.database.read() as db:
            statement = select(outgoing.c.id, outgoing.c.raw).where(outgoing.c.id > self._read)
            found = db.execute(statement.order_by(outgoing.c.id)).all()
        self._read = max([self._read, *(row.id for row in found)])
        return [Received(row.raw) for row in found]

    def forget_post(self) -> None:
        """Read no mail that is there already."""
        with self.service.database.read() as db:
            self._read = db.execute(select(func.max(outgoing.c.id))).scalar_one() or 0

    def only(self) -> Received:
        """The one mail since the last call."""
        (mail,) = self.post()
        return mail

    def post_to(self, name: str) -> Received:
        """The one mail to somebody since the last call; what others got is dropped."""
        (mail,) = [each for each in self.post() if each.to == self.people[name].address]
        return mail

    def stored(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of the games: equal before and after a mail that changes nothing."""
        with self.service.database.read() as db:
            return {
                table.name: [tuple(row) for row in db.execute(select(table)).all()]
                for table in (games, seats, entries)
            }

    def log(self) -> list[Any]:
        """The rows of the log of incoming mail, oldest first."""
        with self.service.database.read() as db:
            return list(db.execute(select(mails).order_by(mails.c.id)).all())

    # --- whole chapters -----------------------------------------------------------------------

    def register(self, *names: str) -> None:
        """Register some people, by challenge and confirmation."""
        for name in names:
            self.ask_to_register(name)
            token = self.only().turn.notice["token"]  # type: ignore[index]
            verdict = self.send(name, payloads.Confirm, token=token)
            assert verdict.reason == "ok", verdict
            self.post()

    def ask_to_register(self, name: str, /, **values: Any) -> Verdict:
        """Send a registration."""
        person = self.people[name]
        known = {
            "public": person.key.public.hex,
            "name": person.name,
            "address": person.address,
            "lang": person.language,
            "zone": "Europe/Berlin",
        }
        return self.send(name, payloads.Register, **{**known, **values})

    def propose(self, host: str, *opponents: str, **options: Any) -> str:
        """Propose a game of Weaver; its tag."""
        verdict = self.send(
            host,
            payloads.Create,
            game="weaver",
            options=options,
            opponents=opponents,
            rules={},
        )
        assert verdict.reason == "ok", verdict
        return verdict.game

    def start(self, *names: str, **options: Any) -> str:
        """A running game of Weaver between registered people; its tag. All mail is read."""
        tag = self.propose(*names, **options)
        committed = self.commitment(tag)
        for seat, name in enumerate(names, 1):
            join = self.send(name, payloads.Join, game=tag, seat=seat, commitment=committed)
            assert join.reason == "ok"
        return tag

    def commitment(self, tag: str) -> str:
        """What the invitations of a game say of the server's secret."""
        with self.service.database.read() as db:
            secret = db.execute(select(games.c.secret).where(games.c.tag == tag)).scalar_one()
        return fair.commitment(bytes(secret))

    def begin(self, *names: str, **options: Any) -> Table:
        """Register people and start a game between them."""
        self.register(*names)
        return self.again(*names, **options)

    def again(self, *names: str, **options: Any) -> Table:
        """Start a game between registered people."""
        tag = self.start(*names, **options)
        table = Table(self, tag, list(names))
        table.read()
        return table


class Table:
    """A running game as its players know it: from their newest mails alone."""

    def __init__(self, town: Town, tag: str, names: list[str]) -> None:
        self.town = town
        self.tag = tag
        self.names = names
        self.docs: dict[str, TurnDoc] = {}
        self.mails: list[Received] = []

    def moved(self, town: Town) -> Table:
        """The same table on a copy of its town's database."""
        table = Table(town, self.tag, self.names)
        table.docs, table.mails = dict(self.docs), list(self.mails)
        town._numbers, town._read = itertools.count(1_000), self.town._read
        return table

    def read(self) -> list[Received]:
        """Read the new mails; every one must be for a seat of this table."""
        fresh = self.town.post()
        for mail in fresh:
            name = next(n for n in self.names if self.town.people[n].address == mail.to)
            self.docs[name] = mail.turn
        self.mails += fresh
        return fresh

    @property
    def asked(self) -> str:
        """Who is asked something, by the newest mails."""
        return next(name for name in self.names if self.docs[name].prompt)

    @property
    def idle(self) -> str:
        """Somebody who is asked nothing."""
        return next(name for name in self.names if not self.docs[name].prompt)

    @property
    def hand(self) -> list[str]:
        """The hand of whoever is asked."""
        view = self.docs[self.asked].view
        assert view is not None
        cards: list[str] = view[self.asked]["hand"]
        return cards

    @property
    def status(self) -> str:
        """The status in the newest mail."""
        return max(self.docs.values(), key=lambda doc: doc.head.number if doc.head else -1).status

    def line(self) -> str:
        """A legal line for whoever is asked, by chance."""
        doc = self.docs[self.asked]
        assert doc.prompt is not None
        prompt = Prompt.from_json(dict(doc.prompt))
        return find(doc.kind).phrase(random_answer(prompt, self.town._rng))

    def order(self, name: str, *lines: str, **values: Any) -> Block:
        """An order of somebody, for their own seat and the question they know."""
        doc = self.docs[name]
        known = {
            "game": self.tag,
            "seat": doc.seat,
            "prompt": doc.prompt["id"] if doc.prompt else "1-00000000",
            "lines": lines,
        }
        return self.town.block(name, payloads.Orders, **{**known, **values})

    def play(self, *lines: str, **headers: str) -> Verdict:
        """Whoever is asked sends these lines (or a legal one by chance)."""
        name = self.asked
        block = self.order(name, *(lines or (self.line(),)))
        return self.town.deliver(self.town.mail(name, block, **headers))

    def play_to_end(self) -> int:
        """Play by chance until the game is over; the number of mails sent."""
        for number in itertools.count():
            if self.status == "finished":
                return number
            verdict = self.play()
            assert verdict.reason == "ok", verdict
            self.read()
        raise AssertionError


def foreseeable() -> Chance:
    """Chance that is the same in every run, so that a test fails always or never."""
    numbers = itertools.count(1)
    return lambda size: hashlib.shake_256(f"chance {next(numbers)}".encode()).digest(size)


def open_service(url: str, clock: ManualClock, **sections: Any) -> Service:
    """A service with a key of its own on a database that has the schema."""
    settings = Settings.model_validate({"server": {"address": SERVER}, **sections})
    house = House.with_key(settings, PrivateKey.from_seed(b"s" * 32), foreseeable())
    return Service(house, Database(open_engine(url)), clock)
