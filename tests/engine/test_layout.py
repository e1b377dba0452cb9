"""Plain text in columns: widths, wrapping, tables, and what untidy values cannot do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core.messages import say
from sigilpost_engine.core.sheet import Column, Grid, Line, Section
from sigilpost_engine.texts import Texts, layout
from sigilpost_engine.texts.layout import GAP, Labels, Paragraph, Table

ANYTHING = st.text(st.characters(codec="utf-8"), max_size=120)
WORDS = st.lists(st.text("abc가나漢é\u0301", min_size=1, max_size=30), max_size=20).map(" ".join)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ASHW 3", 6),
        ("한글", 4),
        ("ｆｕｌｌ", 8),
        ("e\u0301", 1),
        ("\u1112\u1161\u11ab", 2),  # one Hangul syllable, written as its three letters
        ("“–”", 3),
        ("", 0),
    ],
)
def test_wide_characters_take_two_columns_and_combining_marks_none(text: str, columns: int) -> None:
    assert layout.width(text) == columns


def test_columns_line_up_beside_wide_characters() -> None:
    table = Table(("이름", "n"), (False, True), (("앨리스", "7"), ("bob", "12")))
    assert layout.lines(table) == [
        "이름     n",
        "------  --",
        "앨리스   7",
        "bob     12",
    ]


def test_the_last_column_wraps_first() -> None:
    table = Table(("a", "b"), (False, False), (("x" * 10, "one two three four five six"),))
    assert layout.lines(table, 36) == [
        "a           b",
        "----------  ------------------------",
        "xxxxxxxxxx  one two three four five",
        "            six",
    ]


def test_all_wide_columns_give_way_where_the_last_alone_cannot() -> None:
    table = Table(("a", "b"), (False, False), (("one two three four", "five six seven eight"),))
    assert layout.lines(table, 22) == [
        "a           b",
        "----------  ----------",
        "one two     five six",
        "three four  seven",
        "            eight",
    ]


def test_a_labelled_text_wraps_under_itself() -> None:
    assert layout.lines(Labels((("Hand", "ASHW 3, OHIF 7"), ("Face down", "–"))), 20) == [
        "Hand    ASHW 3, OHIF",
        "        7",
        "Face",
        "down    –",
    ]


def test_a_labelled_word_that_needs_the_whole_width_stands_below_its_label() -> None:
    assert layout.lines(Labels((("Key", "x" * 16), ("Who", "bob"))), 20) == [
        "Key",
        "  xxxxxxxxxxxxxxxx",
        "Who  bob",
    ]


def test_a_word_that_is_too_wide_is_cut_between_characters() -> None:
    assert layout.wrap("漢字漢字漢", 5) == ["漢字", "漢字", "漢"]


def test_a_sheet_shows_its_sections_in_order() -> None:
    sheet = (
        Section(
            say("no-catalogue.one"),
            (
                Line(say("no-catalogue.l1"), 7),
                Line(say("no-catalogue.label2"), "x"),
                Grid((Column(say("no-catalogue.a")),), (("1",),)),
            ),
        ),
        Section(say("no-catalogue.two"), (say("no-catalogue.text"),)),
    )
    assert layout.sheet(sheet, Texts()) == "\n".join(
        [
            "no-catalogue.one",
            "----------------",
            "no-catalogue.l1      7",
            "no-catalogue.label2  x",
            "",
            "no-catalogue.a",
            "--------------",
            "1",
            "",
            "no-catalogue.two",
            "----------------",
            "no-catalogue.text",
        ]
    )


def test_a_value_cannot_add_lines_or_turn_the_direction_of_writing() -> None:
    assert layout.tidy("bob\r\nSubject:\tx\u2028y\u202ez\u200b\x1b[2J") == "bob Subject: x yz [2J"


def test_joiners_stay_because_scripts_need_them() -> None:
    assert layout.tidy("می\u200cخواهم") == "می\u200cخواهم"


@given(ANYTHING)
def test_tidy_text_is_one_printable_line_and_stays_as_it_is(text: str) -> None:
    tidy = layout.tidy(text)
    assert len(tidy.splitlines()) <= 1
    assert layout.tidy(tidy) == tidy


@given(WORDS, st.integers(4, 40))
def test_wrapped_lines_fit_and_hold_every_character(text: str, columns: int) -> None:
    lines = layout.wrap(text, columns)
    assert all(layout.width(line) <= columns and line == line.rstrip() for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4), st.integers(30, 78))
def test_table_lines_fit_and_hold_every_character(
    rows: list[tuple[str, str, str]], columns: int
) -> None:
    headings = ("Spell", "Cost", "What it does")
    lines = layout.lines(Table(headings, (False, True, False), tuple(rows)), columns)
    assert all(layout.width(line) <= columns and line == line.rstrip() for line in lines)
    shown = "".join(lines).replace(GAP, "").replace(" ", "").replace("-", "")
    given_ = "".join(headings + tuple("".join(row) for row in rows)).replace(" ", "")
    assert sorted(shown) == sorted(given_)


def test_an_empty_paragraph_is_an_empty_line() -> None:
    assert layout.lines(Paragraph("")) == [""]


MENU = "claim B with ASHW 4 / ESBNER 4 / OHIF 2 / OHIF 4 / OHIF 5 / OHIF 6 / UKELELE 5"


@pytest.mark.parametrize("columns", range(16, 90))
def test_a_menu_breaks_only_between_its_alternatives(columns: int) -> None:
    lines = layout.alternatives(MENU, columns, first="  ", rest="    ")
    assert " ".join(map(str.strip, lines)) == MENU
    assert all(layout.width(line) <= columns for line in lines)
    if columns >= 2 + len("claim B with ASHW 4 /"):
        assert all(line.endswith(" /") for line in lines[:-1])


def test_an_alternative_that_alone_is_too_wide_wraps_like_any_text() -> None:
    assert layout.alternatives("take one two / three", 10) == ["take one", "two /", "three"]


@given(WORDS, st.integers(12, 40))
def test_a_menu_of_anything_fits_and_holds_every_character(text: str, columns: int) -> None:
    line = text.replace("a", " / ")
    lines = layout.alternatives(line, columns, first="  ", rest="    ")
    assert "".join("".join(lines).split()) == "".join(line.split())
    assert all(layout.width(each) <= columns for each in lines)
