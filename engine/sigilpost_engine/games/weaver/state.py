"""The state of a game, and the atoms: the only functions that change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sigilpost_engine.core.game import Options
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.weaver.cards import DECK, HAND_SIZES, NAMES, SPACES


@dataclass(slots=True)
class Place:
    """What lies in front of a seat. Lists of cards, in the order in which they came."""

    hand: list[int] = field(default_factory=list)
    collection: list[int] = field(default_factory=list)  # face up
    hidden: list[int] = field(default_factory=list)  # face down


@dataclass(slots=True)
class State:
    """A game between two steps. ``stack`` is O with its top first, ``discard`` is X, oldest first.

    ``dealt`` is False before the first step only; ``scored`` is True after the last.
    """

    rng: Rng
    seats: list[str]
    flat: bool
    once: bool
    places: list[Place]
    turn: int = 0
    exchanged: bool = False
    dealt: bool = False
    scored: bool = False
    spaces: list[int] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    discard: list[int] = field(default_factory=list)

    @classmethod
    def new(cls, seats: Sequence[str], options: Options, key: bytes) -> State:
        """An empty table; the first step deals."""
        return cls(
            rng=Rng(key),
            seats=list(seats),
            flat=options["hidden_cards"] == "flat",
            once=options["space_match"] == "once",
            places=[Place() for _ in seats],
        )


def draw_for_start(t: Table[State], drawn: dict[int, int]) -> None:
    """Some seats have drawn a card each, publicly, to see who begins (rules, Setup 1)."""
    names = [f"{t.state.seats[seat]} {NAMES[card]}" for seat, card in drawn.items()]
    t.tell("weaver.event.start-draw", {"draws": names})


def begin(t: Table[State], starter: int) -> None:
    """``starter`` has the first turn."""
    t.state.turn = starter
    t.tell("weaver.event.starts", {"seat": t.state.seats[starter]})


def deal(t: Table[State]) -> None:
    """Shuffle all cards, deal the hands, fill the spaces; the rest is the stack O (Setup 2)."""
    s = t.state
    deck = list(DECK)
    s.rng.shuffle(deck)
    size = HAND_SIZES[len(s.seats)]
    for place in s.places:
        place.hand = sorted(deck[:size])
        deck = deck[size:]
    s.spaces, s.stack = deck[: len(SPACES)], deck[len(SPACES) :]
    s.dealt = True
    t.tell(
        "weaver.event.dealt",
        {"count": size, "spaces": [NAMES[card] for card in s.spaces]},
        secret={
            seat: {"cards": [NAMES[card] for card in place.hand]}
            for seat, place in enumerate(s.places)
        },
    )


def discard(t: Table[State], card: int) -> None:
    """The active player discards ``card`` to X, to exchange it."""
    s = t.state
    s.places[s.turn].hand.remove(card)
    s.discard.append(card)
    s.exchanged = True
    t.tell("weaver.event.discards", {"seat": s.seats[s.turn], "card": NAMES[card]})


def reshuffle(t: Table[State]) -> None:
    """X is shuffled into a new O."""
    s = t.state
    s.stack, s.discard = s.discard, []
    s.rng.shuffle(s.stack)
    t.tell("weaver.event.reshuffled", {"n": len(s.stack)})


def draw(t: Table[State]) -> None:
    """The active player draws the top of O, seen by nobody else."""
    s = t.state
    card = s.stack.pop(0)
    s.places[s.turn].hand.append(card)
    t.tell(
        "weaver.event.draws",
        {"seat": s.seats[s.turn]},
        secret={s.turn: {"card": NAMES[card]}},
    )


def claim(t: Table[State], space: int, card: int) -> None:
    """``card`` takes the place of the card on ``space``, which joins the collection face up."""
    s = t.state
    place = s.places[s.turn]
    place.hand.remove(card)
    claimed, s.spaces[space] = s.spaces[space], card
    place.collection.append(claimed)
    t.tell(
        "weaver.event.claims",
        {
            "seat": s.seats[s.turn],
            "space": SPACES[space],
            "card": NAMES[claimed],
            "paid": NAMES[card],
        },
    )


def hide(t: Table[State], card: int) -> None:
    """``card`` goes face down into the collection."""
    s = t.state
    place = s.places[s.turn]
    place.hand.remove(card)
    place.hidden.append(card)
    t.tell(
        "weaver.event.hides",
        {"seat": s.seats[s.turn]},
        secret={s.turn: {"card": NAMES[card]}},
    )


def pass_turn(t: Table[State], seat: int) -> None:
    """``seat`` is the next to act. The change shows in what is asked; it is no event of its own."""
    t.state.turn = seat
    t.state.exchanged = False


def show_last(t: Table[State], seat: int) -> None:
    """Scoring shows the last card, and what lies face down (unless it stays so for ever)."""
    s = t.state
    place = s.places[seat]
    values = {"seat": s.seats[seat], "last": [NAMES[card] for card in place.hand]}
    if s.flat or not place.hidden:
        t.tell("weaver.event.shows-last", values)
    else:
        hidden = [NAMES[card] for card in sorted(place.hidden)]
        t.tell("weaver.event.shows-all", {**values, "hidden": hidden})


def score(t: Table[State], seat: int, points: list[int]) -> None:
    """The three scorings of ``seat``, in order."""
    one, two, three = points
    t.tell(
        "weaver.event.scores",
        {
            "seat": t.state.seats[seat],
            "first": one,
            "second": two,
            "third": three,
            "total": sum(points),
        },
    )


def finish(t: Table[State], winners: Sequence[str]) -> None:
    """The game is over."""
    t.state.scored = True
    t.tell("weaver.event.wins", {"seats": list(winners), "n": len(winners)})
