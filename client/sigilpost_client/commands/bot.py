"""``bot``: a program in the player's place, which does nothing that the player could not do."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Annotated

import typer

from sigilpost_client import config, orders, send, store, syncing
from sigilpost_client.commands import parameters as given
from sigilpost_client.config import Config
from sigilpost_client.errors import Refused, Unreachable, Unusable
from sigilpost_client.screen import plain
from sigilpost_client.screen.position import newest, rules_of
from sigilpost_client.store import GameRecord
from sigilpost_client.words import render, text
from sigilpost_engine.bots import BOTS, Bot
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.core.rng import Rng

TRIES = 3
"""How often a bot answers one question that the server asks again."""

PAUSES = {"maildir": 0.05, "imap": 5.0, "none": 5.0}
"""Seconds between two looks into the mailbox."""


def bot(
    name: Annotated[str, typer.Argument(metavar="|".join(BOTS), help=text("client.help.bot.name"))],
    watch: Annotated[bool, typer.Option("--watch", help=text("client.help.bot.watch"))] = False,
    join: Annotated[bool, typer.Option("--join", help=text("client.help.bot.join"))] = False,
    games: Annotated[
        int,
        typer.Option(
            "--games", metavar=text("client.metavar.number"), help=text("client.help.bot.games")
        ),
    ] = 1,
    pause: Annotated[
        float,
        typer.Option(
            "--pause",
            show_default=False,
            metavar=text("client.metavar.seconds"),
            help=text("client.help.bot.pause"),
        ),
    ] = 0.0,
    seed: Annotated[
        str,
        typer.Option(
            "--seed", metavar=text("client.metavar.hex"), help=text("client.help.bot.seed")
        ),
    ] = "",
    json: given.Json = False,
) -> None:
    """Answer every open question of this player; with ``--watch`` until the games are over."""
    settings = config.load()
    player = Player(settings, _bot(name, seed), join=join, json=json)
    while True:
        player.round()
        if not watch or player.finished(games):
            return
        time.sleep(pause or PAUSES[settings.mailbox.kind])


def _bot(name: str, seed: str) -> Bot:
    if name not in BOTS:
        raise Unusable(
            say("client.error.bot", name=name), say("client.remedy.bot", known=list(BOTS))
        )
    try:
        key = bytes.fromhex(seed) if seed else secrets.token_bytes(32)
    except ValueError:
        raise Unusable(say("client.error.seed", given=seed), say("client.remedy.seed")) from None
    return BOTS[name](Rng(key))


@dataclass
class Player:
    """The bot at the player's mailbox."""

    config: Config
    bot: Bot
    join: bool = False
    json: bool = False
    signer: orders.Signer = field(init=False)

    def __post_init__(self) -> None:
        self.signer = orders.Signer(self.config)

    def round(self) -> None:
        """Fetch mail, reply to invitations, answer what is asked, send.

        A mail server that is away for a while is no reason to stop.
        """
        report = syncing.sync(self.config, self.signer)
        if report.fault is not None and not isinstance(report.fault, Unreachable):
            raise report.fault
        for each in report.received:
            for message in each.told if each.alarm or not each.game else ():
                self._tell("told", each.game, render(message))
        state = store.read()
        if self.join:
            for game in state.invited():
                self._reply(game.id)
        for game in state.asked():
            self._answer(game.id)
        try:
            send.flush(self.config)
        except Unreachable as fault:
            self._tell("waits", "", render(fault.what))

    def finished(self, games: int) -> bool:
        """Whether so many games are known, none is going on, and nothing waits to be sent."""
        state = store.read()
        ended = len(state.games) - len(state.going())
        return ended >= games and not state.going() and not send.waiting()

    def _reply(self, tag: str) -> None:
        with store.change() as state:
            game = state.games[tag]
            block, outgoing = orders.reply(self.signer, state, game, "join")
            orders.post(block, outgoing, game=tag)
        self._tell("join", tag)

    def _answer(self, tag: str) -> None:
        with store.change() as state:
            game = state.games[tag]
            if not game.asked:
                return
            line = self._line(game)
            block, outgoing = orders.sign_orders(self.signer, state, game, [line])
            orders.answered(game, outgoing)
            orders.post(block, outgoing, game=tag, lines=[line])
        self._tell("move", tag, line)

    def _line(self, game: GameRecord) -> str:
        assert game.prompt is not None
        if game.tries >= TRIES:
            raise Refused(
                say("client.error.bot-stuck", game=game.id), say("client.remedy.bot-stuck")
            )
        view = dict(newest(game).view or {})
        rules = rules_of(game)
        answer = self.bot.choose(rules, view, Prompt.from_json(game.prompt))
        line: str = rules.phrase(answer)
        return orders.check(game, view, [line])[0]

    def _tell(self, did: str, game: str, what: str = "") -> None:
        if self.json:
            plain.dump_line({"did": did, "game": game, "what": what})
        else:
            plain.out(text(f"client.bot.{did}", game=game, what=what))
