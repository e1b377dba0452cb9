"""Non-interference inside effects: two worlds that a seat cannot tell apart go on alike.

A world and a blurred one (what the seat may not know is dealt again) are given like answers, one
after the other and in the middle of effects too, until the seat can tell them apart: by a mana
that is shown, or by what its view shows. Up to there it must read the same events and be asked
the same questions, and the same player must be waited for.

As a program it measures which lines and branches of the spells these comparisons reach:
``python -m tests.engine.wizards.knowledge report.json``.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core import codec
from sigilpost_engine.core.errors import BadDocument, Illegal
from sigilpost_engine.core.events import told
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.prompts import Answer, Move, Prompt
from sigilpost_engine.core.rng import Rng

GAMES, TRIES, ANSWERS = 20, 8, 12
SEATS = ("alice", "bob")
SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios" / "wizards").glob("*.toml"))
ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}


def positions(game: Game[Any]) -> Iterator[tuple[Any, int]]:
    """The position of every scenario, and those between two steps of games at random; each with
    how often it is tried."""
    for file in SCENARIOS:
        doc = tomllib.loads(file.read_text("utf-8"))
        try:
            match = Match.from_setup(
                game, doc.get("setup", {}), doc["seats"], doc.get("options", {}), b"\0"
            )
        except BadDocument:
            continue  # a scenario of a refused setup
        yield start_of_step(match), TRIES
    for number in range(GAMES):
        match = Match.begin(game, SEATS, ALL_SETS, f"knowledge {number}".encode())
        rng = Rng(f"players {number}".encode())
        while match.open:
            if not match.given_since_start() and match.state.phase in ("cast", "attack"):
                yield codec.copy(match.state), 1
            prompt = match.open[0]
            match.apply(prompt.seat, random_answer(prompt, rng))


def start_of_step(match: Match[Any]) -> Any:
    """The state before whatever the open step has done already, such as a cool down."""
    return codec.decode(match.game.state, match.save()["start"])


def compare(game: Game[Any], state: Any, seat: int, noise: Rng) -> int:
    """Play a world and a blurred one on; how many answers ``seat`` could not tell them apart."""
    true = Run(game, codec.copy(state), quiet=False)
    blurred = Run(game, game.blur(state, seat, noise), quiet=False)
    for run in (true, blurred):
        run.start()
    for answers in range(ANSWERS):
        assert not one_is_ahead(true, blurred, seat)
        if told_apart(game, true, blurred, seat):
            return answers
        assert told(true.table.events, seat) == told(blurred.table.events, seat)
        assert questions(true, seat) == questions(blurred, seat)
        if not true.open:
            return answers
        pair = like_answers(true.open[0], blurred.open[0], seat, noise)
        if pair is None:
            return answers
        for run, answer in zip((true, blurred), pair, strict=True):
            run.answer(answer)
    return ANSWERS


def one_is_ahead(true: Run[Any], blurred: Run[Any], seat: int) -> bool:
    """Whether the worlds differ for ``seat`` in nothing but that one waits for an answer where the
    other has gone on: then being asked, or not, has told something. Secret Oath may: it takes
    what it waits for as soon as that is there, and so shows whether it is."""
    from sigilpost_engine.games.wizards.book import STANDING

    for waits, goes_on in ((true, blurred), (blurred, true)):
        heard, more = told(waits.table.events, seat), told(goes_on.table.events, seat)
        if waits.open and len(heard) < len(more) and heard == more[: len(heard)]:
            ordered = {pick for answer in orders(waits.open[0]) for pick in answer.picks}
            return STANDING.keys().isdisjoint(ordered | {more[len(heard)].values.get("spell")})
    return False


def orders(prompt: Prompt) -> Iterator[Answer]:
    """The answers to a question of what comes next; none to another question."""
    return prompt.answers() if prompt.topic == "order" else iter(())


def told_apart(game: Game[Any], true: Run[Any], blurred: Run[Any], seat: int) -> bool:
    """Whether ``seat`` has seen a difference."""
    return shown(true, seat) != shown(blurred, seat) or (
        game.view(true.state, seat) != game.view(blurred.state, seat)
    )


def shown(run: Run[Any], seat: int) -> list[Msg]:
    """The mana that the rules have shown to ``seat``."""
    return [msg for msg in told(run.table.events, seat) if msg.id in run.game.reveals]


def questions(run: Run[Any], seat: int) -> list[Any]:
    """Who is asked, and what ``seat`` is asked."""
    return [prompt.to_json() if prompt.seat == seat else prompt.seat for prompt in run.open]


def like_answers(one: Prompt, two: Prompt, seat: int, noise: Rng) -> tuple[Answer, Answer] | None:
    """The same answer to the same question of ``seat``; of the other player, one of the same
    word about the same thing with as many picks: other mana, if these are not held."""
    if one.seat == seat:
        answer = random_answer(one, noise)
        return answer, answer
    move = noise.choice(one.moves)
    answer = random_answer(one._replace(moves=(move,)), noise)
    for other in two.moves:
        if (other.verb, other.target) == (move.verb, move.target):
            like = likened(answer, move, other, two)
            if like is not None:
                return answer, like
    return None


def likened(answer: Answer, move: Move, other: Move, prompt: Prompt) -> Answer | None:
    try:
        prompt.check(answer)
    except Illegal:
        if move.pick is None or other.pick is None or not answer.picks[0].isdigit():
            return None
        picks = other.pick.items[: len(answer.picks)]
        if not other.pick.low <= len(picks) == len(answer.picks) <= other.pick.high:
            return None
        return answer._replace(picks=picks)
    return answer


def measure(report: Path) -> int:
    """Compare everywhere, and write coverage.py's JSON report on the files of spells. Returns how
    many answers were compared."""
    watch = coverage.Coverage(branch=True, include=["*/games/wizards/spells/*"], data_file=None)
    watch.start()
    from sigilpost_engine.games import find

    game = find("wizards")
    watch.stop()
    compared = 0
    noise = Rng(b"noise")
    for state, tries in positions(game):
        watch.start()
        for seat in range(len(SEATS)):
            compared += sum(compare(game, state, seat, noise) for _ in range(tries))
        watch.stop()
    watch.json_report(outfile=str(report))
    return compared


if __name__ == "__main__":
    print(measure(Path(sys.argv[1])))
