"""The Dusk Edition is in balance: the page says so, and the page is about this set."""

from __future__ import annotations

import re

import pytest

from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.state import shown
from tests.balance.__main__ import PAGE, TABLES
from tests.balance.play import Table, count
from tests.balance.report import LIMIT, rows, section

ROW = re.compile(r"\| (\w+) \| ([\w ]+) \| (\w+) \| (\d+) \| [\d.]+ \| [\d.]+ \| ([+-][\d.]+) \|")


@pytest.fixture(scope="module")
def listed() -> list[tuple[str, str, str, int, float]]:
    """The rows of the page: Power, spell, Element, times played, points off."""
    page = PAGE.read_text("utf-8")
    return [
        (power, name, element, int(played), float(off))
        for power, name, element, played, off in ROW.findall(page)
    ]


def test_no_spell_is_15_points_off_the_average_of_its_power(
    listed: list[tuple[str, str, str, int, float]],
) -> None:
    assert [name for _, name, _, _, off in listed if abs(off) >= LIMIT] == []


def test_the_page_lists_every_spell_as_it_is_printed_now(
    listed: list[tuple[str, str, str, int, float]],
) -> None:
    spells = {(str(shown(s.power)), s.name, s.element) for s in sets.find("dusk").spells}
    rows_of = [(power, name, element) for power, name, element, _, _ in listed]
    assert set(rows_of) == spells
    assert len(rows_of) == len(TABLES) * len(spells)


def test_the_page_is_about_thousands_of_games(
    listed: list[tuple[str, str, str, int, float]],
) -> None:
    assert sum(TABLES.values()) >= 5000
    assert min(played for _, _, _, played, _ in listed) > 500


def test_the_tool_counts_every_play_of_every_chapter() -> None:
    table = Table(("dusk",), "duel", "random")
    found = count(table, 4)
    assert found.played == count(table, 4).played
    chapters = sum(found.played.values()) / 4
    assert chapters == int(chapters)
    assert sum(found.won.values()) < sum(found.played.values())
    assert "| F | Shadow Flux | Shadow |" in section(table, 4, rows(table, found))
