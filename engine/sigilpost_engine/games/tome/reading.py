"""The view laid out for reading."""

from __future__ import annotations

from collections.abc import Iterator

from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Cell, Column, Grid, Line, Section, Sheet
from sigilpost_engine.core.table import Table
from sigilpost_engine.games.tome import rules, sets
from sigilpost_engine.games.tome.atoms import lay
from sigilpost_engine.games.tome.looking import (
    book_of,
    seats_of,
    side_names,
    state_of,
    title_of,
)
from sigilpost_engine.games.tome.spells import TIMINGS, BadSet, Book, Spell, SpellSet
from sigilpost_engine.games.tome.state import ON_A_CHAPTER, State, is_in, shown
from sigilpost_engine.games.tome.strength import Chapter


def sheet(view: Document) -> Sheet:
    """The own hand, the chapter in play order, the players and the points."""
    sections = [_chapter(view), _players(view)]
    if view.get("you") and view[view["you"]]["hand"] and "result" not in view:
        sections.insert(0, _hand(view))
    return tuple(sections)


# --- spells ---------------------------------------------------------------------------------------


def effect_text(book: Book | None, name: str) -> Msg:
    """Attribute, timing and effect of a spell, in words."""
    spell = book.spells.get(name) if book else None
    if book is None or spell is None:
        return say("tome.effect.unknown")
    text = book.text(spell)
    when = timing_of(spell)
    if when is not None:
        text = say("tome.effect.timed", timing=when, text=text)
    if spell.attributes:
        words = [Msg(attribute.text) for attribute in spell.attributes]
        name = "tome.effect.attribute" if spell.has_effect else "tome.effect.attribute-only"
        text = say(name, attributes=words, text=text)
    return text


def timing_of(spell: Spell) -> Msg | None:
    """The words for when a spell activates; None for one that never does."""
    words = [say(f"tome.timing.{t.replace('_', '-')}") for t in TIMINGS if spell.effect(t)]
    if spell.constant is not None:
        words.append(say("tome.timing.constant"))
    return say("core.list", items=words) if words else None


def _printed(book: Book | None, name: str) -> tuple[Cell, Cell]:
    spell = book.spells.get(name) if book else None
    if spell is None:
        return "?", "?"
    return shown(spell.power), spell.element


# --- the chapter ----------------------------------------------------------------------------------


def _chapter(view: Document) -> Section:
    body: list[Grid | Line | Msg] = [Line(say("tome.sheet.title"), _title(view))]
    body.append(Line(say("tome.sheet.chain"), _chain(view)))
    if "result" not in view:
        waiting = view.get("turn")
        if waiting:
            body.append(Line(say("tome.sheet.turn"), waiting))
    body.append(_spells(view) if view["played"] else say("tome.sheet.nothing-played"))
    heading = say("tome.sheet.chapter", chapter=view["chapter"], round=view["round"])
    return Section(heading, tuple(body))


def _title(view: Document) -> Msg:
    title, element = title_of(view)
    if not title:
        return say("tome.sheet.no-title")
    book = book_of(view)
    power, printed = _printed(book, title)
    special = book is not None and element in book.special
    id = "tome.sheet.title-special" if special else "tome.sheet.title-spell"
    if isinstance(view.get("title"), dict):
        id += "-changed"
    return say(id, title=title, element=element, power=power, printed=printed)


def _chain(view: Document) -> Msg:
    chain = view.get("chain")
    if not chain:
        return say("tome.sheet.no-chain")
    id = "tome.sheet.chain-broken" if chain["broken"] else "tome.sheet.chain-holds"
    return say(id, element=chain["element"])


def _spells(view: Document) -> Grid:
    """Who, spell, printed and current Power and Element, marks, effect; in play order."""
    book = book_of(view)
    s = state_of(view)
    chapter = Chapter(s) if s is not None else None
    columns = (
        Column(say("tome.sheet.who")),
        Column(say("tome.sheet.spell")),
        Column(say("tome.sheet.printed")),
        Column(say("tome.sheet.now")),
        Column(say("tome.sheet.mark")),
        Column(say("tome.sheet.effect")),
    )
    rows = []
    for place, row in enumerate(view["played"]):
        power, element = _printed(book, row["spell"])
        marks = [say("tome.sheet.silenced")] if row["silenced"] else []
        if chapter is not None and chapter.is_trump(chapter.spells[place]):
            marks.append(say("tome.sheet.trump"))
        if chapter is not None and chapter.strongest() is chapter.spells[place]:
            marks.append(say("tome.sheet.strongest"))
        if _is_weakest(view, chapter, place):
            marks.append(say("tome.sheet.weakest"))
        rows.append(
            (
                row["by"],
                row["spell"],
                say("tome.sheet.values", power=power, element=element),
                say("tome.sheet.values", power=row["power"], element=row["element"]),
                say("core.list", items=marks) if marks else "",
                effect_text(book, row["spell"]),
            )
        )
    return Grid(columns, tuple(rows))


def _is_weakest(view: Document, chapter: Chapter | None, place: int) -> bool:
    """Where it costs health, and there is something to compare with."""
    if view["mode"] != "survival" or chapter is None or len(chapter.spells) < 2:
        return False
    return chapter.weakest() is chapter.spells[place]


# --- the hand -------------------------------------------------------------------------------------


