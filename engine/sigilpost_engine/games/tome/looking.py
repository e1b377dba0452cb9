"""What a seat's view tells, for those who have nothing else: the client, the layout, the bot."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.documents import DEFAULT_SETS, TEAMS, TIMING_WORDS
from sigilpost_engine.games.tome.spells import BadSet, Book, F
from sigilpost_engine.games.tome.state import NOBODY, Due, Laid, Played, State

TIMINGS = {words: timing for timing, words in TIMING_WORDS.items()}


def book_of(view: Document) -> Book | None:
    """The sets of a view as they are installed here; None if one is not."""
    try:
        return sets.book(sets.newest(view.get("sets", DEFAULT_SETS)))
    except (sets.UnknownSet, BadSet):
        return None


def seats_of(view: Document) -> list[str]:
    """The names of the seats, in seat order."""
    return [name for name, value in view.items() if isinstance(value, dict) and "hand" in value]


def own_hand(view: Document) -> list[str]:
    """The hand of the seat whose view it is; a spectator has none."""
    hand: list[str] = view[view["you"]]["hand"] if "you" in view else []
    return hand


def names_in_game(view: Document) -> Sequence[str]:
    """The names of all spells of the sets in play, as far as they are known here."""
    book = book_of(view)
    if book is not None:
        return tuple(book.spells)
    return (*own_hand(view), *(row["spell"] for row in view["played"]), title_of(view)[0])


def title_of(view: Document) -> tuple[str, str]:
    """The Title Spell and its current Element; "" where unknown."""
    title = view.get("title", "")
    if isinstance(title, dict):
        return title["spell"], title["element"]
    book = book_of(view)
    known = book.spells.get(title) if book else None
    return title, known.element if known else ""


def partners(view: Document, name: str) -> list[str]:
    """Those who are on the side of ``name``, that seat included."""
    seats = seats_of(view)
    if view["mode"] != "team":
        return [name]
    return [other for place, other in enumerate(seats) if place % 2 == seats.index(name) % 2]


def state_of(view: Document) -> State | None:
    """The position of a view, for trying things out; unknown spells are ``"?"`` in it. None if a
    set is not installed here."""
    book = book_of(view)
    if book is None:
        return None
    seats = seats_of(view)
    chosen = view.get("sets", DEFAULT_SETS)
    title, element = title_of(view)
    s = State(
        rng=Rng(b""),
        seats=seats,
        mode=view["mode"],
        easy=view.get("easy", False),
        sets=sets.newest(chosen),
        elements=list(view["elements"]),
        phase="play",
        dealer=seats.index(view["dealer"]) if "dealer" in view else NOBODY,
        leader=seats.index(view["leader"]),
        turn=seats.index(view["turn"] if "turn" in view else view["leader"]),
        round=view["round"],
        chapter=view["chapter"],
        title=title,
        title_element=element,
        hands=[list(view[name]["hand"]) for name in seats],
        element_deck=list(view["element_deck"]),
        draw_deck=list(view.get("draw_deck", [])),
        played=[_played(row, seats) for row in view["played"]],
        due=[Due(row["spell"], TIMINGS[row["timing"]]) for row in view.get("due", [])],
        score=list(view["score"].values()),
        health=[view[name]["health"] for name in seats if "health" in view[name]],
    )
    chain = view.get("chain")
    if chain:
        s.chain, s.chain_broken = chain["element"], chain["broken"]
    if s.due and s.due[0].timing == "before_judging":
        s.phase = "judge"
    if "judged" in view:
        s.phase = "score"
        s.strongest = seats.index(view["judged"]["strongest"])
        s.weakest = seats.index(view["judged"]["weakest"])
    return s


def _played(row: Document, seats: Sequence[str]) -> Played:
    values = {**row, **row.get("beneath", {})}
    power = F if values["power"] == "F" else values["power"]
    return Played(seats.index(row["by"]), row["spell"], power, values["element"], row["silenced"])


def laid_of(row: Document, seats: Sequence[str]) -> Laid:
    """A spell of the pile."""
    by = seats.index(row["by"]) if "by" in row else NOBODY
    return Laid(row["spell"], by, row.get("chapter", 0))


def side_names(view: Document) -> Sequence[str]:
    """How the sides are called in ``score``."""
    return TEAMS if view["mode"] == "team" else seats_of(view)
