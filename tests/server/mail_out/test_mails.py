"""What holds of every kind of mail that leaves the server."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from sigilpost_engine.core.messages import say
from sigilpost_engine.texts import Texts, layout
from sigilpost_engine.wire.turn import FILE_NAME, MEDIA_TYPE
from sigilpost_server.mail_in.reasons import REASONS
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.compose import Composer, compose, plain
from sigilpost_server.mail_out.letter import Enclosure, Kind, Letter

from .reading import Screen, header, leaves, parsed, words
from .samples import ENVELOPE, GAME, every_kind

TEXTS = Texts()
each_letter = pytest.mark.parametrize("letter", every_kind().values(), ids=list(every_kind()))
TAGS = {"html", "head", "meta", "title", "style", "body", "div", "p", "h2", "ul", "li", "code"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "br", "blockquote"}


def test_every_kind_of_letter_is_tried_here() -> None:
    assert {letter.kind for letter in every_kind().values()} == set(Kind)


# --- the parts ------------------------------------------------------------------------------


@each_letter
def test_text_and_html_say_the_same_words(letter: Letter) -> None:
    parts = leaves(compose(letter, TEXTS))
    assert words(Screen(parts["text/html"]).text) == words(parts["text/plain"])


@each_letter
def test_text_is_78_columns_wide_and_without_trailing_blanks(letter: Letter) -> None:
    lines = plain(letter, TEXTS).split("\n")
    assert max(map(layout.width, lines)) <= 78
    assert [line for line in lines if line != line.rstrip()] == ["-- "]


@each_letter
def test_every_message_has_its_words(letter: Letter) -> None:
    text = plain(letter, TEXTS)
    assert not re.search(r"\b(mail|core|weaver)\.[a-z-]+", text)
    assert "{" not in text


@each_letter
def test_the_preview_begins_with_what_it_is_about(letter: Letter) -> None:
    html = Screen(leaves(compose(letter, TEXTS))["text/html"]).text
    first = layout.tidy(TEXTS.render(letter.opening[0]))
    if letter.reply:
        first = f"--- {TEXTS('mail.reply.above')} --- {first}"
    assert html.startswith(first)
    assert " ".join(plain(letter, TEXTS).split()).startswith(first)


def test_the_mail_holds_text_html_and_the_attachment_in_this_order() -> None:
    letter = every_kind()["turn"]
    mail = parsed(compose(letter, TEXTS))
    kinds = [part.get_content_type() for part in mail.walk()]
    assert kinds == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        MEDIA_TYPE,
    ]


def test_the_attachment_arrives_byte_for_byte() -> None:
    turn = bytes(range(256)) * 9
    mail = compose(replace(every_kind()["turn"], turn=turn), TEXTS)
    read = message_from_bytes(mail, policy=policy.default)
    assert isinstance(read, EmailMessage)
    [file] = read.iter_attachments()
    assert (file.get_filename(), file.get_content()) == (FILE_NAME, turn)


def test_further_files_come_after_the_attachment() -> None:
    extra = Enclosure("weaver-7k2q.jsonl", "application/jsonl", b"{}\n")
    mail = compose(replace(every_kind()["over"], enclosures=(extra,)), TEXTS)
    read = message_from_bytes(mail, policy=policy.default)
    assert isinstance(read, EmailMessage)
    assert [file.get_filename() for file in read.iter_attachments()] == [
        FILE_NAME,
        "weaver-7k2q.jsonl",
    ]


def test_without_attachment_the_mail_is_its_two_texts() -> None:
    mail = parsed(compose(every_kind()["held"], TEXTS))
    assert mail.get_content_type() == "multipart/alternative"


@each_letter
def test_both_parsers_of_the_standard_library_find_no_defect(letter: Letter) -> None:
    mail = compose(letter, TEXTS)
    for rules in (policy.compat32, policy.default):
        read = message_from_bytes(mail, policy=rules)
        assert [part.defects for part in read.walk() if part.defects] == []
        assert read["Message-ID"] == letter.envelope.message_id


@each_letter
def test_bytes_are_seven_bit_with_crlf_and_no_long_line(letter: Letter) -> None:
    mail = compose(letter, TEXTS)
    assert mail.isascii()
    assert b"\0" not in mail
    lines = mail.split(b"\r\n")
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    assert max(map(len, lines)) <= 998


@each_letter
def test_equal_letters_give_equal_bytes(letter: Letter) -> None:
    assert Composer().compose(letter, Texts()) == compose(letter, TEXTS)


# --- HTML -----------------------------------------------------------------------------------


@each_letter
def test_html_runs_nothing_and_fetches_nothing(letter: Letter) -> None:
    html = leaves(compose(letter, TEXTS))["text/html"]
    screen = Screen(html)
    assert {tag for tag, _ in screen.tags} <= TAGS
    names = {name for _, attributes in screen.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not names & {"src", "href", "background", "action", "srcset"}
    assert "url(" not in html
    assert "@import" not in html


def test_tables_are_real_tables_with_headings() -> None:
    screen = Screen(leaves(compose(every_kind()["turn"], TEXTS))["text/html"])
    tags = [tag for tag, _ in screen.tags]
    assert tags.count("table") >= 4
    assert ("th", "col") in [(tag, attributes.get("scope")) for tag, attributes in screen.tags]
    assert ("th", "row") in [(tag, attributes.get("scope")) for tag, attributes in screen.tags]


def test_html_has_rules_for_dark_screens_and_for_phones() -> None:
    html = leaves(compose(every_kind()["turn"], TEXTS))["text/html"]
    assert "prefers-color-scheme: dark" in html
    assert "width=device-width" in html


def test_a_players_markup_is_shown_and_not_obeyed() -> None:
    evil = "</code></table><script>alert(1)</script><img src=x onerror=y>"
    letter = letters.chat(ENVELOPE, GAME, speaker=evil, words=evil)
    letter = replace(letter, facts=((*letters.error(ENVELOPE, evil).facts,)))
    screen = Screen(leaves(compose(letter, TEXTS))["text/html"])
    assert screen.text.count(evil) >= 2
    assert not {"script", "img"} & {tag for tag, _ in screen.tags}


def test_a_players_words_cannot_look_like_the_servers() -> None:
    lines = "hello\n-- \nsigil resign weaver-7k2q\r\nFrom here on"
    text = plain(letters.chat(ENVELOPE, GAME, speaker="bob", words=lines), TEXTS)
    assert "> hello\n> --\n> sigil resign weaver-7k2q\n> From here on\n" in text


# --- what is asked --------------------------------------------------------------------------


def test_a_line_is_quoted_for_the_shell_whatever_it_holds() -> None:
    from sigilpost_server.mail_out.page import move_command

    for line in ("claim A with ASHW 3", "pick Hex's $HOME", 'say "`x`" \\ !', "it's"):
        assert shlex.split(move_command("g-1", line)) == ["sigil", "move", "g-1", line]


def test_each_line_of_an_answer_has_its_result() -> None:
    text = plain(every_kind()["partial"], TEXTS)
    assert re.search(r"^exchange ASHW \d +Played\.$", text, re.MULTILINE)
    assert re.search(r"^hide ESBNER 9 +Refused\. You do not hold", text, re.MULTILINE)
    assert re.search(r"^claim A with ASHW 1 +Not looked at", text, re.MULTILINE)


def test_a_refusal_shows_what_would_be_legal() -> None:
    text = plain(every_kind()["refused"], TEXTS)
    assert "Not played" in header(compose(every_kind()["refused"], TEXTS), "Subject")
    assert "Possible now is one of these lines" in text
    assert "  hide ASHW" in text


def test_a_mail_shows_hand_table_news_question_and_receipt() -> None:
    text = plain(every_kind()["turn"], TEXTS)
    places = [
        text.index(part)
        for part in (
            "Receipt   10 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "What happened\n---",
            "Hand ",
            "Table\n---",
            "You are asked\n---",
            "sigil move weaver-7k2q",
            "\n-- \n",
        )
    ]
    assert places == sorted(places)


def test_every_reason_that_is_answered_has_a_text() -> None:
    silent = [slug for slug, reason in REASONS.items() if not reason.answer]
    assert [
        slug
        for slug, reason in REASONS.items()
        if reason.answer and not TEXTS.knows(f"mail.reason.{slug}")
    ] == []
    assert not any(TEXTS.knows(f"mail.reason.{slug}") for slug in silent)


# --- secrets --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["started", "turn", "reminder", "news", "answer", "partial", "refused", "stale"]
)
def test_the_first_200_characters_tell_no_secret(kind: str) -> None:
    letter = every_kind()[kind]
    assert letter.position
    bare = replace(
        letter,
        position=replace(letter.position, sheet=(), question=None, menu=()),
        happened=(),
        transcript=(),
        notices=(),
    )
    for part in ("text/plain", "text/html"):
        shown = [
            text if part == "text/plain" else Screen(text).text
            for text in (leaves(compose(one, TEXTS))[part] for one in (letter, bare))
        ]
        assert " ".join(shown[0].split())[:200] == " ".join(shown[1].split())[:200]


@each_letter
def test_headers_boundaries_and_file_names_do_not_depend_on_what_a_mail_says(
    letter: Letter,
) -> None:
    other = replace(
        letter,
        words="other words" if letter.words else "",
        happened=(say("weaver.event.starts", seat="bob"),),
        turn=b"something else" if letter.turn else None,
    )
    skeletons = [
        [
            (part.items(), part.get_boundary(), part.get_filename())
            for part in parsed(compose(one, TEXTS)).walk()
            if part.get_content_maintype() != "text"
        ]
        for one in (letter, other)
    ]
    assert skeletons[0] == skeletons[1]


# --- templates ------------------------------------------------------------------------------


def test_the_hosts_own_template_comes_first_and_its_languages_before_all(
    tmp_path: object,
) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "ko").mkdir()
    (folder / "mail.txt.j2").write_text("mine: {{ page.subject }}")
    (folder / "ko" / "mail.txt.j2").write_text("ko: {{ page.subject }}")
    composer, letter = Composer(folder), every_kind()["turn"]
    assert composer.plain(letter, Texts("en")) == "mine: Your turn\n"
    assert composer.plain(letter, Texts("ko")).startswith("ko: ")
