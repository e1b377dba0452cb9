"""MIME as we write it (RFC 2045, 2046, 2049): any content arrives as it was."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_out import mime

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=400)
NASTY = [
    "From here on\nFrom there\n",
    "\nFrom here on\nü From\nFrom ü\n",
    ".\n.\n..\nx\n",
    "ü\n.\nü\n",
    "x" * 3000 + "\n",
    "ü" + "x" * 3000 + "\n",
    "trailing blank \nü trailing tab\t\n",
    "=3D = =\nü==20\n",
    "한글" * 500 + "\n",
    "nul \x00 bell \x07\n",
    "-- \n--\n--=_\nboundary\n",
    "no line end",
    "",
]


def read(parts: list[str]) -> EmailMessage:
    """A mail of these parts, read by the modern parser; its bytes are checked on the way."""
    head = "Message-ID: <x@y>\r\nMIME-Version: 1.0\r\n"
    mail = (head + mime.multipart("mixed", parts, "<x@y>")).encode("ascii")
    assert all(len(line) <= 998 for line in mail.split(b"\r\n"))
    assert not any(line.startswith(b"From ") for line in mail.split(b"\r\n"))
    assert b"\n" not in mail.replace(b"\r\n", b"")
    found = message_from_bytes(mail, policy=policy.default)
    assert isinstance(found, EmailMessage)
    assert found.defects == []
    return found


def content(text: str) -> str:
    part = read([mime.text_part("plain", text)]).get_payload(0)
    assert isinstance(part, EmailMessage)
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_nasty_text_arrives_as_it_was(text: str) -> None:
    assert content(text) == text


@given(TEXT)
def test_any_text_arrives_as_it_was(text: str) -> None:
    assert content(text) == text


@given(st.binary(max_size=3000))
def test_any_file_arrives_as_it_was(data: bytes) -> None:
    part = read([mime.file_part("a.bin", "application/octet-stream", data)]).get_payload(0)
    assert isinstance(part, EmailMessage)
    assert part.get_content() == data


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain ASCII\n", "7bit"),
        ("a “few” others in a longer text\n", "quoted-printable"),
        ("한글로 쓴 글\n", "base64"),
        ("From here\n", "quoted-printable"),
    ],
)
def test_the_encoding_suits_the_text(text: str, encoding: str) -> None:
    part = mime.text_part("plain", text)
    assert f"Content-Transfer-Encoding: {encoding}\r\n" in part


def test_ascii_text_is_readable_as_it_is() -> None:
    assert mime.text_part("plain", "claim A with ASHW 3\n").endswith(
        "\r\n\r\nclaim A with ASHW 3\r\n"
    )


def test_a_part_that_holds_the_boundary_gets_another() -> None:
    """It cannot be guessed beforehand, but a seed may be used twice."""
    empty = mime.multipart("mixed", [], "<x@y>")
    boundary = empty.split('boundary="')[1].split('"')[0]
    parts = [mime.text_part("plain", f"--{boundary}--\nstill here\n")]
    assert content(f"--{boundary}--\nstill here\n") == f"--{boundary}--\nstill here\n"
    assert f'boundary="{boundary}"' not in mime.multipart("mixed", parts, "<x@y>")


def test_the_boundary_tells_nothing_of_the_seed_and_follows_from_it() -> None:
    one, two = (mime.multipart("mixed", [], seed) for seed in ("<a@x>", "<b@x>"))
    assert one != two
    assert one == mime.multipart("mixed", [], "<a@x>")
    assert "<a@x>" not in one
