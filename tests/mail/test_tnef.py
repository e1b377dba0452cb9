"""winmail.dat (mail-hazards 23)."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_in import tnef

from .samples import TEXT, admitted, fixture

# [MS-OXRTFCP] section 4.1.1, the document's own example.
EXAMPLE = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
    "0af320"
    "68656c090020627705b06c647d0a800fa0"
)


def test_ms_oxrtfcp_4_1_1_the_example_decompresses() -> None:
    assert tnef.decompress(EXAMPLE) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


def test_ms_oxrtfcp_4_1_2_a_reference_may_run_into_what_it_writes() -> None:
    data = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert tnef.decompress(data) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


def test_ms_oxrtfcp_uncompressed_rtf() -> None:
    data = (27).to_bytes(4, "little") + (15).to_bytes(4, "little") + b"MELA" + bytes(4)
    assert tnef.decompress(data + b"{\\rtf1 hello wo") == b"{\\rtf1 hello wo"


def test_another_compression_is_broken() -> None:
    with pytest.raises(tnef.Broken):
        tnef.decompress(bytes(8) + b"ZIP!" + bytes(4))


def test_rtf_shows_its_words_and_not_its_tables() -> None:
    source = (
        rb"{\rtf1\ansi{\fonttbl{\f0\fswiss Arial;}}{\*\generator Word;}{\info{\title T}}"
        rb"\pard A\'e9 \{b\} \u8211?c\par\tab d\~e\_f\endash g\line}"
    )
    assert tnef.rtf_text(source) == "Aé {b} –c\n\td e-f-g\n"


def stream(name: str) -> bytes:
    """The winmail.dat of a fixture mail."""
    part = list(admitted(fixture(name)).leaves())[-1]
    return base64.b64decode(part.raw_body)


@pytest.mark.parametrize("name", ["winmail_plain_body", "winmail_rtf_only"])
def test_the_body_is_read(name: str) -> None:
    [text] = tnef.texts(stream(name))
    assert TEXT.splitlines()[1] in text


@given(st.integers(0, 2000))
def test_a_stream_that_is_cut_does_not_raise(size: int) -> None:
    for name in ("winmail_plain_body", "winmail_rtf_only"):
        tnef.texts(stream(name)[:size])


@given(st.integers(0, 2000), st.integers(0, 255))
def test_a_stream_that_is_damaged_does_not_raise(at: int, byte: int) -> None:
    for name in ("winmail_plain_body", "winmail_rtf_only"):
        data = bytearray(stream(name))
        data[at % len(data)] = byte
        tnef.texts(bytes(data))


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    tnef.texts(data)
    tnef.texts(bytes.fromhex("789f3e220100") + data)
    tnef.rtf_text(data)
