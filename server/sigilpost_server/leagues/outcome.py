"""What a game's end means for ratings and leagues: places, who gave up, whether it is rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

GAVE_UP = ("resigned", "forfeited")
"""The keys under which a result names whoever ended the game without finishing it."""


class Outcome(NamedTuple):
    """``places`` of the sides (1 is best; ties share), the seats that gave up, ``late`` if by their
    clocks, ``nobody`` if none is left who has won then, and each seat's own score (empty if the
    game counts none)."""

    places: tuple[int, ...]
    gave_up: tuple[int, ...]
    late: bool
    nobody: bool
    scores: tuple[int, ...]


def read(
    result: Mapping[str, Any], names: Sequence[str], sides: Sequence[Sequence[int]]
) -> Outcome:
    """What a stored result says; ``names`` are those of the seats.

    The winners come first. Behind them a game's scores decide, if it has any; whoever gave up is
    last, and their partners with them; several who gave up at once share that place.
    """
    gave_up = _gave_up(result, names)
    scores = _scores(result, names)
    winners = set(result["winners"])

    def worth(side: Sequence[int]) -> tuple[int, int]:
        if any(names[seat] in winners for seat in side):
            return 2, 0
        if gave_up:
            return (0, 0) if set(gave_up) & set(side) else (1, 0)
        return 1, sum(scores[seat] for seat in side) if scores else 0

    worths = [worth(side) for side in sides]
    places = tuple(1 + sum(other > mine for other in worths) for mine in worths)
    return Outcome(places, gave_up, "forfeited" in result, bool(gave_up) and not winners, scores)


def _gave_up(result: Mapping[str, Any], names: Sequence[str]) -> tuple[int, ...]:
    """The seats of those whom a result names: one, or several who were late together."""
    named: str | list[str] = next((result[key] for key in GAVE_UP if key in result), [])
    return tuple(names.index(name) for name in ([named] if isinstance(named, str) else named))


def _scores(result: Mapping[str, Any], names: Sequence[str]) -> tuple[int, ...]:
    table = result.get("scores")
    if not isinstance(table, Mapping) or set(table) != set(names):
        return ()
    own = (table[name] for name in names)
    return tuple(sum(s) if isinstance(s, list | tuple) else int(s) for s in own)