def _hand(view: Document) -> Section:
    """The own hand, and what each spell of it would do if it were played now."""
    book = book_of(view)
    seat = seats_of(view).index(view["you"])
    s = state_of(view)
    columns = (
        Column(say("tome.sheet.spell")),
        Column(say("tome.sheet.printed")),
        Column(say("tome.sheet.if-played")),
        Column(say("tome.sheet.effect")),
    )
    rows = []
    for name in view[view["you"]]["hand"]:
        power, element = _printed(book, name)
        rows.append(
            (
                name,
                say("tome.sheet.values", power=power, element=element),
                _marks(forecast(s, seat, name)) if s is not None else "",
                effect_text(book, name),
            )
        )
    return Section(say("tome.sheet.hand"), (Grid(columns, tuple(rows)),))


def _marks(words: list[str]) -> Cell:
    return say("core.list", items=[say(f"tome.forecast.{word}") for word in words])


def forecast(s: State, seat: int, name: str) -> list[str]:
    """What would come of playing the spell now, before any effect: ``effect`` (it gets its
    effect), ``begins`` or ``breaks`` (the Chain), ``silenced``, ``trump``. Nothing for who has
    no play left on this chapter."""
    spell = s.book.spells.get(name)
    plays = sum(played.by == seat for played in s.played)
    if spell is None or s.phase != "play" or not is_in(s, seat) or plays >= ON_A_CHAPTER[s.mode]:
        return []
    trial = codec.copy(s)
    trial.due = []
    trial.hands[seat] = [name]
    table = Table(trial, quiet=True)
    begun, broken = trial.chain, trial.chain_broken
    played = lay(table, seat, name)
    rules.link(table, played)
    words = []
    if not begun and trial.chain:
        words.append("begins")
    if trial.chain_broken and not broken:
        words.append("breaks")
    if played.silenced:
        words.append("silenced")
    elif spell.has_effect:
        words.append("effect")
    chapter = Chapter(trial)
    if chapter.is_trump(chapter.spells[-1]):
        words.append("trump")
    return words


# --- the players ----------------------------------------------------------------------------------


def _players(view: Document) -> Section:
    seats = seats_of(view)
    columns = [
        Column(say("tome.sheet.player")),
        Column(say("tome.sheet.role")),
        Column(say("tome.sheet.held"), right=True),
    ]
    if view["mode"] == "survival":
        columns.append(Column(say("tome.sheet.health"), right=True))
    columns.append(Column(say("tome.sheet.points"), right=True))
    rows = []
    for name in seats:
        row: list[Cell] = [name, _role(view, name), len(view[name]["hand"])]
        if view["mode"] == "survival":
            row.append(view[name]["health"])
        row.append(_points(view, name))
        rows.append(tuple(row))
    body: list[Grid | Line | Msg] = [Grid(tuple(columns), tuple(rows))]
    body.append(Line(say("tome.sheet.element-deck"), len(view["element_deck"])))
    if "draw_deck" in view:
        body.append(Line(say("tome.sheet.draw-deck"), len(view["draw_deck"])))
    body.append(Line(say("tome.sheet.elements"), say("core.list", items=view["elements"])))
    if "result" in view:
        body.append(Line(say("tome.sheet.winners"), say("core.list", items=_winners(view))))
    return Section(say(f"tome.sheet.players-{view['mode']}"), tuple(body))


def _winners(view: Document) -> list[str]:
    winners: list[str] = view["result"]["winners"]
    return winners


def _role(view: Document, name: str) -> Cell:
    words = []
    if view["mode"] == "team":
        side = seats_of(view).index(name) % 2
        words.append(say("tome.sheet.south" if side else "tome.sheet.north"))
    if view.get("dealer") == name:
        words.append(say("tome.sheet.dealer"))
    if view["leader"] == name and "result" not in view:
        words.append(say("tome.sheet.leader"))
    if view[name].get("health") == 0:
        words.append(say("tome.sheet.out"))
    return say("core.list", items=words) if words else ""


def _points(view: Document, name: str) -> int:
    side = side_names(view)[seats_of(view).index(name) % 2] if view["mode"] == "team" else name
    points: int = view["score"][side]
    return points


def past(view: Document) -> Sheet:
    """The spells of this round's earlier chapters, where the game is easy."""
    if not view.get("pile"):
        return ()
    columns = (
        Column(say("tome.sheet.chapter-number"), right=True),
        Column(say("tome.sheet.who")),
        Column(say("tome.sheet.spell")),
    )
    rows = tuple((row.get("chapter", ""), row.get("by", ""), row["spell"]) for row in view["pile"])
    return (Section(say("tome.sheet.pile"), (Grid(columns, rows),)),)


# --- one card -------------------------------------------------------------------------------------


def names() -> tuple[str, ...]:
    """The spells of all installed sets, each name once."""
    return tuple(dict.fromkeys(spell.name for _, spell in _all_spells()))


def explain(card: str) -> tuple[Msg, ...]:
    """Element, Power and set of a spell; what it does; rulings; where the text is from.

    Any installed set's spell, ours first. Raises KeyError for no spell.
    """
    for found, spell in _all_spells():
        if key(spell.name) == key(card):
            return _explained(Book([found]), spell)
    raise KeyError(card)


def _all_spells() -> Iterator[tuple[SpellSet, Spell]]:
    for name in sets.names():
        try:
            found = sets.find(name)
        except BadSet:
            continue
        for spell in found.spells:
            yield found, spell


def _explained(book: Book, spell: Spell) -> tuple[Msg, ...]:
    own = book.set_of[spell.name]
    special = spell.element in book.special
    lines = [
        say(
            "tome.card.special" if special else "tome.card.basic",
            spell=spell.name,
            element=spell.element,
            power=shown(spell.power),
            set=own.text("set", own.name),
            version=own.version,
        ),
        effect_text(book, spell.name),
    ]
    if spell.ruled:
        lines.append(own.text("ruling", spell.slug))
    if own.note:
        lines.append(own.text("note", own.name))
    return tuple(lines)
