"""The base set: 60 spells, in the order of the rules page (docs/wizards.md)."""

from __future__ import annotations

from sigilpost_engine.core.prompts import Pick
from sigilpost_engine.core.table import Step, ask
from sigilpost_engine.games.wizards.book import ATTACK, BOOK, INSTANT, REGENERATION, UTILITY
from sigilpost_engine.games.wizards.effect import MANA, Effect, held_or_none, used
from sigilpost_engine.games.wizards.scribe import Page
from sigilpost_engine.games.wizards.state import State, boost

page = Page("base")


# --- cost 1 ---------------------------------------------------------------------------------------


@page.instant("Guilty Bond", 1, ATTACK, beginner=True, rulings=2)
def guilty_bond(it: Effect) -> Step[None]:
    for mana in (yield from it.choose_held("guilty bond")):
        it.show(mana)
        if mana in it.opponent.hand:
            it.show(mana, of=it.foe)
            it.deal(2)
        else:
            it.lacks(mana)


@page.delayed("Reckless Attack", 1, ATTACK, rulings=1)
def reckless_attack(it: Effect, mana: int) -> None:
    it.deal(4 if it.power(mana) == 4 else 1)


@page.instant("Toxic Gift", 1, ATTACK, beginner=True)
def toxic_gift(it: Effect) -> Step[None]:
    for mana in (yield from it.choose_held("toxic gift")):
        it.give([mana])
        it.deal(it.power(mana))


@page.instant("Trance State", 1, ATTACK)
def trance_state(it: Effect) -> None:
    it.deal(3 - len(it.hand))


@page.instant("Windstorm", 1, ATTACK, beginner=True, rulings=1)
def windstorm(it: Effect) -> None:
    it.deal(2)
    for mana in it.reveal(1):
        if it.power(mana) == 1:
            it.lay_shown(it.name, mana)


@page.instant("Wrath", 1, ATTACK, beginner=True, rulings=1)
def wrath(it: Effect) -> Step[None]:
    spared = yield from it.may_spare("wrath", 2, of=it.foe)
    it.discard(spared, of=it.foe)
    if not spared:
        it.deal(2)


@page.instant("Mirror Image", 1, REGENERATION, rulings=1)
def mirror_image(it: Effect) -> Step[None]:
    targets = [] if it.deck_is_empty else used(it.mine)
    name = yield from it.choose_spell("mirror image", targets)
    it.gain(sum(len(slot.mana) for slot in it.mine if slot.name == name))


@page.instant("Renewal", 1, REGENERATION, beginner=True)
def renewal(it: Effect) -> None:
    it.gain_up_to(4)


@page.instant("Shared Power", 1, REGENERATION, beginner=True)
def shared_power(it: Effect) -> Step[None]:
    given = yield from it.choose_held("shared power", 0, 1)
    it.give(given)
    if given:
        it.gain(4)


@page.instant("Sleight of Hand", 1, REGENERATION, beginner=True)
def sleight_of_hand(it: Effect) -> None:
    for mana in it.gain(1, shown=True):
        it.gain(it.power(mana))


@page.instant("Soul Pact", 1, REGENERATION, rulings=2)
def soul_pact(it: Effect) -> None:
    for cast in it.earlier()[-1:]:
        spell = BOOK[cast.spell]
        if spell.kind == ATTACK and spell.act == INSTANT:
            it.gain(cast.damage)


def battle_vision(it: Effect, mana: int) -> Step[bool]:
    """Whether the owner discards a mana like that of the attack."""
    if not it.hand:
        return False
    pick = Pick(tuple([MANA[one] for one in it.hand if one == mana]))
    values = {"mana": mana, "power": it.power(mana), "spell": it.name, "other": it.foe_name}
    answer = yield from ask(held_or_none(it.me, "battle vision", pick, **values))
    it.discard(list(map(int, answer.picks)))
    return bool(answer.picks)


page.ongoing("Battle Vision", 1, UTILITY, attacked=battle_vision, rulings=2)

page.ongoing("Power Hungry", 1, UTILITY, beginner=True, takes_attack_mana=True, rulings=1)


def puppetmaster(s: State, owner: int) -> int:
    """The power of the owner's last basic attack; 0 if it has none."""
    last = s.wizards[owner].attack
    return last.power if last else 0


