"""The test Postfix is a real one, shares nothing with the system's, and routes as told."""

from __future__ import annotations

import smtplib
import ssl
import sys
from pathlib import Path

import pytest

from tests.services.dovecot import Dovecot
from tests.services.postfix import Postfix

MAIL = b"From: a@elsewhere.test\r\nTo: b@play.test\r\nSubject: hello\r\n\r\nFirst line.\r\n"
SENDER = "bounces+7@elsewhere.test"


def test_an_alias_pipes_the_mail_into_a_command(postfix: Postfix, tmp_path: Path) -> None:
    saved = tmp_path / "mail"
    program = f"import sys; open({str(saved)!r}, 'wb').write(sys.stdin.buffer.read())"
    address = postfix.pipe("game", [sys.executable, "-c", program])
    postfix.send(SENDER, address, MAIL)
    (run,) = postfix.wait_runs("game")
    assert run.returncode == 0
    raw = saved.read_bytes()
    assert b"First line." in raw
    assert b"Delivered-To: game@play.test" in raw


def test_the_command_sees_sender_and_extension(postfix: Postfix) -> None:
    program = "import os; print(os.environ['SENDER'], os.environ['EXTENSION'])"
    postfix.pipe("game", [sys.executable, "-c", program])
    postfix.send(SENDER, "game+b3@play.test", MAIL)
    (run,) = postfix.wait_runs("game")
    assert run.stdout.decode().split() == [SENDER, "b3"]


def test_exit_75_is_tried_again(postfix: Postfix, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    program = f"import pathlib, sys; p = pathlib.Path({str(mark)!r})\n"
    program += "if not p.exists(): p.touch(); sys.exit(75)"
    postfix.pipe("game", [sys.executable, "-c", program])
    postfix.send(SENDER, "game@play.test", MAIL)
    runs = postfix.wait_runs("game", 2)
    assert [run.returncode for run in runs] == [75, 0]


def test_another_failure_bounces_to_the_envelope_sender(postfix: Postfix, dovecot: Dovecot) -> None:
    sender = dovecot.add_user()
    postfix.route_lmtp("mail.test", dovecot.lmtp_port)
    postfix.pipe("game", [sys.executable, "-c", "import sys; sys.exit('no such game')"])
    postfix.send(sender, "game@play.test", MAIL)
    (bounce,) = dovecot.wait_messages(sender, 1)
    assert b"multipart/report; report-type=delivery-status" in bounce
    assert b"no such game" in bounce
    assert b"Return-Path: <>" in bounce


def test_a_domain_goes_by_lmtp_to_dovecot(postfix: Postfix, dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    postfix.route_lmtp("mail.test", dovecot.lmtp_port)
    postfix.send(SENDER, user, MAIL)
    (raw,) = dovecot.wait_messages(user, 1)
    assert f"Return-Path: <{SENDER}>".encode() in raw


def test_a_domain_whose_server_is_down_waits_in_the_queue(
    postfix: Postfix, dovecot: Dovecot
) -> None:
    user = dovecot.add_user()
    postfix.route_lmtp("mail.test", dovecot.lmtp_port)
    dovecot.stop()
    postfix.send(SENDER, user, MAIL)
    postfix.wait_logged(f"to=<{user}>, relay=none")
    assert "status=deferred (connect to" in postfix.log()
    assert user in postfix.queue()
    dovecot.start()
    postfix.flush()
    dovecot.wait_messages(user, 1)
    postfix.wait_empty()


@pytest.mark.parametrize("address", ["who@play.test", "who@elsewhere.test"])
def test_an_address_without_a_route_is_refused(postfix: Postfix, address: str) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        postfix.send(SENDER, address, MAIL)
    assert 500 <= refused.value.recipients[address][0] < 600


def test_starttls_with_the_certificate_as_authority(postfix: Postfix) -> None:
    context = ssl.create_default_context(cafile=str(postfix.tls.cert))
    with smtplib.SMTP("localhost", postfix.port, timeout=20) as client:
        assert client.starttls(context=context)[0] == 220


def test_nothing_outside_its_folder_is_used(postfix: Postfix) -> None:
    assert str(postfix.folder) in postfix.folder.joinpath("etc", "main.cf").read_text()
    assert not Path("/var/spool/postfix/pid/master.pid").exists() or (
        Path("/var/spool/postfix/pid/master.pid").stat().st_mtime
        < (postfix.folder / "etc" / "main.cf").stat().st_mtime
    )
