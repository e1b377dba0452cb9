"""Finding the block in a text (protocol.md, *Finding it*), and only there."""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.wire import blocks, payloads
from sigilpost_engine.wire.blocks import Block, armour, clean, find
from sigilpost_engine.wire.errors import WireError

from .samples import ALICE, block, orders

BLOCK = block()
TEXT = armour(BLOCK)
BODY = "".join(TEXT.splitlines()[1:-1])


def found(*texts: str) -> list[Block]:
    """The intact blocks in texts."""
    return [candidate.block for candidate in find(texts) if candidate.block]


def problems(*texts: str) -> list[str]:
    """What is wrong with the damaged ones."""
    return [candidate.problem for candidate in find(texts) if candidate.block is None]


def marked(body: str, kind: str = "ORDERS") -> str:
    """A body between markers."""
    return f"-----BEGIN SIGIL {kind}-----\n{body}\n-----END SIGIL {kind}-----"


# ---- the text ------------------------------------------------------------------------------


def test_a_block_is_written_as_the_protocol_shows_it() -> None:
    first, *body, last = TEXT.splitlines()
    assert (first, last) == ("-----BEGIN SIGIL ORDERS-----", "-----END SIGIL ORDERS-----")
    assert [len(line) for line in body[:-1]] == [64] * (len(body) - 1)
    assert set("".join(body)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")


@given(st.binary(max_size=3000), st.binary(min_size=64, max_size=64))
def test_what_is_written_is_found(inner: bytes, signature: bytes) -> None:
    it = Block("ORDERS", b"{" + inner + b"}", signature)
    assert found(armour(it)) == [it]


def test_a_payload_of_exactly_16_kb_is_found_and_one_byte_more_is_too_big() -> None:
    size = blocks.PAYLOAD_MAX - 2
    full = Block("ORDERS", b"{" + b"x" * size + b"}", bytes(64))
    over = Block("ORDERS", b"{" + b"x" * (size + 1) + b"}", bytes(64))
    assert found(armour(full)) == [full]
    assert problems(armour(over)) == ["too-big"]


def test_the_identity_is_sha_256_of_the_payload_whatever_the_text() -> None:
    [quoted] = found("> " + TEXT.lower().replace("\n", "\n> "))
    assert quoted.digest == hashlib.sha256(BLOCK.payload).digest()


# ---- markers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("-BEGIN SIGIL ORDERS-", "-END SIGIL ORDERS-"),
        ("-----begin sigil orders-----", "-----End Sigil Orders-----"),
        ("-----BEGIN\n> SIGIL\n> > ORDERS-----", "-----END SIGIL\n>ORDERS-----"),
        ("text before -----BEGIN SIGIL ORDERS-----", "-----END SIGIL ORDERS----- and after"),
        ("----- BEGIN SIGIL ORDERS -----", "----- END SIGIL ORDERS -----"),
        ("—BEGIN SIGIL ORDERS—", "–—-END SIGIL ORDERS‒"),
        ("-----BEGIN\u00a0SIGIL\u2003ORDERS-----", "-----END\tSIGIL\r\nORDERS-----"),
        ("-----BE\u200bGIN SIG\ufeffIL ORD\u00aderS-----", "\u200d-----END SIGIL ORDERS\u00ad----"),
        ("\u00ad\u00adBEGIN\u00ad SIGIL ORDERS\u00ad\u00ad", "\u00ad\u00adEND SIGIL ORDERS\u00ad"),
    ],
)
def test_markers_as_mailers_leave_them(begin: str, end: str) -> None:
    assert found(f"{begin}\n{BODY}\n{end}") == [BLOCK]


@pytest.mark.parametrize(
    "begin",
    ["BEGIN SIGIL ORDERS", "-----BEGIN SIGILORDERS-----", "-----BEGIN | SIGIL ORDERS-----"],
)
def test_what_is_no_marker(begin: str) -> None:
    assert find([f"{begin}\n{BODY}\n-----END SIGIL ORDERS-----"]) == []


def test_everything_on_one_line_is_still_found() -> None:
    other = block(orders("pass"))
    line = TEXT.replace("\n", "") + armour(other).replace("\n", "")
    assert found(line) == [BLOCK, other]


def test_a_second_begin_restarts_the_block() -> None:
    text = f"-----BEGIN SIGIL ORDERS-----\nMFRGGZDF\n{TEXT}"
    assert found(text) == [BLOCK]
    assert problems(text) == []


def test_an_end_without_a_begin_is_nothing() -> None:
    assert find(["-----END SIGIL ORDERS-----"]) == []


# ---- bodies --------------------------------------------------------------------------------


def test_what_is_not_base32_between_the_markers_is_dropped() -> None:
    noisy = "".join(f"{letter}{'019 ,.=>|ß好'[at % 11]}" for at, letter in enumerate(BODY))
    assert found(marked(noisy)) == [BLOCK]


def test_bytes_after_the_signature_are_ignored() -> None:
    assert found(marked(BODY + "\nA FOOTER OF THE LIST")) == [BLOCK]