page.ongoing("Puppetmaster", 1, UTILITY, allows=puppetmaster, rulings=2)


@page.delayed("Silent Support", 1, UTILITY)
def silent_support(it: Effect, mana: int) -> Step[None]:
    name = yield from it.choose_spell("silent support", used(it.others), optional=True)
    if name:
        it.pick_up(name)


@page.instant("Sneaky Deal", 1, UTILITY, beginner=True)
def sneaky_deal(it: Effect) -> Step[None]:
    option = yield from it.choose_option(
        "sneaky deal",
        ("deal 1", True),
        ("discard a mana off one of your other spells", bool(used(it.others))),
    )
    if option == 1:
        it.deal(1)
    else:
        it.discard_off((yield from it.choose_spell("sneaky deal discard", used(it.others))))


# --- cost 2: attack -------------------------------------------------------------------------------


@page.instant("After Shock", 2, ATTACK)
def after_shock(it: Effect) -> Step[None]:
    it.gain(1)
    for mana in (yield from it.choose_held("after shock")):
        it.put_on_deck([mana])
        it.deal(it.power(mana))


@page.instant("Bad Fortune", 2, ATTACK, beginner=True, rulings=1)
def bad_fortune(it: Effect) -> Step[None]:
    it.deal(4)
    rest = []
    for mana in it.reveal(3):
        if it.power(mana) == 1:
            it.lay_shown(it.name, mana)
        else:
            rest.append(mana)
    it.put_back((yield from it.choose_mana("bad fortune", rest, len(rest), ordered=True)))


@page.instant("Contamination", 2, ATTACK, rulings=1)
def contamination(it: Effect) -> Step[None]:
    mana = yield from it.choose_held("contamination", 2, 2, ordered=True)
    it.put_on_deck(mana)
    if len(mana) == 2:
        it.deal(4)


@page.instant("Dance of Pain", 2, ATTACK)
def dance_of_pain(it: Effect) -> Step[None]:
    it.deal(3)
    surplus = len(it.hand) - 2
    if surplus > 0:
        it.discard((yield from it.choose_held("dance of pain", surplus, surplus)))
    else:
        it.gain_up_to(2)


@page.instant("Drain Soul", 2, ATTACK, beginner=True)
def drain_soul(it: Effect) -> None:
    for mana in it.opponent.hand[-1:]:
        it.receive([mana])
        it.deal(it.power(mana))


@page.instant("Force of Nature", 2, ATTACK)
def force_of_nature(it: Effect) -> None:
    it.deal(4 - sum(BOOK[slot.name].kind == ATTACK for slot in used(it.others)))


@page.instant("Ice Storm", 2, ATTACK)
def ice_storm(it: Effect) -> None:
    it.deal(sum(len(slot.mana) == 1 for slot in it.mine))


@page.instant("Mist of Pain", 2, ATTACK, beginner=True, rulings=1)
def mist_of_pain(it: Effect) -> Step[None]:
    spared = yield from it.choose_held("mist of pain", 0, 4, of=it.foe)
    it.discard(spared, of=it.foe)
    it.deal(4 - len(spared))


@page.instant("Mutation", 2, ATTACK, beginner=True)
def mutation(it: Effect) -> None:
    for mana in it.gain(1, shown=True):
        it.deal(it.power(mana))


@page.instant("Overload", 2, ATTACK, beginner=True)
def overload(it: Effect) -> None:
    it.deal(max((len(slot.mana) for slot in it.theirs), default=0))


@page.instant("Stone Crush", 2, ATTACK)
def stone_crush(it: Effect) -> None:
    it.deal(len(it.opponent.hand))


@page.instant("Touch the Void", 2, ATTACK, beginner=True)
def touch_the_void(it: Effect) -> None:
    it.deal(max(len(slot.mana) for slot in it.mine))


# --- cost 2: regeneration -------------------------------------------------------------------------


@page.instant("Arcane Tactics", 2, REGENERATION, beginner=True)
def arcane_tactics(it: Effect) -> Step[None]:
    it.gain(7)
    it.put_on_deck((yield from it.choose_held("arcane tactics", 4, 4, ordered=True)))


