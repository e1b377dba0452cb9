"""Headers of our mails: hazards 25 to 27, RFC 5322, RFC 2047, RFC 3834."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.utils import parseaddr, parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.texts import Texts, layout
from sigilpost_server.mail_in import machine
from sigilpost_server.mail_in.door import Mail, admit
from sigilpost_server.mail_out import headers, letters
from sigilpost_server.mail_out.compose import compose
from sigilpost_server.mail_out.headers import BadHeader
from sigilpost_server.mail_out.letter import Address, Envelope, GameTag, Letter

from .reading import header, parsed
from .samples import ENVELOPE, GAME, every_kind

TEXTS = Texts()
each_letter = pytest.mark.parametrize("letter", every_kind().values(), ids=list(every_kind()))
NAMES = {
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Auto-Submitted",
    "List-Id",
    "X-Loop",
    "Content-Language",
    "MIME-Version",
    "Content-Type",
}
POISON = [
    "hello\r\nBcc: eve@evil.example",
    "=?UTF-8?Q?=0A?=Bcc: eve@evil.example",
    "=?utf-8?b?CkJjYzogZXZlQGV2aWwuZXhhbXBsZQ==?=",
    "a\x00b\x1b[2Jc",
    "a\u2028Bcc: x\u2029y\x85z",
    "\u202egnp.exe",
    "x" * 5000,
    "한" * 2000,
    'Quote " back \\ slash, comma',
    "eve@evil.example> <bob@example.org",
    "",
    "   ",
    "\ud800",
]


def mail(**changes: object) -> bytes:
    """A turn mail with another envelope."""
    letter = every_kind()["turn"]
    envelope = replace(letter.envelope, **changes)  # type: ignore[arg-type]
    return compose(replace(letter, envelope=envelope), TEXTS)


def received(bytes_: bytes) -> Mail:
    """The mail as our own door lets it in."""
    mail = admit(bytes_)
    assert isinstance(mail, Mail)
    return mail


def raw(name: str, bytes_: bytes) -> str:
    """A field as written, folded and all."""
    head = bytes_.partition(b"\r\n\r\n")[0].decode()
    [found] = re.findall(rf"^{name}:((?:[^\r\n]|\r\n[ \t])*)", head, re.MULTILINE)
    return str(found)


@each_letter
def test_every_mail_has_these_headers_once_and_no_others(letter: Letter) -> None:
    found = parsed(compose(letter, TEXTS)).keys()
    expected = NAMES
    if not letter.envelope.references:
        expected = expected - {"In-Reply-To", "References"}
    if letter.reply:
        expected = expected | {"Reply-To"}
    assert sorted(found) == sorted(expected)


def test_subject_has_the_games_tag_first() -> None:
    assert header(mail(), "Subject") == "[weaver-7k2q] Your turn"


def test_a_mail_about_no_game_has_no_tag() -> None:
    assert header(compose(every_kind()["challenge"], TEXTS), "Subject") == "Confirm your address"


def test_addresses_are_written_with_their_names() -> None:
    assert header(mail(), "From") == "Sigilpost <post@sigil.example>"
    assert header(mail(), "To") == "alice <alice@example.org>"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("challenge", "auto-generated"),
        ("turn", "auto-generated"),
        ("news", "auto-generated"),
        ("over", "auto-generated"),
        ("chat", "auto-generated"),
        ("help", "auto-replied"),
        ("answer", "auto-replied"),
        ("refused", "auto-replied"),
        ("receipt", "auto-replied"),
        ("over-answer", "auto-replied"),
        ("error", "auto-replied"),
    ],
)
def test_auto_submitted_is_replied_for_answers_and_generated_else(kind: str, value: str) -> None:
    """RFC 3834, section 5."""
    assert header(compose(every_kind()[kind], TEXTS), "Auto-Submitted") == value


@each_letter
def test_our_own_mail_is_known_when_it_comes_back(letter: Letter) -> None:
    """Hazard 8: each of From, X-Loop and List-Id alone is enough."""
    bytes_ = compose(letter, TEXTS)
    address = machine.Ours.of([letter.envelope.sender.mail])
    list_id = machine.Ours.of([], [letter.envelope.list_id])
    for ours, dropped in ((address, b"X-Loop"), (address, b"From"), (list_id, b"From")):
        cut = re.sub(rb"^" + dropped + rb":.*\r\n", b"", bytes_, flags=re.MULTILINE)
        mark = machine.machine_made(received(cut), ours)
        assert mark is not None
        assert mark.reason == "own-mail"


@each_letter
def test_a_robot_that_obeys_rfc_3834_does_not_answer_us(letter: Letter) -> None:
    mark = machine.machine_made(received(compose(letter, TEXTS)), machine.Ours())
    assert mark is not None
    assert mark.reason == "auto-submitted"


# --- threading ------------------------------------------------------------------------------


def test_in_reply_to_defaults_to_the_last_reference() -> None:
    bytes_ = mail(references=("<a@x>", "<b@x>"))
    assert header(bytes_, "In-Reply-To") == "<b@x>"
    assert header(bytes_, "References") == "<a@x> <b@x>"


@pytest.mark.parametrize("length", [60, 80, 88, 200, 400])
def test_a_long_message_id_is_written_as_it_is(length: int) -> None:
    """Hazard 25: longer than a line, and still no encoded word."""
    id_ = f"<{'x' * (length - 12)}@example.org>"
    bytes_ = mail(in_reply_to=id_, references=("<root@x>", id_))
    for name in ("In-Reply-To", "References"):
        assert id_ in raw(name, bytes_)
        assert "=?" not in raw(name, bytes_)
    assert message_from_bytes(bytes_, policy=policy.default)["In-Reply-To"] == id_


@pytest.mark.parametrize(
    "id_",
    [
        "<a@b>\r\nBcc: eve@evil.example",
        "no brackets@x",
        "<[abc@x>",
        "<abc@x>\x00",
        "<a b@x>",
        "<ä@x>",
        f"<{'x' * 2000}@y>",
        "",
        "<>",
    ],
)
def test_a_strangers_message_id_that_is_not_plain_is_left_out(id_: str) -> None:
    bytes_ = mail(in_reply_to=id_, references=("<root@x>", id_))
    assert header(bytes_, "In-Reply-To") == "<root@x>"
    assert header(bytes_, "References") == "<root@x>"


def test_a_long_thread_keeps_its_root_and_its_end() -> None:
    ids = tuple(f"<{number}.{'x' * 60}@sigil.example>" for number in range(500))
    kept = header(mail(references=ids), "References").split()
    assert (kept[0], kept[-1], len(kept)) == (ids[0], ids[-1], headers.THREAD)
    assert max(map(len, raw("References", mail(references=ids)).split("\r\n"))) <= 998


# --- poison ---------------------------------------------------------------------------------


@pytest.mark.parametrize("poison", POISON, ids=range(len(POISON)))
def test_no_text_of_a_player_adds_a_header_or_breaks_the_mail(poison: str) -> None:
    """Hazard 26: line breaks, plain or encoded, in names and subjects."""
    letter = letters.chat(
        replace(ENVELOPE, to=Address("alice@example.org", poison)),
        GAME,
        speaker=poison,
        words=poison,
    )
    bytes_ = compose(letter, TEXTS)
    assert bytes_.isascii()
    for rules in (policy.compat32, policy.default):
        read = message_from_bytes(bytes_, policy=rules)
        assert sorted(read.keys()) == sorted(NAMES)
        assert str(read["To"]).rstrip(">").endswith("alice@example.org")
    assert parseaddr(parsed(bytes_)["To"])[1] == "alice@example.org"
    shown = layout.tidy(f"{poison} writes to the table")[: headers.SUBJECT].strip()
    assert header(bytes_, "Subject") == f"[weaver-7k2q] {shown}"


@given(st.text(max_size=400))
def test_any_subject_arrives_as_it_was_but_tidy(text: str) -> None:
    lines = headers.unstructured("Subject", text, prefix="[t]")
    assert all(len(line) <= 78 and line.isascii() for line in lines)
    assert all(line.startswith(" ") and line.strip() for line in lines[1:])
    read = message_from_bytes("\r\n".join([*lines, "", ""]).encode(), policy=policy.default)
    assert read.keys() == ["Subject"]
    shown = layout.tidy(text)[: headers.SUBJECT].strip()
    assert header("\r\n".join([*lines, "", ""]).encode(), "Subject") == f"[t] {shown}".strip()


@given(st.text(max_size=300))
def test_any_display_name_leaves_the_address_alone(name: str) -> None:
    lines = headers.mailbox("To", Address("alice@example.org", name))
    assert all(len(line) <= 998 and line.isascii() for line in lines)
    read = message_from_bytes("\r\n".join([*lines, "", ""]).encode(), policy=policy.default)
    assert read.keys() == ["To"]
    [address] = read["To"].addresses
    assert address.addr_spec == "alice@example.org"


# --- what is ours must be sound -------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"message_id": "no brackets"},
        {"message_id": "<a@b>\r\nBcc: x"},
        {"list_id": "a b"},
        {"list_id": "x>\r\nBcc: y"},
        {"date": datetime(2026, 3, 2)},  # noqa: DTZ001 - it must be refused
        {"to": Address("no-at-sign")},
        {"to": Address("a b@example.org")},
        {"to": Address("a@example.org\r\nBcc: eve@evil.example")},
        {"to": Address("a@b@example.org, c")},
        {"to": Address("a@exa mple.org")},
        {"sender": Address("")},
        {"reply_to": "x>"},
    ],
)
def test_a_malformed_envelope_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(BadHeader):
        mail(**changes)


def test_a_malformed_tag_is_refused() -> None:
    letter = replace(every_kind()["turn"], game=GameTag("x]\r\nBcc: y", "weaver"))
    with pytest.raises(BadHeader):
        compose(letter, TEXTS)


def test_an_international_domain_is_written_in_ascii() -> None:
    assert headers.address("bob@bücher.example") == "bob@xn--bcher-kva.example"


def test_a_local_part_beyond_ascii_stays_in_utf8() -> None:
    """RFC 6532: only a relay with SMTPUTF8 takes such a mail."""
    bytes_ = mail(to=Address("jörg@example.org"))
    assert "jörg@example.org".encode() in bytes_
    assert message_from_bytes(bytes_, policy=policy.SMTPUTF8)["To"] == "jörg@example.org"


def test_reply_to_is_there_only_where_wanted() -> None:
    assert header(mail(reply_to="post+code@sigil.example"), "Reply-To") == "post+code@sigil.example"


def test_a_mail_that_can_be_answered_by_a_reply_says_where() -> None:
    found = header(compose(every_kind()["turn-by-reply"], TEXTS), "Reply-To")
    assert found == "post+k7q29fmd3xwa@sigil.example"


def test_the_date_is_that_of_the_event() -> None:
    assert parsedate_to_datetime(header(mail(), "Date")) == datetime(2026, 3, 2, 10, 30, tzinfo=UTC)


def test_an_envelope_is_plain_data() -> None:
    assert isinstance(ENVELOPE, Envelope)
    assert hash(ENVELOPE) == hash(replace(ENVELOPE))
