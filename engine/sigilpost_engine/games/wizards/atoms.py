"""The atoms: the only functions that change the state. Each tells one event at most.

Values of the events: ``seat`` and ``other`` are names of players, ``spell`` is a name, ``mana``
a printed power or a list of them, ``n`` how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sigilpost_engine.core.messages import Value
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.wizards.book import ATTACK, BOOK
from sigilpost_engine.games.wizards.state import (
    BOTH,
    DECK,
    NOBODY,
    Attack,
    Cast,
    Slot,
    State,
    place_of,
    power,
)

Seen = Mapping[int, Mapping[str, Value]]


class Over(Exception):
    """A player has lost: nothing more happens, whatever was going on (ruling 2)."""


# --- the table ------------------------------------------------------------------------------------


def lay_out(t: Table[State], spells: Sequence[str]) -> None:
    """Shuffle both decks and lay out the pool."""
    s = t.state
    s.mana_deck = [mana for mana, number in DECK.items() for _ in range(number)]
    s.rng.shuffle(s.mana_deck)
    s.spell_deck = list(spells)
    s.rng.shuffle(s.spell_deck)
    s.pool = [s.spell_deck.pop() for _ in range(min(s.pool_size, len(s.spell_deck)))]
    t.tell("wizards.event.laid-out", {"pool": list(s.pool), "n": len(s.pool)})


def toss(t: Table[State]) -> None:
    """The coin says who is player one (Opening)."""
    s = t.state
    s.turn = s.rng.below(2)
    s.phase = "opening"
    t.tell("wizards.event.coin", {"seat": s.seats[s.turn], "other": s.seats[s.other]})


def take_spell(t: Table[State], seat: int, name: str) -> int:
    """A seat adds a spell of the pool to its row. Returns the place in the pool it left."""
    s = t.state
    place = s.pool.index(name)
    del s.pool[place]
    s.wizards[seat].spells.append(Slot(name))
    t.tell("wizards.event.chooses", {"seat": s.seats[seat], "spell": name})
    return place


def replace_spell(t: Table[State], seat: int, old: str, name: str) -> int:
    """A spell leaves the game, one of the pool takes its place in the row and the mana on it
    (ruling 12). Returns the place in the pool it left."""
    s = t.state
    place = s.pool.index(name)
    del s.pool[place]
    row = s.wizards[seat].spells
    number = place_of(s, seat, old)
    row[number] = row[number]._replace(name=name)
    s.removed.append(old)
    t.tell("wizards.event.replaces", {"seat": s.seats[seat], "spell": name, "old": old})
    return place


def refill(t: Table[State], place: int) -> None:
    """The top of the spell deck, if there is one, takes a place of the pool."""
    s = t.state
    if s.spell_deck:
        name = s.spell_deck.pop()
        s.pool.insert(place, name)
        t.tell("wizards.event.refills", {"spell": name})


def pass_choice(t: Table[State]) -> None:
    """The other player chooses next. It shows in what is asked and is no event of its own."""
    t.state.turn = t.state.other


def begin_turn(t: Table[State], seat: int) -> None:
    """The turn passes; what held for the last one only is forgotten."""
    s = t.state
    s.turn = seat
    s.phase = "discard"
    s.casts = []
    s.any_less = s.attack_less = 0
    t.tell("wizards.event.turn", {"seat": s.seats[seat]})


def enter(t: Table[State], phase: str) -> None:
    """The next step of the turn. It shows in what happens and is no event of its own."""
    t.state.phase = phase


# --- mana -----------------------------------------------------------------------------------------


def _reshuffle(t: Table[State], needed: int) -> None:
    """With less than ``needed`` in the mana deck, the discard pile is shuffled in beneath it: the
    same as drawing what there is, and then shuffling (ruling 1)."""
    s = t.state
    if len(s.mana_deck) < needed and s.mana_discard:
        pile, s.mana_discard = s.mana_discard, []
        s.rng.shuffle(pile)
        t.tell("wizards.event.reshuffled", {"n": len(pile)})
        s.mana_deck[:0] = pile


def gain(t: Table[State], seat: int, n: int, cause: str = "", *, shown: bool = False) -> list[int]:
    """Draw up to ``n`` mana into the hand of a seat. Returns what was drawn, first first."""
    s = t.state
    _reshuffle(t, n)
    deck = s.mana_deck
    drawn = deck[: -n - 1 : -1] if n > 0 else []
    if not drawn:
        return drawn
    del deck[-len(drawn) :]
    hand = s.wizards[seat].hand
    hand += drawn
    hand.sort()
    if not t.quiet:
        values = {"seat": s.seats[seat], "n": len(drawn), **_cause(cause)}
        _tell_hidden(t, "gains", values, sorted(drawn), 1 << seat, public=shown)
    return drawn


def reveal(t: Table[State], n: int, cause: str) -> list[int]:
    """Show up to ``n`` mana on top of the mana deck, the top first. They stay there."""
    s = t.state
    _reshuffle(t, n)
    shown = s.mana_deck[: -n - 1 : -1]
    if shown:
        t.tell("wizards.event.reveals", {"spell": cause, "mana": list(shown), "n": len(shown)})
    return shown


def arrange_top(t: Table[State], order: Sequence[int], cause: str) -> None:
    """The top of the mana deck is put back in this order, the last on top."""
    if not order:
        return
    t.state.mana_deck[-len(order) :] = order
    t.tell(
        "wizards.event.puts-back",
        {"seat": t.state.seats[t.state.turn], "mana": list(order), "n": len(order), "spell": cause},
    )


def take_from_top(t: Table[State], seat: int, mana: Sequence[int], cause: str) -> None:
    """These of the mana shown on top of the mana deck go to the hand of a seat."""
    if not mana:
        return
    s = t.state
    for one in mana:
        del s.mana_deck[_topmost(s.mana_deck, one)]
    hand = s.wizards[seat].hand
    hand += mana
    hand.sort()
    t.tell(
        "wizards.event.takes-shown",
        {"seat": s.seats[seat], "mana": list(mana), "n": len(mana), "spell": cause},
    )


def _topmost(deck: Sequence[int], mana: int) -> int:
    return len(deck) - 1 - list(reversed(deck)).index(mana)


def lay_shown(t: Table[State], seat: int, name: str, mana: int, cause: str) -> None:
    """A mana shown on top of the mana deck goes on a spell: known to both (ruling 4)."""
    s = t.state
    del s.mana_deck[_topmost(s.mana_deck, mana)]
    _lay(s, seat, name, (mana,), BOTH)
    t.tell(
        "wizards.event.lays-shown",
        {"seat": s.seats[seat], "spell": name, "mana": mana, "cause": cause},
    )


def lay_unseen(t: Table[State], seat: int, name: str, cause: str) -> bool:
    """The top of the mana deck goes on a spell, known to nobody. False if there is none."""
    s = t.state
    _reshuffle(t, 1)
    if not s.mana_deck:
        return False
    _lay(s, seat, name, (s.mana_deck.pop(),), NOBODY)
    t.tell("wizards.event.lays-unseen", {"seat": s.seats[seat], "spell": name, "cause": cause})
    return True


def _lay(s: State, seat: int, name: str, mana: tuple[int, ...], known: int) -> None:
    row = s.wizards[seat].spells
    place = place_of(s, seat, name)
    _, under, knowers = row[place]
    row[place] = Slot(name, under + mana, knowers + (known,) * len(mana))


def _take_off(s: State, seat: int, name: str) -> tuple[int, int]:
    """Take the top mana off a spell: its power and who knows it."""
    row = s.wizards[seat].spells
    place = place_of(s, seat, name)
    _, mana, known = row[place]
    row[place] = Slot(name, mana[:-1], known[:-1])
    return mana[-1], known[-1]


def discard_off(t: Table[State], seat: int, name: str) -> int:
    """Discard the top mana off a spell; a delayed spell is triggered (ruling 10)."""
    s = t.state
    mana, _ = _take_off(s, seat, name)
    left = s.wizards[seat].spells[place_of(s, seat, name)].mana
    s.mana_discard.append(mana)
    t.tell("wizards.event.discards-off", {"seat": s.seats[seat], "spell": name, "mana": mana})
    spell = BOOK[name]
    if spell.discarded is not None and not (spell.last and left):
        t.queue(seat, name, partial(spell.discarded, t, seat, mana))
    return mana


def pick_up(
    t: Table[State], taker: int, owner: int, name: str, cause: str, *, shown: bool = False
) -> int:
    """The top mana of a spell goes to the hand of ``taker``; seen besides by who knew it."""
    s = t.state
    mana, known = _take_off(s, owner, name)
    _to_hand(s, taker, mana)
    if not t.quiet:
        values = {"seat": s.seats[taker], "spell": name, "other": s.seats[owner], "cause": cause}
        id = "picks-up" if taker == owner else "picks-up-from"
        _tell_hidden(t, id, values, mana, known | 1 << taker, public=shown)
    return mana


def move_top(t: Table[State], seat: int, name: str, onto: str) -> None:
    """The top mana of a spell goes onto another; who knows it does not change (Fracture)."""
    s = t.state
    mana, known = _take_off(s, seat, name)
    _lay(s, seat, onto, (mana,), known)
    t.tell("wizards.event.moves", {"seat": s.seats[seat], "spell": name, "onto": onto})


def discard(t: Table[State], seat: int, mana: Sequence[int], cause: str) -> None:
    """Discard mana from hand, in this order."""
    if not mana:
        return
    s = t.state
    hand = s.wizards[seat].hand
    for one in mana:
        hand.remove(one)
    s.mana_discard += mana
    t.tell(
        "wizards.event.discards-by" if cause else "wizards.event.discards",
        {"seat": s.seats[seat], "mana": list(mana), "n": len(mana), **_cause(cause)},
    )


def give(t: Table[State], giver: int, mana: Sequence[int], cause: str) -> None:
    """Mana of a hand goes to the opponent's, seen by both (ruling 5)."""
    if not mana:
        return
    s = t.state
    hand = s.wizards[giver].hand
    for one in mana:
        hand.remove(one)
        _to_hand(s, 1 - giver, one)
    if not t.quiet:
        values = {
            "seat": s.seats[giver],
            "other": s.seats[1 - giver],
            "n": len(mana),
            "spell": cause,
        }
        _tell_hidden(t, "gives", values, sorted(mana), BOTH)


