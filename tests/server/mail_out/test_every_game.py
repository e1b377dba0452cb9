"""What holds of the turn mails of every game, at many moments of games played at random."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.texts import Texts, layout
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.compose import compose, plain
from sigilpost_server.mail_out.letter import GameTag, Letter, Position
from tests.laws.worlds import SEATS, World, every_world

from .reading import Screen, leaves, words
from .samples import ENVELOPE

TEXTS = Texts()
MOMENTS = 8
Moment = tuple[Match[Any], list[Event]]


def moments(world: World) -> Iterator[Moment]:
    """The game now and then: as often early as late, and at its end."""
    length = sum(1 for _ in _play(world))
    wanted = {length * number // MOMENTS for number in range(MOMENTS)} | {length - 1}
    for number, moment in enumerate(_play(world)):
        if number in wanted:
            yield moment


def _play(world: World) -> Iterator[Moment]:
    match, rng = world.begin(5), world.chance(5)
    yield match, match.take_events()
    while match.open:
        prompt = match.open[0]
        match.apply(prompt.seat, random_answer(prompt, rng))
        yield match, match.take_events()


def letter(match: Match[Any], events: list[Event], seat: int, state: Any = None) -> Letter:
    """The turn mail of a seat; ``state`` in place of the match's own."""
    game, prompt = match.game, match.prompt(seat)
    view = game.view(match.state if state is None else state, seat)
    players = tuple(match.state.seats)
    position = Position(
        players[seat],
        players,
        game.sheet(view),
        prompt and say(f"{game.name}.ask.{prompt.topic.replace(' ', '-')}", **prompt.values),
        tuple(game.menu(prompt)) if prompt else (),
        tuple(players[asked.seat] for asked in match.open),
        exemplary=prompt is not None and prompt.exemplary,
    )
    turn = json.dumps([view, prompt and prompt.to_json()]).encode()
    tag = GameTag(f"{game.name}-7k2q", game.name)
    return letters.your_turn(ENVELOPE, tag, position, happened=told(events, seat), turn=turn)


@every_world
def test_text_is_78_columns_wide_and_says_what_html_says(world: World) -> None:
    for match, events in moments(world):
        for seat in range(world.seats):
            parts = leaves(compose(letter(match, events, seat), TEXTS))
            text, html = parts["text/plain"], parts["text/html"]
            assert max(map(layout.width, text.split("\n"))) <= 78
            assert words(Screen(html).text) == words(text)


@every_world
def test_the_commands_in_a_turn_mail_are_legal_answers(world: World) -> None:
    for match, events in moments(world):
        for prompt in match.open:
            text = plain(letter(match, events, prompt.seat), TEXTS)
            shell = re.findall(r"^  (sigil move (?:.|\n      )*)$", text, re.MULTILINE)
            assert shell, text
            for command in shell:
                *program, line = shlex.split(command)
                assert program == ["sigil", "move", f"{world.game}-7k2q"]
                match.read(prompt.seat, line)


@every_world
def test_a_turn_mail_with_fewer_lines_than_answers_says_so(world: World) -> None:
    for match, events in moments(world):
        for prompt in match.open:
            told = "is one example" in plain(letter(match, events, prompt.seat), TEXTS)
            shown = sum(len(line.split(" / ")) for line in match.game.menu(prompt))
            possible = len(set(islice(prompt.answers(), shown + 1)))
            assert told or shown >= possible


@every_world
def test_what_a_seat_may_not_know_changes_no_byte_of_its_mail(world: World) -> None:
    hidden = 0
    for match, events in moments(world):
        if not match.open:
            continue  # all is open at the end
        true = match.game.dump(match.state)
        for seat in range(world.seats):
            mail = compose(letter(match, events, seat), TEXTS)
            for number in range(3):
                rng = Rng(f"{SEATS[seat]} {number}".encode())
                blurred = match.game.blur(match.state, seat, rng)
                hidden += match.game.dump(blurred) != true
                assert compose(letter(match, events, seat, blurred), TEXTS) == mail
    assert hidden, "nothing was ever hidden: this proved nothing"


@every_world
def test_the_first_200_characters_tell_no_secret(world: World) -> None:
    match, events = next(moments(world))
    for seat in range(world.seats):
        whole = letter(match, events, seat)
        assert whole.position
        head = replace(whole.position, sheet=(), question=None, menu=())
        bare = replace(whole, happened=(), position=head)
        shown = [_shown(compose(one, TEXTS)) for one in (whole, bare)]
        assert shown[0] == shown[1]


def _shown(mail: bytes) -> list[str]:
    parts = leaves(mail)
    return [text[:200] for text in (parts["text/plain"], Screen(parts["text/html"]).text)]
