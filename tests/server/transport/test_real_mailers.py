"""A game between real peers: Postfix in front, Dovecot behind, and people at mutt and s-nail.

Orders come in by Postfix, through the alias's pipe or by LMTP; answers go out over Postfix into
mailboxes of Dovecot, where the mail programs find them.
"""

from __future__ import annotations

import email
import email.policy
import itertools
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_engine.wire.turn import TurnDoc
from sigilpost_server.clock import ManualClock, now
from sigilpost_server.models import bounces
from tests.server.service.town import Person, Received, Town
from tests.server.transport.host import SIGILPOST, Host
from tests.server.transport.mailers import (
    reply_with_mutt,
    reply_with_s_nail,
    send_with_swaks,
)
from tests.services.dovecot import Dovecot
from tests.services.postfix import Postfix
from tests.services.process import free_port, wait_until

Reply = Callable[[Path, int, str, bytes, str], None]
_NUMBERS = itertools.count(1)


def _progress(mail: Received) -> tuple[bool, bool, int, bool]:
    """How far a game has come by a mail."""
    if mail.mail["X-Loop"] is None:
        return (False, False, -1, False)
    doc = mail.turn
    number = doc.head.number if doc.head else -1
    return bool(doc.game), doc.status == "running", number, doc.prompt is not None


class PostOffice:
    """A host behind Postfix; its players' mailboxes are Dovecot's."""

    def __init__(self, host: Host, postfix: Postfix, dovecot: Dovecot, folder: Path) -> None:
        self.host, self.postfix, self.dovecot, self.folder = host, postfix, dovecot, folder
        self.people: dict[str, Person] = {}
        self.rng = Rng(b"real mailers")
        for name in ("alice", "bob"):
            address = dovecot.add_user(f"{name}{next(_NUMBERS)}")
            self.people[name] = Person.called(name, address)

    def prepare(self, credentials: str) -> str:
        """Register alice, and propose a game to bob; the game's tag. All mail is delivered."""
        with self.host.service() as service:
            town = Town(service, ManualClock(now()))
            town.people = self.people
            town.forget_post()
            town.register("alice")
            if credentials == "signed":
                town.register("bob")
            verdict = town.send(
                "alice",
                payloads.Create,
                game="weaver",
                options={},
                opponents=(self.people["bob"].address,),
                rules={"credentials": credentials},
            )
            assert verdict.reason == "ok", verdict
            assert town.send("alice", payloads.Join, game=verdict.game).reason == "ok"
            if credentials == "signed":
                assert town.send("bob", payloads.Join, game=verdict.game).reason == "ok"
        self.flush()
        return verdict.game

    def flush(self) -> None:
        """Send what waits in the outbox, and wait until Postfix has delivered it."""
        assert self.host.run("flush").returncode == 0
        self.postfix.wait_empty()

    def all(self, name: str) -> list[Received]:
        """All mails in somebody's mailbox; those of one second in any order."""
        return [Received(raw) for raw in self.dovecot.messages(self.people[name].address)]

    def newest(self, name: str) -> Received:
        """The mail of the game that tells most: MTAs keep no order."""
        return max(self.all(name), key=_progress)

    def mails(self, name: str) -> int:
        """How many mails somebody has."""
        return len(self.dovecot.messages(self.people[name].address))

    def log(self) -> list[str]:
        """The reasons of all mails that came in."""
        with self.host.service() as service:
            return [row.reason for row in Town(service, ManualClock()).log()]

    def by_wire(self, name: str, kind: type[payloads.Payload], **values: object) -> None:
        """Somebody's client sends a block over Postfix."""
        with self.host.service() as service:
            town = Town(service, ManualClock(now()))
            town.people = self.people
            raw = town.mail(name, town.block(name, kind, **values), To=self.host_address)
        self.postfix.send(self.people[name].address, self.host_address, raw)

    @property
    def host_address(self) -> str:
        """The server's address."""
        return self.host.settings.server.address

    def line(self, doc: TurnDoc) -> str:
        """A legal line that answers the question of a mail."""
        assert doc.prompt is not None
        prompt = Prompt.from_json(dict(doc.prompt))
        return find(doc.kind).phrase(random_answer(prompt, self.rng))


@pytest.fixture
def office(tmp_path: Path, schema: Path, postfix: Postfix, dovecot: Dovecot) -> PostOffice:
    """Postfix pipes mail for the game into ``sigilpost deliver``."""
    relay = {"out__relay__host": postfix.host, "out__relay__port": postfix.port}
    host = Host(tmp_path / "host", schema, **relay)
    postfix.route_lmtp("mail.test", dovecot.lmtp_port)
    postfix.pipe("game", [*SIGILPOST, "-c", host.config, "deliver"])
    return PostOffice(host, postfix, dovecot, tmp_path)


PROGRAMS = [
    pytest.param(reply_with_mutt, id="mutt", marks=pytest.mark.service("mutt")),
    pytest.param(reply_with_s_nail, id="s-nail", marks=pytest.mark.service("s-nail")),
]