def put_on_deck(t: Table[State], seat: int, mana: Sequence[int], cause: str) -> None:
    """Mana of a hand goes on top of the mana deck in this order, the last on top."""
    if not mana:
        return
    s = t.state
    hand = s.wizards[seat].hand
    for one in mana:
        hand.remove(one)
    s.mana_deck += mana
    values = {"seat": s.seats[seat], "n": len(mana), "spell": cause}
    _tell_hidden(t, "puts-on-deck", values, list(mana), 1 << seat)


def show(t: Table[State], seat: int, mana: int, cause: str) -> None:
    """A player shows a mana."""
    t.tell("wizards.event.shows", {"seat": t.state.seats[seat], "mana": mana, "spell": cause})


def show_top(t: Table[State], seat: int, name: str, cause: str) -> int:
    """The top mana of a spell is shown: from now on both know it (ruling 4)."""
    s = t.state
    row = s.wizards[seat].spells
    place = place_of(s, seat, name)
    _, mana, known = row[place]
    row[place] = Slot(name, mana, (*known[:-1], BOTH))
    t.tell(
        "wizards.event.shows-top",
        {"seat": s.seats[seat], "spell": name, "mana": mana[-1], "cause": cause},
    )
    return mana[-1]


def show_none(t: Table[State], seat: int, mana: int, cause: str) -> None:
    """A player holds no mana of the power of ``mana``, and says so."""
    t.tell("wizards.event.shows-none", {"seat": t.state.seats[seat], "mana": mana, "spell": cause})


