"""The lines and codes of a reply, in the styles and languages of many mail programs."""

from __future__ import annotations

import base64
import html
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_server.mail_in import flowed, reply
from sigilpost_server.mail_in.machine import Ours
from sigilpost_server.mail_in.reply import Said
from sigilpost_server.transaction.incoming import read

from .samples import TEXT, joined, mail, part

CODE = "K7Q2-9FMD-3XWA"
TURN = f"""\
--- Reply above this line ---

weaver-7k2q (Tome Weaver) waits for you.

You can answer with one of these lines:

  claim A with ASHW 4
  hide ASHW 6
  pass

Reply code: {CODE}

--{" "}
In this game a reply counts.
"""
QUOTE = "".join(f"> {line}\n" for line in TURN.splitlines())
WANTED = ("claim stone 3", "pass")
ABOVE = "claim stone 3\npass\n"


def said(raw: bytes) -> tuple[Said, ...]:
    """The lines that a mail would order, and what is known of them."""
    return read(raw, "test", Ours()).reply.lines


def lines(raw: bytes) -> tuple[str, ...]:
    """The lines that a mail would order."""
    return tuple(each.line for each in said(raw))


def codes(raw: bytes) -> tuple[str, ...]:
    """What may be codes in a mail, as people see them."""
    return tuple(map(reply.shown, read(raw, "test", Ours()).reply.codes))


# ---- styles and languages ------------------------------------------------------------------

ATTRIBUTIONS = {
    "English": "On Tue, 17 Jun 2025 at 08:00, Sigilpost <games@games.example> wrote:",
    "English, wrapped": "On Tue, Jun 17, 2025 at 8:00 AM Sigilpost\n<games@games.example> wrote:",
    "English, in three lines": "On Tue, 17 Jun 2025 at 08:00, Sigilpost\n<g@games.example>\nwrote:",
    "Yahoo": "On Tuesday, June 17, 2025 at 08:00:12 AM GMT+2, Sigilpost <g@x.example> wrote: ",
    "mutt": "On Tue, Jun 17, 2025 at 08:00:12AM +0200, Sigilpost wrote:",
    "s-nail": "Sigilpost wrote in\n <2025061708.abc@games.example>:",
    "German": "Am 17.06.25 um 08:00 schrieb Sigilpost:",
    "German, Gmail": "Am Di., 17. Juni 2025 um 08:00 Uhr schrieb Sigilpost <g@games.example>:",
    "French": "Le mar. 17 juin 2025 à 08:00, Sigilpost <g@games.example> a écrit :",
    "Spanish": "El mar, 17 jun 2025 a las 8:00, Sigilpost (<g@games.example>) escribió:",
    "Portuguese": "Em ter., 17 de jun. de 2025 às 08:00, Sigilpost <g@x.example> escreveu:",
    "Italian": "Il giorno mar 17 giu 2025 alle ore 08:00 Sigilpost <g@x.example> ha scritto:",
    "Dutch": "Op di 17 jun 2025 om 08:00 schreef Sigilpost <g@games.example>:",
    "Danish": "Den tirs. 17. jun. 2025 kl. 08.00 skrev Sigilpost <g@games.example>:",
    "Swedish": "Den tis 17 juni 2025 kl 08:00 skrev Sigilpost <g@games.example>:",
    "Norwegian": "tir. 17. juni 2025 kl. 08:00 skrev Sigilpost <g@games.example>:",
    "Finnish": "ti 17.6.2025 klo 8.00 Sigilpost (g@games.example) kirjoitti:",
    "Polish": "wt., 17 cze 2025 o 08:00 Sigilpost <g@games.example> napisał(a):",
    "Czech": "út 17. 6. 2025 v 8:00 odesílatel Sigilpost <g@games.example> napsal:",
    "Hungarian": "Sigilpost <g@games.example> ezt írta (időpont: 2025. jún. 17., K, 8:00):",
    "Russian": "вт, 17 июн. 2025 г. в 08:00, Sigilpost <g@games.example>:",
    "Ukrainian": "вт, 17 черв. 2025 р. о 08:00 Sigilpost <g@games.example> пише:",
    "Greek": "Στις Τρί 17 Ιουν 2025 στις 8:00 π.μ., Sigilpost <g@x.example> έγραψε:",
    "Turkish": "Sigilpost <g@games.example>, 17 Haz 2025 Sal, 08:00 tarihinde şunu yazdı:",
    "Hebrew": "‫בתאריך יום ג׳, 17 ביוני 2025 ב-8:00 מאת ‪Sigilpost‬‏ <‪g@x.example‬‏>:‬",
    "Arabic": "في الثلاثاء، 17 يونيو 2025 8:00 ص، كتب Sigilpost <g@games.example>:",
    "Hindi": "मंगल, 17 जून 2025 को 8:00 am बजे को Sigilpost <g@x.example> ने लिखा:",
    "Thai": "เมื่อ อ. 17 มิ.ย. 2025 เวลา 08:00 Sigilpost <g@x.example> เขียนว่า:",
    "Vietnamese": "Vào 08:00, Th 3, 17 thg 6, 2025 Sigilpost <g@x.example> đã viết:",
    "Japanese": "2025年6月17日(火) 8:00 Sigilpost <g@games.example>:",
    "Korean": "2025년 6월 17일 (화) 오전 8:00, Sigilpost <g@games.example>님이 작성:",
    "Chinese": "Sigilpost <g@games.example> 于2025年6月17日周二 08:00写道：",
}


