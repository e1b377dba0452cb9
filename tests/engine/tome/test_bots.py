"""The bots of Tome: what they may look at, and what a search makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.bots import Bot, GreedyBot, SearchBot
from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core import codec
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome.searching import brings
from sigilpost_engine.games.tome.state import CHAPTERS, State

from .tables import SEATS, TOME, begin, position

tables = pytest.mark.parametrize(
    "options",
    [{}, {"mode": "duel", "sets": "light, dusk"}, {"mode": "survival", "sets": "dusk"}],
    ids=str,
)


@tables
def test_a_hunch_looks_at_no_hand_but_the_own_one(options: dict[str, Any]) -> None:
    """In whole worlds it is what greedy answers from the view; and trying out changes nothing."""
    match, players = begin("hunch", **options), Rng(b"players")
    while match.open:
        prompt = match.open[0]
        before = codec.encode(match.state)
        hunch = TOME.hunch(match.state, prompt, Rng(b""))
        assert hunch == TOME.greedy(match.view(prompt.seat), prompt)
        assert codec.encode(match.state) == before
        match.apply(prompt.seat, random_answer(prompt, players))


@tables
def test_a_position_is_judged_between_two_chapters(options: dict[str, Any]) -> None:
    match, players = begin("judged", **options), Rng(b"players")
    judged = 0
    while match.open:
        state = match.state
        worth = [TOME.worth(state, seat) for seat in range(len(state.seats))]
        between = state.phase == "play" and not state.played and state.chapter < CHAPTERS
        assert [one is not None for one in worth] == [between] * len(worth)
        judged += between
        if between and state.mode != "survival":
            assert worth[0] + worth[1] == pytest.approx(1)
        match.apply(match.open[0].seat, random_answer(match.open[0], players))
    assert judged > 5


def test_a_spell_brings_more_the_stronger_it_is_and_under_its_own_title() -> None:
    state = begin("brings").state
    state.title, state.title_element, state.chapter = "Sturdy", "Earth", 4
    plain = [brings(state, name) for name in ("Flashfire", "Wildfire", "Stoke", "Fire Flux")]
    assert plain == sorted(set(plain))
    assert brings(state, "Crush") > brings(state, "Wildfire")
    assert brings(state, "Beacon") > brings(state, "Wildfire")
    early = brings(state, "Crush")
    state.chapter = 5
    assert brings(state, "Crush") > early, "the Title Spell stands for more of what is left"


def test_late_in_a_round_others_are_imagined_with_what_they_kept() -> None:
    """Of two spells not seen, the stronger is more often in another hand, and no oftener in a
    deck; at the start of a round all are alike."""
    early, late = (held_and_covered({"chapter": chapter}) for chapter in (1, 5))
    assert early["Radiance"][0] == pytest.approx(early["Glimmer"][0], rel=0.2)
    assert late["Radiance"][0] > 2 * late["Glimmer"][0]
    assert late["Radiance"][1] == pytest.approx(late["Glimmer"][1], rel=0.3)


def held_and_covered(doc: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Of 1000 imagined worlds, in how many each spell is in another hand, and in how many in the
    Element Deck."""
    match = position({**doc, "title": "Sturdy", "turn": "alice", "alice": {"hand": ["Crush"]}})
    view, rng = match.view(0), Rng(b"kept")
    worlds = [TOME.imagine(view, rng) for _ in range(1000)]
    return {
        name: (
            sum(any(name in hand for hand in world.hands[1:]) for world in worlds),
            sum(name in world.element_deck for world in worlds),
        )
        for name in ("Radiance", "Glimmer")
    }


def test_search_wins_more_chapters_than_greedy() -> None:
    """In rounds of duels, each deal played from both sides."""
    search, greedy = SearchBot(Rng(b"search"), playouts=48), GreedyBot(Rng(b""))
    assert sum(ahead(search, greedy, deal, side) for deal in range(6) for side in (0, 1)) > 0


def ahead(first: Bot, second: Bot, deal: int, side: int) -> int:
    """By how many points the first wins the first round of a duel."""
    options = TOME.read_options({"mode": "duel"})
    run: Run[State] = Run(TOME, TOME.new(SEATS[:2], options, f"ahead {deal}".encode()))
    run.start()
    while run.state.round == 1:
        prompt = run.open[0]
        bot = first if prompt.seat == side else second
        run.answer(bot.choose(TOME, TOME.view(run.state, prompt.seat), prompt))
    mine, others = run.state.score[side], run.state.score[1 - side]
    return mine - others
