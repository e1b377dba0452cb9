"""The course of the game: setup, turns, the three scorings.

Rule numbers are those of the rules page (docs/weaver.md).
"""

from __future__ import annotations

from sigilpost_engine.core.game import Result
from sigilpost_engine.core.prompts import Move, Pick, Prompt
from sigilpost_engine.core.table import Step, Table, ask
from sigilpost_engine.games.weaver import state as atoms
from sigilpost_engine.games.weaver.cards import (
    CLAIMERS,
    DECK,
    NAMES,
    NUMBERS,
    SPACES,
    colour,
    value,
)
from sigilpost_engine.games.weaver.state import Place, State

FACE_DOWN_POINTS = 2
COLOUR_SPACES = tuple(SPACES.index(space) for space in "ABDE")
VALUE_SPACE = SPACES.index("C")
VALUE_POINTS = 3


def step(t: Table[State]) -> Step[None]:
    """Set up; or one exchange, claim or hide; or the scoring."""
    s = t.state
    if not s.dealt:
        set_up(t)
    elif all(len(place.hand) <= 1 for place in s.places):
        finish(t)
    elif len(s.places[s.turn].hand) <= 1:
        atoms.pass_turn(t, following(s))
    else:
        yield from act(t)


def set_up(t: Table[State]) -> None:
    """Setup 1 and 2: the highest draw begins; shuffle and deal."""
    atoms.begin(t, starter(t))
    atoms.deal(t)


def starter(t: Table[State]) -> int:
    """Setup 1: who draws the highest value. Those who tie draw again from what is left.

    More than eight of one value cannot be drawn: with five seats the deck always suffices.
    """
    deck = list(DECK)
    t.state.rng.shuffle(deck)
    rivals = list(range(len(t.state.seats)))
    while len(rivals) > 1:
        drawn = {seat: deck.pop(0) for seat in rivals}
        atoms.draw_for_start(t, drawn)
        highest = max(map(value, drawn.values()))
        rivals = [seat for seat, card in drawn.items() if value(card) == highest]
    return rivals[0]


def act(t: Table[State]) -> Step[None]:
    """Turn 1 or 2: exchange once, or claim or hide, which ends the turn."""
    answer = yield from ask(question(t.state))
    card = NUMBERS[answer.picks[0]]
    if answer.verb == "exchange":
        exchange(t, card)
        return
    if answer.verb == "claim":
        atoms.claim(t, SPACES.index(answer.target), card)
    else:
        atoms.hide(t, card)
    atoms.pass_turn(t, following(t.state))


def exchange(t: Table[State], card: int) -> None:
    """Turn 1: if O is empty, X with the card just discarded becomes a new O first."""
    atoms.discard(t, card)
    if not t.state.stack:
        atoms.reshuffle(t)
    atoms.draw(t)


def following(s: State) -> int:
    """The seat to the left of the active one."""
    return (s.turn + 1) % len(s.seats)


def question(s: State) -> Prompt:
    """What the active player may do now."""
    hand = sorted(s.places[s.turn].hand)
    names = tuple([NAMES[card] for card in hand])
    moves = [] if s.exchanged else [Move("exchange", "", Pick(names))]
    for space, placed in zip(SPACES, s.spaces, strict=True):
        claimers = CLAIMERS[placed]
        able = tuple([NAMES[card] for card in hand if card in claimers])
        if able:
            moves.append(Move("claim", space, Pick(able)))
    moves.append(Move("hide", "", Pick(names)))
    return Prompt(s.turn, "finish-turn" if s.exchanged else "turn", tuple(moves), secret=True)


# --- scoring --------------------------------------------------------------------------------------


def finish(t: Table[State]) -> None:
    """Everybody holds one card: show, score, and name the winners."""
    for seat in range(len(t.state.seats)):
        atoms.show_last(t, seat)
    for seat in range(len(t.state.seats)):
        atoms.score(t, seat, scores(t.state, seat))
    atoms.finish(t, winners(t.state))


def scores(s: State, seat: int) -> list[int]:
    """The three scorings of ``seat``, in points of harmony."""
    place = s.places[seat]
    counted = place.collection if s.flat else place.collection + place.hidden
    return [
        first_scoring(place, counted),
        second_scoring(s, counted + place.hand),
        FACE_DOWN_POINTS * len(place.hidden),
    ]


def first_scoring(place: Place, counted: list[int]) -> int:
    """Scoring 1: among the other cards of the last card's colour, their number times their
    lowest value."""
    if not place.hand:
        return 0
    last = place.hand[0]
    values = [value(card) for card in counted if colour(card) == colour(last)]
    return len(values) * min(values, default=0)


def second_scoring(s: State, counted: list[int]) -> int:
    """Scoring 2: colours of A, B, D, E and the value of C, for the collection and last card."""
    colours = [colour(s.spaces[space]) for space in COLOUR_SPACES]
    wanted = value(s.spaces[VALUE_SPACE])
    points = 0
    for card in counted:
        matches = colours.count(colour(card))
        points += min(matches, 1) if s.once else matches
        points += VALUE_POINTS if value(card) == wanted else 0
    return points


def winners(s: State) -> list[str]:
    """The names with the highest total; a tie is shared."""
    totals = [sum(scores(s, seat)) for seat in range(len(s.seats))]
    return [name for name, total in zip(s.seats, totals, strict=True) if total == max(totals)]


def result(s: State) -> Result | None:
    """Scores and winners once the scoring is done."""
    if not s.scored:
        return None
    table = {name: scores(s, seat) for seat, name in enumerate(s.seats)}
    return Result(tuple(winners(s)), {"scores": table})
