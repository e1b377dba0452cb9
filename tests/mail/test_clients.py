"""Mails as clients, gateways and robots write them, whole, in ``fixtures/``."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from sigilpost_server.mail_in.machine import Effect, Mark, machine_made

from .samples import FIXTURES, FRESH, OTHER, OURS, admitted, extracted, fixture


class Expected(NamedTuple):
    """Intact blocks, the words above the first, the words on top, the mark of a machine."""

    blocks: tuple[object, ...] = (FRESH,)
    above: tuple[str, ...] = ()
    words: tuple[str, ...] | None = None
    mark: Mark | None = None


def _nothing_counts(reason: str) -> Mark:
    return Mark(reason, Effect.NOTHING_COUNTS)


PASSED_ON = ("Alice asked me to pass this on.",)
GREETING = ("Could you send this for me? Grüße",)
TURN = (
    "Weaver, turn 12 - your move, Alice.",
    "Stone   1   2   3   4   5   6   7   8   9",
    ".   .   A   .   .   C   .   .   .",
    "You are asked: claim a stone or pass.",
    "Answer with:  sigil move 'claim stone 3'",
)

EXPECTED = {
    "sigil_plain": Expected(above=("claim stone 3",)),
    "gmail_web_reply": Expected(above=("Nice one, Carol!",)),
    "outlook_desktop_reply": Expected(above=("Here is my move.",)),
    "iphone_flowed_delsp": Expected(above=("Thinking… and there it is:",)),
    "thunderbird_below_quote": Expected(
        above=("My answer is below, > means greater here.",), words=()
    ),
    "yahoo_html_only": Expected(above=("my move: claim stone 3",)),
    "empty_text_beside_html": Expected(),
    "mutt_pgp_through_list": Expected(mark=Mark("bulk", Effect.NO_ANSWER)),
    "forwarded_as_message": Expected(above=GREETING, words=PASSED_ON),
    "forwarded_as_base64_message": Expected(above=GREETING, words=PASSED_ON),
    "forwarded_inline_twice_quoted": Expected(above=("FYI",)),
    "iso_2022_jp": Expected(above=("お世話になっております。一手進めます。",)),
    "unknown_charset": Expected(above=("Ìîé õîä:",)),
    "utf_16": Expected(),
    "quoted_printable_header_lost": Expected(),
    "base64_with_clear_footer": Expected(),
    "attached_text_file": Expected(words=("See the file.",)),
    "notes_disclaimer": Expected(),
    "winmail_plain_body": Expected(above=("claim stone 3",)),
    "winmail_rtf_only": Expected(above=("My move:",)),
    "smime_opaque": Expected(),
    "delivery_report_forwarded_by_a_person": Expected(
        blocks=(FRESH, OTHER), above=("What does this mean? My orders are below.",)
    ),
    "delivery_report": Expected(
        blocks=(OTHER,),
        above=TURN,
        words=(
            "This is the mail system at host mx.good.example.",
            "<nobody@good.example>: host said: 550 5.1.1 User unknown",
        ),
        mark=_nothing_counts("delivery-report"),
    ),
    "read_receipt": Expected(
        blocks=(), words=("Your message was read.",), mark=_nothing_counts("read-receipt")
    ),
    "own_turn_mail_come_back": Expected(
        blocks=(OTHER,), above=TURN, mark=_nothing_counts("own-mail")
    ),
    "exchange_out_of_office_german": Expected(
        blocks=(),
        words=("Ich bin bis 30. Juni nicht im Büro.",),
        mark=_nothing_counts("auto-submitted"),
    ),
    "out_of_office_no_header": Expected(
        blocks=(),
        words=("Je suis absent.",),
        mark=Mark("out-of-office", Effect.UNLESS_FRESH),
    ),
}


def test_every_fixture_is_expected_to_be_something() -> None:
    assert {file.stem for file in FIXTURES.glob("*.eml")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_blocks_of_a_real_looking_mail(name: str) -> None:
    candidates = extracted(fixture(name)).blocks
    assert tuple(each.block for each in candidates if each.block) == EXPECTED[name].blocks


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name].blocks])
def test_the_words_above_the_block_of_a_real_looking_mail(name: str) -> None:
    said = extracted(fixture(name))
    first = next(each for each in said.blocks if each.block)
    assert said.words_above(first) == EXPECTED[name].above


@pytest.mark.parametrize("name", EXPECTED)
def test_the_words_on_top_of_a_real_looking_mail(name: str) -> None:
    expected = EXPECTED[name]
    wanted = expected.above if expected.words is None else expected.words
    assert extracted(fixture(name)).words == wanted


@pytest.mark.parametrize("name", EXPECTED)
def test_who_made_a_real_looking_mail(name: str) -> None:
    assert machine_made(admitted(fixture(name)), OURS) == EXPECTED[name].mark


@pytest.mark.parametrize("name", EXPECTED)
def test_line_ends_of_unix_make_no_difference(name: str) -> None:
    raw = fixture(name).replace(b"\r\n", b"\n")
    assert [each.block for each in extracted(raw).blocks if each.block] == list(
        EXPECTED[name].blocks
    )
