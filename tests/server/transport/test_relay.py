"""The SMTP relay as the way out, against Postfix and against a server that misbehaves."""

from __future__ import annotations

import sys

import pytest

from sigilpost_server.ways_out.base import NoWay, Post, RefusedForEver, RefusedNow
from sigilpost_server.ways_out.relay import Relay
from sigilpost_server.ways_out.settings import RelaySettings
from tests.server.transport.desk import letter
from tests.server.transport.relays import PASSWORD, relay_peer
from tests.services.postfix import Postfix
from tests.services.process import HOST, free_port
from tests.services.proxy import TcpProxy
from tests.services.tls import TlsFiles

GAME = "game@play.test"


def post(number: int = 1, recipient: str = "alice@mail.test", raw: bytes | None = None) -> Post:
    """A mail of ours."""
    return Post(f"<{number}@play.test>", GAME, recipient, raw or letter(number))


def relay(port: int, **settings: object) -> Relay:
    """The way over a server at the loopback."""
    given = {"host": HOST, "port": port, "helo": "play.test", "timeout_seconds": 5}
    return Relay(RelaySettings.model_validate(given | settings))


def test_the_bytes_arrive_as_they_are_over_one_kept_connection() -> None:
    with relay_peer() as peer:
        way = relay(peer.port)
        for n in range(5):
            way.send(post(n))
        way.close()
        assert [mail.raw for mail in peer.taken] == [letter(n) for n in range(5)]
        assert peer.sessions == 1


def test_rfc_5321_2_3_8_line_ends_are_crlf_on_the_wire() -> None:
    with relay_peer() as peer:
        relay(peer.port).send(post(raw=b"Subject: 1\n\n.dot\r\nlone\n"))
        assert peer.taken[0].raw == b"Subject: 1\r\n\r\n.dot\r\nlone\r\n"


@pytest.mark.parametrize("place", ["at_rcpt", "at_data"])
def test_4yz_is_a_refusal_for_now_and_5yz_for_good(place: str) -> None:
    with relay_peer() as peer:
        way = relay(peer.port)
        setattr(peer, place, "451 4.7.1 greylisted")
        with pytest.raises(RefusedNow, match="greylisted"):
            way.send(post(1))
        setattr(peer, place, "550 5.1.1 no such user")
        with pytest.raises(RefusedForEver, match="no such user"):
            way.send(post(2))
        setattr(peer, place, "")
        way.send(post(3))
        way.close()
        assert [mail.raw for mail in peer.taken] == [letter(3)]
        assert peer.sessions == 1


def test_421_ends_the_session_and_the_next_mail_has_a_new_one() -> None:
    with relay_peer() as peer:
        way = relay(peer.port)
        peer.at_rcpt = "421 4.7.0 too many mails"
        with pytest.raises(RefusedNow):
            way.send(post(1))
        peer.at_rcpt = ""
        way.open()
        way.send(post(1))
        assert len(peer.taken) == 1


def test_a_refused_sender_is_our_fault_and_no_mail_bounces_for_it() -> None:
    with relay_peer() as peer:
        peer.at_mail = "550 5.7.1 relay access denied"
        with pytest.raises(NoWay, match="relay access denied"):
            relay(peer.port).send(post())


@pytest.mark.parametrize("place", ["at_rcpt", "at_data"])
@pytest.mark.parametrize(
    "said", ["530 5.7.0 Authentication required", "530 log in first", "503 please log in first"]
)
def test_rfc_4954_a_relay_that_wants_a_login_makes_no_mail_bounce(place: str, said: str) -> None:
    with relay_peer() as peer:
        setattr(peer, place, said)
        way = relay(peer.port)
        with pytest.raises(NoWay, match=said[:3]):
            way.send(post())
        setattr(peer, place, "")
        way.send(post())
        way.close()
        assert len(peer.taken) == 1


def test_a_mail_too_big_for_the_relay_bounces() -> None:
    with relay_peer() as peer:
        peer.at_mail = "552 5.3.4 too big"
        with pytest.raises(RefusedForEver):
            relay(peer.port).send(post())


def test_nobody_there_is_no_way() -> None:
    way = relay(free_port())
    with pytest.raises(NoWay, match="refused"):
        way.open()
    with pytest.raises(NoWay):
        way.send(post())


