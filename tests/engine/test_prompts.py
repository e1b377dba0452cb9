"""Questions: forced answers, the one place of validation, and their JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core.errors import Illegal
from sigilpost_engine.core.prompts import Answer, Move, Pick, Prompt, choose, yes_no


def test_one_thing_to_choose_is_no_choice() -> None:
    assert choose(0, "target", ("Fury",)).only() == Answer("choose", "", ("Fury",))


def test_equal_things_are_no_choice_unless_they_are_of_the_hand() -> None:
    """common.md 2: not being asked would tell that the hand holds equal cards only."""
    assert choose(0, "mana", ("1", "1")).only() == Answer("choose", "", ("1",))
    assert choose(0, "mana", ("1", "1"), secret=True).only() is None


@pytest.mark.parametrize(
    ("pick", "many"),
    [
        (Pick(("1", "2")), False),
        (Pick(("1", "2"), 2, 2, ordered=True), True),
        (Pick(("1", "1"), 2, 2, ordered=True), False),
        (Pick(("1", "2"), 2, 2), False),
        (Pick(("1", "2", "3"), 2, 2), True),
        (Pick(("1", "1", "1"), 2, 2), False),
        (Pick(("1", "1"), 0, 2), True),
    ],
)
def test_a_menu_says_if_one_of_its_lines_stands_for_others(pick: Pick, many: bool) -> None:
    prompt = Prompt(0, "mana", (Move("end"), Move("cast", "Haste", pick)))
    assert prompt.exemplary is many


def test_the_last_card_of_a_hand_plays_itself() -> None:
    assert choose(0, "mana", ("4",), secret=True).only() == Answer("choose", "", ("4",))


def test_all_of_the_hand_in_any_order_is_no_choice_but_an_order_is_one() -> None:
    assert choose(0, "mana", ("1", "2"), 2, 2, secret=True).only() is not None
    assert choose(0, "mana", ("1", "2"), 2, 2, ordered=True, secret=True).only() is None
    assert choose(0, "mana", ("1", "1"), 2, 2, ordered=True, secret=True).only() is None
    assert choose(0, "mana", ("1", "1"), 2, 2, ordered=True).only() is not None


def test_up_to_is_a_choice_unless_nothing_is_there() -> None:
    assert choose(0, "spells", ("Fury",), 0, 2).only() is None
    assert choose(0, "spells", (), 0, 2).only() == Answer("choose")


def test_two_moves_are_a_choice() -> None:
    assert yes_no(0, "may").only() is None


def test_who_can_only_decline_is_asked_if_the_hand_would_be_told() -> None:
    """common.md 2: not being asked would tell that the hand lacks something."""
    decline = Prompt(0, "block", (Move("choose"),))
    assert decline.only() == Answer("choose")
    assert decline._replace(secret=True).only() is None


def test_two_cards_or_none_are_two_moves_of_one_word() -> None:
    prompt = Prompt(0, "spare", (Move("choose", "", Pick(("1", "2", "3"), 2, 2)), Move("choose")))
    for legal in (Answer("choose"), Answer("choose", "", ("1", "3"))):
        prompt.check(legal)
    for picks in (("1",), ("1", "2", "3")):
        assert refused(prompt, *picks) == "core.refusal.exact-number"


def test_a_refusal_tells_what_is_wrong_with_what_was_picked() -> None:
    prompt = choose(0, "cards", ("a", "b", "b"), 1, 2)
    assert refused(prompt) == "core.refusal.wrong-number"
    assert refused(prompt, "a", "a") == "core.refusal.too-often"
    assert refused(prompt, "a", "c") == "core.refusal.not-offered"


def refused(prompt: Prompt, *picks: str) -> str:
    with pytest.raises(Illegal) as refusal:
        prompt.check(Answer("choose", "", picks))
    return refusal.value.message.id


@pytest.mark.parametrize(
    "answer",
    [
        Answer("play", "", ("a",)),
        Answer("choose", "x", ("a",)),
        Answer("choose", "", ()),
        Answer("choose", "", ("a", "b", "b")),
        Answer("choose", "", ("a", "a")),
        Answer("choose", "", ("c",)),
    ],
    ids=str,
)
def test_kind_number_uniqueness_and_membership_are_checked(answer: Answer) -> None:
    prompt = choose(0, "cards", ("a", "b"), 1, 2)
    with pytest.raises(Illegal):
        prompt.check(answer)


def test_an_item_that_is_there_twice_may_be_named_twice() -> None:
    choose(0, "mana", ("1", "1", "4"), 2, 2).check(Answer("choose", "", ("1", "1")))


items = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    moves = []
    for verb in draw(st.lists(st.sampled_from(("play", "hide")), min_size=1, unique=True)):
        pick = None
        if draw(st.booleans()):
            pool = draw(items)
            low = draw(st.integers(0, len(pool)))
            pick = Pick(pool, low, draw(st.integers(low, len(pool))), draw(st.booleans()))
        moves.append(Move(verb, draw(st.sampled_from(("", "A"))), pick))
    return Prompt(0, "topic", tuple(moves), {"n": 3}, draw(st.booleans()), draw(st.booleans()))


@given(prompts())
def test_every_answer_listed_is_legal_and_listed_once(prompt: Prompt) -> None:
    answers = list(prompt.answers())
    assert len(answers) == len(set(answers))
    for answer in answers:
        prompt.check(answer)


@given(prompts())
def test_an_open_question_without_secrets_is_forced_exactly_if_it_has_one_answer(
    prompt: Prompt,
) -> None:
    open_prompt = prompt._replace(secret=False)
    answers = list(open_prompt.answers())
    assert (open_prompt.only() is not None) == (len(answers) == 1)
    assert open_prompt.only() in (None, answers[0])


@given(prompts())
def test_json_keeps_the_question_and_its_fingerprint(prompt: Prompt) -> None:
    again = Prompt.from_json(json.loads(json.dumps(prompt.to_json())))
    assert again == prompt
    assert again.fingerprint() == prompt.fingerprint()
