"""What real mail does to a robot that reads it: the hazards of reading, by their numbers.

Those of the whole service (11, 13, 16, 24 to 29, and cards that leak) are in
``tests/server/service/test_hazards.py``; those of mailboxes (14), in
``tests/server/transport/test_imap.py``; what costs time or memory (30, 31), in ``test_hostile.py``.
"""

from __future__ import annotations

import base64
import quopri

import pytest

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_server.mail_in import addresses
from sigilpost_server.mail_in.addresses import BadAddress
from sigilpost_server.mail_in.extract import own_words
from sigilpost_server.mail_in.machine import Effect, machine_made
from tests.wire.samples import ALICE

from .samples import (
    FRESH,
    OTHER,
    OURS,
    TEXT,
    admitted,
    base64_lines,
    extracted,
    found,
    joined,
    mail,
    multipart,
    part,
)

QUOTED = "> " + TEXT.replace("\n", "\n> ")


def sender_of(raw: bytes) -> str:
    """The address in From, in its normal form."""
    return addresses.sender(admitted(raw).headers("From")).normal


def words(raw: bytes) -> tuple[str, ...]:
    """The words on top of a mail."""
    return extracted(raw).words


# ---- who says so ---------------------------------------------------------------------------


def test_hazard_01_an_address_before_the_address_is_refused() -> None:
    with pytest.raises(BadAddress):
        sender_of(mail(sender="alice@good.example <bob@evil.example>"))


def test_hazard_01_two_from_headers_are_refused() -> None:
    with pytest.raises(BadAddress):
        sender_of(mail(extra="From: Bob <bob@evil.example>\n"))


def test_hazard_02_neither_reply_to_nor_subject_nor_sender_gives_identity() -> None:
    extra = "Reply-To: bob@good.example\nSender: carol@good.example\nX-Sender: dan@good.example\n"
    assert sender_of(mail(extra=extra, subject="from bob@good.example")) == "alice@good.example"


def test_hazard_02_the_block_alone_decides_who_orders() -> None:
    [block] = found(mail(sender="Eve <eve@evil.example>", subject="[other-game] I am Bob"))
    assert payloads.verify(block, ALICE.public).key == ALICE.fingerprint


@pytest.mark.parametrize("result", ["dkim=pass header.d=good.example", "spf=fail; dmarc=fail"])
def test_hazard_03_authentication_results_change_nothing(result: str) -> None:
    raw = mail(extra=f"Authentication-Results: games.example; {result}\n")
    assert found(raw) == [FRESH]
    assert machine_made(admitted(raw), OURS) is None


def test_hazard_04_a_list_that_rewrites_from_keeps_the_block_and_gains_no_identity() -> None:
    raw = mail(sender='"Alice via Cards" <cards@lists.example>')
    assert found(raw) == [FRESH]
    assert sender_of(raw) == "cards@lists.example"


def test_hazard_05_a_forwarded_block_needs_no_dkim() -> None:
    broken = mail(extra="DKIM-Signature: v=1; a=rsa-sha256; d=good.example; b=AAAA\n")
    raw = multipart(part("fyi"), part(broken, "message/rfc822"))
    assert found(raw) == [FRESH]


def test_hazard_06_a_client_that_makes_everything_lower_case() -> None:
    assert found(mail(TEXT.lower())) == [FRESH]


# ---- machines ------------------------------------------------------------------------------


def test_hazard_07_out_of_office_with_or_without_its_headers() -> None:
    for extra, effect in (
        ("Auto-Submitted: auto-replied\n", Effect.NOTHING_COUNTS),
        ("X-Autoreply: yes\n", Effect.NOTHING_COUNTS),
        ("", Effect.UNLESS_FRESH),
    ):
        it = machine_made(admitted(mail("x", subject="Out of office", extra=extra)), OURS)
        assert it is not None
        assert it.effect is effect


def test_hazard_08_our_own_mail_come_back_is_known_by_from_loop_or_list() -> None:
    for extra, sender in (
        ("", "Sigilpost <games@games.example>"),
        ("X-Loop: games@games.example\n", "Relay <relay@good.example>"),
        ("List-Id: Game <weaver-7k2q.games.example>\n", "Relay <relay@good.example>"),
    ):
        it = machine_made(admitted(mail(sender=sender, extra=extra)), OURS)
        assert it is not None
        assert it.reason == "own-mail"


def test_hazard_09_a_delivery_report_is_one_and_a_forwarded_report_is_not() -> None:
    kind = "multipart/report; report-type=delivery-status; boundary=b"
    report = mail(joined(part("failed"), part(TEXT, "message/rfc822")), kind=kind)
    it = machine_made(admitted(report), OURS)
    assert it is not None
    assert it.reason == "delivery-report"
    forwarded = multipart(part("what is this?"), part(report, "message/rfc822"))
    assert machine_made(admitted(forwarded), OURS) is None


