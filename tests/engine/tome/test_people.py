"""What people are told: table talk, the layout, the words about a card."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Grid, Line, Sheet
from sigilpost_engine.games.tome import reading
from sigilpost_engine.games.tome.state import State
from sigilpost_engine.texts import Texts

from .tables import TOME, begin, position

TEXTS = Texts("en")


def said(message: Msg | None) -> str:
    assert message is not None
    return TEXTS.render(message)


# --- table talk -----------------------------------------------------------------------------------


def test_partners_may_not_talk_while_the_game_runs() -> None:
    refused = said(TOME.may_chat(begin().state, 0, 2))
    assert "partners" in refused
    assert "carol" in refused


def test_nobody_talks_to_all_while_the_game_runs() -> None:
    assert "partners" in said(TOME.may_chat(begin().state, 1, None))


def test_opponents_may_write_to_each_other() -> None:
    assert TOME.may_chat(begin().state, 0, 1) is None
    assert TOME.may_chat(begin(mode="duel").state, 0, 1) is None
    assert TOME.may_chat(begin(mode="survival").state, 3, 1) is None


def test_in_an_easy_game_everybody_may_talk() -> None:
    state = begin(easy=True).state
    assert TOME.may_chat(state, 0, 2) is None
    assert TOME.may_chat(state, 0, None) is None


def test_after_the_game_everybody_may_talk() -> None:
    state = position({"score": {"north": 16, "south": 3}}).state
    assert TOME.may_chat(state, 0, 2) is None
    assert TOME.may_chat(state, 0, None) is None


def test_who_gives_up_gives_the_game_to_the_other_side() -> None:
    assert TOME.winners_without(begin().state, 2) == ("bob", "dan")
    assert TOME.winners_without(begin(mode="duel").state, 0) == ("bob",)
    assert TOME.winners_without(begin(mode="survival").state, 0) == ("bob", "carol", "dan")


# --- layout ---------------------------------------------------------------------------------------

DOC: dict[str, Any] = {
    "turn": "carol",
    "title": {"spell": "Quench", "element": "Fire"},
    "resolved": True,
    "chain": {"element": "Earth", "broken": False},
    "played": [
        {"by": "alice", "spell": "Wildfire", "power": 3},
        {"by": "bob", "spell": "Ignite", "silenced": True},
    ],
    "alice": {"hand": ["Halo"]},
    "carol": {"hand": ["Stoke", "Avalanche", "Gleam", "Earth Flux"]},
}


def grid(sheet: Sheet, section: int) -> list[list[str]]:
    """The cells of the first table of a section, as words."""
    found = next(part for part in sheet[section].body if isinstance(part, Grid))
    return [[TEXTS.render(c) if isinstance(c, Msg) else str(c) for c in row] for row in found.rows]


def lines(sheet: Sheet, section: int) -> dict[str, str]:
    """The labelled lines of a section."""
    return {
        TEXTS.render(part.label): TEXTS.render(part.text)
        if isinstance(part.text, Msg)
        else str(part.text)
        for part in sheet[section].body
        if isinstance(part, Line)
    }


def test_the_chapter_is_a_table_in_play_order() -> None:
    sheet = TOME.sheet(position(DOC).view(2))
    first, second = grid(sheet, 1)
    assert first[:5] == ["alice", "Wildfire", "Fire 3", "Fire 6", "Trump, Strongest"]
    assert second[:5] == ["bob", "Ignite", "Fire 1", "Fire 1", "Silenced, Trump"]
    assert first[5] == "Constant: +3 Power for each other Fire spell on the chapter."
    about = lines(sheet, 1)
    assert about["Title Spell"] == "Quench (printed Water, now Fire): Fire is Trump"
    assert about["Chain"] == "Earth, unbroken"
    assert about["To play"] == "carol"


def test_the_hand_says_what_each_spell_would_do_now() -> None:
    rows = {row[0]: row[2] for row in grid(TOME.sheet(position(DOC).view(2)), 0)}
    assert rows["Stoke"] == "breaks the Chain, is Silenced, is Trump"
    assert rows["Avalanche"] == "gets its effect"
    assert rows["Gleam"] == "–"
    assert rows["Earth Flux"] == "–"


def test_who_has_played_is_told_nothing_about_playing_now() -> None:
    match = position(DOC)
    assert reading.forecast(match.state, 0, "Halo") == []


def test_a_spell_that_cannot_be_silenced_breaks_the_chain_and_has_its_effect() -> None:
    match = position({**DOC, "carol": {"hand": ["Storm", "Stoke"]}})
    assert reading.forecast(match.state, 2, "Storm") == ["breaks", "effect"]


def test_a_spell_that_whirlpool_would_turn_is_trump_under_a_water_title() -> None:
    doc = {
        "turn": "bob",
        "title": "Quench",
        "played": [{"by": "alice", "spell": "Whirlpool"}],
        "bob": {"hand": ["Glimmer", "Light Flux"]},
    }
    state = position(doc).state
    assert reading.forecast(state, 1, "Glimmer") == ["trump"]
    assert reading.forecast(state, 1, "Light Flux") == []


def test_a_view_of_a_set_that_is_not_installed_here_can_still_be_read_and_answered() -> None:
    match = begin(sets="light,dusk")
    prompt = match.open[0]
    view = match.view(prompt.seat)
    view["sets"] = ["light", "abyss"]
    sheet = TOME.sheet(view)
    assert any("not installed" in cell for row in grid(sheet, 0) for cell in row)
    spell = next(prompt.answers()).picks[0]
    assert TOME.parse(view, prompt, f"play {spell}").picks == (spell,)
    assert TOME.greedy(view, prompt) in list(prompt.answers())


@pytest.mark.parametrize("easy", [False, True])
def test_only_an_easy_game_lists_what_was_played(easy: bool) -> None:
    match = begin(easy=easy)
    while match.state.chapter == 1:
        prompt = match.open[0]
        match.apply(prompt.seat, next(prompt.answers()))
    past = TOME.past(match.view(0))
    if not easy:
        assert past == ()
        return
    assert TEXTS.render(past[0].heading) == "Played spells of earlier chapters"
    assert [row[:2] for row in grid(past, 0)] == [["1", name] for name in _order(match)]


def _order(match: Match[State]) -> list[str]:
    """The seats clockwise from the left of the dealer."""
    first = match.state.dealer + 1
    return [match.state.seats[(first + step) % 4] for step in range(4)]


def test_a_card_is_explained_with_element_power_set_timing_and_ruling() -> None:
    words = [TEXTS.render(message) for message in TOME.explain("storm")]
    assert words[0] == "Storm: Basic Spell, Wind 3. The Light Edition, version 1.0.0."
    assert words[1].startswith("CANNOT BE SILENCED. On play: Every other spell")
    assert words[2].startswith("Constants stay in force")


def test_no_card_no_explanation() -> None:
    with pytest.raises(KeyError):
        TOME.explain("Thunderclap")


def test_a_choice_that_may_be_declined_is_offered_with_none() -> None:
    match = position(
        {"turn": "alice", "title": "Halo", "alice": {"hand": ["Breeze", "Ebb", "Stoke"]}}
    )
    match.submit(0, "play breeze")
    assert TOME.menu(match.open[0]) == ["choose none / Stoke / Ebb"]
