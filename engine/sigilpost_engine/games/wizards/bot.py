"""Simple reckoning: try each cast on the table as it may be, and count what it brings.

The bots know what a seat knows. What they cannot see they deal by chance
(:func:`~.documents.imagine`); the answers inside an effect follow rules of thumb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Move, Pick, Prompt
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.wizards import rules
from sigilpost_engine.games.wizards.book import ATTACK, BOOK, DELAYED, INSTANT
from sigilpost_engine.games.wizards.documents import imagine, read
from sigilpost_engine.games.wizards.effect import MANA
from sigilpost_engine.games.wizards.state import Slot, State, Wizard, power

HAND = [1.2, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
"""What the first mana of a hand is worth in health, the second, and so on; the rest 0.2."""

PURSE = 6
"""How many mana a spell of the pool is tried with."""

COURTESY = 2
"""From this power on an attack is worth blocking."""


# --- what a position is worth ---------------------------------------------------------------------


def worth(s: State, seat: int) -> float:
    """How much better a seat stands than its opponent, in health."""
    if s.wizards[seat].health <= 0:
        return -1000.0
    if s.wizards[1 - seat].health <= 0:
        return 1000.0
    return standing(s.wizards[seat]) - standing(s.wizards[1 - seat])


def standing(wizard: Wizard) -> float:
    """A wizard's health, hand and spells, in health."""
    hand = wizard.hand
    count = len(hand)
    value = wizard.health + sum(HAND[:count]) + 0.2 * max(0, count - len(HAND))
    value += 0.15 * sum(hand)
    for slot in wizard.spells:
        laid = len(slot.mana)
        if laid:
            act = BOOK[slot.name].act
            value += 1.3 * laid if act == DELAYED else 1.2 if act != INSTANT else -0.2 * laid
    return value


# --- answering from a view ------------------------------------------------------------------------


def greedy(view: Document, prompt: Prompt) -> Answer:
    """The cast that brings most, as long as it brings something; then the strongest attack."""
    seats = in_seat_order(view, prompt.seat)
    if prompt.topic == "cast":
        return best_cast(view, seats, prompt)
    if prompt.topic in ("opening", "choose", "replace"):
        return best_spell(view, seats, prompt)
    return thumb(read(view, seats), prompt)


def in_seat_order(view: Document, seat: int) -> list[str]:
    """The names of both seats; ``seat`` is the one whose view it is."""
    you = view["you"]
    (other,) = (name for name, table in view.items() if name != you and _is_wizard(table))
    return [you, other] if seat == 0 else [other, you]


def _is_wizard(table: object) -> bool:
    return isinstance(table, dict) and "hand" in table


def best_cast(view: Document, seats: Sequence[str], prompt: Prompt) -> Answer:
    """Try every spell that can be cast; none of them: attack or end."""
    world = imagine(view, seats, Rng(b"greedy"))
    if world is None:
        return thumb(read(view, seats), prompt)
    best, most = thumb(world, prompt), worth(world, prompt.seat)
    for move in prompt.moves:
        if move.verb == "cast":
            answer = pay(move)
            value = worth(after(codec.copy(world), answer), prompt.seat)
            if value > most:
                best, most = answer, value
    return best


def after(s: State, answer: Answer) -> State:
    """The position after the open step is answered so, and the rest by rules of thumb."""
    t = Table(s, quiet=True)
    step = rules.step(t)
    given: Answer | None = None
    try:
        while True:
            asked = step.send(given)
            assert isinstance(asked, Prompt)
            given = asked.only()
            if given is None:
                given = (
                    thumb(s, asked)
                    if asked.move_for(answer.verb, answer.target) is None
                    else answer
                )
    except StopIteration:
        return s


def best_spell(view: Document, seats: Sequence[str], prompt: Prompt) -> Answer:
    """The spell of the pool that brings most with a full purse. With six spells keep them, unless
    one that is not in use brings much less."""
    world = imagine(view, seats, Rng(b"greedy"))
    if world is None:
        return thumb(read(view, seats), prompt)
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
    """What a cast of a spell would bring, for the mana that it costs."""
    s = codec.copy(world)
    s.turn, s.phase, s.casts = seat, "cast", []
    wizard = s.wizards[seat]
    wizard.hand = sorted([*wizard.hand, *[1, 1, 1, 2, 2, 3]])[-PURSE:]
    wizard.spells = [slot for slot in wizard.spells if slot.name != name][:5]
    wizard.spells.append(Slot(name))
    before = worth(s, seat)
    cost = BOOK[name].cost
    return (
        worth(after(s, Answer("cast", name, tuple(MANA[m] for m in wizard.hand[:cost]))), seat)
        - before
    )


# --- rules of thumb -------------------------------------------------------------------------------


def thumb(s: State, prompt: Prompt) -> Answer:
    """A sensible answer without trying anything, from what the seat knows of ``s``."""
    if attack := prompt.move_for("attack"):
        assert attack.pick is not None
        return Answer("attack", "", (max(attack.pick.items),))
    first = prompt.moves[0]
    if first.verb == "yes":
        return Answer("yes" if s.wizards[prompt.seat].health > 10 else "no")
    if first.verb != "choose":
        return Answer(prompt.moves[-1].verb) if first.verb == "cast" else next(first.answers())
    if first.pick is None:
        return Answer("choose")
    if prompt.secret and prompt.seat != s.turn:
        return spare(prompt, first.pick)
    return Answer("choose", "", tuple(preferred(s, prompt.seat, first.pick)))


def spare(prompt: Prompt, pick: Pick) -> Answer:
    """Asked in the opponent's turn for mana of the hand: only to block a strong attack."""
    if prompt.values.get("power", 0) >= COURTESY:
        return Answer("choose", "", pick.items[:1])
    return Answer("choose")


def preferred(s: State, seat: int, pick: Pick) -> Iterable[str]:
    """The first of what is offered: low mana; for spells those with the least mana left on them,
    which a pick-up or discard frees soonest, the dear ones first."""
    items = list(pick.items)
    laid = {slot.name: len(slot.mana) for slot in s.wizards[seat].spells}
    if all(name in laid for name in items):
        items.sort(key=lambda name: (laid[name], -BOOK[name].cost))
    return items[: pick.high if pick.high <= 2 else pick.low]


def pay(move: Move) -> Answer:
    """Cast with the weakest mana, the strongest of them on top."""
    return Answer(move.verb, move.target, move.pick.items[: move.pick.low] if move.pick else ())