@pytest.mark.parametrize("language", ATTRIBUTIONS)
@pytest.mark.parametrize("gap", ["", "\n", "\n\n"])
def test_hazard_17_above_a_quote_in_any_language(language: str, gap: str) -> None:
    raw = mail(f"{ABOVE}{gap}{ATTRIBUTIONS[language]}\n{gap}{QUOTE}")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


HEADERS = {
    "English": ("From", "Sent", "To", "Subject"),
    "German": ("Von", "Gesendet", "An", "Betreff"),
    "French": ("De", "Envoyé", "À", "Objet"),
    "Russian": ("От", "Отправлено", "Кому", "Тема"),
    "Korean": ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
    "Chinese": ("发件人", "发送时间", "收件人", "主题"),
}


@pytest.mark.parametrize("language", HEADERS)
@pytest.mark.parametrize("rule", ["", "_" * 32 + "\n", "-----Original Message-----\n", "*"])
def test_hazard_17_outlook_s_copied_headers_and_no_marks(language: str, rule: str) -> None:
    """The quote has no mark on any line; only what stands above it is read."""
    bold = "*" if rule == "*" else ""
    head = "".join(f"{bold}{name}:{bold} x 2025\n" for name in HEADERS[language])
    raw = mail(f"{ABOVE}\n{rule.strip('*')}{head}\n{TURN}")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


def test_hazard_17_without_any_mark_the_line_of_ours_ends_what_is_read() -> None:
    assert lines(mail(f"{ABOVE}\n{TURN}")) == WANTED
    assert lines(mail(f"pass {TURN}".replace("\n", " "))) == ("pass",)


def test_hazard_17_answers_below_the_quote_are_not_read() -> None:
    assert lines(mail(f"Sigilpost wrote 2025:\n{QUOTE}\npass\n")) == ()


def test_hazard_17_between_two_quotes_only_the_top_counts() -> None:
    assert lines(mail(f"claim stone 3\n{QUOTE}\npass\n{QUOTE}")) == ("claim stone 3",)


@pytest.mark.parametrize(
    "end", ["-- ", "--", "—", "——", "–-", "end", "END", "End.", "---", "-----8<-----", "- Bob"]
)
def test_the_grammar_ends_at_end_and_at_dashes_of_any_kind(end: str) -> None:
    assert lines(mail(f"{ABOVE}{end}\nhide ASHW 6\n")) == WANTED


