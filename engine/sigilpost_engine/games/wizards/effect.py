"""What a spell's effect has in hand: whose it is, the table, the atoms and the questions.

An effect is a generator: it asks with ``yield from it.<question>(…)`` and changes the table with
``it.<atom>(…)``. Each question is one choice of the card's words (common.md 3). Where there is
nothing to choose from, a question gives an empty answer without asking anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sigilpost_engine.core.messages import Value
from sigilpost_engine.core.prompts import Move, Pick, Prompt, choose, yes_no
from sigilpost_engine.core.table import Step, Table, ask
from sigilpost_engine.games.wizards import atoms
from sigilpost_engine.games.wizards.book import BOOK, INSTANT, Deed
from sigilpost_engine.games.wizards.state import Cast, Slot, State, Wizard, power

MANA = ("", "1", "2", "3", "4")
"""How a mana of each printed power is written."""


class Effect:
    """One effect going on. ``me`` owns the spell called ``name``; ``cast`` is the number of the
    cast whose own effect this is (-1: it is no cast's, but a trigger)."""

    __slots__ = ("cast", "foe", "me", "name", "s", "t")

    def __init__(self, t: Table[State], me: int, name: str, cast: int = -1) -> None:
        self.t = t
        self.s = t.state
        self.me = me
        self.foe = 1 - me
        self.name = name
        self.cast = cast

    # --- looking ------------------------------------------------------------------------------

    @property
    def wizard(self) -> Wizard:
        """Who owns the spell."""
        return self.s.wizards[self.me]

    @property
    def opponent(self) -> Wizard:
        """The other player."""
        return self.s.wizards[self.foe]

    @property
    def foe_name(self) -> str:
        """The name of the other player."""
        return self.s.seats[self.foe]

    @property
    def hand(self) -> list[int]:
        """The owner's hand, in rising order."""
        return self.s.wizards[self.me].hand

    @property
    def mine(self) -> list[Slot]:
        """*Your spells*: this one is among them."""
        return self.s.wizards[self.me].spells

    @property
    def others(self) -> list[Slot]:
        """*Your other spells*: all but this one."""
        return [slot for slot in self.s.wizards[self.me].spells if slot.name != self.name]

    @property
    def theirs(self) -> list[Slot]:
        """The opponent's spells."""
        return self.s.wizards[self.foe].spells

    @property
    def deck_is_empty(self) -> bool:
        """Whether nothing can be drawn: neither the deck nor the discard pile has a mana."""
        return not (self.s.mana_deck or self.s.mana_discard)

    def power(self, mana: int) -> int:
        """The effective power of a mana."""
        return power(self.s, mana)

    def earlier(self) -> Sequence[Cast]:
        """The casts of this turn before the one whose effect this is, oldest first."""
        return self.s.casts[: self.cast]

    # --- asking -------------------------------------------------------------------------------

    def choose_held(
        self,
        topic: str,
        low: int = 1,
        high: int = 1,
        *,
        of: int | None = None,
        ordered: bool = False,
    ) -> Step[list[int]]:
        """Mana of a hand (the owner's unless ``of`` another seat), ``low`` to ``high`` or as many
        as there are, in the order named."""
        seat = self.me if of is None else of
        hand = self.s.wizards[seat].hand
        if not hand:
            return []
        prompt = choose(
            seat,
            topic,
            tuple([MANA[mana] for mana in hand]),
            min(low, len(hand)),
            high,
            ordered=ordered,
            secret=True,
            **self._values(seat),
        )
        answer = yield from ask(prompt)
        return list(map(int, answer.picks))

    def may_spare(self, topic: str, n: int, *, of: int) -> Step[list[int]]:
        """Exactly ``n`` mana of a hand, or none. Who holds less declines (common.md 3)."""
        hand = self.s.wizards[of].hand
        if len(hand) < n:
            return []
        pick = Pick(tuple([MANA[mana] for mana in hand]), n, n)
        answer = yield from ask(held_or_none(of, topic, pick, **self._values(of)))
        return list(map(int, answer.picks))

    def choose_spell(
        self, topic: str, slots: Iterable[Slot], *, optional: bool = False, **values: Value
    ) -> Step[str]:
        """One of these spells by name; "" if there is none or, if ``optional``, none is wanted."""
        names = tuple([slot.name for slot in slots])
        chosen = yield from self._choose(topic, names, 0 if optional else 1, 1, values)
        return chosen[0] if chosen else ""

    def choose_spells(
        self, topic: str, slots: Iterable[Slot], low: int, high: int
    ) -> Step[list[str]]:
        """``low`` to ``high`` of these spells or as many as there are, in the order of the row
        (ruling 12)."""
        names = tuple([slot.name for slot in slots])
        chosen = yield from self._choose(topic, names, min(low, len(names)), high, {})
        return [name for name in names if name in chosen]

    def choose_from_pool(self, topic: str, old: str) -> Step[str]:
        """A spell of the pool, to take the place of ``old``."""
        chosen = yield from self._choose(topic, tuple(self.s.pool), 1, 1, {"old": old})
        return chosen[0]

    def choose_option(self, topic: str, *options: tuple[str, bool]) -> Step[int]:
        """The number, from 1, of one of the options of a card; each is a text and whether it can
        do anything now (common.md 4). 0 if none can."""
        texts = tuple([text for text, possible in options if possible])
        if not texts:
            return 0
        prompt = choose(self.me, topic, texts, numbered=True, **self._values(self.me))
        answer = yield from ask(prompt)
        return 1 + [text for text, _ in options].index(answer.picks[0])

    def choose_mana(
        self, topic: str, mana: Sequence[int], n: int, *, ordered: bool = False
    ) -> Step[list[int]]:
        """``n`` mana, or as many as there are, of some that lie open."""
        items = tuple([MANA[one] for one in mana])
        low = min(n, len(items))
        if not low:
            return []
        answer = yield from ask(
            choose(self.me, topic, items, low, low, ordered=ordered, **self._values(self.me))
        )
        return list(map(int, answer.picks))

    def agree(self, topic: str) -> Step[bool]:
        """A "may" with nothing to pick."""
        answer = yield from ask(yes_no(self.me, topic, **self._values(self.me)))
        return answer.verb == "yes"

    def _choose(
        self, topic: str, names: tuple[str, ...], low: int, high: int, values: dict[str, Value]
    ) -> Step[tuple[str, ...]]:
        if not names:
            return ()
        prompt = choose(self.me, topic, names, low, high, **self._values(self.me), **values)
        answer = yield from ask(prompt)
        return answer.picks

    def _values(self, seat: int) -> dict[str, Value]:
        return {"spell": self.name, "other": self.s.seats[1 - seat]}

    # --- doing --------------------------------------------------------------------------------

    def deal(self, n: int) -> None:
        """Deal damage to the opponent; never less than 0 (ruling 3)."""
        atoms.damage(self.t, self.foe, n, self.name, self.cast)

    def suffer(self, n: int) -> None:
        """Deal damage to oneself."""
        atoms.damage(self.t, self.me, n, self.name, self.cast)

    def gain(self, n: int, *, shown: bool = False) -> list[int]:
        """Draw mana. Returns what was drawn."""
        return atoms.gain(self.t, self.me, n, self.name, shown=shown)

    def gain_up_to(self, n: int) -> None:
        """Draw until holding ``n``."""
        self.gain(n - len(self.hand))

    def opponent_gains(self, n: int, *, shown: bool = False) -> list[int]:
        """The opponent draws. Returns what was drawn."""
        return atoms.gain(self.t, self.foe, n, self.name, shown=shown)

    def pick_up(self, name: str, *, shown: bool = False) -> int:
        """Take the top mana of an own spell into the hand. Returns it."""
        return atoms.pick_up(self.t, self.me, self.me, name, self.name, shown=shown)

    def steal(self, name: str) -> None:
        """Take the top mana of a spell of the opponent into the hand."""
        atoms.pick_up(self.t, self.me, self.foe, name, self.name)

    def discard_off(self, name: str) -> int:
        """Discard the top mana off an own spell. Returns it."""
        return atoms.discard_off(self.t, self.me, name)

    def discard(self, mana: Sequence[int], *, of: int | None = None) -> None:
        """Discard mana of a hand (the owner's unless ``of`` another seat)."""
        atoms.discard(self.t, self.me if of is None else of, mana, self.name)

    def give(self, mana: Sequence[int]) -> None:
        """Give mana of the hand to the opponent."""
        atoms.give(self.t, self.me, mana, self.name)

    def receive(self, mana: Sequence[int]) -> None:
        """The opponent gives mana."""
        atoms.give(self.t, self.foe, mana, self.name)

    def put_on_deck(self, mana: Sequence[int]) -> None:
        """Put mana of the hand on top of the mana deck, the last on top."""
        atoms.put_on_deck(self.t, self.me, mana, self.name)

    def show(self, mana: int, *, of: int | None = None) -> None:
        """Show a mana of a hand."""
        atoms.show(self.t, self.me if of is None else of, mana, self.name)

    def lacks(self, mana: int) -> None:
        """The opponent holds no mana like this one, and says so."""
        atoms.show_none(self.t, self.foe, mana, self.name)

    def show_top(self, name: str) -> int:
        """The top mana of a spell of the opponent is shown. Returns it."""
        return atoms.show_top(self.t, self.foe, name, self.name)

    def random_held(self, n: int, *, of: int) -> list[int]:
        """``n`` mana of a hand, or as many as there are, drawn by chance."""
        hand = list(self.s.wizards[of].hand)
        return [hand.pop(self.s.rng.below(len(hand))) for _ in range(min(n, len(hand)))]

    def take_discarded(self, mana: Sequence[int]) -> None:
        """Take mana from the discard pile into the hand."""
        atoms.take_discarded(self.t, self.me, mana, self.name)

    def take_shown(self, mana: Sequence[int]) -> None:
        """Take mana that were revealed on the deck into the hand."""
        atoms.take_from_top(self.t, self.me, mana, self.name)

    def put_back(self, order: Sequence[int]) -> None:
        """Arrange mana that were revealed on top of the deck, the last on top."""
        atoms.arrange_top(self.t, order, self.name)

    def move_top(self, name: str, onto: str) -> None:
        """Move the top mana of an own spell onto another."""
        atoms.move_top(self.t, self.me, name, onto)

    def discount(self, *, any: int = 0, attack: int = 0) -> None:
        """What is cast next in this turn costs less."""
        atoms.discount(self.t, self.name, any=any, attack=attack)

    def reveal(self, n: int) -> list[int]:
        """Show the top of the mana deck, top first. The mana stay there."""
        return atoms.reveal(self.t, n, self.name)

    def lay_shown(self, name: str, mana: int, *, on: int | None = None) -> None:
        """Move a mana shown on the deck onto a spell of the owner's (or of the seat ``on``)."""
        atoms.lay_shown(self.t, self.me if on is None else on, name, mana, self.name)

    def lay_unseen(self, name: str, *, on: int | None = None) -> None:
        """Put the top of the mana deck onto a spell."""
        atoms.lay_unseen(self.t, self.me if on is None else on, name, self.name)

    def swap_spell(self, old: str, new: str) -> None:
        """Take an own spell out of the game and put one of the pool in its place."""
        exchange(self.t, self.me, old, new)


def held_or_none(seat: int, topic: str, pick: Pick, **values: Value) -> Prompt:
    """Asks for mana of a hand, or ``choose none``. It is asked even if nothing can be picked, as
    not asking would tell what the hand lacks (common.md 2)."""
    moves = [Move("choose", "", pick)] if pick.items else []
    return Prompt(seat, topic, (*moves, Move("choose")), values, secret=True)


def used(slots: Iterable[Slot]) -> list[Slot]:
    """Those in use."""
    return [slot for slot in slots if slot.mana]


def idle(slots: Iterable[Slot]) -> list[Slot]:
    """Those not in use."""
    return [slot for slot in slots if not slot.mana]


def exchange(t: Table[State], seat: int, old: str, new: str) -> None:
    """A spell leaves the game, one of the pool takes its place, and the pool is refilled."""
    atoms.refill(t, atoms.replace_spell(t, seat, old, new))


def cast(t: Table[State], name: str, mana: Sequence[int]) -> Step[None]:
    """The active player casts a spell: pays, and an instant takes effect at once (ruling 9)."""
    number = atoms.pay(t, name, mana)
    spell = BOOK[name]
    if spell.act == INSTANT:
        assert spell.effect is not None, name
        yield from run(spell.effect, Effect(t, t.state.turn, name, number))


def run(deed: Deed, it: Effect) -> Step[None]:
    """An effect, whether it asks anything or not."""
    going = deed(it)
    if going is not None:
        yield from going
