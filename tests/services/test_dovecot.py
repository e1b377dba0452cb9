"""The test server is a real IMAP and LMTP server, and its controls do what they say."""

from __future__ import annotations

import smtplib
import ssl

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from tests.services.dovecot import Dovecot
from tests.services.proxy import TcpProxy

MAIL = b"From: a@mail.test\r\nTo: b@mail.test\r\nSubject: hello\r\n\r\nFirst line.\r\n"


def login(dovecot: Dovecot, user: str) -> IMAPClient:
    client = IMAPClient(dovecot.host, dovecot.imap_port, ssl=False, timeout=20)
    client.login(user, dovecot.password)
    return client


def test_imap_gives_back_the_delivered_bytes(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, MAIL)
    with login(dovecot, user) as client:
        client.select_folder("INBOX")
        (uid,) = client.search(["UNSEEN"])
        assert client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"] == MAIL


def test_implicit_tls_with_the_certificate_as_authority(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    context = ssl.create_default_context(cafile=str(dovecot.tls.cert))
    with IMAPClient(
        "localhost", dovecot.imaps_port, ssl=True, ssl_context=context, timeout=20
    ) as client:
        client.login(user, dovecot.password)
        assert client.select_folder("INBOX")[b"EXISTS"] == 0


def test_a_wrong_password_is_refused(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    with (
        IMAPClient(dovecot.host, dovecot.imap_port, ssl=False, timeout=20) as client,
        pytest.raises(LoginError),
    ):
        client.login(user, "wrong")


def test_lmtp_delivers(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    with smtplib.LMTP(dovecot.host, dovecot.lmtp_port) as client:
        client.sendmail("a@elsewhere.test", [user], MAIL)
    (raw,) = dovecot.wait_messages(user, 1)
    assert b"Return-Path: <a@elsewhere.test>" in raw
    assert b"First line." in raw


def test_lmtp_refuses_an_unknown_user(dovecot: Dovecot) -> None:
    with smtplib.LMTP(dovecot.host, dovecot.lmtp_port) as client:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            client.sendmail("a@elsewhere.test", ["nobody-here@mail.test"], MAIL)
        assert refused.value.recipients["nobody-here@mail.test"][0] == 550


def test_idle_wakes_up_when_mail_comes(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    with login(dovecot, user) as client:
        client.select_folder("INBOX")
        client.idle()
        dovecot.deliver(user, MAIL)
        responses = client.idle_check(timeout=20)
        client.idle_done()
    assert (1, b"EXISTS") in responses


def test_a_restart_cuts_sessions_and_keeps_mail_and_port(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, MAIL)
    client = login(dovecot, user)
    dovecot.restart()
    with pytest.raises((client.AbortError, OSError)):
        client.noop()
    with login(dovecot, user) as again:
        again.select_folder("INBOX")
        assert len(again.search()) == 1


def test_uidvalidity_changes_and_uids_start_anew(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    for _ in range(3):
        dovecot.deliver(user, MAIL)
    with login(dovecot, user) as client:
        before = client.select_folder("INBOX")
        client.delete_messages([1, 2])
        client.expunge()
        assert client.search() == [3]
    new = dovecot.change_uidvalidity(user)
    with login(dovecot, user) as client:
        after = client.select_folder("INBOX")
        assert client.search() == [1]
    assert after[b"UIDVALIDITY"] == new > before[b"UIDVALIDITY"]


def test_a_change_of_uidvalidity_cuts_the_session(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    client = login(dovecot, user)
    client.select_folder("INBOX")
    dovecot.change_uidvalidity(user)
    with pytest.raises((client.AbortError, OSError)):
        client.noop()


@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
def test_login_with_an_access_token(dovecot: Dovecot, mechanism: str) -> None:
    user = dovecot.add_user()
    with IMAPClient(dovecot.host, dovecot.imap_port, ssl=False, timeout=20) as client:
        if mechanism == "XOAUTH2":
            client.oauth2_login(user, dovecot.access_token(user))
        else:
            client.oauthbearer_login(user, dovecot.access_token(user))
        assert client.select_folder("INBOX")[b"EXISTS"] == 0


@pytest.mark.parametrize("fault", ["expired", "forged", "another user's"])
def test_a_bad_access_token_is_refused(dovecot: Dovecot, fault: str) -> None:
    user = dovecot.add_user()
    token = {
        "expired": dovecot.access_token(user, lifetime=-60),
        "forged": dovecot.access_token(user)[:-4] + "AAAA",
        "another user's": dovecot.access_token(dovecot.add_user()),
    }[fault]
    with (
        IMAPClient(dovecot.host, dovecot.imap_port, ssl=False, timeout=20) as client,
        pytest.raises(LoginError),
    ):
        client.oauth2_login(user, token)


def test_a_frozen_proxy_hides_new_mail_until_it_thaws(
    dovecot: Dovecot, tcp_proxy: TcpProxy
) -> None:
    user = dovecot.add_user()
    tcp_proxy.target = dovecot.imap_port
    with IMAPClient(tcp_proxy.host, tcp_proxy.port, ssl=False, timeout=20) as client:
        client.login(user, dovecot.password)
        client.select_folder("INBOX")
        client.idle()
        tcp_proxy.freeze()
        dovecot.deliver(user, MAIL)
        assert client.idle_check(timeout=1) == []
        tcp_proxy.thaw()
        assert (1, b"EXISTS") in client.idle_check(timeout=20)
        client.idle_done()


def test_a_cut_proxy_resets_the_connection(dovecot: Dovecot, tcp_proxy: TcpProxy) -> None:
    user = dovecot.add_user()
    tcp_proxy.target = dovecot.imap_port
    client = IMAPClient(tcp_proxy.host, tcp_proxy.port, ssl=False, timeout=20)
    client.login(user, dovecot.password)
    tcp_proxy.cut()
    with pytest.raises((client.AbortError, OSError)):
        client.noop()
