"""The English catalogues are the master: the others follow, and faults in them are named."""

from __future__ import annotations

import gettext
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(__file__).resolve().parents[2]

HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plural};\\n"

"""
ENGLISH = """\
msgid "hello"
msgstr "Hello, {name}."

msgid "cards"
msgid_plural "cards"
msgstr[0] "one card"
msgstr[1] "{n} cards"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, "en", ENGLISH)
    return tmp_path


def path_of(root: Path, language: str) -> Path:
    return root / hatch_build.LOCALES / language / "LC_MESSAGES" / "mail.po"


def write(root: Path, language: str, text: str) -> None:
    plural = {"en": "nplurals=2; plural=(n != 1)", "ko": "nplurals=1; plural=0"}[language]
    path = path_of(root, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER.format(language=language, plural=plural) + text, encoding="utf-8")


def test_the_project_s_catalogues_are_without_fault() -> None:
    assert hatch_build.catalogues(ROOT, hatch_build.MASTER)
    assert hatch_build.problems(ROOT) == []


def test_every_catalogue_of_the_project_is_compiled() -> None:
    for po in hatch_build.catalogues(ROOT):
        with po.with_suffix(".mo").open("rb") as file:
            translations = gettext.GNUTranslations(file)
        for message in hatch_build.entries(hatch_build.read(po)):
            if isinstance(message.id, str):
                assert translations.gettext(message.id) == message.string


def test_compiled_texts_are_found_by_gettext(tree: Path) -> None:
    hatch_build.compile_all(tree)
    found = gettext.translation("mail", tree / hatch_build.LOCALES, languages=["en"])
    assert found.gettext("hello") == "Hello, {name}."
    assert found.ngettext("cards", "cards", 3) == "{n} cards"


def test_compiling_again_touches_no_file(tree: Path) -> None:
    hatch_build.compile_all(tree)
    compiled = path_of(tree, "en").with_suffix(".mo")
    before = compiled.stat().st_mtime_ns
    hatch_build.compile_all(tree)
    assert compiled.stat().st_mtime_ns == before


def test_update_adds_new_ids_keeps_translations_and_drops_old_ids(tree: Path) -> None:
    write(tree, "ko", 'msgid "hello"\nmsgstr "안녕, {name}."\n\nmsgid "gone"\nmsgstr "옛말"\n')
    hatch_build.update_all(tree)
    text = path_of(tree, "ko").read_text(encoding="utf-8")
    assert "안녕, {name}." in text
    assert "gone" not in text
    assert "#. English: {n} cards" in text
    korean = hatch_build.read(path_of(tree, "ko"))
    assert korean.num_plurals == 1
    assert hatch_build.problems(tree) == ["ko/LC_MESSAGES/mail.po: cards: no text"]


def test_update_twice_changes_nothing_more(tree: Path) -> None:
    write(tree, "ko", 'msgid "hello"\nmsgstr "안녕, {name}."\n')
    hatch_build.update_all(tree)
    once = path_of(tree, "ko").read_bytes()
    hatch_build.update_all(tree)
    assert path_of(tree, "ko").read_bytes() == once


CARDS = '\nmsgid "cards"\nmsgid_plural "cards"\nmsgstr[0] "카드 {n}장"\n'


@pytest.mark.parametrize(
    ("korean", "problem"),
    [
        (CARDS, "hello: missing"),
        ('msgid "hello"\nmsgstr ""\n' + CARDS, "hello: no text"),
        ('#, fuzzy\nmsgid "hello"\nmsgstr "안녕"\n' + CARDS, "hello: marked fuzzy"),
        ('msgid "hello"\nmsgstr "안녕, {nmae}."\n' + CARDS, "hello: unknown field nmae"),
        ('msgid "hello"\nmsgstr "안녕, {name."\n' + CARDS, "hello: unknown field {"),
        ('msgid "hello"\nmsgstr "안녕"\n\nmsgid "x"\nmsgstr "y"\n' + CARDS, "x: English has no"),
        ('msgid "hello"\nmsgstr "안녕"\n\nmsgid "hello"\nmsgstr "야"\n' + CARDS, "occurs twice"),
        ('msgid "hello"\nmsgstr "안녕"\nand so on\n' + CARDS, "misformatted keyword"),
    ],
)
def test_a_fault_in_a_translation_is_named(tree: Path, korean: str, problem: str) -> None:
    write(tree, "ko", korean)
    assert any(problem in found for found in hatch_build.problems(tree)), hatch_build.problems(tree)


def test_a_good_translation_has_no_problem(tree: Path) -> None:
    write(tree, "ko", 'msgid "hello"\nmsgstr "안녕, {name}."\n' + CARDS)
    assert hatch_build.problems(tree) == []