def test_hazard_10_a_read_receipt_is_not_a_persons_mail() -> None:
    kind = "multipart/report; report-type=disposition-notification; boundary=b"
    it = machine_made(admitted(mail(joined(part("read")), kind=kind)), OURS)
    assert it is not None
    assert it.reason == "read-receipt"


# ---- twice, never, late --------------------------------------------------------------------


@pytest.mark.parametrize("charset", ["nope", "", "utf-9\0", "x" * 500, "=?utf-8?q?x?="])
def test_hazard_12_a_bad_charset_harms_nothing(charset: str) -> None:
    assert found(mail(kind=f'text/plain; charset="{charset}"')) == [FRESH]


def test_hazard_13_a_message_id_is_only_one_of_the_headers() -> None:
    first = admitted(mail(TEXT))
    second = admitted(mail("something else"))
    assert first.header("Message-ID") == second.header("Message-ID")
    assert first.digest != second.digest


@pytest.mark.parametrize(
    "date",
    ["Thu, 1 Jan 1970 00:00:00 +0000", "Fri, 31 Dec 99999 23:59:60 +9999", "soon", "", "\udcff"],
)
def test_hazard_15_the_date_is_never_believed_nor_stumbled_over(date: str) -> None:
    assert found(mail(extra=f"Date: {date}\n")) == [FRESH]


# ---- what clients do to text ---------------------------------------------------------------


def test_hazard_17_the_block_above_below_and_between_quotes() -> None:
    turn = "> Your move, Alice.\n> claim or pass\n"
    for body in (TEXT + turn, turn + TEXT, turn + "ok\n" + TEXT + turn, QUOTED, "> " + QUOTED):
        assert found(mail(body)) == [FRESH]


def test_hazard_17_a_quote_without_marks() -> None:
    body = "From: Sigilpost\nSent: today\nTo: Alice\nSubject: Your move\n\nYour move.\n"
    assert words(mail("pass\n\n" + body)) == ("pass",)
    rule = "-----Original Message-----\nYour move.\n"
    assert words(mail("pass\n\n" + rule)) == ("pass",)
    assert words(mail("pass\n\n________________________________\nYour move.\n")) == ("pass",)


@pytest.mark.parametrize(
    "attribution",
    [
        "On Tue, 17 Jun 2025 at 08:00, Sigilpost <games@games.example> wrote:",
        "On Tue, 17 Jun 2025 at 08:00, Sigilpost\n<games@games.example>\nwrote:",
        "Am 17.06.25 um 08:00 schrieb Sigilpost:",
        "Le mar. 17 juin 2025 à 08:00, Sigilpost a écrit :",
        "2025年6月17日(火) 8:00 Sigilpost <games@games.example>:",
        "2025년 6월 17일 (화) 오전 8:00, Sigilpost님이 작성：",
    ],
)
def test_hazard_17_what_introduces_a_quote_is_not_the_persons_word(attribution: str) -> None:
    assert words(mail(f"pass\n\n{attribution}\n> Your move.\n")) == ("pass",)


def test_hazard_17_an_own_line_that_begins_like_a_quote_never_changes_the_block() -> None:
    assert found(mail("> 3 is better than 2\n\n" + TEXT)) == [FRESH]


def test_hazard_17_text_around_the_block_is_never_part_of_it() -> None:
    assert found(mail("AAAA BBBB 2222\n" + TEXT + "CCCC DDDD 7777\n")) == [FRESH]


def test_hazard_18_disclaimers_footers_and_signatures() -> None:
    for foot in (
        "-- \nAlice\n",
        "--\nAlice\n",
        "Alice\nGood Example Ltd\n",
        "*** This e-mail is confidential ***\n",
        "_______________________________________________\nCards mailing list\n",
    ):
        assert found(mail(TEXT + foot)) == [FRESH]
    assert words(mail("pass\n-- \nclaim stone 3\n")) == ("pass",)
    assert words(mail("pass\n—\nclaim stone 3\n")) == ("pass", "-", "claim stone 3")


def test_hazard_19_html_alone() -> None:
    body = "<div>" + TEXT.replace("\n", "</div><div>") + "</div>"
    assert found(mail(body, kind="text/html")) == [FRESH]


def test_hazard_19_an_empty_text_beside_html() -> None:
    body = "<p>" + TEXT.replace("\n", "<br>") + "</p>"
    raw = mail(
        joined(part("\r\n \r\n"), part(body, "text/html")),
        kind="multipart/alternative; boundary=b",
    )
    assert found(raw) == [FRESH]