def test_a_quote_prefix_with_initials_does_no_harm() -> None:
    quoted = "\n".join(f"AB> {line}" for line in TEXT.splitlines())
    assert found(quoted) == [BLOCK]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (marked(BODY[:-70]), "cut"),
        (armour(Block("ORDERS", b"no JSON", bytes(64))), "garbled"),
        (marked(""), "cut"),
        (TEXT.replace("-----END SIGIL ORDERS-----", ""), "unclosed"),
        (TEXT.replace("END SIGIL ORDERS", "END SIGIL JOIN"), "mismatched"),
    ],
)
def test_a_damaged_block_is_reported_and_not_raised(text: str, problem: str) -> None:
    [candidate] = find([text])
    assert (candidate.kind, candidate.block, candidate.problem) == ("ORDERS", None, problem)


def test_the_same_block_in_several_texts_counts_once() -> None:
    assert found(TEXT, "> " + TEXT.replace("\n", "\n> "), TEXT.lower()) == [BLOCK]


def test_a_candidate_tells_its_text_and_place() -> None:
    [candidate] = find(["nothing", "dear \u200bserver,\n" + TEXT])
    cleaned = clean("dear \u200bserver,\n" + TEXT)
    assert candidate.text == 1
    assert cleaned[: candidate.start] == "dear server,\n"


def test_at_most_fifty_candidates_a_mail() -> None:
    many = [armour(block(orders(f"claim stone {number}"))) for number in range(60)]
    assert len(find(many)) == len(find(["".join(many)])) == 50


def test_what_stands_outside_of_blocks() -> None:
    text = f"one\n{TEXT}two\n-----BEGIN SIGIL ORDERS-----\nAAAA\n{TEXT}three"
    assert blocks.outside(text).split() == ["one", "two", "three"]
    assert blocks.before_marker(text) == "one\n"
    assert blocks.outside("no block") == blocks.before_marker("no block") == "no block"


# ---- cleaning ------------------------------------------------------------------------------


def test_every_dash_of_unicode_becomes_a_hyphen() -> None:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) == "Pd":
            assert clean(chr(code)) == "-", hex(code)


def test_every_format_character_of_mail_is_dropped() -> None:
    # Those of scripts and of musical notation stay; no mailer puts them into Latin text.
    for code in (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF):
        assert clean(f"a{chr(code)}b") == "ab", hex(code)


@given(st.text(st.characters(codec="utf-8")))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


# ---- signatures ----------------------------------------------------------------------------


@given(st.integers(0, len(BLOCK.payload) + 63), st.integers(1, 255))
def test_any_change_of_a_signed_byte_is_not_accepted(at: int, change: int) -> None:
    data = bytearray(BLOCK.payload + BLOCK.signature)
    data[at] ^= change
    size = len(BLOCK.payload)
    broken = Block("ORDERS", bytes(data[:size]), bytes(data[size:]))
    for it in found(armour(broken)):
        with pytest.raises(WireError):
            payloads.verify(it, ALICE.public)


@given(st.integers(0, len(BODY) - 1), st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"))
def test_a_changed_letter_changes_nothing_or_is_not_accepted(at: int, letter: str) -> None:
    for it in found(marked(BODY[:at] + letter + BODY[at + 1 :])):
        try:
            payloads.verify(it, ALICE.public)
        except WireError:
            continue
        # The last letter has bits beyond the last byte: they say nothing.
        assert it == BLOCK


@pytest.mark.parametrize("kind", sorted(set(payloads.KINDS) - {"ORDERS"}))
def test_a_block_under_another_kinds_markers_is_not_accepted(kind: str) -> None:
    [it] = found(TEXT.replace("ORDERS", kind))
    with pytest.raises(WireError):
        payloads.verify(it, ALICE.public)


# ---- time ----------------------------------------------------------------------------------

_MB = 1024 * 1024


@pytest.mark.parametrize(
    "piece",
    [
        "-",
        "- ",
        "-\n>",
        "-BEGIN ",
        "-BEGIN SIGIL ",
        "-BEGIN SIGIL ORDERS-",
        "-BEGIN SIGIL ORDERS -END SIGIL ORDERS-",
        "-BEGIN SIGIL ORDERS-A>\n-END SIGIL ORDERS-",
        "BEGIN SIGIL ORDERS",
        ">" * 50 + "\n",
        "\u2014\u200b\u00ad",
        "\u00ad",
        "-BEGIN\u00ad",
        "-BEGIN SIGIL A\u00ad",
        "-BEGIN SIGIL AA" + "\u00ad" * 5000,
        "\u00ad \u00ad>",
        "-BEGIN SIGIL " + "A" * 40,
    ],
)
def test_hostile_text_of_2_mb_takes_no_long_time(piece: str) -> None:
    text = piece * (2 * _MB // len(piece))
    start = process_time()
    find([text])
    # Linear: some tenths of a second at the very most; quadratic would be hours.
    assert process_time() - start < 5
