"""The golden playthroughs: any change of the rules, the bots or the wording shows in a diff."""

from __future__ import annotations

import pytest

from .playthrough import PLAYTHROUGHS, Playthrough, text_of


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.name)
def test_playthrough_is_as_recorded(playthrough: Playthrough) -> None:
    assert text_of(playthrough) == playthrough.file.read_text("utf-8")