def test_hazard_19_tags_flattened_into_one_line() -> None:
    assert found(mail(TEXT.replace("\n", ""), kind="text/html")) == [FRESH]


def test_hazard_19_entities_no_break_and_zero_width_spaces_and_a_bom() -> None:
    body = "\ufeff" + TEXT.replace("-", "&#x2d;").replace(" ", "&nbsp;").replace(
        "G", "&zwnj;G&#8203;"
    )
    assert found(mail(body, kind="text/html; charset=utf-8")) == [FRESH]


def test_hazard_19_html_that_is_labelled_as_plain_text() -> None:
    body = "<html><body>" + TEXT.replace("\n", "<br>\n").replace("-", "&ndash;") + "</body></html>"
    assert found(mail(body)) == [FRESH]


@pytest.mark.parametrize(
    ("charset", "label"),
    [
        ("utf-16", "utf-16"),
        ("utf-16", "us-ascii"),
        ("utf-16-be", "utf-8"),
        ("iso-2022-jp", "iso-2022-jp"),
        ("iso-2022-jp", "us-ascii"),
        ("shift_jis", "utf-8"),
        ("utf-8", "shift_jis"),
        ("utf-8", "utf-16"),
        ("utf-7", "utf-7"),
        ("utf-7", "us-ascii"),
        ("cp1252", "nope"),
        ("cp037", "cp037"),
    ],
)
def test_hazard_20_charsets_known_unknown_and_lying(charset: str, label: str) -> None:
    data = base64_lines(("hello\n" + TEXT).encode(charset))
    raw = mail(data, kind=f"text/plain; charset={label}", encoding="base64")
    assert found(raw) == [FRESH]


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "UTF-16BE", "utf-32", "zlib", "cp-1"])
@pytest.mark.parametrize("text", ["Grüße, Álvaro\n", "plain words\n"])
def test_hazard_20_words_under_a_label_that_cannot_be_true_are_read(label: str, text: str) -> None:
    """Not the signed block alone, which tells when it was read rightly."""
    assert extracted(mail(text, kind=f"text/plain; charset={label}")).words == (text.strip(),)


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_hazard_20_words_under_a_label_that_is_true_are_read(charset: str) -> None:
    text = "一手進めます。\nGrüße\n"
    raw = mail(
        base64_lines(text.encode(charset)),
        kind=f"text/plain; charset={charset}",
        encoding="base64",
    )
    assert extracted(raw).words == ("一手進めます。", "Grüße")


def test_hazard_21_words_that_were_decoded_on_the_way_are_read() -> None:
    raw = mail("claim stone 3\n\npass\n", encoding="base64")
    assert extracted(raw).words == ("claim stone 3", "pass")
    encoded = base64_lines(b"claim stone 3\r\npass\r\n")
    for body in (encoded, "\n > " + encoded, encoded + "\r\n____\r\na footer in clear"):
        assert extracted(mail(body, encoding="base64")).words == ("claim stone 3", "pass")


def test_hazard_21_bad_quoted_printable() -> None:
    data = quopri.encodestring(TEXT.encode()).decode()
    for bad in (
        data.replace("\n", " =\n\n"),
        data.replace("=\n", "= \t\n"),
        data + "=",
        data.replace("\n", "\n=!\n"),
        TEXT.replace("\n", "=20=\n\n"),
    ):
        assert found(mail(bad, encoding="quoted-printable")) == [FRESH]


def test_hazard_21_doubled_line_breaks() -> None:
    assert found(mail(TEXT.replace("\n", "\r\n\r\n"))) == [FRESH]
    assert found(mail(TEXT.replace("\n", "\r\r\n"))) == [FRESH]


def test_hazard_21_line_ends_doubled_in_the_headers_too() -> None:
    raw = mail(f"claim stone 3\n\n{TEXT}")
    assert b"\r\n" in raw
    for bad in (raw.replace(b"\r\n", b"\r\r\n"), raw.replace(b"\r\n", b"\r")):
        it = admitted(bad)
        assert it.header("Subject") == "Re: [weaver-7k2q] Your move"
        assert sender_of(bad) == "alice@good.example"
        assert words(bad) == ("claim stone 3",)
        assert found(bad) == [FRESH]


def test_hazard_21_base64_with_junk_in_it() -> None:
    data = base64.b64encode(TEXT.encode()).decode()
    for bad in (
        "\r\n> ".join(["", *(data[at : at + 60] for at in range(0, len(data), 60))]),
        data.rstrip("="),
        data + "=====",
        data + "\r\n\r\nThis mail was scanned.\r\n",
        "\r\n".join(data[at : at + 61] for at in range(0, len(data), 61)),
    ):
        assert found(mail(bad, encoding="base64")) == [FRESH]


