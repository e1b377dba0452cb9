"""Bytes to text, whatever the label says (mail-hazards 20)."""

from __future__ import annotations

import encodings.aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_in import charsets
from sigilpost_server.mail_in.charsets import decode

WORD = "Zürich – 12 €"


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("utf-8", WORD),
        ("UTF8", WORD),
        ('"utf-8"', WORD),
        ("utf8mb4", WORD),
        ("windows-1252", WORD),
        ("iso-8859-15", "Zürich 12 €"),
        ("latin1", "Zürich"),
        ("macintosh", "Zürich"),
        ("koi8-r", "Ход"),
        ("x-mac-cyrillic", "Ход"),
        ("gb2312", "自动回复"),
        ("gb18030", "自動 𠀀"),
        ("big5", "自動"),
        ("shift_jis", "一手"),
        ("x-sjis", "一手"),
        ("euc-jp", "一手"),
        ("iso-2022-jp", "一手"),
        ("euc-kr", "자동"),
        ("ks_c_5601-1987", "자동"),
        ("utf-16", WORD),
        ("utf-16le", WORD),
        ("utf-7", WORD),
        ("windows-874", "ไทย"),
    ],
)
def test_a_label_that_is_right(label: str, text: str) -> None:
    name = charsets.codec(label)
    assert name is not None
    assert decode(text.encode(name), label) == text


@pytest.mark.parametrize(
    "label",
    [
        "",
        "x-unknown",
        "unknown-8bit",
        "us-ascii",
        "ascii",
        "nope\r\n",
        "x" * 10_000,
        "utf-9",
        "\x00",
    ],
)
def test_a_label_that_is_missing_unknown_or_wrong(label: str) -> None:
    assert decode(WORD.encode("utf-8"), label) == WORD
    assert decode("Zürich".encode("latin-1"), label) == "Zürich"
    assert decode("plain".encode("utf-16"), label) == "plain"
    assert decode("plain – –".encode("utf-16-be"), label) == "plain – –"
    assert decode("一手".encode("iso2022_jp"), label).startswith(("一手", "\x1b"))


NO_CHARSETS = """
punycode idna unicode_escape raw_unicode_escape undefined mbcs oem hex base64 rot13 zip bz2 uu
quopri charmap .. os aliases
"""


@pytest.mark.parametrize("label", NO_CHARSETS.split())
def test_codecs_that_are_no_charset_are_never_used(label: str) -> None:
    assert charsets.codec(label) is None


def test_of_all_codecs_of_python_only_charsets_are_taken() -> None:
    text = "Ab1 "
    for name in sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values()}):
        codec = charsets.codec(name)
        if codec is not None:
            assert text.encode(codec).decode(codec) == text


def test_utf_8_that_was_cut_or_has_a_foreign_tail_is_still_utf_8() -> None:
    assert decode("– – – Zürich –".encode()[:-1]).startswith("– – – Zürich ")
    assert decode("– – – Zürich".encode() + b"\xb2\xc7").startswith("– – – Zürich")


def test_a_byte_order_mark_is_believed() -> None:
    for name in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode(WORD.encode(name), "us-ascii") == WORD


@given(
    st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "utf-7", "iso-2022-jp", "hz"])
)
def test_no_bytes_raise(data: bytes, label: str) -> None:
    decode(data, label)
    charsets.readings(data)


@given(st.text(max_size=60))
def test_no_label_raises(label: str) -> None:
    decode(b"\xff", label)
