"""The bytes of a player's mail: readable, standard, and nothing in them that was not put there."""

from __future__ import annotations

import email
import email.policy
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_client.compose import compose
from sigilpost_client.config import Config, Player, Server
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.keys import PrivateKey
from tests.client.host import blocks_of

KEY = PrivateKey.from_seed(b"\5" * 32)
# What the protocol lets a name and a line be made of.
TEXT = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc", "Zl", "Zp"),
        exclude_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    ),
    min_size=1,
    max_size=40,
)


def config(name: str = "alice") -> Config:
    return Config(
        player=Player(name=name, address="alice@player.test"),
        server=Server(address="play@server.test"),
    )


def block(line: str = "hide a3") -> Block:
    orders = payloads.Orders(
        server=KEY.fingerprint,
        key=KEY.fingerprint,
        nonce="0" * 32,
        made=1,
        game="weaver-7k2q",
        seat=1,
        prompt="1-abcdef01",
        lines=(line,),
    )
    return payloads.sign(orders, KEY)


def header(raw: bytes, name: str) -> str:
    return str(make_header(decode_header(email.message_from_bytes(raw)[name])))


@given(TEXT, TEXT)
def test_any_line_reaches_the_other_end(name: str, line: str) -> None:
    signed = block(line)
    mail = compose(config(name), signed, subject="My move", words=[line])
    assert blocks_of(mail.raw) == [signed]


@given(TEXT)
def test_any_name_is_one_mailbox_of_the_right_address(name: str) -> None:
    mail = compose(config(name), block(), subject="My move", words=[])
    shown, address = parseaddr(email.message_from_bytes(mail.raw)["From"])
    assert address == "alice@player.test"
    assert str(make_header(decode_header(shown))).split() == name.split()


@given(TEXT, TEXT)
def test_no_header_comes_out_of_a_name_or_subject(name: str, subject: str) -> None:
    mail = compose(config(name), block(), subject=subject, words=[subject])
    names = [key for key, _ in email.message_from_bytes(mail.raw).items()]
    assert names == [
        "From",
        "To",
        "Subject",
        "Date",
        "Message-ID",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    ]


@given(TEXT, TEXT)
def test_headers_are_ascii_and_no_line_is_too_long(name: str, line: str) -> None:
    mail = compose(config(name), block(line), subject=line, words=[line])
    assert mail.raw.isascii()
    assert max(map(len, mail.raw.split(b"\r\n"))) <= 998
    assert mail.raw.count(b"\n") == mail.raw.count(b"\r\n") == mail.raw.count(b"\r")


def test_a_subject_outside_ascii_is_read_as_it_was_meant() -> None:
    mail = compose(config(), block(), subject="[weaver-7k2q] 내 차례", words=[])
    assert header(mail.raw, "Subject") == "[weaver-7k2q] 내 차례"


def test_a_long_message_id_is_not_broken_or_encoded() -> None:
    long = f"<{'a' * 120}@server.test>"
    mail = compose(config(), block(), subject="x", words=[], references=["<1@b>", long])
    parsed = email.message_from_bytes(mail.raw)
    assert parsed["In-Reply-To"] == long
    assert parsed["References"].split() == ["<1@b>", long]


def test_each_mail_has_a_message_id_of_its_own() -> None:
    ids = {compose(config(), block(), subject="x", words=[]).message_id for _ in range(20)}
    assert len(ids) == 20


@pytest.mark.parametrize("line", ["hide a3", "숨기기 a3"])
def test_the_standard_library_finds_nothing_wrong_with_it(line: str) -> None:
    mail = compose(config("Jörg"), block(line), subject=line, words=[line])
    parsed = email.message_from_bytes(mail.raw, policy=email.policy.default)
    assert parsed.defects == []
    assert [defect for name in parsed for defect in parsed[name].defects] == []
    assert line in parsed.get_content()
