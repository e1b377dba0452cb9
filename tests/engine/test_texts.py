"""Messages into sentences: their ids come by mail, too, and the first word of one names a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core.messages import say
from sigilpost_engine.texts import Texts


@pytest.mark.parametrize(
    "id",
    [
        "",
        "core",
        "core.",
        ".core",
        "no words",
        "nowhere.to-be-found",
        "\0.x",
        "x" * 300 + ".y",
        "../../en/LC_MESSAGES/core.list.empty",
        "/dev/null.x",
    ],
)
def test_an_id_without_a_text_is_shown_as_it_is(id: str) -> None:
    assert Texts().render(say(id)) == id
    assert not Texts().knows(id)


def test_a_text_with_plural_forms_is_known_and_said_without_a_number() -> None:
    assert Texts().knows("weaver.event.wins")
    assert Texts().render(say("weaver.event.wins", seats=["alice"])) == "alice wins the game."


@given(st.text(), st.dictionaries(st.sampled_from(["n", "text", "card"]), st.none() | st.text()))
def test_no_message_makes_rendering_fail(id: str, values: dict[str, str | None]) -> None:
    for each in (id, f"core.{id}", "core.refusal.not-held", "weaver.event.reshuffled"):
        assert isinstance(Texts().render(say(each, **values)), str)
