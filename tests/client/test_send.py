"""Out with the mail: real SMTP servers on the loopback, and nothing is lost or doubled."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

from tests.client.conftest import Player
from tests.client.host import ADDRESS, Host, Table, payload_of
from tests.services.process import HOST, free_port
from tests.services.tls import TlsFiles

NewPlayer = Callable[[str], Player]


class Relay:
    """An SMTP server that keeps what it is given, and refuses when told to."""

    def __init__(self, **options: Any) -> None:
        self.envelopes: list[Envelope] = []
        self.reply = "250 OK"
        self.port = free_port()
        self.options = options
        self.controller: Controller | None = None

    async def handle_DATA(self, server: object, session: Session, envelope: Envelope) -> str:
        if self.reply.startswith("250"):
            self.envelopes.append(envelope)
        return self.reply

    def start(self) -> None:
        self.controller = Controller(self, hostname=HOST, port=self.port, **self.options)
        self.controller.start()

    def stop(self) -> None:
        if self.controller is not None:
            self.controller.stop()
            self.controller = None

    @property
    def mails(self) -> list[bytes]:
        return [each.content for each in self.envelopes if isinstance(each.content, bytes)]


@pytest.fixture
def relay() -> Iterator[Relay]:
    found = Relay(decode_data=False, enable_SMTPUTF8=True)
    found.start()
    yield found
    found.stop()


@pytest.fixture
def asked(new_player: NewPlayer, relay: Relay, table: Table) -> Player:
    """Alice, who sends by SMTP, asked for her turn."""
    alice = smtp_player(new_player("alice"), table.host, relay)
    alice.receive(table.document(0))
    alice.ok("sync")
    return alice


def smtp_player(alice: Player, host: Host, relay: Relay, *more: str) -> Player:
    alice.ok(
        *("init", "--server", ADDRESS, "--address", alice.address, "--name", "alice"),
        *("--maildir", str(alice.box), "--smtp", f"{HOST}:{relay.port}", "--no-passphrase"),
        *("--fingerprint", host.key.fingerprint, *more),
    )
    return alice


def hide(table: Table) -> str:
    return f"hide {table.match.view(0)['alice']['hand'][0]}"


def test_smtp_takes_the_mail_to_the_server_s_address(
    asked: Player, relay: Relay, table: Table
) -> None:
    asked.ok("move", hide(table))
    (envelope,) = relay.envelopes
    assert envelope.mail_from == asked.address
    assert envelope.rcpt_tos == [ADDRESS]


def test_smtp_lines_end_with_crlf_and_are_short(asked: Player, relay: Relay, table: Table) -> None:
    asked.ok("move", hide(table))
    (raw,) = relay.mails
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert max(map(len, raw.split(b"\r\n"))) <= 78


def test_a_relay_that_is_away_keeps_nobody_from_signing(
    asked: Player, relay: Relay, table: Table
) -> None:
    relay.stop()
    done = asked.sigil("move", hide(table))
    assert done.status == 7
    assert "sigil sync" in done.err
    assert json.loads(asked.sigil("next", "--json").out)["waiting"][0]["answered"]
    relay.start()
    assert json.loads(asked.ok("sync", "--json"))["sent"] == 1
    assert json.loads(asked.ok("sync", "--json"))["sent"] == 0
    (raw,) = relay.mails
    assert getattr(payload_of(raw), "lines", None) == (hide(table),)


def test_a_mail_refused_for_now_waits_and_goes_out_with_the_same_bytes(
    asked: Player, relay: Relay, table: Table
) -> None:
    relay.reply = "451 busy"
    done = asked.sigil("move", "--json", hide(table))
    assert done.status == 7
    assert "451 busy" in done.err
    (waiting,) = (asked.home / "outbox").glob("*.json")
    first = json.loads(waiting.read_bytes())["raw"].encode()
    relay.reply = "250 OK"
    asked.ok("sync")
    assert relay.mails == [first]
    assert list((asked.home / "outbox").glob("*.json")) == []


def test_a_mail_refused_for_good_is_set_aside_and_does_not_block_the_next(
    asked: Player, relay: Relay, table: Table
) -> None:
    relay.reply = "554 no"
    done = asked.sigil("move", hide(table))
    assert done.status == 2
    assert "554 no" in done.err
    relay.reply = "250 OK"
    asked.ok("chat", "--game", table.tag, "hello")
    assert len(relay.mails) == 1
    assert len(list((asked.home / "outbox").glob("*.refused"))) == 1


def test_a_sync_that_cannot_send_still_reads(asked: Player, relay: Relay, table: Table) -> None:
    relay.stop()
    asked.sigil("move", hide(table))
    table.play(hide(table))
    asked.receive(table.document(0))
    done = asked.sigil("sync", "--json")
    assert done.status == 7
    report = json.loads(done.out)
    assert report["documents"][0]["what"] == "new"
    assert report["fault"]


def test_starttls_with_a_login(new_player: NewPlayer, table: Table, tls_files: TlsFiles) -> None:
    def authenticate(
        server: object, session: object, envelope: object, mechanism: str, data: object
    ) -> AuthResult:
        good = isinstance(data, LoginPassword) and data.password == b"open sesame"
        return AuthResult(success=good, handled=False)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls_files.cert, tls_files.key)
    relay = Relay(
        tls_context=context,
        require_starttls=True,
        authenticator=authenticate,
        auth_required=True,
        decode_data=False,
    )
    relay.start()
    try:
        alice = smtp_player(
            new_player("alice"),
            table.host,
            relay,
            *("--smtp-security", "starttls", "--smtp-user", "alice"),
            *("--ca-file", str(tls_files.cert), "--password-command", "echo open sesame"),
        )
        alice.receive(table.document(0))
        alice.ok("sync")
        alice.ok("move", hide(table))
        assert len(relay.mails) == 1
        alice.ok(
            *("init", "--again", "--smtp", f"{HOST}:{relay.port}", "--smtp-security", "starttls"),
            *("--smtp-user", "alice", "--ca-file", str(tls_files.cert)),
            *("--password-command", "echo wrong"),
        )
        done = alice.sigil("chat", table.tag, "hello")
        assert done.status == 7
        assert len(list((alice.home / "outbox").glob("*.json"))) == 1
    finally:
        relay.stop()


def test_starttls_is_not_given_up_where_the_server_has_none(
    new_player: NewPlayer, table: Table, relay: Relay
) -> None:
    alice = smtp_player(new_player("alice"), table.host, relay, "--smtp-security", "starttls")
    alice.receive(table.document(0))
    alice.ok("sync")
    assert alice.sigil("move", hide(table)).status == 7
    assert relay.mails == []


def test_an_address_outside_ascii_goes_by_smtputf8(
    new_player: NewPlayer, host: Host, relay: Relay
) -> None:
    alice = new_player("alice")
    alice.ok(
        *("init", "--server", ADDRESS, "--address", "müller@player.test", "--name", "Jörg Müller"),
        *("--maildir", str(alice.box), "--smtp", f"{HOST}:{relay.port}", "--no-passphrase"),
    )
    alice.ok("register")
    (envelope,) = relay.envelopes
    assert envelope.smtp_utf8
    assert envelope.mail_from == "müller@player.test"


def test_with_eml_as_way_out_every_command_prints_its_mail(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    alice.ok(
        *("init", "--server", ADDRESS, "--address", alice.address, "--name", "alice"),
        *("--no-mailbox", "--eml", "--no-passphrase"),
    )
    done = alice.sigil("register")
    assert payload_of(done.out.encode()).to_json()["name"] == "alice"
    assert ADDRESS in done.err
    assert list((alice.home / "outbox").glob("*.json")) == []


def test_what_was_signed_is_kept(asked: Player, relay: Relay, table: Table) -> None:
    asked.ok("move", hide(table))
    (kept,) = (asked.home / "sent").iterdir()
    found = json.loads(kept.read_text())
    assert found["lines"] == [hide(table)]
    assert found["block"].encode().replace(b"\n", b"\r\n") in relay.mails[0]