def take_discarded(t: Table[State], seat: int, mana: Sequence[int], cause: str) -> None:
    """Mana of the discard pile goes to the hand of a seat."""
    s = t.state
    for one in mana:
        s.mana_discard.remove(one)
        _to_hand(s, seat, one)
    t.tell(
        "wizards.event.takes-discarded",
        {"seat": s.seats[seat], "mana": list(mana), "n": len(mana), "spell": cause},
    )


def _to_hand(s: State, seat: int, mana: int) -> None:
    hand = s.wizards[seat].hand
    hand.append(mana)
    hand.sort()


def _cause(name: str) -> dict[str, Value]:
    return {"spell": name} if name else {}


def _tell_hidden(
    t: Table[State],
    id: str,
    values: Mapping[str, Value],
    mana: Value,
    knowers: int,
    *,
    public: bool = False,
) -> None:
    """An event whose mana only ``knowers`` see; if ``public``, everybody."""
    name = f"wizards.event.{id}"
    if "spell" in values and id == "gains":
        name += "-by"
    if public:
        t.tell(name + ".seen", {**values, "mana": mana})
    else:
        seen: Seen = {seat: {"mana": mana} for seat in (0, 1) if knowers >> seat & 1}
        t.tell(name, values, secret=seen)


# --- casting, damage ------------------------------------------------------------------------------