@page.instant("Energy Reserve", 2, REGENERATION, beginner=True)
def energy_reserve(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("energy reserve", used(it.others))
    if name:
        it.gain(it.power(it.pick_up(name, shown=True)))


@page.instant("Fracture", 2, REGENERATION, rulings=2)
def fracture(it: Effect) -> Step[None]:
    it.gain(4)
    sources = used(it.others) if len(it.others) > 1 else []
    name = yield from it.choose_spell("fracture", sources, optional=True)
    if name:
        targets = [slot for slot in it.others if slot.name != name]
        it.move_top(name, (yield from it.choose_spell("fracture onto", targets, source=name)))


@page.instant("Freeze", 2, REGENERATION, beginner=True)
def freeze(it: Effect) -> Step[None]:
    drawable = not it.deck_is_empty
    option = yield from it.choose_option(
        "freeze",
        ("gain 4", drawable),
        ("put the top of the mana deck on a spell of the opponent", drawable and bool(it.theirs)),
    )
    if option == 1:
        it.gain(4)
    elif option == 2:
        it.lay_unseen((yield from it.choose_spell("freeze target", it.theirs)), on=it.foe)


@page.instant("Friendly Truce", 2, REGENERATION, beginner=True, rulings=1)
def friendly_truce(it: Effect) -> Step[None]:
    given = yield from it.may_spare("friendly truce", 3, of=it.foe)
    it.receive(given)
    if not given:
        it.gain(5)


@page.instant("Gleam of Hope", 2, REGENERATION, beginner=True)
def gleam_of_hope(it: Effect) -> None:
    it.gain_up_to(5)


@page.instant("Living Wind", 2, REGENERATION, beginner=True)
def living_wind(it: Effect) -> None:
    it.gain(6 - len(used(it.others)))


@page.instant("Rejuvenation", 2, REGENERATION, beginner=True)
def rejuvenation(it: Effect) -> Step[None]:
    pile = it.s.mana_discard
    option = yield from it.choose_option(
        "rejuvenation",
        ("gain 4", not it.deck_is_empty),
        ("take 2 mana from the discard pile", bool(pile)),
    )
    if option == 1:
        it.gain(4)
    elif option == 2:
        offered = [mana for mana in (1, 2, 3, 4) for _ in range(min(2, pile.count(mana)))]
        it.take_discarded((yield from it.choose_mana("rejuvenation take", offered, 2)))


@page.instant("Shackled Motion", 2, REGENERATION, beginner=True)
def shackled_motion(it: Effect) -> Step[None]:
    option = yield from it.choose_option(
        "shackled motion",
        ("gain 4", not it.deck_is_empty),
        ("the opponent discards their hand", bool(it.opponent.hand)),
    )
    if option == 1:
        it.gain(4)
    elif option == 2:
        it.discard(list(it.opponent.hand), of=it.foe)


# --- cost 2: utility ------------------------------------------------------------------------------


@page.instant("Arcane Eye", 2, UTILITY, rulings=1)
def arcane_eye(it: Effect) -> None:
    for slot in used(it.mine):
        if BOOK[slot.name].cost >= 3:
            it.pick_up(slot.name)


@page.instant("Coercive Agreement", 2, UTILITY, rulings=1)
def coercive_agreement(it: Effect) -> Step[None]:
    option = yield from it.choose_option(
        "coercive agreement",
        ("take up to 3 random mana of the opponent", bool(it.opponent.hand)),
        ("discard a mana off each of 2 of your other spells", bool(used(it.others))),
    )
    if option == 1:
        it.receive(it.random_held(3, of=it.foe))
    elif option == 2:
        targets = used(it.others)
        for name in (yield from it.choose_spells("coercive agreement discard", targets, 2, 2)):
            it.discard_off(name)


@page.instant("Haste", 2, UTILITY, beginner=True, rulings=1)
def haste(it: Effect) -> None:
    it.discount(any=2)


@page.instant("Renewed Fervor", 2, UTILITY, beginner=True)
def renewed_fervor(it: Effect) -> None:
    for slot in used(it.mine):
        spell = BOOK[slot.name]
        if spell.kind == ATTACK and spell.act == INSTANT and spell.cost <= 2:
            it.pick_up(slot.name)


def secret_oath_due(s: State, owner: int) -> bool:
    """Whether the opponent holds a mana of power 4."""
    return 4 - boost(s) in s.wizards[1 - owner].hand


def secret_oath(it: Effect) -> None:
    """The opponent gives them all."""
    it.receive([mana for mana in it.opponent.hand if it.power(mana) == 4])


page.ongoing("Secret Oath", 2, UTILITY, due=secret_oath_due, effect=secret_oath, rulings=1)


@page.instant("Time Distortion", 2, UTILITY, beginner=True)
def time_distortion(it: Effect) -> Step[None]:
    for name in (yield from it.choose_spells("time distortion", used(it.others), 0, 2)):
        it.pick_up(name)


# --- cost 3 and more ------------------------------------------------------------------------------


@page.instant("Betrayal", 3, ATTACK, beginner=True)
def betrayal(it: Effect) -> None:
    it.deal(5)
    it.opponent_gains(3)


@page.instant("Blood Lust", 3, ATTACK, rulings=2)
def blood_lust(it: Effect) -> None:
    row = 0
    for cast in reversed(it.earlier()):
        if BOOK[cast.spell].kind != ATTACK:
            break
        row += 1
    it.deal(1 + 2 * row)


@page.instant("Delusion", 3, ATTACK, rulings=1)
def delusion(it: Effect) -> Step[None]:
    it.deal(3)
    name = yield from it.choose_spell("delusion", used(it.theirs), optional=True)
    if name:
        it.steal(name)


@page.delayed("Doom Drop", 3, ATTACK, beginner=True)
def doom_drop(it: Effect, mana: int) -> None:
    it.deal(it.power(mana))


@page.instant("Energy Storm", 3, ATTACK, beginner=True)
def energy_storm(it: Effect) -> None:
    it.deal(3 + sum(it.power(mana) == 4 for mana in it.hand))


@page.instant("Fire Blast", 3, ATTACK, beginner=True)
def fire_blast(it: Effect) -> None:
    it.discard(list(it.hand))
    it.deal(7)


@page.instant("Painful Vision", 3, ATTACK, rulings=1)
def painful_vision(it: Effect) -> None:
    it.deal(5)
    for slot in [slot for slot in it.mine if len(slot.mana) == 1]:
        it.lay_unseen(slot.name)


@page.instant("Possessed", 3, ATTACK)
def possessed(it: Effect) -> Step[None]:
    given = yield from it.choose_held("possessed", 0, 1, of=it.foe)
    it.receive(given)
    it.deal(5 - sum(map(it.power, given)))


@page.instant("Second Strike", 3, ATTACK, beginner=True, rulings=1)
def second_strike(it: Effect) -> None:
    it.deal(3)
    it.discount(attack=1)


@page.instant("Trap Attack", 3, ATTACK, beginner=True)
def trap_attack(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("trap attack", used(it.others))
    if name:
        it.deal(it.power(it.pick_up(name, shown=True)))


@page.instant("Vile Laughter", 3, ATTACK, beginner=True)
def vile_laughter(it: Effect) -> None:
    it.deal(6 - max(map(it.power, it.hand), default=0))


@page.instant("Energy Shield", 3, UTILITY)
def energy_shield(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("energy shield", used(it.others))
    if name:
        it.pick_up(name)
    targets = [] if it.deck_is_empty else it.theirs
    name = yield from it.choose_spell("energy shield target", targets)
    if name:
        it.lay_unseen(name, on=it.foe)


page.ongoing("Growth", 3, UTILITY, boost=1, rulings=3)


@page.instant("Fury", 4, ATTACK, beginner=True)
def fury(it: Effect) -> None:
    it.deal(len(used(it.theirs)))


@page.instant("Hellstorm", 4, ATTACK, beginner=True)
def hellstorm(it: Effect) -> None:
    gained = it.gain(5)
    if gained:
        highest = max(gained)
        it.show(highest)
        it.deal(it.power(highest))


@page.instant("Shadow Attack", 4, ATTACK, beginner=True)
def shadow_attack(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("shadow attack", used(it.others))
    if name:
        power = it.power(it.discard_off(name))
        it.deal(power)
        it.gain(power)


@page.instant("Crushing Blow", 5, ATTACK, beginner=True)
def crushing_blow(it: Effect) -> None:
    it.deal(6)
