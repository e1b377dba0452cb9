"""Positions as documents: setting up, dumping, and what a seat may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document, Options
from sigilpost_engine.core.position import (
    bad,
    flag_at,
    list_at,
    only_keys,
    seat_of,
    seat_tables,
    table_at,
)
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.weaver import rules
from sigilpost_engine.games.weaver.cards import DECK, HAND_SIZES, NAMES, NUMBERS, SPACES
from sigilpost_engine.games.weaver.state import Place, State

OPTION_KEYS = ("hidden_cards", "space_match")
"""The options, which a document states where they are not the usual ones."""

KEYS = frozenset(["turn", "spaces", "stack", "discard", "exchanged", *OPTION_KEYS, "result", "you"])
SEAT_KEYS = ("hand", "collection", "hidden")
UNKNOWN = "?"


# --- seen -----------------------------------------------------------------------------------------


def dump(s: State) -> Document:
    """The whole position: what an eye that sees everything sees."""
    return _document(s, seats=set(range(len(s.seats))), stack=True)


def view(s: State, seat: int | None) -> Document:
    """Hands and face-down cards are their owner's alone until scoring shows them; O is nobody's.

    With ``hidden_cards = flat`` scoring shows no face-down card.
    """
    if seat is None:
        return _document(s, seats=set(), stack=False)
    return {"you": s.seats[seat], **_document(s, seats={seat}, stack=False)}


def _document(s: State, seats: set[int], stack: bool) -> Document:
    doc: Document = {
        "turn": s.seats[s.turn],
        "spaces": {space: NAMES[card] for space, card in zip(SPACES, s.spaces, strict=False)},
        "stack": _names(s.stack) if stack else [UNKNOWN] * len(s.stack),
        "discard": _names(s.discard),
        "exchanged": s.exchanged,
    }
    if s.flat:
        doc["hidden_cards"] = "flat"
    if s.once:
        doc["space_match"] = "once"
    for seat, place in enumerate(s.places):
        own = seat in seats
        shown = s.scored and not s.flat
        doc[s.seats[seat]] = {
            "hand": _names(sorted(place.hand)) if own or s.scored else _unknown(place.hand),
            "collection": _names(place.collection),
            "hidden": _names(sorted(place.hidden)) if own or shown else _unknown(place.hidden),
        }
    result = rules.result(s)
    if result is not None:
        doc["result"] = result.document()
    return doc


def _names(cards: Sequence[int]) -> list[str]:
    return [NAMES[card] for card in cards]


def _unknown(cards: Sequence[int]) -> list[str]:
    return [UNKNOWN] * len(cards)


def seats_of(view: Document) -> list[str]:
    """The names of all at the table, in seat order, as a view or a position has them."""
    return [name for name, part in view.items() if isinstance(part, dict) and "hand" in part]


# --- set up ---------------------------------------------------------------------------------------


class _Deck:
    """The cards not yet named by the document."""

    def __init__(self) -> None:
        self.left = list(DECK)

    def take(self, name: Any, path: str) -> int:
        card = NUMBERS.get(" ".join(name.upper().split())) if isinstance(name, str) else None
        if card is None:
            raise bad(path, "core.setup.no-card", name=str(name))
        if card not in self.left:
            raise bad(path, "core.setup.card-twice", name=NAMES[card])
        self.left.remove(card)
        return card

    def take_all(self, names: list[Any] | None, path: str) -> list[int]:
        return [self.take(name, path) for name in names or []]


def document_options(doc: Document) -> dict[str, Any]:
    """The options that a position document states itself."""
    return {name: doc[name] for name in OPTION_KEYS if name in doc}


def setup(doc: Document, seats: Sequence[str], options: Options, key: bytes) -> State:
    """The state of a position document. What is not named is dealt: spaces, hands, then O."""
    s = State.new(seats, options, key)
    tables = seat_tables(doc, seats, KEYS)
    for name, table in zip(seats, tables, strict=True):
        only_keys(table, SEAT_KEYS, name)
    if "turn" in doc:
        s.turn = seat_of(doc["turn"], seats, "turn")
    s.exchanged = flag_at(doc, "exchanged")
    deck = _Deck()
    spaces = _named_spaces(doc, deck)
    s.discard = deck.take_all(list_at(doc, "discard"), "discard")
    top = deck.take_all(list_at(doc, "stack"), "stack")
    for name, table, place in zip(seats, tables, s.places, strict=True):
        place.hand = deck.take_all(list_at(table, "hand", name), f"{name}.hand")
        place.collection = deck.take_all(list_at(table, "collection", name), f"{name}.collection")
        place.hidden = deck.take_all(list_at(table, "hidden", name), f"{name}.hidden")
    _deal_rest(s, deck.left, spaces, top, [list_at(table, "hand") is None for table in tables])
    return s


def _named_spaces(doc: Document, deck: _Deck) -> dict[str, int]:
    table = table_at(doc, "spaces")
    only_keys(table, SPACES, "spaces")
    return {space: deck.take(name, f"spaces.{space}") for space, name in table.items()}


def _deal_rest(
    s: State, rest: list[int], spaces: dict[str, int], top: list[int], dealt: list[bool]
) -> None:
    s.rng.shuffle(rest)
    needed = HAND_SIZES[len(s.seats)] * sum(dealt) + len(SPACES) - len(spaces)
    if needed > len(rest):
        raise bad("stack", "core.setup.too-few-cards", needed=needed, left=len(rest))
    s.spaces = [spaces[space] if space in spaces else rest.pop() for space in SPACES]
    for place, deal in zip(s.places, dealt, strict=True):
        if deal:
            place.hand = [rest.pop() for _ in range(HAND_SIZES[len(s.seats)])]
    s.stack = top + rest
    s.dealt = True


# --- what a seat cannot tell apart ----------------------------------------------------------------


def blur(s: State, seat: int | None, rng: Rng) -> State:
    """The same position with all cards that ``seat`` may not know dealt again among their
    places."""
    other = codec.copy(s)
    piles = [other.stack]
    for number, place in enumerate(other.places):
        if number == seat:
            continue
        if not s.scored:
            piles.append(place.hand)
        if s.flat or not s.scored:
            piles.append(place.hidden)
    cards = [card for pile in piles for card in pile]
    rng.shuffle(cards)
    for pile in piles:
        pile[:] = cards[: len(pile)]
        del cards[: len(pile)]
    return other


def imagine(view: Document, rng: Rng) -> State:
    """A whole state that agrees with a seat's view: unseen cards are dealt by chance."""
    names = seats_of(view)
    s = State(
        rng=Rng(rng.word().to_bytes(4, "big")),
        seats=names,
        flat=view.get("hidden_cards") == "flat",
        once=view.get("space_match") == "once",
        places=[Place() for _ in names],
        turn=names.index(view["turn"]),
        exchanged=view["exchanged"],
        dealt=True,
        spaces=[NUMBERS[view["spaces"][space]] for space in SPACES],
        discard=_numbers(view["discard"]),
    )
    unseen = set(DECK).difference(s.spaces, s.discard)
    for name in names:
        for pile in SEAT_KEYS:
            unseen.difference_update(_numbers(view[name][pile]))
    rest = sorted(unseen)
    rng.shuffle(rest)
    for name, place in zip(names, s.places, strict=True):
        for pile in SEAT_KEYS:
            cards = [NUMBERS[card] if card != UNKNOWN else rest.pop() for card in view[name][pile]]
            setattr(place, pile, cards)
    s.stack = rest
    return s


def _numbers(names: Iterable[str]) -> list[int]:
    return [NUMBERS[name] for name in names if name != UNKNOWN]
