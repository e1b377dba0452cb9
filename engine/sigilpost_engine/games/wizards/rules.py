"""The course of the game: opening, the steps of a turn, and what comes due in between.

Ruling numbers are those of the rules page (docs/wizards.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sigilpost_engine.core.game import Result
from sigilpost_engine.core.prompts import Move, Pick, Prompt, choose
from sigilpost_engine.core.table import Step, Table, Trigger, ask
from sigilpost_engine.games.wizards import atoms
from sigilpost_engine.games.wizards.book import BOOK, STANDING
from sigilpost_engine.games.wizards.effect import MANA, Effect, cast, exchange, idle, run
from sigilpost_engine.games.wizards.state import (
    MOST_SPELLS,
    Attack,
    State,
    attack_binder,
    attack_powers,
    cost,
    in_use,
    power,
    spells_of,
)

REVEALS = frozenset(
    f"wizards.event.{name}"
    for name in (
        "attacks",
        "attacks-kept",
        "discards",
        "discards-by",
        "discards-off",
        "gains-by.seen",
        "picks-up.seen",
        "reveals",
        "shows",
        "shows-none",
        "shows-top",
    )
)
"""The events by which mana are shown that may go out of sight again (ruling 16; and the discard
pile is shuffled into the deck)."""

DRAWS = frozenset(
    f"wizards.event.{name}"
    for name in ("laid-out", "coin", "refills", "gains", "gains-by", "gains-by.seen", "reveals")
)
"""The events that show what came off a shuffled deck."""

GAIN = 3
"""Mana gained in each turn (Turn 3)."""

OPENING_CHOICES = 3


def step(t: Table[State]) -> Step[None]:
    """Set up; or one choice of a spell, the cool down, one cast, or the basic attack."""
    if t.state.phase == "deal":
        deal(t)
        return
    try:
        yield from settle(t)
        yield from PHASES[t.state.phase](t)
    except atoms.Over:
        t.due.clear()


def result(s: State) -> Result | None:
    """Who is left, once somebody's health is gone (ruling 2)."""
    one, two = s.wizards
    if one.health > 0 and two.health > 0:
        return None
    return Result((s.seats[0] if two.health <= 0 else s.seats[1],))


# --- what is due ----------------------------------------------------------------------------------


def settle(t: Table[State]) -> Step[None]:
    """Resolve what is due, one after another, until nothing is (ruling 8)."""
    while due := [*t.due, *standing(t)]:
        t.tick()
        place = 0
        if len(due) > 1:
            place = yield from which_next(t.state, due)
        if place < len(t.due):
            del t.due[place]
        yield from due[place].resolve()


def standing(t: Table[State]) -> list[Trigger]:
    """The ongoing spells that are due as the table now lies, the active player's first."""
    s = t.state
    due = []
    for seat in (s.turn, s.other):
        for name, mana, _ in s.wizards[seat].spells:
            if mana and name in STANDING and is_due(s, seat, name):
                due.append(Trigger(seat, name, partial(resolve, t, seat, name)))
    return due


def is_due(s: State, seat: int, name: str) -> bool:
    """Whether an ongoing spell in use is due for its owner."""
    due = STANDING[name].due
    assert due is not None, name
    return due(s, seat)


def resolve(t: Table[State], seat: int, name: str) -> Step[None]:
    """The effect of an ongoing spell."""
    effect = BOOK[name].effect
    assert effect is not None, name
    yield from run(effect, Effect(t, seat, name))


def which_next(s: State, due: list[Trigger]) -> Step[int]:
    """The active player says which of several comes next (common.md 7)."""
    names = [trigger.name for trigger in due]
    answer = yield from ask(choose(s.turn, "order", tuple(names)))
    return names.index(answer.picks[0])


# --- opening --------------------------------------------------------------------------------------


def deal(t: Table[State]) -> None:
    """Shuffle, lay out the pool, toss the coin."""
    s = t.state
    options = {"sets": s.sets, "beginner": s.beginner, "ban": s.ban}
    atoms.lay_out(t, spells_of(options))
    atoms.toss(t)


def opening(t: Table[State]) -> Step[None]:
    """One, two, one choose a spell; then two has the first full turn."""
    s = t.state
    chosen = sum(len(wizard.spells) for wizard in s.wizards)
    if s.pool:
        yield from add_spell(t, "opening")
    if chosen + 1 < OPENING_CHOICES and s.pool:
        atoms.pass_choice(t)
    else:
        second = s.turn if chosen % 2 else s.other
        atoms.begin_turn(t, second)


def add_spell(t: Table[State], topic: str) -> Step[None]:
    """The active player picks a spell of the pool."""
    s = t.state
    answer = yield from ask(Prompt(s.turn, topic, tuple([Move("pick", name) for name in s.pool])))
    atoms.refill(t, atoms.take_spell(t, s.turn, answer.target))


# --- the steps of a turn --------------------------------------------------------------------------


def discard_down(t: Table[State]) -> Step[None]:
    """With a hand limit: discard down to it at the start of the turn."""
    s = t.state
    hand = s.wizards[s.turn].hand
    surplus = 0 if s.hand_limit is None else len(hand) - s.hand_limit
    if surplus > 0:
        items = tuple([MANA[mana] for mana in hand])
        answer = yield from ask(
            choose(s.turn, "discard", items, surplus, surplus, secret=True, limit=s.hand_limit)
        )
        atoms.discard(t, s.turn, [int(mana) for mana in answer.picks], "")
        yield from settle(t)
    atoms.enter(t, "choose")


