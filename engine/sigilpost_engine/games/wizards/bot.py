"""Simple reckoning: try each cast on the table as it may be, and count what it brings.

The bots know what a seat knows. What they cannot see they deal by chance
(:func:`~.documents.imagine`); the answers inside an effect follow rules of thumb.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Move, Pick, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.wizards import rules
from sigilpost_engine.games.wizards.book import BOOK, DELAYED, INSTANT, ONGOING
from sigilpost_engine.games.wizards.documents import imagine, read
from sigilpost_engine.games.wizards.effect import MANA
from sigilpost_engine.games.wizards.state import Slot, State, Wizard

HAND = [0.0, 1.2, 2.2, 3.1, 3.9, 4.6, 5.2, 5.7, 6.1, 6.4]
"""What a hand of so many mana is worth, in health; each more 0.2."""

PURSE = [1, 1, 1, 2, 2, 3]
"""The hand with which a spell of the pool is tried."""

SLOPE = 8.0
"""So many health ahead are chances of 1 to e."""

LAID = {INSTANT: -0.6, DELAYED: 0.2, ONGOING: -0.2}
"""What a mana on a spell is worth at the start of a turn, in health: a spell in use cannot be
cast."""

COURTESY = 2
"""From this power on an attack is worth blocking."""

FRAIL = 10
"""Below this health no life is spent on mana."""


# --- what a position is worth ---------------------------------------------------------------------


def lead(s: State, seat: int) -> float:
    """How much better a seat stands than its opponent, in health."""
    if s.wizards[seat].health <= 0:
        return -1000.0
    if s.wizards[1 - seat].health <= 0:
        return 1000.0
    return strength(s.wizards[seat]) - strength(s.wizards[1 - seat])


def strength(wizard: Wizard) -> float:
    """A wizard's health, hand and spells, in health."""
    hand = wizard.hand
    count = len(hand)
    value = wizard.health + 0.15 * sum(hand)
    value += HAND[count] if count < len(HAND) else HAND[-1] + 0.2 * (count - len(HAND) + 1)
    for name, mana, _ in wizard.spells:
        if mana:
            act = BOOK[name].act
            if act == INSTANT:
                value -= 0.2 * len(mana)
            elif act == DELAYED:
                value += 1.3 * len(mana)
            else:
                value += 1.2
    return value


def chances(s: State, seat: int) -> float | None:
    """The chances of a seat, judged only at the start of a turn."""
    if s.casts or s.phase == "attack":
        return None
    ahead = prospects(s.wizards[seat]) - prospects(s.wizards[1 - seat])
    return 1 / (1 + math.exp(-ahead / SLOPE))


def prospects(wizard: Wizard) -> float:
    """What a wizard has at the start of a turn, in health. The figures are a fit of who won
    games of self-play."""
    value = wizard.health + 0.3 * len(wizard.hand) + 0.1 * sum(wizard.hand)
    for name, mana, _ in wizard.spells:
        value += LAID[BOOK[name].act] * len(mana)
    return value


# --- answering from a view ------------------------------------------------------------------------


def greedy(view: Document, prompt: Prompt) -> Answer:
    """The cast that brings most, as long as it brings something; then the strongest attack."""
    if prompt.topic in ("opening", "choose", "replace", "cast"):
        world = imagine(view, Rng(b"greedy"))
        if world is not None:
            if prompt.topic == "cast":
                return best_cast(world, prompt)
            return best_spell(world, prompt)
    return thumb(read(view), prompt)


def best_cast(world: State, prompt: Prompt) -> Answer:
    """Try every spell that can be cast; if none brings anything: attack, or end."""
    best, most = thumb(world, prompt), lead(world, prompt.seat)
    for move in prompt.moves:
        if move.verb == "cast":
            answer = pay(move)
            value = lead(after(codec.copy(world), answer), prompt.seat)
            if value > most:
                best, most = answer, value
    return best


def after(s: State, answer: Answer) -> State:
    """The position once the open step is answered so, and the rest of it by rules of thumb."""
    step = rules.step(Table(s, quiet=True))
    given: Answer | None = None
    try:
        while True:
            asked = step.send(given)
            assert isinstance(asked, Prompt)
            if asked.move_for(answer.verb, answer.target) is not None:
                given = answer
            else:
                given = asked.only() or thumb(s, asked)
    except StopIteration:
        return s