@pytest.mark.parametrize("encoding", ["8-bit", "7BIT", "binary", "none", "utf-8", "", "base64 "])
def test_hazard_21_a_transfer_encoding_that_is_none(encoding: str) -> None:
    assert found(mail(TEXT, encoding=encoding)) == [FRESH]


def test_hazard_22_format_flowed_with_delsp_and_trailing_spaces() -> None:
    kind = "text/plain; charset=utf-8; format=flowed; delsp=yes"
    for body in (TEXT.replace("\n", " \n"), TEXT.replace("\n", "   \r\n"), " " + TEXT):
        assert found(mail(body, kind=kind)) == [FRESH]


def test_hazard_22_re_wrapped_and_re_encoded_on_the_way() -> None:
    wrapped = TEXT.replace("ORDERS-----\n", "ORDERS-----\n\n").replace("2", "2\n")
    data = quopri.encodestring(wrapped.encode())
    assert found(mail(data, encoding="quoted-printable")) == [FRESH]


@pytest.mark.parametrize("dash", ["–", "—", "―", "−", "‐", "‑", "――", "-–-", "\u00ad\u00ad"])
def test_hazard_23_dashes_made_beautiful(dash: str) -> None:
    assert found(mail(TEXT.replace("-----", dash))) == [FRESH]


def test_hazard_23_signed_and_list_wrappers_around_the_body() -> None:
    signature = part("-----BEGIN PGP SIGNATURE-----\n", "application/pgp-signature")
    signed = part(
        joined(part(TEXT), signature, boundary="s"), "multipart/signed; boundary=s; micalg=x"
    )
    assert found(multipart(signed, part("Cards mailing list"), boundary="ml")) == [FRESH]


def test_hazard_23_a_clear_signed_text() -> None:
    armoured = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + TEXT.replace(
        "-----BEGIN", "- -----BEGIN"
    ).replace("-----END", "- -----END")
    tail = "-----BEGIN PGP SIGNATURE-----\nAAAA\n-----END PGP SIGNATURE-----\n"
    assert found(mail(armoured + tail)) == [FRESH]


@pytest.mark.parametrize(
    "kind", ["text/rtf", "application/rtf", "application/x-unknown; name=a.rtf"]
)
def test_hazard_23_rich_text_instead_of_a_body(kind: str) -> None:
    rtf = r"{\rtf1{\fonttbl{\f0 Arial;}}\pard " + TEXT.replace("\n", "\\par\n") + "}"
    assert found(multipart(part(""), part(rtf, kind))) == [FRESH]


def test_hazard_23_enriched_text_instead_of_html() -> None:
    body = "<bold>move</bold>\n\n<fixed>" + TEXT + "</fixed>"
    assert found(mail(body, kind="text/enriched")) == [FRESH]


@pytest.mark.parametrize("prefix", ["RE: AW: SV: Antw:", "Re[2]:", "WG:", "回复：", "RE:AW:"])
def test_hazard_24_a_subject_says_nothing(prefix: str) -> None:
    raw = mail(subject=prefix + "[weaver-7k2q]Your move")
    assert found(raw) == [FRESH]
    assert machine_made(admitted(raw), OURS) is None


def test_hazard_24_a_mail_without_message_id_references_or_date() -> None:
    bare = b"From: alice@good.example\n\n" + TEXT.encode()
    assert found(bare) == [FRESH]


# ---- what we may do to mail ----------------------------------------------------------------


def test_hazard_26_an_encoded_newline_reaches_no_header() -> None:
    raw = mail(subject="=?UTF-8?Q?=0A?=Bcc: eve@evil.example")
    assert addresses.clean_subject(admitted(raw).header("Subject")) == "Bcc: eve@evil.example"
    with pytest.raises(BadAddress):
        sender_of(mail(sender="=?UTF-8?Q?=0A?=Bcc <alice@good.example>"))


# ---- several in one mail -------------------------------------------------------------------


def test_several_blocks_of_one_mail_are_all_found_each_once() -> None:
    both = armour(OTHER) + QUOTED + TEXT
    assert found(mail(both)) == [OTHER, FRESH]


def test_words_above_are_those_above_the_block_that_was_taken() -> None:
    said = extracted(mail(f"first\n{TEXT}\nsecond\n{armour(OTHER)}"))
    first, second = said.blocks
    assert said.words_above(first) == ("first",)
    assert said.words_above(second) == ("first", "second")


def test_own_words_take_any_text() -> None:
    assert own_words("") == ()
    assert own_words("\n>\n\n>") == ()
    assert own_words(">" * 100_000) == ()
