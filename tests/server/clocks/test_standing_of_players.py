"""What being late does to a player's standing: ratings of games that changed hands, reliability."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select

from sigilpost_server.leagues import reliability, store
from sigilpost_server.leagues.models import rated_results
from sigilpost_server.models import players
from tests.server.clocks.hours import DAY, STEADY, ask, begin, others, to, wait
from tests.server.service.town import Table, Town


def ids(town: Town) -> dict[int, str]:
    with town.service.database.read() as db:
        return {row.id: row.name for row in db.execute(select(players.c.id, players.c.name))}


def rated(town: Town) -> list[set[str]]:
    """The players of each rated game."""
    names = ids(town)
    with town.service.database.read() as db:
        found = [json.loads(row.sides) for row in db.execute(select(rated_results))]
    return [{names[player] for side in sides for player in side} for sides in found]


def changed_hands(town: Town) -> tuple[Table, str, str]:
    """A game in which carol took the seat of whoever was late, and won: who sat there, and who
    stayed and lost on time."""
    table = begin(town, "alice", "bob", clock="2d per move", timeout="substitute, no reminders")
    for _ in range(2):
        table.play()
        table.read()
    late = table.asked
    (other,) = others(table, late)
    town.register("carol")
    ask(town, "carol", "substitute", "on")
    town.post()
    wait(town, 2 * DAY)
    ask(town, "carol", "substitute", "take", table.tag)
    table.docs[late] = to(town.post(), "carol")[0].turn
    town.people[late], old = town.people["carol"], town.people[late]
    table.play()
    town.people[late] = old
    town.post()
    wait(town, 2 * DAY)
    wait(town, 1)
    return table, late, other


@pytest.mark.parametrize("choice", ["first", "substitute", "none"])
def test_a_game_that_changed_hands_is_rated_for_whom_the_host_says(
    sqlite_url: str, choice: str
) -> None:
    with Town.on(sqlite_url, clocks={**STEADY, "substitute_rated": choice}) as town:
        _, late, other = changed_hands(town)
        expected = {"first": [{late, other}], "substitute": [{"carol", other}], "none": []}
        assert rated(town) == expected[choice]


@pytest.mark.parametrize("timeout", ["bot greedy", "forfeit", "substitute"])
def test_a_missed_deadline_counts_against_reliability_however_the_game_goes_on(
    town: Town, timeout: str
) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout=f"{timeout}, no reminders")
    late = table.asked
    town.register("carol")
    ask(town, "carol", "substitute", "on")
    wait(town, 2 * DAY)
    wait(town, 1)
    scores = {}
    with town.service.database.read() as db:
        found = store.marks(db, list(ids(town)))
        for player, name in ids(town).items():
            scores[name] = reliability.score(found[player], town.clock())
    assert scores[late] < 100
    assert {score for name, score in scores.items() if name != late} == {100}