@pytest.mark.parametrize(
    "typed",
    [
        "claim stone 3.",
        "claim stone 3!",
        "claim stone 3;",
        "claim stone 3。",
        "* claim stone 3",
        "• claim stone 3",
        "1. claim stone 3",
        "2) claim stone 3",
        '"claim stone 3"',
        "“claim stone 3”.",
        "„claim stone 3“",
        "« claim stone 3 »",
        "‘claim stone 3’",
        "`claim stone 3`",
        "*claim stone 3*",
        "**claim stone 3**.",
        "_claim stone 3_",
        "1. *claim stone 3.*",
        f"claim stone 3 {CODE}",
        f"claim stone 3 ({CODE.lower()})",
    ],
)
def test_hazard_23_what_people_and_phones_put_around_a_command_is_no_part_of_it(
    typed: str,
) -> None:
    assert lines(mail(f"{typed}\npass.\n{QUOTE}")) == WANTED


@pytest.mark.parametrize(
    "line",
    [
        "claim the stone's shadow",
        "claim 3.5",
        "claim a-b (c)",
        "a: b",
        "claim stone (3) now",
        "claim stone 3. now",
        "claim * now",
        "*claim* stone *3*",
        "claim stone*",
        "move 2: blue-gree-card",
    ],
)
def test_what_stands_inside_a_command_is_left_alone(line: str) -> None:
    assert lines(mail(f"{line}\n{QUOTE}")) == (line,)


@pytest.mark.parametrize("above", [CODE, f"Reply code: {CODE}", f"[{CODE}]", f"Code：{CODE}."])
def test_a_line_with_the_code_alone_is_no_command(above: str) -> None:
    raw = mail(f"{above}\n\nclaim stone 3\n{above}\npass\n")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


@pytest.mark.parametrize(
    "salutation",
    ["Hi,", "Hi!", "Hello Sigilpost,", "Hallo zusammen,", "Cher robot,", "こんにちは,", "你好！"],
)
def test_a_salutation_is_known(salutation: str) -> None:
    first, *others = said(mail(f"\n{salutation}\n\n{ABOVE}{QUOTE}"))
    assert first == (salutation[:-1], True, True)
    assert tuple(other.line for other in others) == WANTED
    assert not any(other.salutes for other in others)


@pytest.mark.parametrize(
    "text",
    [
        "claim stone 3,\n\n",
        "Hi\n\npass",
        "Hi,\npass",
        "I will think about that first,\n\npass",
        "pass\n\nBest wishes,\n\nBob",
        f"Hello,\n\n{CODE}",
        "Hello,\n\n- Bob",
        "Hello,\n\nend",
    ],
)
def test_what_only_looks_like_a_salutation(text: str) -> None:
    assert not any(each.salutes for each in said(mail(f"{text}\n{QUOTE}")))


def test_a_salutation_below_the_code_is_one_too() -> None:
    first, *others = said(mail(f"{CODE}\n\nHi,\n\n{ABOVE}\n{QUOTE}"))
    assert first == ("Hi", True, True)
    assert tuple(other.line for other in others) == WANTED


def test_a_blank_line_below_a_comma_ends_the_line() -> None:
    found = said(mail("claim stone 3 now,\n\nSent from my phone\n"))
    assert [(each.line, each.fresh) for each in found] == [
        ("claim stone 3 now", True),
        ("Sent from my phone", True),
    ]


def test_hazard_23_a_text_in_opaquely_signed_s_mime() -> None:
    """RFC 8551 section 3.5.2; what is forwarded in that way orders nothing all the same."""
    entity = part(f"{ABOVE}\n{QUOTE}")
    wrapped = base64.encodebytes(b"0\x82\x0fB\x06\t*\x86H" + entity + b"\xa0\x82\x05\x00").decode()
    kind = "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m"
    raw = mail(wrapped, kind=kind, encoding="base64")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)
    forwarded = mail(
        joined(part(""), part(raw, "message/rfc822")), kind="multipart/mixed; boundary=b"
    )
    assert lines(forwarded) == ()


