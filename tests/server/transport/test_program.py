"""The frame around the host's commands."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_server import program


def test_a_fault_of_the_program_is_told_by_kind_and_place_and_not_in_its_own_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error's text can hold what lies in a hand: ``KeyError: 'Ashwalker 9'``."""

    def faulty(*_: Any) -> None:
        raise KeyError("Ashwalker 9")

    monkeypatch.delenv(program.DEBUG, raising=False)
    monkeypatch.setattr(program, "_app", faulty)
    assert program.run(["games"]) == program.FAULT
    told = capsys.readouterr().err
    assert "KeyError at test_program:" in told
    assert "Ashwalker" not in told
