"""What an effect acts with: the moment in which it activates.

An effect of a set is a function of a :class:`Now`: it looks at the chapter, asks with
``yield from now.choose(…)``, and acts with the verbs below. It asks before it changes anything,
so that a position can be written down while a question is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sigilpost_engine.core.prompts import Prompt, choose, yes_no
from sigilpost_engine.core.table import Step, Table, ask
from sigilpost_engine.games.tome import atoms
from sigilpost_engine.games.tome.spells import F
from sigilpost_engine.games.tome.state import Played, State, on_chapter, side_of
from sigilpost_engine.games.tome.strength import Chapter, Seen


class Now:
    """The moment of one effect: ``me`` is its spell, ``played`` the spell played last."""

    __slots__ = ("me", "played", "table")

    def __init__(self, table: Table[State], me: Played, played: Played) -> None:
        self.table = table
        self.me = me
        self.played = played

    # --- looking ------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The whole table. Read it only."""
        return self.table.state

    @property
    def chapter(self) -> Chapter:
        """The chapter as it now stands."""
        return Chapter(self.state)

    def spells(self) -> list[Played]:
        """All spells on the chapter, in play order."""
        return list(self.state.played)

    def others(self) -> list[Played]:
        """All of them but this one, whoever played them."""
        return [spell for spell in self.state.played if spell is not self.me]

    def seen(self, spell: Played) -> Seen:
        """The current values of a spell."""
        return atoms.seen(self.state, spell)

    def element(self, spell: Played) -> str:
        """Its current Element."""
        return self.seen(spell).element

    def power(self, spell: Played) -> int:
        """Its current Power; F is above every number."""
        return self.seen(spell).power

    def mine(self, spell: Played) -> bool:
        """Whether the side of this spell played it too."""
        return side_of(self.state, spell.by) == side_of(self.state, self.me.by)

    @property
    def is_first(self) -> bool:
        """Whether this is the first spell of the chapter."""
        return self.state.played[0] is self.me

    @property
    def chain_broken(self) -> bool:
        """Whether the Chain was broken this chapter."""
        return self.state.chain_broken

    @property
    def title_element(self) -> str:
        """The current Element of the Title Spell."""
        return self.state.title_element

    @property
    def title_is_special(self) -> bool:
        """Whether that is a Special Element."""
        return self.state.title_element in self.state.book.special

    def printed_power(self, spell: Played) -> int:
        """The Power printed on a spell."""
        return self.state.book.spells[spell.spell].power

    @property
    def won(self) -> bool:
        """After judging: whether this side won the chapter (survival: played the Strongest)."""
        s = self.state
        return side_of(s, s.strongest) == side_of(s, self.me.by)

    @property
    def lost(self) -> bool:
        """After judging: whether this side lost the chapter (survival: played the Weakest)."""
        s = self.state
        return s.weakest == self.me.by if s.mode == "survival" else not self.won

    # --- what an effect would change (a target that it would leave as it is is not offered) ---

    def can_lose(self, spells: Iterable[Played]) -> list[Played]:
        """Those that losing Power would change."""
        return [spell for spell in spells if atoms.would_lose(self.state, spell)]

    def can_gain(self, spells: Iterable[Played]) -> list[Played]:
        """Those that gaining Power would change."""
        chapter = self.chapter
        return [
            spell
            for spell in spells
            if spell.power != F and chapter.can_gain(self._in(chapter, spell))
        ]

    def can_be_silenced(self, spells: Iterable[Played]) -> list[Played]:
        """Those that are not Silenced and can be."""
        book = self.state.book
        return [s for s in spells if not s.silenced and book.spells[s.spell].can_be_silenced]

    def can_turn(self, spells: Iterable[Played]) -> list[Played]:
        """Those whose Element can be changed."""
        chapter = self.chapter
        return [spell for spell in spells if chapter.can_turn(self._in(chapter, spell))]

    def _in(self, chapter: Chapter, spell: Played) -> Seen:
        return next(seen for seen in chapter.spells if seen.name == spell.spell)

    # --- asking -------------------------------------------------------------------------------

    def choose(self, targets: Sequence[Played], *, may: bool = False) -> Step[Played | None]:
        """One of ``targets``, chosen by who played this spell; None if there is none, or if it
        may be and is declined."""
        if not targets and not may:
            return None
        items = tuple(spell.spell for spell in targets)
        topic = "spell or none" if may else "spell"
        answer = yield from ask(self._question(topic, items, may=may, secret=False))
        return on_chapter(self.state, answer.picks[0]) if answer.picks else None

    def choose_from_hand(self, *, may: bool = False) -> Step[str | None]:
        """A spell of the hand of who played this one; None if there is none or it is declined."""
        hand = tuple(self.state.hands[self.me.by])
        if not hand and not may:
            return None
        topic = "hand or none" if may else "hand"
        answer = yield from ask(self._question(topic, hand, may=may, secret=bool(hand)))
        return answer.picks[0] if answer.picks else None

    def confirm(self) -> Step[bool]:
        """Yes or no, for a "may" with nothing to pick."""
        prompt = yes_no(self.me.by, "may", **self._about())
        answer = yield from ask(prompt)
        return answer.verb == "yes"

    def _question(self, topic: str, items: tuple[str, ...], *, may: bool, secret: bool) -> Prompt:
        low = 0 if may else 1
        return choose(self.me.by, topic, items, low, 1, secret=secret, **self._about())

    def _about(self) -> dict[str, Any]:
        book = self.state.book
        spell = book.spells[self.me.spell]
        return {"spell": spell.name, "text": book.text(spell)}

    # --- acting -------------------------------------------------------------------------------

    def gain(self, spell: Played, power: int) -> None:
        """``spell`` gains Power."""
        atoms.gain(self.table, spell, power)

    def lose(self, spell: Played, power: int) -> None:
        """``spell`` loses Power, never below 1."""
        atoms.lose(self.table, spell, power)

    def set_power(self, spell: Played, power: int) -> None:
        """The Power of ``spell`` becomes a number, or F."""
        atoms.set_power(self.table, spell, power)

    def become(self, spell: Played, element: str) -> None:
        """``spell`` becomes of this Element."""
        atoms.turn_element(self.table, spell, element)

    def swap_elements(self, other: Played) -> None:
        """This spell and another swap their Elements."""
        atoms.swap_elements(self.table, self.me, other)

    def swap_powers(self, other: Played) -> None:
        """This spell and another swap their Powers."""
        atoms.swap_powers(self.table, self.me, other)

    def restore(self, spell: Played) -> None:
        """``spell`` goes back to its printed Power and Element."""
        atoms.restore(self.table, spell)

    def silence(self, spell: Played) -> None:
        """``spell`` is Silenced."""
        atoms.silence(self.table, spell)

    def turn_title(self, element: str) -> None:
        """The Title Spell becomes of this Element."""
        atoms.turn_title(self.table, element)

    def swap_title(self, name: str) -> None:
        """A spell of the own hand takes the place of the Title Spell."""
        atoms.swap_title(self.table, self.me.by, name)

    def take(self, spell: Played) -> None:
        """Take ``spell`` off the chapter into the own hand. After judging only."""
        atoms.take(self.table, self.me.by, spell)

    def exchange(self, spell: Played, name: str) -> None:
        """Take ``spell`` off the chapter into the own hand; a spell of the hand goes on the pile of
        played ones. After judging only."""
        atoms.exchange(self.table, self.me.by, spell, name)
