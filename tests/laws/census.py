"""What must be conserved in each game: all cards, wherever they lie, counted from the dump."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from sigilpost_engine.core.match import Match

Census = Counter[str]


def census(game: str, match: Match[Any]) -> Census:
    """All cards of a running match, by name."""
    return CENSUS[game](match)


def weaver(match: Match[Any]) -> Census:
    """36 cards: on the spaces, in the stack, discarded, held and collected."""
    doc = match.dump()
    piles = [list(doc["spaces"].values()), doc["stack"], doc["discard"]]
    for seat in match.state.seats:
        piles += [doc[seat]["hand"], doc[seat]["collection"], doc[seat]["hidden"]]
    cards = Counter(card for pile in piles for card in pile)
    assert cards == Counter(match.game.cards)
    return cards


def wizards(match: Match[Any]) -> Census:
    """60 mana, and every spell of the game's sets once, wherever they lie."""
    doc = match.dump()
    rows = [doc[seat]["spells"] for seat in match.state.seats]
    slots = [slot for row in rows for slot in row]
    mana = [doc["mana_deck"], doc["mana_discard"], doc.get("unused_mana", [])]
    mana += [doc[seat]["hand"] for seat in match.state.seats]
    mana += [slot["mana"] for slot in slots]
    spells = [doc["pool"], doc["spell_deck"], doc["removed"], doc.get("unused_spells", [])]
    spells += [[slot["name"] for slot in slots]]
    cards = Counter(str(one) for pile in mana + spells for one in pile)
    assert [cards[str(power)] for power in (1, 2, 3, 4)] == [32, 16, 8, 4]
    assert all(len(slot["mana"]) == len(slot["known"]) for slot in slots)
    assert all(cards[spell] <= 1 for spell in match.game.cards)
    return cards


def tome(match: Match[Any]) -> Census:
    """Six spells of each Element of the deck: held, in the decks, played, the Title, set aside."""
    doc, state = match.dump(), match.state
    piles = [doc["element_deck"], doc.get("draw_deck", []), doc["aside"]]
    piles += [[row["spell"] for row in doc["played"] + doc["pile"]]]
    piles += [[title_of(doc)], *[doc[seat]["hand"] for seat in state.seats]]
    cards = Counter(card for pile in piles for card in pile)
    assert cards == Counter(state.book.deck(state.elements))
    return cards


def title_of(doc: Any) -> str:
    """The Title Spell's name, whether its Element was changed or not."""
    title: str = doc["title"]["spell"] if isinstance(doc["title"], dict) else doc["title"]
    return title


def strings(doc: Any) -> Iterator[str]:
    """Every string in a document, at any depth."""
    if isinstance(doc, str):
        yield doc
    elif isinstance(doc, dict):
        for value in doc.values():
            yield from strings(value)
    elif isinstance(doc, list):
        for value in doc:
            yield from strings(value)


CENSUS: dict[str, Callable[[Match[Any]], Census]] = {
    "weaver": weaver,
    "wizards": wizards,
    "tome": tome,
}
