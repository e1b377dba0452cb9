"""The page about balance, made from counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.spells import Spell
from sigilpost_engine.games.tome.state import shown

from .play import Count, Table, count

LIMIT = 15
"""Points off the average of its Power from which a spell is retuned."""

HEAD = """\
# The balance of the Dusk Edition

Made by `python -m tests.balance`; do not edit. Bots played {games} games; the page says, for each
spell, of the chapters in which it was played how many percent its side won, beside the average of
all spells of its Power in that deck, and the difference in points. A spell {limit} points or more
off is retuned (marked ▲ or ▼). Only Dusk spells are listed; Light spells are fixed and only count
in the averages of the mixed deck.
"""


class Row(NamedTuple):
    """A spell's figures in one table."""

    spell: Spell
    played: int
    share: float
    average: float

    @property
    def off(self) -> float:
        """Points above or below the average of its Power."""
        return self.share - self.average

    @property
    def mark(self) -> str:
        """What the page shows where it is to be retuned."""
        return "" if abs(self.off) < LIMIT else "▲" if self.off > 0 else "▼"


def report(tables: Mapping[Table, int]) -> str:
    """Play the games, and the whole page."""
    parts = [HEAD.format(games=sum(tables.values()), limit=LIMIT)]
    for table, games in tables.items():
        parts.append(section(table, games, rows(table, count(table, games))))
    return "\n".join(parts)


def rows(table: Table, found: Count) -> list[Row]:
    """The Dusk spells of a table, by Power, the Flux last."""
    spells = [spell for name in table.sets for spell in sets.find(name).spells]
    listed = []
    for spell in sorted(spells, key=lambda spell: spell.power):
        alike = [found.share(other.name) for other in spells if other.power == spell.power]
        if spell in sets.find("dusk").spells:
            average = sum(alike) / len(alike)
            listed.append(Row(spell, found.played[spell.name], found.share(spell.name), average))
    return listed


def section(table: Table, games: int, listed: list[Row]) -> str:
    """One table of the page."""
    sides = {"team": "teams of two", "duel": "duels"}[table.mode]
    decks = " and ".join(table.sets)
    worst = max(listed, key=lambda row: abs(row.off))
    return "\n".join(
        [
            f"## {decks}: {sides}, {table.bot} bots, {games} games",
            "",
            f"Farthest off: {worst.spell.name}, {worst.off:+.1f}.",
            "",
            "| Power | spell | Element | played | won % | average | off | |",
            "|---|---|---|--:|--:|--:|--:|---|",
            *_lines(listed),
            "",
        ]
    )


def _lines(listed: list[Row]) -> Iterator[str]:
    for row in listed:
        spell = row.spell
        yield (
            f"| {shown(spell.power)} | {spell.name} | {spell.element} | {row.played} "
            f"| {row.share:.1f} | {row.average:.1f} | {row.off:+.1f} | {row.mark} |"
        )
