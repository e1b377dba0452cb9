"""The deck: 36 cards, four colours with face values 1 to 9.

A card is a number from 0 to 35 inside the rules: ``9 * colour + value - 1``.
"""

from __future__ import annotations

COLOURS = ("ASHW", "ESBNER", "OHIF", "UKELELE")
ELEMENTS = ("fire", "water", "earth", "air")
"""The element of each colour, in the same order; players may type either."""

VALUES = 9
DECK = tuple(range(len(COLOURS) * VALUES))
NAMES = tuple(f"{colour} {value}" for colour in COLOURS for value in range(1, VALUES + 1))
NUMBERS = {name: card for card, name in enumerate(NAMES)}
SPACES = "ABCDE"
HAND_SIZES = {2: 9, 3: 8, 4: 7, 5: 6}


def colour(card: int) -> int:
    """0 to 3."""
    return card // VALUES


def value(card: int) -> int:
    """The face value, 1 to 9."""
    return card % VALUES + 1


def claims(card: int, placed: int) -> bool:
    """Whether ``card`` may claim a space that shows ``placed``: same colour, or a lower value."""
    return colour(card) == colour(placed) or value(card) < value(placed)


CLAIMERS = tuple(frozenset(card for card in DECK if claims(card, placed)) for placed in DECK)
"""For each placed card, the cards that claim it."""
