"""One address, read strictly; and what may go into headers that we write."""

from __future__ import annotations

import email
import email.policy
import email.utils
import unicodedata
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_in.addresses import (
    Address,
    BadAddress,
    clean,
    clean_subject,
    decode_words,
    mailbox_of,
    parse_address,
    sender,
)


@pytest.mark.parametrize(
    ("value", "address", "name"),
    [
        ("alice@good.org", "alice@good.org", ""),
        ("<alice@good.org>", "alice@good.org", ""),
        ("Alice <alice@good.org>", "alice@good.org", "Alice"),
        ('"Example, Alice" <alice@good.org>', "alice@good.org", "Example, Alice"),
        ('"A \\"The Fox\\" B" <alice@good.org>', "alice@good.org", 'A "The Fox" B'),
        ("Alice Q. Example <alice@good.org>", "alice@good.org", "Alice Q. Example"),
        ('Alice "The Fox" Example <alice@good.org>', "alice@good.org", "Alice The Fox Example"),
        ("Alice (at home) <alice@good.org>", "alice@good.org", "Alice (at home)"),
        ("alice@good.org (Alice Example)", "alice@good.org", "Alice Example"),
        ("=?utf-8?q?Z=C3=BCrich?= <alice@good.org>", "alice@good.org", "Zürich"),
        ("=?iso-8859-1?b?Wvxy?= =?utf-8?b?aWNo?= <a@good.org>", "a@good.org", "Zürich"),
        (
            "\"'alice@good.org' via Cards\" <cards@l.org>",
            "cards@l.org",
            "'alice@good.org' via Cards",
        ),
        ("Alice\r\n <alice@good.org>", "alice@good.org", "Alice"),
        ("a+b/c=d!#$%&'*?^_`{|}~-@good.org", "a+b/c=d!#$%&'*?^_`{|}~-@good.org", ""),
        ("Ålice <ålice@gööd.org>", "ålice@gööd.org", "Ålice"),
        ("用户@例子.广告", "用户@例子.广告", ""),
        ("root@localhost", "root@localhost", ""),
    ],
)
def test_what_everybody_reads_alike_is_taken(value: str, address: str, name: str) -> None:
    it = parse_address(value)
    assert (it.spelled, it.name) == (address, name)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "<>",
        "Alice",
        "alice@good.org <bob@evil.org>",
        "alice@good.org, bob@evil.org",
        "<alice@good.org> <bob@evil.org>",
        "<alice@good.org>, <bob@evil.org>",
        "alice@good.org bob@evil.org",
        "Friends: alice@good.org, bob@evil.org;",
        "Friends:;",
        "<@relay.org:alice@good.org>",
        "Example, Alice <alice@good.org>",
        "alice(comment)@good.org",
        '"alice smith"@good.org',
        "alice@[192.0.2.1]",
        "alice@",
        "@good.org",
        "a@b@good.org",
        ".alice@good.org",
        "al..ice@good.org",
        "alice@good..org",
        "alice@-good.org",
        "alice@good.org.",
        "alice@good.org\n",
        "alice@good.org\r\nBcc: eve@evil.org",
        "Alice\x00 <alice@good.org>",
        "=?utf-8?q?=0ABcc=3A_eve@evil.org?= <alice@good.org>",
        "=?utf-8?q?alice=40good.org_=3Calice=40good.org=3E?= <bob@evil.org>",
        "al\u200bice@good.org",
        "al\u202eice@good.org",
        "al\u00a0ice@good.org",
        "alice@go\u200bod.org",
        '"unclosed <alice@good.org>',
        "(" * 100 + "alice@good.org",
        "x" * 65 + "@good.org",
        "alice@" + "x" * 64 + ".org",
        "alice@" + ".".join(["x" * 60] * 5),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(value: str) -> None:
    with pytest.raises(BadAddress):
        # A header's value arrives stripped; what follows a line end is another header.
        parse_address(value if "\n" not in value else value + " x")


@given(st.text(max_size=60))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        it = parse_address(text)
    except BadAddress:
        return
    assert it.spelled.count("@") == 1
    assert not any(unicodedata.category(char) in ("Cc", "Cf") for char in it.spelled + it.name)