def best_spell(world: State, prompt: Prompt) -> Answer:
    """The spell of the pool that brings most. With six spells keep them, unless one that is not
    in use brings much less."""
    values = {name: promise(world, prompt.seat, name) for name in world.pool}
    best = max(values, key=lambda name: values[name])
    move = prompt.move_for("pick", best)
    assert move is not None
    if move.pick is None:
        return Answer("pick", best)
    own = {name: promise(world, prompt.seat, name) for name in move.pick.items}
    worst = min(own, key=lambda name: own[name])
    return Answer("pick", best, (worst,)) if values[best] > own[worst] + 1 else Answer("keep")


def promise(world: State, seat: int, name: str) -> float:
    """What casting a spell with a full purse would bring."""
    s = codec.copy(world)
    s.turn, s.phase, s.casts = seat, "cast", []
    wizard = s.wizards[seat]
    wizard.hand = list(PURSE)
    wizard.spells = [slot for slot in wizard.spells if slot.name != name][:5]
    wizard.spells.append(Slot(name))
    before = lead(s, seat)
    paid = tuple([MANA[mana] for mana in PURSE[: BOOK[name].cost]])
    return lead(after(s, Answer("cast", name, paid)), seat) - before


# --- rules of thumb -------------------------------------------------------------------------------


def thumb(s: State, prompt: Prompt) -> Answer:
    """A sensible answer without trying anything, from what the seat knows of ``s``."""
    attack = prompt.move_for("attack")
    if attack is not None and attack.pick is not None:
        return Answer("attack", "", (max(attack.pick.items),))
    first = prompt.moves[0]
    if first.verb == "yes":
        return Answer("yes" if s.wizards[prompt.seat].health > FRAIL else "no")
    if first.verb != "choose":
        return Answer("end turn") if prompt.topic in ("cast", "attack") else next(first.answers())
    if first.pick is None:
        return Answer("choose")
    if prompt.secret and prompt.seat != s.turn:
        return spare(prompt, first.pick)
    return Answer("choose", "", tuple(preferred(s, prompt.seat, first.pick)))


def spare(prompt: Prompt, pick: Pick) -> Answer:
    """Asked for mana of the hand in the opponent's turn: only to block a strong attack."""
    if prompt.values.get("power", 0) >= COURTESY:
        return Answer("choose", "", pick.items[:1])
    return Answer("choose")


def preferred(s: State, seat: int, pick: Pick) -> Sequence[str]:
    """The first of what is offered: the lowest mana; of own spells those with the least mana on
    them, which are free again soonest, and the dear ones first."""
    items = list(pick.items)
    laid = {slot.name: len(slot.mana) for slot in s.wizards[seat].spells}
    if all(name in laid for name in items):
        items.sort(key=lambda name: (laid[name], -BOOK[name].cost))
    return items[: min(pick.high, max(pick.low, 2))]


def pay(move: Move) -> Answer:
    """Cast with the weakest mana, the strongest of them on top."""
    return Answer(move.verb, move.target, move.pick.items[: move.pick.low] if move.pick else ())


# --- for the search -------------------------------------------------------------------------------


def shortlist(prompt: Prompt) -> list[Answer]:
    """Casts are paid with the weakest mana; of all else everything is tried."""
    found: list[Answer] = []
    for move in prompt.moves:
        if move.verb == "cast":
            found.append(pay(move))
        elif move.verb != "end" or prompt.topic != "cast":
            found += sorted(set(move.answers())) if move.verb == "attack" else move.answers()
    return found[:60]


def hunch(s: State, prompt: Prompt, rng: Rng) -> Answer:
    """A cast by chance while there is one, now and then none; else the rules of thumb."""
    if prompt.topic == "cast":
        moves = prompt.moves
        casts = len(moves) - 2 - (moves[-3].verb == "attack")
        place = rng.below(casts * 4 + 1)
        return pay(moves[place // 4]) if place < casts * 4 else thumb(s, prompt)
    if prompt.topic in ("opening", "choose", "replace"):
        return Answer("keep") if prompt.topic == "replace" else Answer("pick", rng.choice(s.pool))
    return thumb(s, prompt)
