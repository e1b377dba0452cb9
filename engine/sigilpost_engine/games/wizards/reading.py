"""The view laid out for reading, and what there is to say about a spell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Cell, Column, Grid, Line, Section, Sheet
from sigilpost_engine.games.wizards.book import BOOK, INSTANT, Spell
from sigilpost_engine.games.wizards.documents import is_wizard, read
from sigilpost_engine.games.wizards.state import cost

SPELL_COLUMNS = ("spell", "cost", "kind", "act")


def sheet(view: Document) -> Sheet:
    """The own side first, then the opponent's, the pool, and what else lies on the table."""
    seats = _seats(view)
    if "you" in view:
        seats.sort(key=lambda name: name != view["you"])
    return (*(_side(view, name) for name in seats), _pool(view), _table(view))


def _seats(view: Document) -> list[str]:
    return [name for name, value in view.items() if is_wizard(value)]


def _side(view: Document, name: str) -> Section:
    """A player: health, hand (of somebody else: how many), the last attack, the row of spells."""
    table = view[name]
    own = view.get("you") == name
    lines = [
        Line(say("wizards.sheet.health"), table["health"]),
        Line(say("wizards.sheet.hand"), _mana(table["hand"]) if own else _count(table["hand"])),
        Line(say("wizards.sheet.last-attack"), _attack(table.get("last_attack"))),
    ]
    heading = say("wizards.sheet.you" if own else "wizards.sheet.player", seat=name)
    if not table["spells"]:
        return Section(heading, tuple(lines))
    prices = _prices(view) if view["turn"] == name else {}
    rows = [_spell_row(slot, prices) for slot in table["spells"]]
    return Section(heading, (*lines, _grid((*SPELL_COLUMNS, "mana", "does"), rows)))


def _spell_row(slot: Document, prices: dict[str, int]) -> tuple[Cell, ...]:
    name, *facts, does = _facts(slot["name"])
    printed = BOOK[slot["name"]].cost
    price = prices.get(slot["name"], printed)
    if price != printed:
        facts[0] = say("wizards.sheet.cost-now", now=price, cost=printed)
    return (name, *facts, _laid(slot["mana"]), does)


def _prices(view: Document) -> dict[str, int]:
    """What each spell of the active player's would cost now."""
    s = read(view)
    return {slot.name: cost(s, slot.name) for slot in s.wizards[s.turn].spells}


def _pool(view: Document) -> Section:
    heading = say("wizards.sheet.pool")
    if not view["pool"]:
        return Section(heading, (say("wizards.sheet.pool-empty"),))
    return Section(heading, (_grid((*SPELL_COLUMNS, "does"), [_facts(n) for n in view["pool"]]),))


def _table(view: Document) -> Section:
    lines: list[tuple[str, Cell]] = [
        ("turn", say("wizards.sheet.turn-of", seat=view["turn"], step=_step(view["phase"]))),
        ("casts", _list([_cast(cast) for cast in view["casts"]])),
        ("discounts", _list(_discounts(view["discounts"]))),
        ("mana-deck", _count(view["mana_deck"])),
        ("mana-discard", _discarded(view["mana_discard"])),
        ("spell-deck", len(view["spell_deck"])),
        ("removed", _list(view["removed"])),
    ]
    if any(slot["mana"] for name in _seats(view) for slot in view[name]["spells"]):
        lines.append(("laid-mana", say("wizards.sheet.laid-mana-means")))
    lines += _options(view["options"])
    return Section(
        say("wizards.sheet.table"),
        tuple(Line(say(f"wizards.sheet.{label}"), text) for label, text in lines),
    )


def _options(options: Document) -> list[tuple[str, Cell]]:
    """What the game is played with, where it is not the usual."""
    lines: list[tuple[str, Cell]] = []
    if options["sets"] != ["base"]:
        lines.append(("sets", _list(options["sets"])))
    if options["beginner"]:
        lines.append(("beginner", say("wizards.sheet.beginner-only")))
    if options["ban"]:
        lines.append(("ban", _list(options["ban"])))
    if options["hand_limit"] is not None:
        lines.append(("hand-limit", options["hand_limit"]))
    return lines


def _step(phase: str) -> Msg:
    return say(f"wizards.phase.{phase}")


def _facts(name: str) -> tuple[Cell, ...]:
    """Name, cost, kind, activation, and in one line what it does."""
    spell = BOOK[name]
    return (
        name,
        spell.cost,
        say(f"wizards.short.{spell.kind}"),
        say(f"wizards.act.{spell.act}"),
        say(f"wizards.line.{spell.slug}"),
    )


def _grid(columns: Sequence[str], rows: list[tuple[Cell, ...]]) -> Grid:
    return Grid(
        tuple(Column(say(f"wizards.sheet.{name}"), right=name == "cost") for name in columns),
        tuple(rows),
    )


def _laid(mana: Sequence[Any]) -> Cell:
    """``2: 1 ?``: how many lie there, and what is known of them, the top last."""
    if not mana:
        return say("core.list", items=[])
    return say("wizards.sheet.laid", count=len(mana), seen=" ".join(map(str, mana)))


def _mana(mana: Sequence[Any]) -> Cell:
    return say("core.list", items=sorted(map(str, mana)))


def _count(mana: Sequence[Any]) -> Cell:
    return say("wizards.sheet.mana-count", n=len(mana))


def _discarded(mana: Sequence[int]) -> Cell:
    """How many of each power: a long game's pile in one line."""
    counts = [
        say("wizards.sheet.so-many", count=mana.count(one), mana=one) for one in sorted(set(mana))
    ]
    return _list(counts)


def _list(items: Sequence[Any]) -> Cell:
    return say("core.list", items=list(items))


def _attack(last: Document | None) -> Cell:
    if last is None:
        return say("core.list", items=[])
    return say("wizards.sheet.attacked", **last)


def _cast(cast: Document) -> Msg:
    return say("wizards.sheet.cast", **cast)


def _discounts(discounts: Document) -> list[Msg]:
    return [
        say(f"wizards.sheet.less-{kind}", count=count) for kind, count in discounts.items() if count
    ]


def _activation(spell: Spell) -> str:
    return f"{spell.act}-last" if spell.last else spell.act


def explain(card: str) -> tuple[Msg, ...]:
    """The facts of a spell, its text, and the rulings about it. Raises KeyError for no spell."""
    spell = BOOK[card]
    general = [] if spell.act == INSTANT else [say(f"wizards.ruling.{_activation(spell)}")]
    rulings = [say(f"wizards.ruling.{spell.slug}.{n}") for n in range(1, spell.rulings + 1)]
    head = say(
        "wizards.card.beginner" if spell.beginner else "wizards.card.about",
        spell=spell.name,
        cost=spell.cost,
        kind=say(f"wizards.kind.{spell.kind}"),
        act=say(f"wizards.act.{spell.act}"),
        set=spell.set,
    )
    return (head, say(f"wizards.text.{spell.slug}"), *rulings, *general)
