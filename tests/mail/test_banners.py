"""Banners that a mail gateway puts above what a person wrote: hazard 18, on top."""

from __future__ import annotations

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_engine.bots.players import random_answer
from sigilpost_server.mail_in import banners
from tests.laws.worlds import World, every_world
from tests.mail.samples import FIXTURES, joined, mail, part
from tests.mail.test_replies import ABOVE, CODE, QUOTE, TURN, WANTED, codes, lines

LONG = (
    "CAUTION: This email came from outside of our organization. Do not click a link or open an"
    " attachment unless you know its sender."
)
BANNERS = {
    "a sentence": LONG,
    "wrapped": "CAUTION: This email came from outside of our organization. Do not click\n"
    "a link or open an attachment unless you know who it is that has sent it\nto you.",
    "two sentences": "EXTERNAL EMAIL\nDo not click links or open attachments.",
    "a tag": "[EXTERNAL]",
    "a tag and a sentence": "[EXTERNAL] This message is from somebody outside.",
    "stars": "*** EXTERNAL EMAIL ***",
    "a short word": "[EXT]",
    "a sign": "⚠ WARNING: This email originated from outside your company.",
    "bold": "*WARNING:* *This message has an external sender.*",
    "a rule below": "This mail is from an external sender.\n==============================",
    "dashes around": "------------------------------\nThis mail is from an external sender.\n"
    "------------------------------",
    "a frame": "+-----------------------------+\n| CAUTION: this mail came     |\n"
    "| from outside. If it is odd, |\n| ask the help desk.          |\n"
    "+-----------------------------+",
    "a drawn frame": "╔═══════════════╗\n║ EXTERNAL MAIL ║\n╚═══════════════╝",
    "two of them": f"[EXTERNAL SENDER]\n\n{LONG}",
    "first contact": "[You don't often get email from bob@good.example. Learn why this is"
    " important at https://aka.ms/LearnAboutSenderIdentification ]",
    "Proofpoint": "ZjQcmQRYFpfptBannerStart\nThis Message Is From an Untrusted Sender\n"
    "You have not written to each other.\nZjQcmQRYFpfptBannerEnd",
    "a label": "[Example Official Use Only - General]",
    "a classification": "Classification: Public",
    "a traffic light": "TLP:CLEAR",
    "a picture": "[image: Logo]",
    "German": "ACHTUNG: Diese Nachricht kommt von außerhalb. Öffnen Sie keine Anhänge.",
    "French": "ATTENTION : ce courriel provient de l'extérieur.",
    "Spanish": "AVISO: este correo viene de fuera de la empresa.",
    "Italian": "ATTENZIONE: messaggio da un mittente esterno.",
    "Portuguese": "ATENÇÃO: esta mensagem veio de fora da empresa.",
    "Dutch": "LET OP: dit bericht komt van buiten de organisatie.",
    "Polish": "UWAGA: wiadomość spoza firmy.",
    "Russian": "ВНИМАНИЕ: письмо от внешнего отправителя.",
    "Japanese": "注意：このメールは社外から送信されました。",
    "Chinese": "注意：此邮件来自外部发件人。",
}
every_banner = pytest.mark.parametrize("banner", BANNERS.values(), ids=BANNERS)


@every_banner
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n\n"])
def test_hazard_18_a_banner_above_a_command_does_no_harm(banner: str, gap: str) -> None:
    raw = mail(f"\n{banner}{gap}{ABOVE}\n{QUOTE}")
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


@every_banner
def test_hazard_19_a_banner_in_a_table_of_html(banner: str) -> None:
    shown = "<br>".join(map(html.escape, banner.split("\n")))
    body = f"<table><tr><td>{shown}</td></tr></table><hr><div>claim stone 3</div><p>pass</p>"
    assert lines(mail(body, kind="text/html; charset=utf-8")) == WANTED


def test_a_tag_in_the_command_s_own_line() -> None:
    assert lines(mail(f"[EXTERNAL] {ABOVE}{QUOTE}")) == WANTED


def test_a_banner_alone_in_the_plain_text_leaves_the_html_to_be_read() -> None:
    both = joined(part(f"{LONG}\n\n"), part("<p>claim stone 3</p><p>pass</p>", "text/html"))
    assert lines(mail(both, kind="multipart/alternative; boundary=b")) == WANTED


@pytest.mark.parametrize("name", [file.stem for file in (FIXTURES / "replies").glob("*.eml")])
def test_hazard_18_the_banners_of_real_looking_replies(name: str) -> None:
    raw = (FIXTURES / "replies" / f"{name}.eml").read_bytes()
    assert lines(raw) == WANTED
    assert codes(raw) == (CODE,)