def pay(t: Table[State], name: str, mana: Sequence[int]) -> int:
    """The active player casts a spell and lays mana on it in this order (ruling 4). The discounts
    that fit are used up (ruling 6). Returns the number of the cast in this turn, from 0."""
    s = t.state
    seat = s.turn
    if mana:
        hand = s.wizards[seat].hand
        for one in mana:
            hand.remove(one)
        _lay(s, seat, name, tuple(mana), 1 << seat)
    s.any_less = 0
    if BOOK[name].kind == ATTACK:
        s.attack_less = 0
    s.casts.append(Cast(name, len(mana)))
    if not t.quiet:
        values = {"seat": s.seats[seat], "spell": name, "n": len(mana)}
        if mana:
            _tell_hidden(t, "casts", values, list(mana), 1 << seat)
        else:
            t.tell("wizards.event.casts-free", values)
    return len(s.casts) - 1


def discount(t: Table[State], cause: str, *, any: int = 0, attack: int = 0) -> None:
    """The next spell (or attack spell) of this turn costs less; several add up (ruling 6)."""
    s = t.state
    s.any_less += any
    s.attack_less += attack
    id = "wizards.event.discount" if any else "wizards.event.discount-attack"
    t.tell(id, {"spell": cause, "count": any or attack})


def damage(t: Table[State], seat: int, n: int, cause: str, cast: int = -1) -> None:
    """Deal damage to a seat, by a spell (as part of the cast of this number) or by a basic attack
    (no cause). Raises Over if the seat loses by it."""
    if n <= 0:
        return
    s = t.state
    wizard = s.wizards[seat]
    wizard.health -= n
    if cast >= 0:
        spell, paid, dealt = s.casts[cast]
        s.casts[cast] = Cast(spell, paid, dealt + n)
    if not t.quiet:
        id = "wizards.event.damage-by" if cause else "wizards.event.damage"
        t.tell(id, {"seat": s.seats[seat], "count": n, "health": wizard.health, **_cause(cause)})
    if wizard.health <= 0:
        t.tell("wizards.event.wins", {"seat": s.seats[1 - seat], "other": s.seats[seat]})
        raise Over


# --- basic attack ---------------------------------------------------------------------------------


def attack(t: Table[State], mana: int, keeper: tuple[int, str] | None) -> None:
    """The active player discards a mana to basic attack; ``keeper``, a seat by a spell, gets it
    instead if there is one."""
    s = t.state
    s.wizards[s.turn].hand.remove(mana)
    values = {"seat": s.seats[s.turn], "mana": mana, "power": power(s, mana)}
    if keeper is None:
        s.mana_discard.append(mana)
        t.tell("wizards.event.attacks", values)
    else:
        seat, spell = keeper
        _to_hand(s, seat, mana)
        values |= {"other": s.seats[seat], "spell": spell}
        t.tell("wizards.event.attacks-kept", values)


def block(t: Table[State], seat: int, cause: str) -> None:
    """The basic attack deals nothing."""
    t.tell("wizards.event.blocks", {"seat": t.state.seats[seat], "spell": cause})


def remember_attack(t: Table[State], made: Attack | None) -> None:
    """What the active player's last basic attack was; None: none (ruling 11)."""
    s = t.state
    s.wizards[s.turn].attack = made


def decline_attack(t: Table[State], forbidden_by: str = "") -> None:
    """The active player does not basic attack, or may not, by a spell of the opponent's."""
    s = t.state
    remember_attack(t, None)
    values = {"seat": s.seats[s.turn]}
    if forbidden_by:
        values |= {"other": s.seats[s.other], "spell": forbidden_by}
        t.tell("wizards.event.attack-forbidden", values)
    else:
        t.tell("wizards.event.no-attack", values)
