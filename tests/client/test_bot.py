"""``sigil bot``: whole games, by mail alone, through the same client as people use."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from sigilpost_engine.wire.payloads import Join, Orders
from tests.client.conftest import SIGIL, Player
from tests.client.host import Host, Table, payload_of

NewPlayer = Callable[[str], Player]


def orders_of(player: Player) -> list[Orders]:
    found = [payload_of(mail) for mail in player.sent]
    return [each for each in found if isinstance(each, Orders)]


@pytest.fixture
def duel(host: Host) -> Table:
    """A game for two that alice begins."""
    for number in range(100):
        found = Table(host, seats=("alice", "bob"), key=bytes([number]))
        if found.turn == 0:
            return found
    raise AssertionError


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_bot_answers_every_open_question_once(
    alice: Player, host: Host, table: Table, name: str
) -> None:
    other = Table(host, "weaver-8bbb", seats=("bob", "alice"))
    while other.turn != 1:
        other.play(other.some_line())
    alice.receive(table.document(0))
    alice.receive(other.document(1))
    alice.ok("bot", name)
    assert sorted(each.game for each in orders_of(alice)) == [table.tag, other.tag]
    alice.ok("bot", name)
    assert len(orders_of(alice)) == 2


def test_a_bot_s_lines_are_legal(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    alice.ok("bot", "greedy")
    (sent,) = orders_of(alice)
    table.match.submit(0, sent.lines[0], sent.prompt)


def test_a_seed_makes_a_bot_repeat_itself(new_player: NewPlayer, host: Host, table: Table) -> None:
    lines = []
    for name in ("alice", "alices-twin"):
        player = new_player(name)
        player.init("--fingerprint", host.key.fingerprint)
        player.receive(table.document(0))
        player.ok("bot", "random", "--seed", "00ff")
        lines.append(orders_of(player)[0].lines)
    assert lines[0] == lines[1]


@pytest.mark.parametrize("arguments", [("chess",), ("random", "--seed", "xyz")])
def test_a_bot_that_does_not_exist(alice: Player, arguments: tuple[str, ...]) -> None:
    assert alice.sigil("bot", *arguments).status == 2


def test_a_bot_joins_only_if_it_is_told_to(alice: Player, host: Host) -> None:
    alice.receive(
        host.document(
            game="weaver-7k2q",
            kind="weaver",
            seats=("alice", "bob"),
            status="proposed",
            notice={"type": "invitation", "commitment": "ab" * 32},
        )
    )
    alice.ok("bot", "random")
    assert alice.sent == []
    alice.ok("bot", "random", "--join")
    assert isinstance(payload_of(alice.sent[0]), Join)


def test_a_bot_gives_up_a_question_that_is_refused_again_and_again(
    alice: Player, table: Table
) -> None:
    import email

    alice.receive(table.document(0))
    for _ in range(3):
        alice.ok("bot", "random")
        order = email.message_from_bytes(alice.sent[-1])["Message-ID"]
        alice.receive(table.document(0), answers=order)
    done = alice.sigil("bot", "random")
    assert done.status == 4
    assert len(alice.sent) == 3


def test_two_watching_bots_play_a_whole_game(
    new_player: NewPlayer, host: Host, duel: Table
) -> None:
    players = [new_player(name) for name in duel.seats]
    for player in players:
        player.init("--fingerprint", host.key.fingerprint)
    bots = [watch(player) for player in players]
    try:
        play_host(duel, players)
        outputs = [bot.communicate(timeout=60)[0] for bot in bots]
    finally:
        for bot in bots:
            bot.kill()
    assert [bot.returncode for bot in bots] == [0, 0]
    acts = [json.loads(line) for output in outputs for line in output.splitlines()]
    moves = [each for each in acts if each["did"] == "move"]
    assert len(moves) == sum(len(orders_of(player)) for player in players)
    assert {each["game"] for each in moves} == {duel.tag}


def watch(player: Player) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SIGIL, "--home", player.home, "bot", "greedy", "--watch", "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=player.environment({}),
    )


def play_host(table: Table, players: list[Player]) -> None:
    """Mail whoever is asked, wait for the order, play it; at the end mail everybody."""
    known: dict[int, int] = {0: 0, 1: 0}
    while table.match.result is None:
        seat = table.turn
        players[seat].receive(table.document(seat))
        sent = wait_for_order(players[seat], known[seat])
        known[seat] += 1
        assert sent.prompt == table.match.prompt_id(seat)
        table.play(sent.lines[0])
    for seat, player in enumerate(players):
        player.receive(table.document(seat))


def wait_for_order(player: Player, known: int) -> Any:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if len(player.sent) > known:
            return payload_of(player.sent[known])
        time.sleep(0.02)
    raise AssertionError(f"{player.name} does not move")