@pytest.mark.parametrize(
    "kind",
    ["text/rfc822-headers; protected-headers=v1", "text/calendar", "text/vcard", "text/x-amp-html"],
)
def test_hazard_23_what_programs_write_for_programs_is_no_command(kind: str) -> None:
    """Mail that is signed by OpenPGP may begin with its headers once more, as a text."""
    machine = part("Subject: Re: Your turn\n", kind, "Content-Disposition: inline\n")
    body = joined(machine, part(f"{ABOVE}\n{QUOTE}"))
    raw = mail(body, kind="multipart/mixed; boundary=b")
    assert lines(raw) == WANTED
    alone = mail(joined(machine, part(QUOTE)), kind="multipart/mixed; boundary=b")
    assert lines(alone) == ()


def test_hazard_23_a_block_is_found_in_any_text() -> None:
    raw = mail(joined(part("hi"), part(TEXT, "text/calendar")), kind="multipart/mixed; boundary=b")
    assert [each.problem for each in read(raw, "test", Ours()).candidates] == [""]


def test_hazard_23_a_text_signed_in_clear() -> None:
    body = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\nCharset: utf-8\n\n"
        f"{ABOVE}\n{QUOTE}\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEB\n=abcd\n"
        "-----END PGP SIGNATURE-----\n"
    )
    for raw in (mail(body), mail(body.replace("\n", "\r\n"))):
        assert lines(raw) == WANTED
        assert codes(raw) == (CODE,)


def test_words_that_only_begin_with_end_are_a_line() -> None:
    assert lines(mail("endgame\npass\n")) == ("endgame", "pass")


def test_a_block_ends_what_is_read() -> None:
    assert lines(mail(f"pass\n{TEXT}\nhide ASHW 6\n")) == ("pass",)


# ---- HTML ----------------------------------------------------------------------------------


def as_html(above: str, quote: str) -> str:
    """A reply as Gmail writes it in HTML."""
    top = "".join(f"<div>{html.escape(line)}</div>" for line in above.splitlines())
    below = "<br>".join(map(html.escape, quote.splitlines()))
    attribution = html.escape(ATTRIBUTIONS["English"])
    return (
        f'<html><body>{top}<br><div class="gmail_quote"><div>{attribution}<br></div>'
        f"<blockquote>{below}</blockquote></div></body></html>"
    )


def test_hazard_19_html_alone_and_beside_an_empty_text() -> None:
    body = as_html(ABOVE, TURN)
    assert lines(mail(body, kind="text/html; charset=utf-8")) == WANTED
    both = joined(part("\r\n"), part(body, "text/html; charset=utf-8"))
    raw = mail(both, kind="multipart/alternative; boundary=b")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


def test_hazard_19_no_break_spaces_entities_and_zero_width_characters() -> None:
    body = "<p>claim&nbsp;stone&#8203; 3</p><p>\ufeffpass&zwnj;</p>" + as_html("", TURN)
    assert lines(mail(body, kind="text/html; charset=utf-8")) == WANTED


def test_hazard_19_plain_text_is_read_before_html() -> None:
    both = joined(part("pass\n"), part("<p>hide ASHW 6</p>", "text/html"))
    assert lines(mail(both, kind="multipart/alternative; boundary=b")) == ("pass",)


def test_what_is_forwarded_or_attached_orders_nothing() -> None:
    inner = part(mail("pass\n"), "message/rfc822")
    assert lines(mail(joined(part(""), inner), kind="multipart/mixed; boundary=b")) == ()
    file = part("pass\n", "text/plain; name=move.txt", "Content-Disposition: attachment\r\n")
    assert lines(mail(joined(part(""), file), kind="multipart/mixed; boundary=b")) == ()


# ---- format=flowed, wrapping ---------------------------------------------------------------

FLOWED = "text/plain; charset=utf-8; format=flowed"


def test_hazard_22_a_flowed_line_is_one_line_again() -> None:
    body = "claim stone 3 with ASHW 4, \nASHW 6 and \n ESBNER 1\npass\n> quoted \n> on\n"
    assert lines(mail(body, kind=FLOWED)) == (
        "claim stone 3 with ASHW 4, ASHW 6 and ESBNER 1",
        "pass",
    )


def test_hazard_22_delsp_and_space_stuffing() -> None:
    body = "claim st \none 3\n From here\n -- not a signature\n"
    found = lines(mail(body, kind=FLOWED + "; delsp=yes"))
    assert found == ("claim stone 3", "From here")


