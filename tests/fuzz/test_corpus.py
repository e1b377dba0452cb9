"""Every input that fuzzing found worth keeping is read again by the ordinary tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(file for file in CORPUS.glob("*/*") if file.is_file())


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    assert {file.parent.name for file in INPUTS} == set(TARGETS)


@pytest.mark.parametrize("file", INPUTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_an_input_of_the_corpus_breaks_nothing(file: Path) -> None:
    TARGETS[file.parent.name](file.read_bytes())
