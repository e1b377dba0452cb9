"""The laws that every game obeys, tried on every registered game by self-play.

A law is tried on a few whole games of each world; ``make soak`` tries thousands.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sigilpost_engine.core import codec
from sigilpost_engine.core.errors import Illegal, Refusal
from sigilpost_engine.core.events import told
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.prompts import Answer, Move, Prompt
from sigilpost_engine.core.rng import Rng

from .census import census
from .worlds import World, every_world, play

GAMES = 3
LONGEST = 5_000
"""Answers after which a game of self-play counts as endless. The games' pages state their own
lower caps."""


def plain(value: Any) -> Any:
    """Through JSON text and back, as a database would have it."""
    return json.loads(json.dumps(value))


@every_world
@pytest.mark.parametrize("seed", range(GAMES))
def test_saving_and_loading_after_every_answer_equals_never_saving(world: World, seed: int) -> None:
    steady = list(play(world.begin(seed), world.chance(seed)))
    match, rng = world.begin(seed), world.chance(seed)
    for turn in steady:
        match = Match.load(match.game, plain(match.save()))
        again = next(iter(play(match, rng)))
        assert again == turn
    assert match.result is not None
    assert not match.open


@every_world
def test_replaying_the_log_gives_the_stored_state(world: World) -> None:
    match = world.begin(7)
    log = [(turn.seat, turn.answer) for turn in play(match, world.chance(7))]
    replayed = world.begin(7)
    for seat, answer in log:
        replayed.apply(seat, answer)
    assert plain(replayed.save()) == plain(match.save())


@every_world
def test_a_refused_line_or_answer_changes_nothing(world: World) -> None:
    match, rng = world.begin(3), world.chance(3)
    for number, _ in enumerate(play(match, rng)):
        if number % 5 or not match.open:
            continue
        before = plain(match.save())
        for seat in range(world.seats):
            for answer in nonsense(match.prompt(seat)):
                with pytest.raises(Illegal):
                    match.apply(seat, answer)
            for line in ("", "frobnicate", "choose", "choose nobody's card", "yes and no"):
                with pytest.raises(Refusal):
                    match.submit(seat, line)
        assert plain(match.save()) == before
        assert match.take_events() == []


def nonsense(prompt: Prompt | None) -> list[Answer]:
    """Answers that no legal move allows: another word, too many picks, picks from nowhere."""
    wrong = [Answer("frobnicate"), Answer("choose", "nobody", ("nothing",))]
    for move in prompt.moves if prompt else ():
        if move.pick is None:
            wrong.append(Answer(move.verb, move.target, ("nothing",)))
        else:
            items = move.pick.items
            wrong.append(Answer(move.verb, move.target, (*items, *items, "nothing")))
            wrong.append(Answer(move.verb, move.target, ("nothing",) * move.pick.high or ("x",)))
    return wrong


@every_world
@pytest.mark.parametrize("seed", range(GAMES))
def test_cards_are_conserved(world: World, seed: int) -> None:
    match = world.begin(seed)
    deck = census(world.game, match)
    for _ in play(match, world.chance(seed)):
        assert census(world.game, match) == deck


@every_world
def test_only_the_seats_that_are_asked_may_act(world: World) -> None:
    match = world.begin(5)
    for _ in play(match, world.chance(5)):
        asked = {prompt.seat for prompt in match.open}
        for prompt in match.open:
            answer = next(prompt.answers())
            for seat in set(range(world.seats)) - asked:
                with pytest.raises(Illegal):
                    match.apply(seat, answer)


@every_world
@pytest.mark.parametrize("seed", range(20))
def test_games_end(world: World, seed: int) -> None:
    match = world.begin(100 + seed)
    for turns, _ in enumerate(play(match, world.chance(seed))):
        assert turns < LONGEST
    result = match.result
    assert result is not None
    order = [match.state.seats.index(name) for name in result.winners]
    assert order == sorted(order)
    assert order


@every_world
@pytest.mark.parametrize("seed", range(GAMES))
def test_what_a_seat_may_not_know_changes_nothing_that_it_sees(world: World, seed: int) -> None:
    """Non-interference: permute the unknown; view and question stay byte for byte the same."""
    match, rng = world.begin(seed), world.chance(seed)
    noise = Rng(f"noise/{world}/{seed}".encode())
    for number, _ in enumerate(play(match, rng)):
        if number % 3:
            continue
        for seat in (*range(world.seats), None):
            other = match.game.blur(match.state, seat, noise)
            assert plain(match.game.view(other, seat)) == plain(match.view(seat))


@every_world
@pytest.mark.parametrize("seed", range(GAMES))
def test_events_and_questions_tell_nothing_that_the_view_does_not(world: World, seed: int) -> None:
    """Two worlds that a seat cannot tell apart go on in like manner: while its view stays the
    same in both, so do the events that it reads and the question that it is asked."""
    match, rng = world.begin(seed), world.chance(seed)
    noise = Rng(f"noise/{world}/{seed}".encode())
    compared = 0
    for _ in play(match, rng):
        if not match.open or match.given_since_start():
            continue  # a blurred world can only be entered between two steps
        actor = match.open[0].seat
        for seat in set(range(world.seats)) - {actor}:
            compared += same_future(match, seat, noise)
    assert compared > 0


def same_future(match: Match[Any], seat: int, noise: Rng) -> int:
    """Play one like answer in the true and in a blurred world; compare what ``seat`` gets."""
    game = match.game
    true = Run(game, codec.copy(match.state), quiet=False)
    blurred = Run(game, game.blur(match.state, seat, noise), quiet=False)
    for run in (true, blurred):
        run.start()
    if not (true.open and blurred.open):
        return 0
    answers = like_answers(true.open[0], blurred.open[0], noise)
    if answers is None:
        return 0
    for run, answer in zip((true, blurred), answers, strict=True):
        run.answer(answer)
    if true.state.rng.counter != match.state.rng.counter:
        return 0  # what was public for a moment may have been shuffled out of sight
    if game.view(true.state, seat) != game.view(blurred.state, seat):
        return 0
    if shown(true, seat) != shown(blurred, seat):
        return 0  # a card was shown, and so the seat can tell the worlds apart
    assert told(true.table.events, seat) == told(blurred.table.events, seat)
    assert questions(true, seat) == questions(blurred, seat)
    return 1


def shown(run: Run[Any], seat: int) -> list[Any]:
    """The cards that the rules have shown to ``seat``."""
    return [msg for msg in told(run.table.events, seat) if msg.id in run.game.reveals]


def questions(run: Run[Any], seat: int) -> list[Any]:
    """Who is asked, and what ``seat`` is asked."""
    return [prompt.to_json() if prompt.seat == seat else prompt.seat for prompt in run.open]


def like_answers(one: Prompt, two: Prompt, noise: Rng) -> tuple[Answer, Answer] | None:
    """An answer to each, of the same word about the same thing with as many picks."""
    move = noise.choice(one.moves)
    other = two.move_for(move.verb, move.target)
    if other is None:
        return None
    pair = first_answer(move), first_answer(other)
    return pair if len(pair[0].picks) == len(pair[1].picks) else None


def first_answer(move: Move) -> Answer:
    return next(move.answers())


@every_world
def test_a_dump_is_accepted_as_a_setup_and_shows_the_same(world: World) -> None:
    match = world.begin(11)
    for number, _ in enumerate(play(match, world.chance(11))):
        if number % 7 or match.given_since_start():
            continue
        doc = plain(match.start_dump())
        again = Match.from_setup(
            match.game, doc, match.state.seats, world.options, b"another stream"
        )
        if again.state.rng.counter:
            continue  # what a step shuffles before its first question, another stream does not
        assert plain(again.dump()) == plain(match.dump())
        assert [p.to_json() for p in again.open] == [p.to_json() for p in match.open]


@every_world
def test_every_command_of_the_menu_and_every_phrase_reads_back(world: World) -> None:
    match, rng = world.begin(13), world.chance(13)
    for _ in play(match, rng):
        for prompt in match.open:
            view = plain(match.view(prompt.seat))
            asked = Prompt.from_json(plain(prompt.to_json()))
            for move in prompt.moves:
                answer = first_answer(move)
                line = match.game.phrase(answer)
                assert match.game.parse(view, asked, line) == answer, line
