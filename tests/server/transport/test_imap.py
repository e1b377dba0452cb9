"""The IMAP source against a real Dovecot."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from imapclient import IMAPClient

from sigilpost_server.errors import MailFailed, TryLater
from sigilpost_server.sources.base import LoginFailed, SourceError, Stop
from sigilpost_server.sources.imap import ImapSource
from sigilpost_server.sources.settings import ImapSettings
from tests.server.transport.between import between
from tests.server.transport.desk import Desk, kept, letter
from tests.services.dovecot import Dovecot
from tests.services.process import wait_until
from tests.services.proxy import TcpProxy

LIMIT = 100_000


def source(dovecot: Dovecot, user: str, **settings: object) -> ImapSource:
    """The source of a user's mailbox, without TLS unless ``settings`` say otherwise."""
    given = {
        "host": dovecot.host,
        "port": dovecot.imap_port,
        "tls": "none",
        "user": user,
        "password": dovecot.password,
    }
    return ImapSource(ImapSettings.model_validate(given | settings), limit=LIMIT)


def one_round(source: ImapSource, desk: Desk) -> int:
    """One round over a connection of its own."""
    try:
        return source.round(desk, Stop())
    finally:
        source.close()


def client(dovecot: Dovecot, user: str) -> IMAPClient:
    """A mail reader that looks into the same mailbox."""
    reader = IMAPClient(dovecot.host, dovecot.imap_port, ssl=False)
    reader.login(user, dovecot.password)
    reader.select_folder("INBOX")
    return reader


# --- fetching and marking


