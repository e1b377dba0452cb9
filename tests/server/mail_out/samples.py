"""A letter of every kind, from a real game of Weaver: alice, bob and carol at one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.sealed import SealKey
from sigilpost_server.mail_out import clock_letters, letters
from sigilpost_server.mail_out.letter import (
    Address,
    Command,
    Envelope,
    GameTag,
    Letter,
    Line,
    Position,
    Public,
    Reply,
)
from sigilpost_server.mail_out.sealing import sealed

SEATS = ("alice", "bob", "carol")
GAME = GameTag("weaver-7k2q", "weaver")
SEAL_KEY = SealKey.generate().public
KEY = "7KQ2 3MPA XW4L OO5T RRCE YB6D"
SERVER_KEY = "Q4ZN 5HJB 2KXC VV7A MMPT 3LDE"
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
REPLY = Reply("K7Q2-9FMD-3XWA", "post+k7q29fmd3xwa@sigil.example")
TOKEN = "ZK7Q3MPAXW4LOO5TRRCEYB6D"
SECRET = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
ENVELOPE = Envelope(
    to=Address("alice@example.org", "alice"),
    sender=Address("post@sigil.example", "Sigilpost"),
    message_id="<5f2c1d7e9a3b4c6d8e0f1a2b3c4d5e6f@sigil.example>",
    date=datetime(2026, 3, 2, 10, 30, tzinfo=UTC),
    list_id="weaver-7k2q.sigil.example",
    references=("<1b9d6bcd0f7a4a0e8f1c2d3e4f5a6b7c@sigil.example>",),
)


class Moment(NamedTuple):
    """A point in a game: the match, what was told since the last, and who is asked."""

    match: Match[Any]
    events: list[Event]
    seat: int


def play(moments: int, *, seed: bytes = b"mails") -> Moment:
    """The game after ``moments`` answers by chance."""
    game = find("weaver")
    match, rng = Match.begin(game, SEATS, {}, seed), Rng(seed)
    events = match.take_events()
    for _ in range(moments):
        if not match.open:
            break
        prompt = match.open[0]
        match.apply(prompt.seat, random_answer(prompt, rng))
        events = match.take_events()
    return Moment(match, events, match.open[0].seat if match.open else 0)


def position(moment: Moment, seat: int) -> Position:
    """What a seat sees at that moment."""
    match, game = moment.match, moment.match.game
    prompt = match.prompt(seat)
    return Position(
        seat=SEATS[seat],
        players=SEATS,
        sheet=game.sheet(match.view(seat)),
        question=prompt and say(f"{game.name}.ask.{prompt.topic}", **prompt.values),
        menu=tuple(game.menu(prompt)) if prompt else (),
        waiting=tuple(SEATS[asked.seat] for asked in match.open),
        head=Head(match.number, HASH),
    )


def attachment(moment: Moment, seat: int) -> bytes:
    """Something of the size of a real ``turn.sigil``."""
    prompt = moment.match.prompt(seat)
    view = moment.match.view(seat)
    return json.dumps({"view": view, "prompt": prompt and prompt.to_json()}).encode()


def legal_lines(moment: Moment) -> list[str]:
    """Lines that the seat which is asked could type."""
    prompt = moment.match.open[0]
    return [moment.match.game.phrase(answer) for answer in prompt.answers()]


Maker = Callable[[], Letter]


@cache
def every_kind() -> dict[str, Letter]:
    """Letters by name; every function of ``letters`` and each of its branches is among them."""
    return dict(_all())


def _all() -> Iterator[tuple[str, Letter]]:
    start, middle, end = play(0), play(9), play(1000)
    strangers = replace(ENVELOPE, list_id="sigilpost.sigil.example", references=())
    yield "challenge", letters.challenge(strangers, token=TOKEN, key=KEY, hours=72, turn=b"{}")
    yield (
        "registered",
        letters.registered(strangers, name="alice", key=KEY, server_key=SERVER_KEY),
    )
    yield "help", letters.assistance(strangers)
    yield (
        "invitation",
        letters.invitation(
            ENVELOPE,
            GAME,
            host="bob",
            players=SEATS,
            options=[("hidden_cards", "count"), ("space_match", "each")],
            commitment=HASH,
            words="Another round?\n\nI bring the tea.",
            turn=b"{}",
        ),
    )
    yield (
        "invitation-own",
        letters.invitation(
            ENVELOPE,
            GAME,
            host="alice",
            players=SEATS,
            options=[("hidden_cards", "count")],
            commitment=HASH,
            own=True,
            turn=b"{}",
        ),
    )
    yield (
        "invitation-by-reply",
        replace(
            letters.invitation(
                ENVELOPE,
                GAME,
                host="bob",
                players=SEATS,
                options=[("credentials", "code")],
                commitment=HASH,
                turn=b"{}",
            ),
            invited=REPLY,
        ),
    )
    yield (
        "started",
        letters.started(
            ENVELOPE,
            GAME,
            position(start, start.seat),
            happened=told(start.events, start.seat),
            turn=attachment(start, start.seat),
        ),
    )
    yield from _middle(middle)
    yield from _end(end)
    yield from _rare(middle)


def _middle(moment: Moment) -> Iterator[tuple[str, Letter]]:
    seat, other = moment.seat, (moment.seat + 1) % 3
    mine, theirs = position(moment, seat), position(moment, other)
    yield (
        "turn",
        letters.your_turn(
            ENVELOPE,
            GAME,
            replace(mine, deadline=say("mail.list", items=["2026-03-05 10:30"])),
            happened=told(moment.events, seat),
            turn=attachment(moment, seat),
        ),
    )
    yield "turn-sealed", sealed(_turn(moment, seat), SEAL_KEY)
    yield (
        "turn-by-reply",
        letters.your_turn(
            ENVELOPE,
            GAME,
            replace(mine, reply=REPLY),
            happened=told(moment.events, seat),
            turn=attachment(moment, seat),
        ),
    )
    yield (
        "news",
        letters.news(
            ENVELOPE,
            GAME,
            theirs,
            happened=told(moment.events, other),
            turn=attachment(moment, other),
        ),
    )
    left = say("clock.two", first=say("clock.days", n=2), second=say("clock.hours", n=5))
    yield (
        "reminder",
        clock_letters.reminder(
            ENVELOPE,
            GAME,
            replace(mine, deadline=say("mail.list", items=["2026-03-05 10:30"])),
            left=left,
            consequence=say("clock.policy.bot", bot="greedy"),
            happened=told(moment.events, seat),
            turn=attachment(moment, seat),
        ),
    )
    yield (
        "notice",
        clock_letters.notice(
            ENVELOPE,
            say("clock.back.subject", seat="bob"),
            [say("clock.back.opening", seat="bob", game=GAME.tag, bot="greedy")],
            game=GAME,
            commands=[Command(f"sigil back {GAME.tag}", say("clock.command.back"))],
            turn=b"{}",
        ),
    )
    line = legal_lines(moment)[0]
    refusal = say("core.refusal.not-held", text="ESBNER 9")
    happened = told(moment.events, seat)
    yield (
        "answer",
        letters.answer(
            ENVELOPE, GAME, theirs, transcript=[Line(line)], happened=happened, turn=b"{}"
        ),
    )
    yield (
        "partial",
        letters.answer(
            ENVELOPE,
            GAME,
            mine,
            transcript=[
                Line(line),
                Line("hide ESBNER 9", refusal, False),
                Line("claim A with ASHW 1", None, None),
            ],
            notices=[say("mail.reason.replayed")],
            happened=happened,
            turn=b"{}",
        ),
    )
    yield (
        "refused",
        letters.answer(
            ENVELOPE, GAME, mine, transcript=[Line("hide ESBNER 9", refusal, False)], turn=b"{}"
        ),
    )


def _turn(moment: Moment, seat: int) -> Letter:
    """A turn of somebody whose mail is to be sealed."""
    rules, match = moment.match.game, moment.match
    public = Public(rules.sheet(match.view(None)), tuple(told(moment.events, None)))
    return letters.your_turn(
        ENVELOPE,
        GAME,
        replace(position(moment, seat), public=public),
        happened=told(moment.events, seat),
        turn=attachment(moment, seat),
    )


def _end(moment: Moment) -> Iterator[tuple[str, Letter]]:
    assert moment.match.result
    common: dict[str, Any] = {
        "winners": moment.match.result.winners,
        "secret": SECRET,
        "happened": told(moment.events, 0),
        "turn": b"{}",
    }
    yield "over", letters.over(ENVELOPE, GAME, position(moment, 0), **common)
    yield (
        "over-answer",
        letters.over(
            ENVELOPE,
            GAME,
            position(moment, 0),
            transcript=[Line("hide ASHW 3")],
            notices=[say("mail.reason.ok")],
            **common,
        ),
    )
    yield (
        "over-nobody",
        letters.over(ENVELOPE, GAME, position(moment, 0), winners=[], secret=SECRET),
    )


def _rare(moment: Moment) -> Iterator[tuple[str, Letter]]:
    yield (
        "receipt",
        letters.receipt(ENVELOPE, notices=[say("mail.reason.ok")], game=GAME, turn=b"{}"),
    )
    words = "Well played!\nI did not see that coming. <b>Ouch</b> & so on."
    yield "chat", letters.chat(ENVELOPE, GAME, speaker="bob", words=words)
    yield "chat-private", letters.chat(ENVELOPE, GAME, speaker="bob", words=words, private=True)
    yield (
        "resigned",
        letters.resigned(
            ENVELOPE,
            GAME,
            player="carol",
            position=replace(position(moment, moment.seat), question=None, menu=()),
            notices=[say("mail.over.nobody")],
            turn=b"{}",
        ),
    )
    asks = say("keys.recover.challenge", player="alice", key=KEY)
    yield "recovery", letters.recovery(ENVELOPE, asks, token=TOKEN, key=KEY, hours=72, turn=b"{}")
    yield "cancelled", letters.cancelled(ENVELOPE, GAME, why=say("mail.over.nobody"))
    yield "held", letters.held(ENVELOPE, GAME)
    yield "held-for-host", letters.held_for_host(ENVELOPE, GAME, why="Diverged: open step")
    yield (
        "postmaster",
        letters.for_postmaster(
            ENVELOPE, sender="zoe@else.test", subject="Your mail", raw=b"Subject: Your mail"
        ),
    )
    yield "error", letters.error(ENVELOPE, "no-block")
    yield "error-by-reply", letters.error(ENVELOPE, "bad-code")
    yield (
        "stale",
        letters.error(
            ENVELOPE,
            "stale",
            details=[say("core.refusal.stale")],
            game=GAME,
            position=position(moment, moment.seat),
            turn=b"{}",
        ),
    )
