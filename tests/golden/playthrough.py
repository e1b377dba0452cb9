"""Whole games of self-play as readable text, to be reviewed in a diff.

``python -m tests.golden.playthrough`` writes them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from sigilpost_engine.bots import BOTS
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

HERE = Path(__file__).parent / "playthroughs"
SEATS = ("alice", "bob", "carol", "dan", "eve")


class Playthrough(NamedTuple):
    """A game with fixed options, bots and randomness; ``name`` is the file's."""

    name: str
    game: str
    seats: int
    options: dict[str, Any]
    bot: str

    @property
    def file(self) -> Path:
        return HERE / f"{self.name}.txt"


PLAYTHROUGHS = [
    Playthrough("weaver-2-random", "weaver", 2, {}, "random"),
    Playthrough("weaver-3-greedy", "weaver", 3, {"hidden_cards": "flat"}, "greedy"),
    Playthrough("weaver-5-random", "weaver", 5, {"space_match": "once"}, "random"),
    Playthrough("wizards-base-greedy", "wizards", 2, {}, "greedy"),
    Playthrough("wizards-beginner-random", "wizards", 2, {"beginner": True}, "random"),
    Playthrough(
        "wizards-all-sets-random",
        "wizards",
        2,
        {"sets": ["base", "lost-pages", "shifting-sands"], "hand_limit": 10},
        "random",
    ),
    Playthrough("tome-team-greedy", "tome", 4, {}, "greedy"),
    Playthrough("tome-team-dusk-easy-random", "tome", 4, {"sets": "dusk", "easy": True}, "random"),
    Playthrough(
        "tome-survival-4-greedy",
        "tome",
        4,
        {"mode": "survival", "sets": "light,dusk"},
        "greedy",
    ),
    Playthrough(
        "tome-duel-both-sets-random", "tome", 2, {"mode": "duel", "sets": "light,dusk"}, "random"
    ),
    Playthrough("tome-survival-3-random", "tome", 3, {"mode": "survival"}, "random"),
]


def text_of(playthrough: Playthrough) -> str:
    """The whole game: each answer, and what it told; ``|`` marks what a seat alone reads."""
    seats = SEATS[: playthrough.seats]
    match = Match.begin(
        find(playthrough.game), seats, playthrough.options, playthrough.name.encode()
    )
    bot = BOTS[playthrough.bot](Rng(f"players of {playthrough.name}".encode()))
    lines = [f"# {playthrough.game}, {playthrough.bot} players: {', '.join(seats)}"]
    lines += story(match, match.take_events())
    while match.open:
        prompt = match.open[0]
        answer = bot.choose(match.game, match.view(prompt.seat), prompt)
        lines.append("")
        lines.append(
            f"{match.number}. {seats[prompt.seat]} [{prompt.topic}]: {match.game.phrase(answer)}"
        )
        match.apply(prompt.seat, answer)
        lines += story(match, match.take_events())
    lines += ["", "result: " + json.dumps(match.dump()["result"], sort_keys=True)]
    return "\n".join(lines) + "\n"


def story(match: Match[Any], events: list[Event]) -> list[str]:
    """What a spectator reads, and under it what single seats read instead."""
    texts = Texts("en")
    lines = []
    for event in events:
        public = event.seen_by(None)
        if public is not None:
            lines.append(f"   {texts.render(public)}")
        for seat, name in enumerate(match.state.seats):
            for message in told([event], seat):
                if message != public:
                    lines.append(f"   | {name}: {texts.render(message)}")
    return lines


def write_all() -> None:
    """Write every playthrough again."""
    HERE.mkdir(exist_ok=True)
    for playthrough in PLAYTHROUGHS:
        playthrough.file.write_text(text_of(playthrough), "utf-8")


if __name__ == "__main__":
    write_all()
