"""Nothing that a mail says is hard-coded: in a language whose every text stands in brackets,
whatever stands outside them is data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message

import hatch_build
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Grid, Line
from sigilpost_engine.texts import Texts
from sigilpost_server.mail_in.reasons import REASONS
from sigilpost_server.mail_out.compose import compose
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.mail_out.page import examples

from .reading import Screen, header, leaves, words
from .samples import every_kind

OPEN, CLOSE = "⟦", "⟧"


class Pseudo(Texts):
    """The English master with each text, and each value in it, in brackets."""

    def _template(self, message: Msg) -> str:
        return f"{OPEN}{super()._template(message)}{CLOSE}"


def outside(text: str) -> str:
    """What stands in no brackets; fails if they do not match."""
    while OPEN in text or CLOSE in text:
        shorter = re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", " ", text)
        assert shorter != text, f"brackets do not match: {text}"
        text = shorter
    return text


def data(letter: Letter) -> Iterator[str]:
    """What stands in a mail in no language: names, lines to type, codes, a person's words."""
    yield letter.words
    yield from (line.typed for line in letter.transcript)
    yield from (command.line for command in letter.commands)
    yield from (fact.text for fact in letter.facts if isinstance(fact.text, str))
    if letter.game:
        yield f"{letter.game.tag} ("
    place = letter.position
    if place is None:
        return
    yield from (place.seat, *place.players, *place.menu)
    if letter.game:
        yield from examples(letter.game.tag, place.menu)
    if place.head:
        yield f"{place.head.number} {place.head.hash}"
    for section in place.sheet:
        for item in section.body:
            if isinstance(item, Line):
                yield str(item.text)
            elif isinstance(item, Grid):
                yield from (str(cell) for row in item.rows for cell in row)


@pytest.mark.parametrize("letter", every_kind().values(), ids=list(every_kind()))
def test_every_word_outside_data_comes_from_the_catalogues(letter: Letter) -> None:
    mail = compose(letter, Pseudo("en"))
    allowed = set(words("\n".join(data(letter))))
    for text in (*leaves(mail).values(),):
        shown = Screen(text).text if text.startswith("<!DOCTYPE") else text
        assert set(words(outside(shown))) <= allowed
    tag = f"[{letter.game.tag}]" if letter.game else ""
    assert outside(header(mail, "Subject")).strip() == tag


class Recording(Texts):
    """Remembers which messages were asked for."""

    def __init__(self) -> None:
        super().__init__("en")
        self.asked: set[str] = set()

    def render(self, message: Msg) -> str:
        self.asked.add(message.id)
        return super().render(message)


def test_every_text_of_the_catalogue_is_used_in_some_mail() -> None:
    texts = Recording()
    for letter in every_kind().values():
        compose(letter, texts)
    texts.asked |= {reason.answer for reason in REASONS.values()}
    ids = {str(entry.id[0] if isinstance(entry.id, tuple) else entry.id) for entry in _master()}
    assert ids - texts.asked == set()


def _master() -> Iterator[Message]:
    root = Path(hatch_build.__file__).parent
    [path] = [p for p in hatch_build.catalogues(root, hatch_build.MASTER) if p.stem == "mail"]
    return hatch_build.entries(hatch_build.read(path))


def test_a_hard_coded_word_would_be_seen() -> None:
    assert outside(f"{OPEN}Your {OPEN}x{CLOSE} turn{CLOSE} now").split() == ["now"]
