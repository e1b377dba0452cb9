"""The atoms: the only functions that change the state. Each tells one event.

What an atom may not do (a Power that cannot be lost, an Element that cannot change) it leaves
undone, and tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.tome.spells import F
from sigilpost_engine.games.tome.state import (
    HAND,
    HEALTH,
    NOBODY,
    Due,
    Laid,
    Played,
    State,
    is_in,
    members,
    shown,
)
from sigilpost_engine.games.tome.strength import Chapter, Seen

T = Table[State]


def side_name(s: State, side: int) -> Msg | str:
    """A side as people read it: ``North (alice, carol)``, or the player."""
    if s.mode != "team":
        return s.seats[side]
    name = "tome.side.south" if side else "tome.side.north"
    return say(name, seats=[s.seats[seat] for seat in members(s, side)])


def seen(s: State, spell: Played) -> Seen:
    """The current values of a spell on the chapter."""
    return see(s, spell)[1]


def see(s: State, spell: Played) -> tuple[Chapter, Seen]:
    """The chapter as it stands, and a spell of it."""
    chapter = Chapter(s)
    for place, other in enumerate(s.played):
        if other is spell:
            return chapter, chapter.spells[place]
    raise LookupError(spell.spell)


# --- the round ------------------------------------------------------------------------------------


def include(t: T, elements: Sequence[str]) -> None:
    """These Elements are in the deck without a draft. It shows in the position."""
    s = t.state
    s.elements = sorted([*s.elements, *elements], key=list(s.book.elements).index)


def flip(t: T, seat: int, element: str) -> None:
    """A player has flipped the Flux of ``element``: it is part of the deck."""
    include(t, [element])
    t.tell("tome.event.flips", {"seat": t.state.seats[seat], "element": element})


def deal(t: T, dealer: int) -> None:
    """A new round: all spells are shuffled and dealt by ``dealer``, all health is back."""
    s = t.state
    book = s.book
    deck = book.deck(s.elements)
    s.rng.shuffle(deck)
    s.dealer = dealer
    s.leader = (dealer + 1) % len(s.seats)
    s.round += 1
    s.chapter = 0
    s.title = s.title_element = ""
    s.strongest = s.weakest = NOBODY
    s.pile, s.aside, s.played = [], [], []
    for seat in range(len(s.seats)):
        s.hands[seat] = sorted(deck[:HAND], key=book.order.__getitem__)
        del deck[:HAND]
    s.element_deck, s.draw_deck = deck[:HAND], deck[HAND:]
    s.health = [HEALTH] * len(s.health)
    s.phase = "open"
    if t.quiet:
        return
    t.tell(
        "tome.event.deals",
        {"round": s.round, "seat": s.seats[dealer], "count": HAND},
        secret={seat: {"spells": list(hand)} for seat, hand in enumerate(s.hands)},
    )


def draw(t: T, seat: int) -> None:
    """``seat`` draws the top of the Draw Deck; nothing if it is empty."""
    s = t.state
    if not s.draw_deck:
        return
    spell = s.draw_deck.pop(0)
    hold(s, seat, spell)
    t.tell("tome.event.draws", {"seat": s.seats[seat]}, secret={seat: {"spell": spell}})


def hold(s: State, seat: int, spell: str) -> None:
    """Put a spell into a hand, in its place: part of other atoms."""
    s.hands[seat].append(spell)
    s.hands[seat].sort(key=s.book.order.__getitem__)


def open_chapter(t: T) -> None:
    """The next Title Spell is laid on the old one. An empty Element Deck leaves the old one, as
    it is printed."""
    s = t.state
    s.chapter += 1
    s.chain, s.chain_broken = "", False
    s.strongest = s.weakest = NOBODY
    if s.element_deck:
        if s.title:
            s.aside.append(s.title)
        s.title = s.element_deck.pop(0)
    s.title_element = s.book.spells[s.title].element if s.title else ""
    s.phase = "play"
    t.tell(
        "tome.event.title",
        {"chapter": s.chapter, "title": s.title, "element": s.title_element},
    )


def collect(t: T) -> None:
    """The spells of the chapter are set aside, face down unless the game is easy."""
    s = t.state
    s.pile += [Laid(spell.spell, spell.by, s.chapter) for spell in s.played]
    s.played = []


def lead(t: T, seat: int) -> None:
    """``seat`` leads this chapter. It shows in what is asked; it is no event of its own."""
    t.state.leader = t.state.turn = seat


def pass_turn(t: T, seat: int) -> None:
    """``seat`` is the next to play. It shows in what is asked; it is no event of its own."""
    t.state.turn = seat


def enter(t: T, phase: str, due: Sequence[Due] = ()) -> None:
    """Go on to ``phase`` once these effects have had their turns; no event of its own."""
    t.state.phase = phase
    t.state.due.extend(due)


def done(t: T) -> None:
    """The first effect that was due has had its turn; no event of its own."""
    del t.state.due[0]


def finish(t: T, winners: Sequence[str]) -> None:
    """The game is over."""
    t.state.phase = "over"
    t.tell("tome.event.wins", {"seats": list(winners), "n": len(winners)})


# --- the chapter ----------------------------------------------------------------------------------


def lay(t: T, seat: int, name: str) -> Played:
    """``seat`` plays a spell of its hand onto the chapter."""
    s = t.state
    s.hands[seat].remove(name)
    spell = s.book.spells[name]
    played = Played(seat, name, spell.power, spell.element)
    s.played.append(played)
    if not t.quiet:
        t.tell(
            "tome.event.plays",
            {
                "seat": s.seats[seat],
                "spell": name,
                "element": spell.element,
                "power": shown(spell.power),
            },
        )
    return played


def begin_chain(t: T, element: str) -> None:
    """The first Basic Spell of the chapter begins a Chain in its printed Element."""
    t.state.chain = element
    t.tell("tome.event.chain-begins", {"element": element})


def break_chain(t: T, spell: Played) -> None:
    """A spell of another Element breaks the Chain, for this chapter."""
    t.state.chain_broken = True
    t.tell("tome.event.chain-breaks", {"spell": spell.spell, "element": t.state.chain})


def silence(t: T, spell: Played) -> None:
    """``spell`` is Silenced, unless it cannot be or is already."""
    if spell.silenced or not t.state.book.spells[spell.spell].can_be_silenced:
        return
    spell.silenced = True
    t.tell("tome.event.silenced", {"spell": spell.spell})


def gain(t: T, spell: Played, power: int) -> None:
    """``spell`` gains Power; a Power of F does not."""
    chapter, now = see(t.state, spell)
    if power <= 0 or spell.power == F or not chapter.can_gain(now):
        return
    spell.power += power
    _tell_power(t, "tome.event.gains", spell, power)


def lose(t: T, spell: Played, power: int) -> None:
    """``spell`` loses Power, down to 1; a Power of F does not."""
    if not would_lose(t.state, spell) or power <= 0:
        return
    spell.power = max(1, spell.power - power)
    _tell_power(t, "tome.event.loses", spell, power)


def would_lose(s: State, spell: Played) -> bool:
    """Whether losing Power would change ``spell``."""
    if spell.power in (1, F):
        return False
    chapter, now = see(s, spell)
    return chapter.can_lose(now)


def set_power(t: T, spell: Played, power: int) -> None:
    """The Power of ``spell`` becomes ``power``, F included; that is neither gain nor loss."""
    if spell.power == power:
        return
    spell.power = power
    _tell_power(t, "tome.event.set", spell, power)


def _tell_power(t: T, name: str, spell: Played, power: int) -> None:
    if not t.quiet:
        now = shown(seen(t.state, spell).power)
        t.tell(name, {"spell": spell.spell, "power": shown(power), "now": now})


def turn_element(t: T, spell: Played, element: str) -> None:
    """``spell`` becomes of another Element, unless it cannot."""
    if spell.element == element:
        return
    chapter, now = see(t.state, spell)
    if not chapter.can_turn(now):
        return
    spell.element = element
    t.tell("tome.event.becomes", {"spell": spell.spell, "element": element})


def swap_elements(t: T, one: Played, two: Played) -> None:
    """Two spells swap the Elements that they now have."""
    chapter, first = see(t.state, one)
    second = seen(t.state, two)
    if not (chapter.can_turn(first) and chapter.can_turn(second)):
        return
    one.element, two.element = second.element, first.element
    t.tell(
        "tome.event.swap-elements",
        {
            "one": one.spell,
            "first": one.element,
            "two": two.spell,
            "second": two.element,
        },
    )


def swap_powers(t: T, one: Played, two: Played) -> None:
    """Two spells swap the Powers that they now have; that is setting both."""
    first, second = seen(t.state, one).power, seen(t.state, two).power
    one.power, two.power = second, first
    if not t.quiet:
        t.tell(
            "tome.event.swap-powers",
            {
                "one": one.spell,
                "first": shown(one.power),
                "two": two.spell,
                "second": shown(two.power),
            },
        )


def restore(t: T, spell: Played) -> None:
    """``spell`` goes back to its printed Power and Element (the Element only if it can change)."""
    s = t.state
    printed = s.book.spells[spell.spell]
    chapter, now = see(s, spell)
    element = printed.element if chapter.can_turn(now) else spell.element
    if (spell.power, spell.element) == (printed.power, element):
        return
    spell.power, spell.element = printed.power, element
    if not t.quiet:
        t.tell(
            "tome.event.restored",
            {"spell": spell.spell, "power": shown(spell.power), "element": spell.element},
        )


def turn_title(t: T, element: str) -> None:
    """The Title Spell becomes of another Element, unless it cannot or there is none."""
    s = t.state
    if not s.title or s.title_element == element or not Chapter(s).title_can_turn():
        return
    s.title_element = element
    t.tell("tome.event.title-becomes", {"title": s.title, "element": element})


def swap_title(t: T, seat: int, name: str) -> None:
    """A spell of the hand of ``seat`` and the Title Spell swap places."""
    s = t.state
    old = s.title
    s.hands[seat].remove(name)
    hold(s, seat, old)
    s.title, s.title_element = name, s.book.spells[name].element
    t.tell(
        "tome.event.swap-title",
        {"seat": s.seats[seat], "old": old, "title": name, "element": s.title_element},
    )


# --- judging --------------------------------------------------------------------------------------


def judge(t: T, best: Seen | None, worst: Seen | None, trump: bool) -> None:
    """The Strongest and the Weakest spell of the chapter are determined."""
    s = t.state
    s.strongest = NOBODY if best is None else best.by
    s.weakest = NOBODY if worst is None else worst.by
    if t.quiet or best is None or worst is None:
        return
    values = {
        "seat": s.seats[best.by],
        "power": shown(best.power),
        "element": best.element,
        "chapter": s.chapter,
    }
    if s.mode == "survival":
        values |= {
            "last": s.seats[worst.by],
            "low": shown(worst.power),
            "under": worst.element,
        }
        t.tell("tome.event.judged-both", values)
    else:
        t.tell("tome.event.judged-trump" if trump else "tome.event.judged", values)


def take(t: T, seat: int, spell: Played) -> None:
    """``spell`` is taken off the chapter into the hand of ``seat``."""
    s = t.state
    s.played = [other for other in s.played if other is not spell]
    hold(s, seat, spell.spell)
    t.tell("tome.event.takes", {"seat": s.seats[seat], "spell": spell.spell})


def exchange(t: T, seat: int, spell: Played, name: str) -> None:
    """``seat`` takes ``spell`` off the chapter into its hand, and puts a spell of its hand on the
    pile of played ones instead."""
    s = t.state
    s.hands[seat].remove(name)
    s.played = [other for other in s.played if other is not spell]
    hold(s, seat, spell.spell)
    s.pile.append(Laid(name, seat, s.chapter))
    t.tell("tome.event.exchanges", {"seat": s.seats[seat], "spell": spell.spell, "left": name})


def score(t: T, side: int, points: int) -> None:
    """A side gets points."""
    s = t.state
    s.score[side] += points
    t.tell(
        "tome.event.scores",
        {"side": side_name(s, side), "n": points, "total": s.score[side]},
    )


def wound(t: T, seat: int) -> None:
    """``seat`` loses 1 health."""
    s = t.state
    s.health[seat] -= 1
    t.tell("tome.event.loses-health", {"seat": s.seats[seat], "n": s.health[seat]})


def knock_out(t: T, seat: int) -> None:
    """``seat`` is out of the round: its hand is discarded, face down."""
    s = t.state
    hand, s.hands[seat] = s.hands[seat], []
    s.aside += hand
    t.tell("tome.event.knocked-out", {"seat": s.seats[seat], "n": len(hand)})


def discard_hands(t: T) -> None:
    """After the final chapter what is left in hand is discarded, face down."""
    s = t.state
    for seat, hand in enumerate(s.hands):
        if hand and is_in(s, seat):
            s.aside += hand
            s.hands[seat] = []
            t.tell("tome.event.discards-hand", {"seat": s.seats[seat], "n": len(hand)})
