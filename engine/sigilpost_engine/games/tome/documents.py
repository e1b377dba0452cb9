"""Positions as documents: what a seat may see, and the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome import rules
from sigilpost_engine.games.tome.state import NOBODY, State, is_in, shown
from sigilpost_engine.games.tome.strength import Chapter

KEYS = frozenset(
    [
        "mode", "sets", "easy", "elements", "dealer", "leader", "turn", "round", "chapter",
        "title", "element_deck", "draw_deck", "played", "resolved", "chain", "due", "judged",
        "score", "pile", "aside", "result", "you",
    ]
)  # fmt: skip
SEAT_KEYS = ("hand", "health")
TEAMS = ("north", "south")
TIMING_WORDS = {
    "on_play": "on play",
    "each_play": "each time",
    "before_judging": "before judging",
    "after_judging": "after judging",
}
UNKNOWN = "?"
DEFAULT_SETS = ["light"]


def dump(s: State) -> Document:
    """The whole position: what an eye that sees everything sees."""
    doc = _public(s)
    doc["element_deck"] = list(s.element_deck)
    if s.mode == "duel":
        doc["draw_deck"] = list(s.draw_deck)
    doc["pile"] = _pile(s)
    doc["aside"] = list(s.aside)
    for seat, name in enumerate(s.seats):
        doc[name] = _seat(s, seat, list(s.hands[seat]))
    return doc


def view(s: State, seat: int | None) -> Document:
    """The own hand; of other hands and of the decks the number of cards. Spells of earlier
    chapters only if the game is easy."""
    doc: Document = {} if seat is None else {"you": s.seats[seat]}
    doc |= _public(s)
    doc["element_deck"] = [UNKNOWN] * len(s.element_deck)
    if s.mode == "duel":
        doc["draw_deck"] = [UNKNOWN] * len(s.draw_deck)
    if s.easy:
        doc["pile"] = _pile(s)
    for number, name in enumerate(s.seats):
        hand = s.hands[number]
        doc[name] = _seat(s, number, list(hand) if number == seat else [UNKNOWN] * len(hand))
    return doc


def _public(s: State) -> Document:
    doc: Document = {"mode": s.mode}
    if list(s.sets) != DEFAULT_SETS:
        doc["sets"] = list(s.sets)
    if s.easy:
        doc["easy"] = True
    doc["elements"] = list(s.elements)
    if s.dealer != NOBODY:
        doc["dealer"] = s.seats[s.dealer]
    doc["leader"] = s.seats[s.leader]
    if s.phase == "play":
        doc["turn"] = s.seats[s.turn]
    doc["round"] = s.round
    doc["chapter"] = s.chapter
    if s.title:
        doc["title"] = _title(s)
    doc["played"] = chapter_rows(s)
    doc["resolved"] = True
    if s.chain:
        doc["chain"] = {"element": s.chain, "broken": s.chain_broken}
    if s.due:
        doc["due"] = [{"spell": due.spell, "timing": TIMING_WORDS[due.timing]} for due in s.due]
    if s.phase == "score" and s.strongest != NOBODY:
        doc["judged"] = {"strongest": s.seats[s.strongest], "weakest": s.seats[s.weakest]}
    doc["score"] = dict(zip(score_keys(s.mode, s.seats), s.score, strict=True))
    result = rules.result(s)
    if result is not None:
        doc["result"] = result.document()
    return doc


def score_keys(mode: str, seats: Sequence[str]) -> Sequence[str]:
    """How the sides are called in ``score``."""
    return TEAMS if mode == "team" else seats


def _title(s: State) -> Any:
    if s.title_element == s.book.spells[s.title].element:
        return s.title
    return {"spell": s.title, "element": s.title_element}


def chapter_rows(s: State) -> list[Document]:
    """Each spell on the chapter with its current values; ``beneath`` where those that stand
    without constants differ."""
    rows = []
    for base, now in zip(s.played, Chapter(s).spells, strict=True):
        row: Document = {
            "by": s.seats[base.by],
            "spell": base.spell,
            "power": shown(now.power),
            "element": now.element,
            "silenced": base.silenced,
        }
        if (base.power, base.element) != (now.power, now.element):
            row["beneath"] = {"power": shown(base.power), "element": base.element}
        rows.append(row)
    return rows


def _pile(s: State) -> list[Document]:
    rows: list[Document] = []
    for laid in s.pile:
        row: Document = {"spell": laid.spell}
        if laid.by != NOBODY:
            row["by"] = s.seats[laid.by]
        if laid.chapter:
            row["chapter"] = laid.chapter
        rows.append(row)
    return rows


def _seat(s: State, seat: int, hand: list[str]) -> Document:
    if not s.health:
        return {"hand": hand}
    return {"hand": hand if is_in(s, seat) else [], "health": s.health[seat]}


def blur(s: State, seat: int | None, rng: Rng) -> State:
    """The same position with all spells that ``seat`` may not know dealt again among their
    places, and another random stream."""
    other = codec.copy(s)
    piles = [hand for number, hand in enumerate(other.hands) if number != seat]
    piles += [other.element_deck, other.draw_deck, other.aside]
    spells = [spell for pile in piles for spell in pile]
    if not s.easy:
        spells += [laid.spell for laid in other.pile]
    rng.shuffle(spells)
    for pile in piles:
        pile[:] = spells[: len(pile)]
        del spells[: len(pile)]
    for laid, spell in zip(other.pile, spells, strict=False):
        laid.spell = spell
    for hand in other.hands:
        hand.sort(key=s.book.order.__getitem__)
    other.rng = Rng(rng.word().to_bytes(4, "big"))
    return other