def replied(office: PostOffice, program: Reply, name: str, text: str) -> None:
    """Somebody answers their newest mail with a mail program; the answers are delivered."""
    mail = office.newest(name)
    before = len(office.log())
    folder = office.folder / f"mailer{next(_NUMBERS)}"
    program(folder, office.postfix.port, office.people[name].address, mail.raw, text)
    wait_until(lambda: len(office.log()) > before, "the reply has come in")
    office.flush()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_game_is_joined_and_played_by_replies(office: PostOffice, program: Reply) -> None:
    office.prepare("code")
    assert "Reply code" in office.newest("bob").words
    replied(office, program, "bob", "join bob")
    assert office.log()[-1] == "ok"
    assert office.newest("bob").turn.status == "running"
    for _ in range(6):
        doc = office.newest("bob").turn
        if doc.prompt:
            replied(office, program, "bob", office.line(doc))
            assert office.log()[-1] == "ok"
            break
        doc = office.newest("alice").turn
        assert doc.prompt is not None
        values = {"game": doc.game, "seat": doc.seat, "prompt": doc.prompt["id"]}
        office.by_wire("alice", payloads.Orders, lines=(office.line(doc),), **values)
        office.postfix.wait_empty()
        office.flush()
    answer = office.newest("bob")
    assert answer.mail["Auto-Submitted"] == "auto-replied"
    assert "Played." in answer.words


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_block_pasted_into_a_reply_counts_and_a_bare_line_does_not(
    office: PostOffice, program: Reply
) -> None:
    office.prepare("signed")
    name = "alice" if office.newest("alice").turn.prompt else "bob"
    doc = office.newest(name).turn
    assert doc.prompt is not None
    line = office.line(doc)
    replied(office, program, name, line)
    assert office.log()[-1] == "no-block"
    with office.host.service() as service:
        town = Town(service, ManualClock(now()))
        town.people = office.people
        block = town.block(
            name,
            payloads.Orders,
            game=doc.game,
            seat=doc.seat,
            prompt=doc.prompt["id"],
            lines=(line,),
        )
    replied(office, program, name, armour(block))
    assert office.log()[-1] == "ok"
    assert "Played." in office.newest(name).words


@pytest.mark.service("mutt")
def test_by_lmtp_to_the_running_daemon_and_back(
    tmp_path: Path, schema: Path, postfix: Postfix, dovecot: Dovecot
) -> None:
    port = free_port()
    values = {
        "server__address": "game@games.test",
        "sources__listener__protocol": "lmtp",
        "sources__listener__port": port,
        "out__relay__host": postfix.host,
        "out__relay__port": postfix.port,
        "out__poll_seconds": 0.2,
    }
    host = Host(tmp_path / "host", schema, **values)
    host.port = port
    postfix.route_lmtp("mail.test", dovecot.lmtp_port)
    postfix.route_lmtp("games.test", port)
    office = PostOffice(host, postfix, dovecot, tmp_path)
    office.prepare("code")
    with host.serving():
        before = office.mails("bob")
        bob = office.people["bob"].address
        invitation = office.newest("bob").raw
        reply_with_mutt(tmp_path / "mutt", postfix.port, bob, invitation, "join bob")
        dovecot.wait_messages(bob, before + 1)
    assert office.newest("bob").turn.status == "running"


@pytest.mark.service("swaks")
def test_odd_senders_from_swaks_through_postfix(office: PostOffice) -> None:
    odd = [
        ("<>", "none of them is answered"),
        ("MAILER-DAEMON@mail.test", "a robot"),
        (office.people["bob"].address, "a stranger, who gets one help mail"),
    ]
    for sender, body in odd:
        header = sender if sender != "<>" else "nobody@mail.test"
        send_with_swaks(
            office.postfix.port,
            "--from",
            sender,
            "--h-From",
            header,
            "--to",
            "game@play.test",
            "--body",
            body,
        )
        office.postfix.wait_empty()
    assert office.log() == ["null-return-path", "robot-sender", "unregistered"]
    office.flush()
    assert office.mails("bob") == 1


def test_a_mailbox_that_is_gone_comes_back_to_the_return_path_and_is_marked(
    office: PostOffice,
) -> None:
    office.people["bob"].address = "gone@mail.test"
    office.prepare("code")
    reports = office.postfix.wait_runs("game")
    assert [run.returncode for run in reports] == [0]
    assert office.log()[-1] == "delivery-report"
    with office.host.service() as service, service.database.read() as db:
        [row] = db.execute(bounces.select()).all()
    assert row.address_key == "gone@mail.test"
    assert row.marked is not None
    office.flush()
    subjects = [mail.subject for mail in office.all("alice")]
    assert "gone@mail.test cannot be reached" in subjects


def test_the_mails_that_arrive_are_sound(office: PostOffice) -> None:
    office.prepare("code")
    for name in ("alice", "bob"):
        for raw in office.dovecot.messages(office.people[name].address):
            mail = email.message_from_bytes(raw, policy=email.policy.default)
            assert isinstance(mail, EmailMessage)
            assert not mail.defects
            path = str(mail["Return-Path"]).strip("<>")
            assert path.startswith("game+b")
            assert max(map(len, raw.splitlines())) <= 998
