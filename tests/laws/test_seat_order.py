"""A view that comes by mail says what it said: JSON objects have no order, seats have one."""

from __future__ import annotations

import itertools
from typing import Any

from sigilpost_engine.core.match import Match
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.turn import TurnDoc, open_turn, seal
from tests.laws.worlds import World, every_world, play

SEATS = ("zoe", "bob", "mia", "alice", "ned")
"""In no alphabetical order."""

KEY = PrivateKey.generate()


@every_world
def test_a_view_from_a_turn_reads_as_it_was_written(world: World) -> None:
    game = world.rules()
    seats = SEATS[: world.seats]
    match = Match.begin(game, seats, world.options, b"seat order")
    for _ in itertools.islice(play(match, world.chance(1)), 60):
        if not match.open:
            break
        prompt = match.open[0]
        view = match.view(prompt.seat)
        read = by_mail(view, seats)
        assert game.sheet(read) == game.sheet(view)
        assert game.past(read) == game.past(view)
        assert game.facts(read) == game.facts(view)
        assert game.greedy(read, prompt) == game.greedy(view, prompt)


def by_mail(view: dict[str, Any], seats: tuple[str, ...]) -> dict[str, Any]:
    """The view as a client reads it off the attachment of a mail."""
    turn = TurnDoc(
        server=KEY.fingerprint,
        address="play@example.org",
        made=1,
        kind="weaver",
        game="weaver-7k2q",
        title="a game",
        seat=1,
        seats=seats,
        number=1,
        status="running",
        view=view,
    )
    read = open_turn(seal(turn, KEY)).view
    assert read is not None
    return dict(read)