@given(st.from_regex(r"\A[a-z0-9]{1,8}(\.[a-z0-9]{1,8})?@[a-z0-9]{1,8}\.[a-z]{2,4}\Z"))
def test_plain_addresses_are_read_as_the_standard_library_reads_them(text: str) -> None:
    assert parse_address(f"Some One <{text}>").spelled == email.utils.parseaddr(text)[1]


def test_spellings_of_one_mailbox_are_equal_in_normal_form() -> None:
    same = [
        "Alice@GÖÖD.org",
        "alice@gööd.ORG",
        "alice@go\u0308o\u0308d.org",
        "ALICE@xn--gd-fkaa.org",
    ]
    assert {parse_address(each).normal for each in same} == {"alice@xn--gd-fkaa.org"}
    assert parse_address("Alice@GOOD.org").spelled == "Alice@GOOD.org"


def test_rfc_5233_subaddresses_lead_to_one_mailbox() -> None:
    assert mailbox_of("alice+one+two@good.org") == "alice@good.org"
    assert mailbox_of("alice@good.org") == "alice@good.org"
    assert mailbox_of("+one@good.org") == "+one@good.org"


def test_a_mail_has_one_from_header() -> None:
    assert sender(["Alice <alice@good.org>"]).normal == "alice@good.org"
    for headers in ([], ["a@good.org", "b@good.org"], ["a@good.org", "a@good.org"]):
        with pytest.raises(BadAddress):
            sender(headers)


# ---- headers that we write -----------------------------------------------------------------

POISON = [
    "=?UTF-8?Q?=0A?=Bcc: eve@evil.org",
    "=?utf-8?b?DQpCY2M6IGV2ZUBldmlsLm9yZw==?=",
    "hello\r\nBcc: eve@evil.org",
    "hello\x0b\x0c\x1c\x85\u2028\u2029Bcc: eve@evil.org",
    "=?utf-8?q?=3D=3Futf-8=3Fq=3F=0ABcc=3F=3D?=",
    "\u202egro.live@eve\u202c",
    "x" * 100_000,
]


@pytest.mark.parametrize("value", POISON, ids=range(len(POISON)))
def test_a_cleaned_subject_stays_one_header_line_whatever_reads_it(value: str) -> None:
    subject = clean_subject(value)
    assert len(subject) <= 200
    message = EmailMessage()
    message["Subject"] = f"Re: {subject}"
    message["To"] = "alice@good.org"
    for policy in (email.policy.SMTP, email.policy.compat32):
        read = email.message_from_bytes(message.as_bytes(), policy=policy)
        assert sorted(read.keys()) == ["Subject", "To"]
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") for char in subject)


@given(st.text(max_size=200), st.integers(1, 80))
def test_cleaned_text_is_one_short_line_and_cleaning_again_changes_nothing(
    text: str, limit: int
) -> None:
    cleaned = clean(text, limit)
    assert len(cleaned) <= limit
    assert cleaned.splitlines() in ([], [cleaned])
    assert "=?" not in cleaned
    assert clean(cleaned, limit) == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("a\r\x1b\rb", "a b"), ("e\u200d\u0301", "\u00e9"), ("=\x00?utf-8?q?a?=", "= ?utf-8?q?a?=")],
)
def test_what_stood_around_a_hidden_character_is_cleaned_as_well(text: str, cleaned: str) -> None:
    assert clean(text, 80) == cleaned


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("=?utf-8?q?Z=C3=BCrich?=", "Zürich"),
        ("=?nope?q?Z=FCrich?=", "Zürich"),
        ("=?utf-8?q?Z=FCrich?=", "Zürich"),
        ("=?utf-8?b?WsO8cmljaA?=", "Zürich"),
        ("=?utf-8?b?!?=", ""),
        ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
        ("=?", "=?"),
    ],
)
def test_encoded_words_are_decoded_or_left(value: str, text: str) -> None:
    assert decode_words(value) == text


@given(st.text(max_size=200))
def test_decoding_words_never_raises(text: str) -> None:
    decode_words("=?" + text)
    decode_words(f"=?utf-8?b?{text}?=")
    decode_words(f"=?{text}?q?x?=")


def test_an_address_is_spelled_from_its_parts() -> None:
    assert Address("a", "b.org", "N").spelled == "a@b.org"