def choose_spell(t: Table[State]) -> Step[None]:
    """Turn 1: below six spells add one; with six, replace one that is not in use, or keep."""
    s = t.state
    if len(s.wizards[s.turn].spells) < MOST_SPELLS:
        if s.pool:
            yield from add_spell(t, "choose")
    else:
        yield from replace_or_keep(t)
    atoms.enter(t, "cooldown")


def replace_or_keep(t: Table[State]) -> Step[None]:
    """Turn 1 with six spells. With all of them in use, or an empty pool, nothing is asked."""
    s = t.state
    free = tuple([slot.name for slot in idle(s.wizards[s.turn].spells)])
    if not (free and s.pool):
        return
    moves = [Move("keep"), *(Move("pick", name, Pick(free)) for name in s.pool)]
    answer = yield from ask(Prompt(s.turn, "replace", tuple(moves)))
    if answer.verb == "pick":
        exchange(t, s.turn, answer.picks[0], answer.target)


def cool_down(t: Table[State]) -> Step[None]:
    """Turn 2 and 3: all discards first, then the delayed spells; then gain 3."""
    s = t.state
    for slot in list(in_use(s, s.turn)):
        atoms.discard_off(t, s.turn, slot.name)
    yield from settle(t)
    atoms.gain(t, s.turn, GAIN)
    yield from settle(t)
    atoms.enter(t, "cast")


def cast_spells(t: Table[State]) -> Step[None]:
    """Turn 4, one answer of it: a cast, or the end of the step; an attack ends it too."""
    s = t.state
    wizard = s.wizards[s.turn]
    hand = tuple([MANA[mana] for mana in wizard.hand])
    moves = []
    for name, laid, _ in wizard.spells:
        if not laid:
            price = cost(s, name)
            if price <= len(hand):
                pick = Pick(hand, price, price, True) if price else None
                moves.append(Move("cast", name, pick))
    if not moves:
        atoms.enter(t, "attack")
        return
    answer = yield from ask(Prompt(s.turn, "cast", (*moves, *attack_moves(s))))
    if answer.verb == "cast":
        yield from cast(t, answer.target, [int(mana) for mana in answer.picks])
        yield from settle(t)
        return
    atoms.enter(t, "attack")
    if answer.verb != "end":
        yield from attack_or_not(t, answer.picks)


def basic_attack(t: Table[State]) -> Step[None]:
    """Turn 5. Not asked with an empty hand, or if no mana could be legal whatever is held."""
    s = t.state
    if s.wizards[s.turn].hand and attack_powers(s):
        answer = yield from ask(Prompt(s.turn, "attack", attack_moves(s)))
        yield from attack_or_not(t, answer.picks)
    else:
        yield from attack_or_not(t, ())


def attack_moves(s: State) -> tuple[Move, ...]:
    """What ends the casting or declines the attack, and the mana that may attack."""
    hand = s.wizards[s.turn].hand
    allowed = attack_powers(s)
    items = tuple([MANA[mana] for mana in hand if mana in allowed])
    return (Move("attack", "", Pick(items)), *ENDS) if items else ENDS


ENDS = (Move("end"), Move("end turn"))


def attack_or_not(t: Table[State], picks: tuple[str, ...]) -> Step[None]:
    """The basic attack, if a mana is named; then the turn ends."""
    s = t.state
    if picks:
        yield from attack(t, int(picks[0]))
        yield from settle(t)
    else:
        forbidden = s.wizards[s.turn].hand and not attack_powers(s)
        atoms.decline_attack(t, attack_binder(s) if forbidden else "")
    for slot in list(in_use(s, s.turn)):
        if BOOK[slot.name].ends:
            yield from resolve(t, s.turn, slot.name)
            yield from settle(t)
    atoms.begin_turn(t, s.other)


def attack(t: Table[State], mana: int) -> Step[None]:
    """Discard a mana, deal its power, unless it is blocked (Turn 5, ruling 11)."""
    s = t.state
    atoms.attack(t, mana, keeper(s))
    blocked = False
    for slot in list(in_use(s, s.other)):
        attacked = BOOK[slot.name].attacked
        if attacked is not None:
            blocked = yield from attacked(Effect(t, s.other, slot.name), mana)
            if blocked:
                atoms.block(t, s.other, slot.name)
    strength = power(s, mana)
    dealt = 0 if blocked else strength
    atoms.remember_attack(t, Attack(strength, dealt))
    atoms.damage(t, s.other, dealt, "")


def keeper(s: State) -> tuple[int, str] | None:
    """Who gets the mana of a basic attack instead of the discard pile, and by which spell."""
    for seat in (s.turn, s.other):
        for slot in in_use(s, seat):
            if BOOK[slot.name].takes_attack_mana:
                return seat, slot.name
    return None


PHASES: dict[str, Callable[[Table[State]], Step[None]]] = {
    "opening": opening,
    "discard": discard_down,
    "choose": choose_spell,
    "cooldown": cool_down,
    "cast": cast_spells,
    "attack": basic_attack,
}
"""The steps, by the phase that names them in a position document."""