@every_banner
def test_hazard_17_below_a_banner_no_quote_is_read(banner: str) -> None:
    for quote in (
        QUOTE,
        TURN,
        f"Sigilpost wrote 2025:\n{QUOTE}",
        f"From: a\nTo: b\nDate: c\n{TURN}",
    ):
        assert lines(mail(f"{banner}\n\n{quote}")) == ()
        assert lines(mail(f"{banner}\n\npass\n\n{quote}")) == ("pass",)


@pytest.mark.parametrize("gap", ["", LONG + "\n", "[EXTERNAL]\n\n"])
@pytest.mark.parametrize(
    "begins",
    [
        "On Mon, 3 Nov 2026, External Mail <play@mail.test> wrote:",
        "Am 3.11.2026 schrieb Sigilpost <play@mail.extern.test>:",
        "Forwarded message from an external sender:",
        "----- Forwarded message from an external sender -----",
        "From: External Mail <play@mail.test>\nSent: Monday\nTo: alice@good.test",
        "> CAUTION: This mail is from an external sender",
        "> [EXTERNAL]",
        ">> Classification: Public",
    ],
)
def test_hazard_17_what_begins_a_quote_is_no_banner_whatever_it_says(begins: str, gap: str) -> None:
    """Else what is quoted below would be the person's own words."""
    left = lines(mail(f"{gap}{begins}\nhide ASHW 6\n"))
    assert left[:1] != ("hide ASHW 6",)


def test_hazard_17_a_rule_apart_from_the_banner_begins_a_quote_as_ever() -> None:
    rule = "_" * 32
    assert lines(mail(f"{LONG}\n\n{rule}\nhide ASHW 6\n")) == ()
    assert lines(mail(f"{LONG}\n{rule}\nhide ASHW 6\n")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Our company is glad to play.\npass",
        "=====\nSome notice of ours.\n=====\npass",
        "CAUTION: think twice!\npass",
        "ZjQcmQRYFpfptBannerStart\npass",
        "pass\n[EXTERNAL]",
        "pass\nThis message is from an external sender.",
    ],
)
def test_what_is_not_surely_a_banner_on_top_is_left_to_be_refused(text: str) -> None:
    assert banners.without(text) == text


def test_no_command_is_swallowed_by_a_banner_that_may_go_on() -> None:
    """Were it, the next command would be played alone."""
    for banner in ("A mail from an external sender, as far as anybody here can say at all", LONG):
        for command in ("pass.", "claim stone 3 with ASHW 4 and ASHW 6."):
            below = "\n\nhide ASHW 6\n"
            assert banners.without(f"{banner[:49]}\n{command}{below}").strip().startswith(command)
            assert banners.without(f"{LONG}\n{command}{below}").strip().startswith(command)


@pytest.mark.parametrize("banner", ["[EXTERNAL]", LONG, LONG.rstrip("."), "CAUTION: " + "x " * 20])
@pytest.mark.parametrize(
    "command",
    [
        "claim stone 3 with ASHW 4 and ASHW 6.",
        "choose External-Mail",
        "1. choose External-Mail.",
        "[EXTERNAL] choose External-Mail",
        "[choose External-Mail]",
        "join Outside-Mail",
        "choose Trust, Report, Links",
    ],
)
def test_what_begins_as_a_command_is_none_of_a_banner_whatever_it_says(
    banner: str, command: str
) -> None:
    """A name is its player's choice, and an opponent must not take commands away by theirs."""
    left = banners.without(f"{banner}\n{command}\nhide ASHW 6\n")
    assert command.removeprefix("[EXTERNAL] ") in left
    assert banners.without(f"{command}\nhide ASHW 6\n").endswith(
        f"{command.removeprefix('[EXTERNAL] ')}\nhide ASHW 6\n"
    )


@every_world
def test_no_command_of_any_game_is_a_banner(world: World) -> None:
    match, rng = world.begin(3), world.chance(3)
    while match.open:
        prompt = match.open[0]
        answer = random_answer(prompt, rng)
        for line in (*match.game.menu(prompt), match.game.phrase(answer)):
            assert banners.without(line) == line
        match.apply(prompt.seat, answer)


@settings(max_examples=300)
@given(st.text(max_size=400))
def test_what_is_taken_away_is_whole_lines_from_the_top(text: str) -> None:
    """And perhaps a tag before the first words that are left."""
    assert text.endswith(banners.without(text))