def test_hazard_22_a_signature_is_never_joined() -> None:
    assert lines(mail("pass \n-- \nBob\n", kind=FLOWED)) == ("pass",)


def test_hazard_22_a_space_that_a_phone_left_behind_a_line_joins_no_blank_line() -> None:
    raw = mail("claim stone 3 \n\nSent from my phone\n", kind=FLOWED)
    assert said(raw) == (("claim stone 3", True, False), ("Sent from my phone", True, False))


def test_hazard_22_a_line_that_ends_with_a_comma_goes_on_in_the_next() -> None:
    body = "hide ASHW 4, ASHW 6,\nESBNER 1\npass\n"
    assert lines(mail(body)) == ("hide ASHW 4, ASHW 6, ESBNER 1", "pass")


WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=30)


@given(st.lists(WORDS, min_size=1, max_size=5), st.integers(20, 78), st.booleans())
def test_rfc_3676_flowing_and_joining_is_the_identity(
    paragraphs: list[list[str]], width: int, delsp: bool
) -> None:
    texts = [" ".join(words) for words in paragraphs]
    wrapped = []
    for text in texts:
        pieces = textwrap.wrap(text, width, break_long_words=False)
        end = "  " if delsp else " "
        wrapped += [piece + end for piece in pieces[:-1]] + pieces[-1:]
    assert flowed.join("\n".join(wrapped) + "\n", delsp=delsp).splitlines() == texts


@settings(max_examples=300)
@given(st.text(max_size=300))
def test_nothing_below_the_line_of_ours_is_ever_read(text: str) -> None:
    above = f"pass\n--- Reply above this line ---\n{text}\n"
    assert lines(mail(above.encode("utf-8", "replace"))) == ("pass",)


@settings(max_examples=300)
@given(st.text(max_size=400))
def test_any_text_gives_short_tidy_lines(text: str) -> None:
    for line in lines(mail(text.encode("utf-8", "replace"))):
        assert line == " ".join(line.split())
        assert 0 < len(line) <= reply.LINE_MAX


# ---- codes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "k7q2-9fmd-3xwa",
        "Reply code: K7Q2-9FMD-3XWA",
        "> > | reply code: K7Q2–9FMD–3XWA",
        "K7Q2-\n> 9FMD-3XWA",
        "*K7Q2-9FMD-3XWA*",
        "(K7Q2-9FMD-3XWA).",
        "K7Q2&#8209;9FMD&#8209;3XWA",
    ],
)
def test_hazard_06_a_code_in_any_case_and_dress(written: str) -> None:
    kind = "text/html" if "&" in written else "text/plain"
    assert codes(mail(written, kind=f"{kind}; charset=utf-8")) == (CODE,)


def test_letters_that_look_like_figures_are_read_as_them() -> None:
    assert reply.normal("OiL2-9fmd-3XWA") == "01129fmd3xwa"
    assert codes(mail("oil2-9fmd-3xwa")) == ("0112-9FMD-3XWA",)


@pytest.mark.parametrize(
    "words", ["some-text-here", "XK7Q2-9FMD-3XWA", "K7Q2-9FMD-3XWA-1", "K7Q2-9FMD", "2025-06-17"]
)
def test_what_only_looks_like_a_code_is_none(words: str) -> None:
    assert codes(mail(words)) == ()


@pytest.mark.parametrize(
    "header",
    [
        "To: games+k7q29fmd3xwa@games.example",
        "Cc: Games <GAMES+K7Q29FMD3XWA@GAMES.EXAMPLE>",
        "Delivered-To: games+k7q29fmd3xwa@games.example",
        "X-Original-To: games+k7q29fmd3xwa@games.example",
    ],
)
def test_the_token_of_the_reply_address_is_the_code(header: str) -> None:
    assert codes(mail("pass\n", extra=f"{header}\n")) == (CODE,)


def test_at_most_twenty_are_looked_up() -> None:
    many = "\n".join(f"1234-5678-{number:04d}" for number in range(100))
    assert len(codes(mail(many))) == reply.CODES_MAX
