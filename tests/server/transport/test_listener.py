"""The embedded SMTP and LMTP listener, from real clients: smtplib, Postfix, swaks."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sigilpost_server.errors import MailFailed, TryLater
from sigilpost_server.mail_in import postmaster
from sigilpost_server.sources.base import Handle, SourceError, Stop
from sigilpost_server.sources.listener import Listener
from sigilpost_server.sources.settings import ListenerSettings
from tests.server.transport.desk import Desk, kept, letter
from tests.services.postfix import Postfix
from tests.services.process import HOST, free_port, is_listening, wait_until
from tests.services.tls import TlsFiles

GAME = "game@play.test"
LIMIT = 1_000_000
LINES = 30_000


def listener(port: int, **settings: object) -> Listener:
    """A listener of ours, not yet open."""
    given = ListenerSettings.model_validate({"port": port} | settings)
    return Listener(given, address=GAME, limit=LIMIT, lines=LINES, path=given.socket)


@contextlib.contextmanager
def open_listener(handle: Handle, **settings: object) -> Iterator[int]:
    """The port of a listener while it is open."""
    port = free_port()
    it = listener(port, **settings)
    it.round(handle, Stop())
    try:
        yield port
    finally:
        it.close()


def send(port: int, raw: bytes, recipient: str = GAME, sender: str = "alice@mail.test") -> None:
    """Hand a mail in, as an MTA does."""
    with smtplib.SMTP(HOST, port, timeout=10) as client:
        client.sendmail(sender, [recipient], raw)


def test_a_mail_is_handed_over_with_its_return_path() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        send(port, letter(1))
    assert desk.mails == [b"Return-Path: <alice@mail.test>\r\n" + letter(1)]


def test_rfc_5321_4_5_5_the_null_return_path_is_kept() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        send(port, letter(1), sender="")
    assert desk.mails == [b"Return-Path: <>\r\n" + letter(1)]


def test_a_second_attempt_gives_the_same_bytes() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        send(port, letter(1))
        time.sleep(1.1)
        send(port, letter(1))
    assert desk.mails[0] == desk.mails[1]


def test_the_reply_comes_only_after_the_commit() -> None:
    committed = threading.Event()
    replied = threading.Event()

    def slow(raw: bytes, *, source: str) -> None:
        committed.wait(10)

    with open_listener(slow) as port:

        def client() -> None:
            send(port, letter(1))
            replied.set()

        thread = threading.Thread(target=client)
        thread.start()
        assert not replied.wait(0.5)
        committed.set()
        assert replied.wait(5)
        thread.join()


@pytest.mark.parametrize(
    "fault", [TryLater("disk full"), MailFailed(), ValueError("a fault of ours")]
)
def test_rfc_5321_4_2_1_what_fails_here_is_a_451_and_not_lost(fault: Exception) -> None:
    desk = Desk(fault)
    with open_listener(desk) as port:
        with pytest.raises(smtplib.SMTPDataError) as refused:
            send(port, letter(1))
        assert refused.value.smtp_code == 451
        desk.fault = None
        send(port, letter(1))
    assert len(desk.mails) == 1


def test_a_mail_over_the_limit_is_refused_with_552() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        with pytest.raises(smtplib.SMTPSenderRefused) as announced:  # by SIZE, RFC 1870
            send(port, letter(1, "x" * LIMIT))
        assert announced.value.smtp_code == 552
        with smtplib.SMTP(HOST, port, timeout=10) as client:
            client.helo()  # no SIZE
            with pytest.raises(smtplib.SMTPDataError) as sent:
                client.sendmail("a@mail.test", [GAME], letter(1, ("x" * 70 + "\r\n") * 20_000))
        assert sent.value.smtp_code == 552
        send(port, letter(2))
    assert len(desk.mails) == 1


def test_a_mail_of_very_many_lines_is_not_read_to_its_end() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        with smtplib.SMTP(HOST, port, timeout=10) as client:
            client.helo()
            client.mail("a@mail.test")
            client.rcpt(GAME)
            client.putcmd("data")
            client.getreply()
            with contextlib.suppress(ConnectionError):
                client.send(b"a: b\r\n" + b"\r\n" * (LINES * 10) + b"QUIT\r\n.\r\n")
            with contextlib.suppress(ConnectionError):
                assert client.getreply()[0] == 554
            client.close()
        send(port, letter(2))
    assert desk.mails == [b"Return-Path: <alice@mail.test>\r\n" + letter(2)]


@pytest.mark.parametrize("mark", ["+", "-"])
def test_replies_and_reports_with_a_token_are_taken(mark: str) -> None:
    given = ListenerSettings()
    it = Listener(given, address=GAME, limit=1, lines=1, also=["bounce@play.test"], mark=mark)
    taken = ["game", f"game{mark}k7q29fmd3xwa", f"BOUNCE{mark}b0a1b2c3", "bounce", "game+x"]
    assert all(it.takes(f"{local}@play.test") for local in taken)
    assert not any(it.takes(f"{local}@play.test") for local in ("gamer", "x-game", "-game", ""))
    assert not it.takes("game@else.test")


def test_this_is_no_relay() -> None:
    desk = Desk()
    with open_listener(desk, recipients=["umpire@play.test"]) as port:
        for stranger in ("bob@elsewhere.test", "somebody@play.test"):
            with pytest.raises(smtplib.SMTPRecipientsRefused):
                send(port, letter(1), stranger)
        for ours in (GAME, "GAME+7f3k@Play.Test", "umpire@play.test"):
            send(port, letter(1), ours)
    assert len(desk.mails) == 3


POSTMASTERS = ["postmaster", "Postmaster", "postmaster@play.test", "POSTMASTER@Play.Test"]


@pytest.mark.parametrize("recipient", POSTMASTERS)
@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_rfc_5321_4_5_1_the_postmaster_is_always_there(recipient: str, protocol: str) -> None:
    desk = Desk()
    kind = {"smtp": smtplib.SMTP, "lmtp": smtplib.LMTP}[protocol]
    with open_listener(desk, protocol=protocol) as port, kind(HOST, port) as client:
        client.ehlo()
        client.docmd("MAIL", "FROM:<>")
        assert client.docmd("RCPT", f"TO:<{recipient}>")[0] == 250
        assert client.data(letter(1))[0] == 250
    assert desk.mails == [b"Return-Path: <>\r\n" + postmaster.DELIVERED + letter(1)]
    assert postmaster.is_for(desk.mails[0])


def test_the_postmaster_of_others_is_none_of_ours() -> None:
    it = listener(0, recipients=["umpire@games.test"])
    assert it.is_postmaster("postmaster@games.test")
    assert not it.is_postmaster("postmaster@else.test")
    assert not it.is_postmaster("postmaster+x@play.test")
    assert listener(0, recipients=["*"]).is_postmaster("postmaster@else.test")


def test_a_mail_to_the_postmaster_and_to_the_game_is_both() -> None:
    """Each by itself: what a copy tells the host, no game may lose."""
    desk = Desk()
    with open_listener(desk, protocol="lmtp") as port, smtplib.LMTP(HOST, port) as client:
        client.ehlo()
        client.mail("a@mail.test")
        client.rcpt("postmaster")
        client.rcpt(GAME)
        assert client.data(letter(1))[0] == 250
        assert client.getreply()[0] == 250
    assert [postmaster.is_for(raw) for raw in desk.mails] == [False, True]


def test_a_postmaster_named_among_the_recipients_is_the_host_all_the_same() -> None:
    desk = Desk()
    with open_listener(desk, recipients=["postmaster@play.test", "*"]) as port:
        send(port, letter(1), "postmaster@play.test")
    assert [postmaster.is_for(raw) for raw in desk.mails] == [True]


def test_lines_longer_than_the_standard_has_them_are_taken() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        send(port, letter(1, "x" * 100_000))
    assert len(desk.mails) == 1


def test_rfc_5321_4_5_2_a_dot_at_the_begin_of_a_line_stays_one() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        send(port, letter(1, ".\r\n..two"))
    assert desk.mails[0].endswith(b"\r\n\r\n.\r\n..two\r\n")


def test_rfc_6531_addresses_beyond_ascii() -> None:
    desk = Desk()
    with open_listener(desk) as port, smtplib.SMTP(HOST, port, timeout=10) as client:
        options = ["SMTPUTF8", "BODY=8BITMIME"]
        client.sendmail("zoë@mail.test", [GAME], letter(1), mail_options=options)
    assert desk.mails[0].startswith("Return-Path: <zoë@mail.test>\r\n".encode())


def test_starttls(tls_files: TlsFiles) -> None:
    desk = Desk()
    files = {"tls_cert": tls_files.cert, "tls_key": tls_files.key}
    with open_listener(desk, **files) as port, smtplib.SMTP(HOST, port, timeout=10) as client:
        client.starttls()
        client.sendmail("a@mail.test", [GAME], letter(1))
    assert len(desk.mails) == 1


def test_clients_beyond_the_limit_are_sent_away_for_now() -> None:
    desk = Desk()
    with open_listener(desk, connections=1) as port:
        with smtplib.SMTP(HOST, port, timeout=10):
            with pytest.raises(smtplib.SMTPConnectError) as sent_away:
                smtplib.SMTP(HOST, port, timeout=10)
            assert sent_away.value.smtp_code == 421
        wait_until(lambda: _can_send(port), "room again")


def _can_send(port: int) -> bool:
    try:
        send(port, letter(1))
    except smtplib.SMTPException:
        return False
    return True


def test_a_client_that_vanishes_in_the_middle_of_a_mail_leaves_nothing() -> None:
    desk = Desk()
    with open_listener(desk) as port:
        with smtplib.SMTP(HOST, port, timeout=10) as client:
            client.helo()
            client.mail("a@mail.test")
            client.rcpt(GAME)
            client.putcmd("data")
            client.getreply()
            client.send(letter(1)[:50])
            client.close()
        send(port, letter(2))
    assert desk.mails == [b"Return-Path: <alice@mail.test>\r\n" + letter(2)]


def test_a_mail_in_hand_is_dealt_with_and_answered_before_the_end() -> None:
    port = free_port()
    it = listener(port)
    begun = threading.Event()
    done: list[bytes] = []

    def slow(raw: bytes, *, source: str) -> None:
        begun.set()
        time.sleep(0.5)
        done.append(raw)

    it.round(slow, Stop())
    replies: list[object] = []

    def client() -> None:
        with smtplib.SMTP(HOST, port, timeout=10) as smtp:
            smtp.helo()
            smtp.mail("a@mail.test")
            smtp.rcpt(GAME)
            replies.append(smtp.data(letter(1))[0])
            smtp.close()

    thread = threading.Thread(target=client)
    thread.start()
    assert begun.wait(5)
    it.close()
    thread.join(5)
    assert (len(done), replies) == (1, [250])
    assert not is_listening(port)


def test_a_port_that_is_taken_is_reported_and_tried_again() -> None:
    blocker = socket.create_server((HOST, 0))
    port = blocker.getsockname()[1]
    it = listener(port)
    with pytest.raises(SourceError, match=str(port)):
        it.round(Desk(), Stop())
    desk = Desk()
    with kept(it, desk):
        blocker.close()
        wait_until(lambda: is_listening(port), "listening")
        send(port, letter(1))
    assert len(desk.mails) == 1


# --- LMTP


def test_rfc_2033_4_2_a_reply_for_each_recipient() -> None:
    desk = Desk()
    with open_listener(desk, protocol="lmtp") as port, smtplib.LMTP(HOST, port) as client:
        client.ehlo()
        client.mail("a@mail.test")
        client.rcpt(GAME)
        client.rcpt("game+2@play.test")
        assert client.data(letter(1))[0] == 250
        assert client.getreply()[0] == 250
        client.mail("a@mail.test")
        assert client.rcpt(GAME)[0] == 250
    assert len(desk.mails) == 1


def test_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"
    path.touch()  # as a killed daemon would leave it
    desk = Desk()
    with open_listener(desk, protocol="lmtp", socket=path), smtplib.LMTP(str(path)) as client:
        client.sendmail("a@mail.test", [GAME], letter(1))
    assert len(desk.mails) == 1


def test_from_postfix_by_lmtp(postfix: Postfix) -> None:
    desk = Desk()
    with open_listener(desk, protocol="lmtp", recipients=["game@games.test"]) as port:
        postfix.route_lmtp("games.test", port)
        postfix.send("alice@mail.test", "game+x@games.test", letter(1))
        postfix.wait_empty()
    assert desk.mails[0].startswith(b"Return-Path: <alice@mail.test>\r\n")
    assert desk.mails[0].endswith(letter(1).partition(b"\r\n\r\n")[2])


def test_postfix_keeps_the_mail_while_the_service_cannot(postfix: Postfix) -> None:
    desk = Desk(TryLater("database locked"))
    with open_listener(desk, protocol="lmtp", recipients=["*"]) as port:
        postfix.route_lmtp("games.test", port)
        postfix.send("alice@mail.test", "game@games.test", letter(1))
        postfix.wait_logged("451 4.3.0")
        desk.fault = None

        def delivered() -> bool:
            postfix.flush()  # in vain while Postfix moves the mail from one queue to the other
            return bool(desk.mails)

        wait_until(delivered, "the mail delivered")
        postfix.wait_empty()
    assert len(desk.mails) == 1


@pytest.mark.service("swaks")
def test_from_swaks_pipelined_and_with_odd_senders() -> None:
    desk = Desk()
    senders = ["<>", '"odd sender"@mail.test', "a+b=c@mail.test"]
    with open_listener(desk) as port:
        for sender in senders:
            command = ["swaks", "--server", HOST, "--port", str(port), "--pipeline"]
            command += ["--from", sender, "--to", GAME]
            subprocess.run(command, check=True, capture_output=True, timeout=20)
    assert len(desk.mails) == len(senders)
