"""Simple reckoning: what the position would be worth if the game ended now.

For each answer, the best that the remaining hand could score with each of its cards as the last
card; an exchange is worth a little less than an average better card.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.weaver.cards import NUMBERS, SPACES, colour, value
from sigilpost_engine.games.weaver.rules import (
    COLOUR_SPACES,
    FACE_DOWN_POINTS,
    VALUE_POINTS,
    VALUE_SPACE,
    scores,
)
from sigilpost_engine.games.weaver.state import State


def greedy(view: Document, prompt: Prompt) -> Answer:
    """The claim or hide after which the position is worth most. It never exchanges."""
    answers = [answer for answer in prompt.answers() if answer.verb != "exchange"]
    return max(answers, key=lambda answer: worth(view, answer))


def worth(view: Document, answer: Answer) -> float:
    """Points expected after ``answer``, as the table then lies."""
    me = view[view["you"]]
    return points_after(
        answer,
        [NUMBERS[name] for name in me["hand"]],
        [NUMBERS[view["spaces"][space]] for space in SPACES],
        [NUMBERS[name] for name in me["collection"] + me["hidden"]],
        len(me["hidden"]),
    )


def points_after(
    answer: Answer, hand: list[int], spaces: list[int], mine: list[int], hidden: int
) -> float:
    """The same for cards by number; ``hidden`` of those of ``mine`` lie face down. Uses up the
    lists."""
    played = NUMBERS[answer.picks[0]]
    hand.remove(played)
    points = FACE_DOWN_POINTS * hidden
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


# --- for the search -------------------------------------------------------------------------------

PLAYS, EXCHANGES = 5, 3
"""How many plays and how many exchanges are worth trying."""

GLANCES = 4
"""How many plays a hunch compares."""

MARGIN = 12.0
"""So many points ahead are chances of 1 to e."""


def shortlist(view: Document, prompt: Prompt) -> list[Answer]:
    """The plays after which the position is worth most, and exchanges of the cards that are
    missed least."""
    plays: list[Answer] = []
    exchanges: list[Answer] = []
    for answer in prompt.answers():
        (exchanges if answer.verb == "exchange" else plays).append(answer)
    plays.sort(key=lambda answer: -worth(view, answer))
    without = {answer.picks: worth(view, answer) for answer in reversed(plays)}
    exchanges.sort(key=lambda answer: without[answer.picks])
    return plays[:PLAYS] + exchanges[:EXCHANGES]


def hunch(s: State, prompt: Prompt, rng: Rng) -> Answer:
    """The best of a few plays by chance."""
    place = s.places[prompt.seat]
    best, most = None, 0.0
    for _ in range(GLANCES):
        move = prompt.moves[-1 - rng.below(len(prompt.moves) - (not s.exchanged))]
        assert move.pick is not None
        answer = Answer(move.verb, move.target, (rng.choice(move.pick.items),))
        mine = place.collection + place.hidden
        points = points_after(answer, list(place.hand), list(s.spaces), mine, len(place.hidden))
        if best is None or points > most:
            best, most = answer, points
    assert best is not None
    return best


def chances(s: State, seat: int) -> float | None:
    """Judged by the margin, once the points are counted."""
    if not s.scored:
        return None
    totals = [sum(scores(s, number)) for number in range(len(s.seats))]
    mine = totals.pop(seat)
    return 1 / (1 + math.exp((max(totals) - mine) / MARGIN))