def test_a_connection_cut_between_two_mails_is_made_anew(tcp_proxy: TcpProxy) -> None:
    with relay_peer() as peer:
        tcp_proxy.target = peer.port
        way = relay(tcp_proxy.port)
        way.send(post(1))
        tcp_proxy.cut()
        way.open()
        way.send(post(2))
        assert len(peer.taken) == 2


def test_a_connection_lost_before_the_reply_is_no_bounce() -> None:
    with relay_peer() as peer:
        peer.drop = True
        with pytest.raises(NoWay):
            relay(peer.port).send(post())


def test_a_relay_that_falls_silent_is_given_up_after_a_while(tcp_proxy: TcpProxy) -> None:
    with relay_peer() as peer:
        tcp_proxy.target = peer.port
        way = relay(tcp_proxy.port, timeout_seconds=0.5)
        way.open()
        tcp_proxy.freeze()
        with pytest.raises(NoWay):
            way.send(post())
        tcp_proxy.thaw()


# --- addresses and bytes beyond ASCII


def test_8bit_bytes_are_announced_and_arrive() -> None:
    raw = "Subject: 1\r\n\r\nZoë\r\n".encode()
    with relay_peer() as peer:
        relay(peer.port).send(post(raw=raw))
        assert peer.taken[0].raw == raw
        assert "BODY=8BITMIME" in peer.taken[0].options


def test_rfc_6531_an_address_beyond_ascii() -> None:
    with relay_peer() as peer:
        relay(peer.port).send(post(recipient="zoë@mail.test"))
        assert peer.taken[0].recipient == "zoë@mail.test"
        assert "SMTPUTF8" in peer.taken[0].options


def test_rfc_5890_a_domain_beyond_ascii_needs_no_extension() -> None:
    with relay_peer() as peer:
        relay(peer.port).send(post(recipient="zoe@bücher.test"))
        assert peer.taken[0].recipient == "zoe@xn--bcher-kva.test"
        assert "SMTPUTF8" not in peer.taken[0].options


# --- Postfix, TLS, login


def test_to_postfix(postfix: Postfix) -> None:
    with relay_peer() as beyond:
        postfix.route_smtp("mail.test", beyond.port)
        relay(postfix.port).send(post())
        postfix.wait_empty()
        assert (beyond.taken[0].sender, beyond.taken[0].recipient) == (GAME, "alice@mail.test")


def test_to_postfix_with_starttls(postfix: Postfix) -> None:
    with relay_peer() as beyond:
        postfix.route_smtp("mail.test", beyond.port)
        settings = {"host": "localhost", "tls": "starttls"}
        with pytest.raises(NoWay, match="certificate"):
            relay(postfix.port, **settings).send(post())
        relay(postfix.port, **settings, ca_file=postfix.tls.cert).send(post())
        postfix.wait_empty()
        assert len(beyond.taken) == 1


def test_postfix_refuses_an_unknown_recipient_for_good(postfix: Postfix) -> None:
    with pytest.raises(RefusedForEver, match=r"5\.1\.1"):
        relay(postfix.port).send(post(recipient="nobody@play.test"))


@pytest.mark.filterwarnings("ignore:Requiring AUTH")  # TLS is there, from the first byte
def test_implicit_tls_and_login(tls_files: TlsFiles) -> None:
    command = [sys.executable, "-c", f"print({PASSWORD!r})"]
    with relay_peer(tls=tls_files, login=True) as peer:
        settings = {"host": "localhost", "tls": "implicit", "ca_file": tls_files.cert}
        relay(peer.port, **settings, user="game", password=PASSWORD).send(post(1))
        relay(peer.port, **settings, user="game", password_command=command).send(post(2))
        with pytest.raises(NoWay, match="535") as refused:
            relay(peer.port, **settings, user="game", password="guessed-wrong").send(post(3))
        assert "guessed-wrong" not in str(refused.value)
        with pytest.raises(NoWay):
            relay(peer.port, **settings).send(post(4))
        assert len(peer.taken) == 2


def test_starttls_that_is_not_offered_sends_nothing_in_clear() -> None:
    with relay_peer() as peer:
        with pytest.raises(NoWay):
            relay(peer.port, tls="starttls", user="game", password=PASSWORD).send(post())
        assert not peer.taken
