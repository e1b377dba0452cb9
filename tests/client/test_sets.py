"""``sigil sets`` and ``sigil show --played``."""

from __future__ import annotations

import json
import re

from tests.client.conftest import Player
from tests.client.host import Host, Table

SEATS = ("alice", "bob", "carol", "dan")


def test_sets_are_listed_with_version_and_origin(alice: Player) -> None:
    told = alice.ok("sets")
    assert re.search(r"light\s+1\.0\.0\s+The Light Edition\s+sigilpost", told)
    assert re.search(r"dusk\s+1\.0\.0\s+The Dusk Edition\s+sigilpost", told)
    found = json.loads(alice.ok("sets", "--json"))["sets"]
    assert [one["name"] for one in found][:2] == ["light", "dusk"]
    assert not any(one["fault"] for one in found)


def after_a_chapter(alice: Player, host: Host, *, easy: bool) -> list[str]:
    """Alice has the mail after the first chapter of a game of Tome; the spells played on it."""
    table = Table(host, "tome-7k2q", SEATS, {"easy": easy})
    while table.match.state.chapter == 1:
        table.play(table.some_line())
    alice.receive(table.document(0))
    alice.ok("sync")
    return [laid.spell for laid in table.match.state.pile]


def test_show_played_lists_the_spells_of_earlier_chapters_of_an_easy_game(
    alice: Player, host: Host
) -> None:
    spells = after_a_chapter(alice, host, easy=True)
    assert len(spells) >= 3
    told = alice.ok("show", "--played")
    for spell in spells:
        assert spell in told


def test_show_played_has_nothing_to_tell_of_a_game_that_is_not_easy(
    alice: Player, host: Host
) -> None:
    spells = after_a_chapter(alice, host, easy=False)
    told = alice.ok("show", "--played")
    assert "nothing" in told
    assert not any(spell in told for spell in spells)
