"""Simple reckoning: what the position would be worth if the game ended now.

For each answer, the best that the remaining hand could score with each of its cards as the last
card; an exchange is worth a little less than an average better card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.games.weaver.cards import NUMBERS, SPACES, colour, value
from sigilpost_engine.games.weaver.rules import (
    COLOUR_SPACES,
    FACE_DOWN_POINTS,
    VALUE_POINTS,
    VALUE_SPACE,
)


def greedy(view: Document, prompt: Prompt) -> Answer:
    """The claim or hide after which the position is worth most. It never exchanges."""
    answers = [answer for answer in prompt.answers() if answer.verb != "exchange"]
    return max(answers, key=lambda answer: worth(view, answer))


def worth(view: Document, answer: Answer) -> float:
    """Points expected after ``answer``, as the table then lies."""
    me = view[view["you"]]
    hand = [NUMBERS[name] for name in me["hand"]]
    spaces = [NUMBERS[view["spaces"][space]] for space in SPACES]
    mine = [NUMBERS[name] for name in me["collection"] + me["hidden"]]
    played = NUMBERS[answer.picks[0]]
    hand.remove(played)
    points = FACE_DOWN_POINTS * len(me["hidden"])
    if answer.verb == "claim":
        space = SPACES.index(answer.target)
        mine.append(spaces[space])
        spaces[space] = played
    else:
        mine.append(played)
        points += FACE_DOWN_POINTS
    return points + matches(spaces, mine) + max(last_card(spaces, mine, last) for last in hand)


def matches(spaces: Sequence[int], cards: Sequence[int]) -> float:
    """Scoring 2, discounted: the spaces will change before the end."""
    colours = sum(
        colour(card) == colour(spaces[space]) for card, space in product(cards, COLOUR_SPACES)
    )
    values = sum(value(card) == value(spaces[VALUE_SPACE]) for card in cards)
    return 0.6 * (colours + VALUE_POINTS * values)


def last_card(spaces: Sequence[int], mine: Sequence[int], last: int) -> float:
    """Scoring 1 if ``last`` is kept to the end."""
    values = [value(card) for card in mine if colour(card) == colour(last)]
    return len(values) * min(values, default=0) + 0.3 * matches(spaces, [last])