def test_mails_come_in_the_order_of_their_arrival_and_once(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    mails = [letter(n) for n in range(3)]
    for mail in mails:
        dovecot.deliver(user, mail)
    desk = Desk()
    assert one_round(source(dovecot, user), desk) == 3
    assert one_round(source(dovecot, user), desk) == 0
    assert desk.mails == mails


def test_a_mail_that_somebody_has_read_is_still_fetched(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    with client(dovecot, user) as reader:
        reader.add_flags([1], [rb"\Seen"])
    desk = Desk()
    assert one_round(source(dovecot, user), desk) == 1


def test_a_mail_that_was_dealt_with_shows_as_read(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    one_round(source(dovecot, user), Desk())
    with client(dovecot, user) as reader:
        assert rb"\Seen" in reader.get_flags([1])[1]


def test_hazard_11_nothing_is_marked_while_the_service_cannot_take_mail(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    with pytest.raises(TryLater):
        one_round(source(dovecot, user), Desk(TryLater("disk full")))
    desk = Desk()
    assert one_round(source(dovecot, user), desk) == 1


def test_hazard_11_a_mail_whose_mark_was_lost_in_a_crash_comes_again(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    with pytest.raises(KeyboardInterrupt):
        one_round(source(dovecot, user), Desk(KeyboardInterrupt()))
    desk = Desk()
    one_round(source(dovecot, user), desk)
    assert desk.mails == [letter(1)]


@pytest.mark.parametrize("fault", [ValueError("a fault of ours"), MailFailed()])
def test_hazard_12_a_bad_mail_stops_nothing(dovecot: Dovecot, fault: Exception) -> None:
    user = dovecot.add_user()
    for n in range(3):
        dovecot.deliver(user, letter(n))
    desk = Desk(fault, on=b"Subject: 1")
    kept_open = source(dovecot, user)
    assert kept_open.round(desk, Stop()) == 2
    assert desk.mails == [letter(0), letter(2)]
    desk.fault = None
    assert kept_open.round(desk, Stop()) == 1, "it stays for the next round"
    kept_open.close()


def test_a_mail_expunged_by_somebody_else_is_passed_over(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    for n in range(3):
        dovecot.deliver(user, letter(n))
    mails: list[bytes] = []

    def expunge_the_second(raw: bytes, *, source: str) -> None:
        if not mails:
            with client(dovecot, user) as reader:
                reader.delete_messages([2])
                reader.expunge()
        mails.append(raw)

    reading = source(dovecot, user)
    reading.round(expunge_the_second, Stop())
    reading.round(expunge_the_second, Stop())
    reading.close()
    assert mails == [letter(0), letter(2)]


def test_hazard_14_a_mail_that_the_server_cannot_show_now_is_fetched_later(
    dovecot: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    """Throttled, or busy with the mail: the server says NO (RFC 9051 section 7.1)."""
    user = dovecot.add_user()
    for n in range(3):
        dovecot.deliver(user, letter(n))
    busy = [True]

    def refused(data: bytes) -> bytes:
        asked = b"UID FETCH 2 (BODY.PEEK[]<0.%d>)" % (LIMIT + 1)
        return data.replace(asked, b"UID COPY 2 Nowhere") if busy[0] else data

    desk = Desk()
    with between(dovecot.imap_port, asked=refused) as port:
        reading = source(dovecot, user, port=port)
        assert reading.round(desk, Stop()) == 2
        assert reading.round(desk, Stop()) == 0
        assert [each.message for each in caplog.records].count("mail not fetched") == 1
        busy[0] = False
        assert reading.round(desk, Stop()) == 1
        reading.close()
    assert desk.mails == [letter(0), letter(2), letter(1)]


def test_hazard_12_a_mail_that_the_server_does_not_let_us_mark_stops_nothing(
    dovecot: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a full mailbox that takes no copies."""
    user = dovecot.add_user()
    for n in range(3):
        dovecot.deliver(user, letter(n))

    def refused(data: bytes) -> bytes:
        return data.replace(b'UID MOVE 1 "Handled"', b'UID MOVE 1 "Nowhere"')

    desk = Desk()
    with between(dovecot.imap_port, asked=refused) as port:
        reading = source(dovecot, user, port=port, done="move", done_folder="Handled")
        reading.round(desk, Stop())
        assert reading.round(desk, Stop()) == 0, "not handed over again and again"
        reading.close()
    assert desk.mails == [letter(n) for n in range(3)]
    assert dovecot.messages(user) == [letter(0)]
    assert dovecot.messages(user, "Handled") == [letter(1), letter(2)]
    assert [each.message for each in caplog.records].count("mail not marked") == 1


def test_a_mail_delivered_again_is_handed_over_again(dovecot: Dovecot) -> None:
    # The service knows it by its digest; to remember it here would be a second memory.
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    desk = Desk()
    reading = source(dovecot, user)
    reading.round(desk, Stop())
    dovecot.deliver(user, letter(1))
    assert reading.round(desk, Stop()) == 1
    reading.close()


def test_of_a_huge_mail_no_more_is_fetched_than_shows_its_size(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1, "x" * 70 + ("\r\n" + "x" * 70) * 5_000))
    desk = Desk()
    one_round(source(dovecot, user), desk)
    assert [len(mail) for mail in desk.mails] == [LIMIT + 1]


def test_a_server_without_keywords_is_marked_by_seen(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    for n in range(2):
        dovecot.deliver(user, letter(n))

    def like_exchange(data: bytes) -> bytes:
        return data.replace(rb" \*)]", b"  )]").replace(b"$SigilpostDone", b"$Other")

    desk = Desk()
    with between(dovecot.imap_port, answered=like_exchange) as port:
        assert one_round(source(dovecot, user, port=port), desk) == 2
        assert one_round(source(dovecot, user, port=port), desk) == 0
    with client(dovecot, user) as reader:
        assert reader.get_flags([1])[1] == (rb"\Seen",)


def test_done_mail_can_be_moved(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    one_round(source(dovecot, user, done="move", done_folder="Handled"), Desk())
    assert dovecot.messages(user) == []
    assert dovecot.messages(user, "Handled") == [letter(1)]


def test_done_mail_can_be_deleted(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    one_round(source(dovecot, user, done="delete"), Desk())
    assert dovecot.messages(user) == []


# --- waiting


def test_idle_wakes_at_once(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    desk = Desk()
    with kept(source(dovecot, user), desk):
        for n in range(5):
            dovecot.deliver(user, letter(n))
            desk.wait(n + 1, seconds=3)


def test_a_mail_that_comes_while_another_is_dealt_with_is_not_overslept(dovecot: Dovecot) -> None:
    # The server tells of it in its answer to STORE, and not again when IDLE begins.
    user = dovecot.add_user()
    mails: list[bytes] = []

    def deliver_the_next(raw: bytes, *, source: str) -> None:
        mails.append(raw)
        if len(mails) < 10:
            dovecot.deliver(user, letter(len(mails)))

    with kept(source(dovecot, user), deliver_the_next):
        dovecot.deliver(user, letter(0))
        wait_until(lambda: len(mails) == 10, "10 mails", 5)


def test_news_in_one_packet_with_the_begin_of_idle_is_not_overslept(dovecot: Dovecot) -> None:
    user = dovecot.add_user()

    def deliver_first(data: bytes) -> bytes:
        if b"IDLE" in data and not dovecot.messages(user):
            dovecot.deliver(user, letter(1))
        return data

    desk = Desk()
    with (
        between(dovecot.imap_port, asked=deliver_first, lag=0.1) as port,
        kept(source(dovecot, user, port=port), desk),
    ):
        desk.wait(1, seconds=5)


def test_without_idle_the_mailbox_is_polled(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    desk = Desk()
    with kept(source(dovecot, user, idle=False, poll_seconds=0.2), desk):
        dovecot.deliver(user, letter(1))
        desk.wait(1)
        dovecot.deliver(user, letter(2))
        desk.wait(2)


def test_waiting_ends_at_once_when_the_daemon_ends(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    desk = Desk()
    with kept(source(dovecot, user), desk):
        desk.wait(1)
        time.sleep(0.2)
        began = time.monotonic()
    assert time.monotonic() - began < 10, "it does not wait for IDLE to be renewed"


# --- a world that breaks


def test_mail_comes_in_after_a_restart_of_the_server(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    desk = Desk()
    with kept(source(dovecot, user), desk):
        dovecot.deliver(user, letter(1))
        desk.wait(1)
        dovecot.stop()
        dovecot.deliver(user, letter(2))
        time.sleep(0.3)
        dovecot.start()
        desk.wait(2)


def test_mail_comes_in_when_the_server_starts_after_us(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.stop()
    desk = Desk()
    with kept(source(dovecot, user), desk):
        time.sleep(0.3)
        dovecot.start()
        dovecot.deliver(user, letter(1))
        desk.wait(1)


def test_a_cut_connection_is_made_anew(dovecot: Dovecot, tcp_proxy: TcpProxy) -> None:
    user = dovecot.add_user()
    tcp_proxy.target = dovecot.imap_port
    desk = Desk()
    with kept(source(dovecot, user, port=tcp_proxy.port), desk):
        dovecot.deliver(user, letter(1))
        desk.wait(1)
        tcp_proxy.cut()
        dovecot.deliver(user, letter(2))
        desk.wait(2)


def test_hazard_14_an_idle_that_died_silently_is_noticed(
    dovecot: Dovecot, tcp_proxy: TcpProxy
) -> None:
    user = dovecot.add_user()
    tcp_proxy.target = dovecot.imap_port
    desk = Desk()
    settings = {"port": tcp_proxy.port, "idle_renew_seconds": 0.5, "timeout_seconds": 0.5}
    with kept(source(dovecot, user, **settings), desk):
        dovecot.deliver(user, letter(1))
        desk.wait(1)
        before = tcp_proxy.connections
        tcp_proxy.freeze()
        dovecot.deliver(user, letter(2))
        wait_until(lambda: tcp_proxy.connections > before, "a new connection")
        tcp_proxy.thaw()
        desk.wait(2)


def test_hazard_14_a_new_uidvalidity_with_uids_used_again_loses_nothing(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    desk = Desk()
    with kept(source(dovecot, user), desk):
        first = dovecot.deliver(user, letter(1))
        desk.wait(1)
        dovecot.disconnect(user)
        for path in first.parent.parent.glob("*/*.test*"):
            path.unlink()
        dovecot.change_uidvalidity(user)
        dovecot.deliver(user, letter(2))  # gets UID 1, as the first had
        assert desk.wait(2) == [letter(1), letter(2)]


# --- logging in


def test_hazard_14_xoauth2_with_a_token_that_a_command_prints(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    command = [sys.executable, "-c", f"print({dovecot.access_token(user)!r})"]
    desk = Desk()
    assert one_round(source(dovecot, user, password="", token_command=command), desk) == 1


def test_a_refused_login_says_nothing_secret(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    token = dovecot.access_token(user, lifetime=-60)
    command = [sys.executable, "-c", f"print({token!r})"]
    for wrong in ({"token_command": command}, {"password": "guessed-wrong"}):
        with pytest.raises(LoginFailed) as refused:
            one_round(source(dovecot, user, **wrong), Desk())
        assert token not in str(refused.value)
        assert "guessed-wrong" not in str(refused.value)


def test_a_password_command_that_fails_says_what_failed(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    for command in (["/nonexistent/program"], ["false"], ["true"]):
        with pytest.raises(LoginFailed, match=command[0]):
            one_round(source(dovecot, user, password_command=command), Desk())


@pytest.mark.parametrize(("tls", "port"), [("implicit", "imaps_port"), ("starttls", "imap_port")])
def test_tls_with_the_certificate_checked(dovecot: Dovecot, tls: str, port: str) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, letter(1))
    settings = {"tls": tls, "port": getattr(dovecot, port), "host": "localhost"}
    desk = Desk()
    with pytest.raises(SourceError, match="certificate"):
        one_round(source(dovecot, user, **settings), desk)
    assert one_round(source(dovecot, user, **settings, ca_file=dovecot.tls.cert), desk) == 1


def test_idle_over_tls(dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    settings = {"tls": "implicit", "port": dovecot.imaps_port, "host": "localhost"}
    desk = Desk()
    with kept(source(dovecot, user, **settings, ca_file=dovecot.tls.cert), desk):
        for n in range(10):
            dovecot.deliver(user, letter(n))
            desk.wait(n + 1, seconds=3)


def test_a_folder_that_is_not_there(dovecot: Dovecot, tmp_path: Path) -> None:
    user = dovecot.add_user()
    with pytest.raises(SourceError, match="Nowhere"):
        one_round(source(dovecot, user, folder="Nowhere"), Desk())
