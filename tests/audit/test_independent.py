"""The page is enough: a verifier that was written from it agrees with ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature

from sigilpost_engine.audit import transcript
from sigilpost_engine.core.errors import Held, Refusal
from sigilpost_engine.games import find
from sigilpost_engine.wire.handover import Handover

from . import independent
from .dishonest import SERVER, Lines, Play, attacked, checked, places, whole_game
from .independent import Verifier
from .test_changes import (
    FIRST,
    MIDDLE,
    NEW,
    by_order,
    fitting,
    keep,
    recover,
    resigned,
    rotate,
    substitute,
    with_path,
)

NOT_SO = (
    *(AssertionError, AttributeError, InvalidSignature, LookupError, ValueError),
    *(Held, Refusal),
)


def eventful() -> Play:
    """A game with an answer of every origin and a key of every kind."""
    play = Play("wizards").play(2)
    rotate(play, play.asked, NEW)
    play.play(2)
    command = play.game.phrase(play.choose())
    by_order(play, keep(play, play.asked, fitting(play, command)), 0, command)
    play.answer(play.asked, play.choose(), "bot")
    play.play(2)
    substitute(play, play.asked)
    play.play(3)
    recover(play, play.asked, MIDDLE)
    return resigned(play.play(2), play.asked)


@pytest.mark.parametrize("kind", ["weaver", "wizards", "tome"])
def test_it_proves_an_honest_game_and_its_receipts(kind: str) -> None:
    play = whole_game(kind)
    found = Verifier(attacked(play, lambda lines: None), find)
    assert [receipt.hash for receipt in play.receipts] == found.heads


def test_it_follows_everything_that_can_change() -> None:
    play = eventful()
    step = Handover.sign(FIRST, SERVER, 1)
    data = with_path(play, step)
    assert checked(data).fault is None
    Verifier(data, find)


def test_whatever_line_is_missing_both_notice_it() -> None:
    play = eventful()
    for place in range(1, len(play.lines)):
        if play.lines[place].get("kind") == "CREATE":
            continue

        def drop(lines: Lines, place: int = place) -> None:
            del lines[place]

        data = attacked(play, drop)
        assert checked(data).fault is not None, play.lines[place]
        with pytest.raises(NOT_SO):
            Verifier(data, find)


def test_whatever_field_of_an_answer_is_changed_both_notice_it() -> None:
    play = eventful()
    others = {"n": 99, "seat": 2, "by": "clock", "block": "ab" * 32, "index": 3, "hash": "0" * 64}
    others |= {"answer": ["end", "", []], "events": []}
    for place in places(play.lines, "answer"):
        for name, value in others.items():
            if play.lines[place][name] == value:
                continue

            def change(lines: Lines, at: int = place, name: str = name, to: object = value) -> None:
                lines[at][name] = to

            data = attacked(play, change, rechain=False)
            assert checked(data).fault is not None, (name, play.lines[place])
            with pytest.raises(NOT_SO):
                Verifier(data, find)


def test_a_stranger_s_seal_is_noticed_by_both() -> None:
    data = transcript.write(whole_game("weaver").lines, MIDDLE)
    assert checked(data).fault is not None
    with pytest.raises(NOT_SO):
        Verifier(data, find)


def test_it_is_small_and_uses_nothing_of_the_project_but_the_rules() -> None:
    source = Path(independent.__file__).read_text(encoding="utf-8")
    used = [line for line in source.splitlines() if "import" in line and "sigilpost" in line]
    assert all("sigilpost_engine.core" in line for line in used)
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 166
