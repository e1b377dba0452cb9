"""Table talk in Tome: partners tell each other nothing while the game runs, unless it is easy."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.wire import payloads
from tests.server.service.town import Table, Town

SEATS = ("alice", "bob", "carol", "dan")


def proposed(town: Town, **options: Any) -> str:
    """A game of Tome for two teams that nobody has joined; its tag."""
    verdict = town.send(
        "alice",
        payloads.Create,
        game="tome",
        options=options,
        opponents=SEATS[1:],
        rules={},
    )
    assert verdict.reason == "ok"
    town.forget_post()
    return verdict.game


def running(town: Town, **options: Any) -> Table:
    """The same, begun."""
    tag = proposed(town, **options)
    for name in SEATS:
        assert town.send(name, payloads.Join, game=tag).reason == "ok"
    table = Table(town, tag, list(SEATS))
    table.read()
    return table


@pytest.fixture
def house(town: Town) -> Town:
    """A town of four registered players."""
    town.register(*SEATS)
    town.forget_post()
    return town


def says(town: Town, tag: str, to: str) -> str:
    """What becomes of words from alice; they reach nobody if they are refused."""
    town.forget_post()
    verdict = town.send("alice", payloads.Chat, game=tag, to=to, text="I hold both Fluxes")
    others = [mail for mail in town.post() if mail.to != "alice@player.test"]
    heard = [mail for mail in others if "Fluxes" in mail.words]
    assert bool(heard) == (verdict.reason == "ok")
    return verdict.reason


@pytest.mark.parametrize("to", ["carol", "all"])
def test_a_partner_hears_nothing_while_the_game_runs(house: Town, to: str) -> None:
    table = running(house)
    assert says(house, table.tag, to) == "not-possible"


def test_the_answer_gives_the_rule(house: Town) -> None:
    table = running(house)
    house.forget_post()
    house.send("alice", payloads.Chat, game=table.tag, to="carol", text="Psst")
    assert "Table talk is against the rules of this game" in house.only().words


def test_an_opponent_hears(house: Town) -> None:
    assert says(house, running(house).tag, "bob") == "ok"


@pytest.mark.parametrize("to", ["carol", "all"])
def test_before_the_game_all_hear(house: Town, to: str) -> None:
    assert says(house, proposed(house), to) == "ok"


@pytest.mark.parametrize("to", ["carol", "all"])
def test_after_the_game_all_hear(house: Town, to: str) -> None:
    table = running(house)
    table.play_to_end()
    assert says(house, table.tag, to) == "ok"


@pytest.mark.parametrize("to", ["carol", "all"])
def test_in_an_easy_game_all_hear(house: Town, to: str) -> None:
    assert says(house, running(house, easy=True).tag, to) == "ok"
