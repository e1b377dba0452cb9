"""Playing: ``move``, ``chat``, ``resign``."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client import config, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import game_and_words, one_table
from sigilpost_client.commands.consent import be_sure
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.errors import NoGame, Refused
from sigilpost_client.screen import plain
from sigilpost_client.store import GameRecord
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say


def move(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar=text("client.metavar.lines"),
            help=text("client.help.move.lines"),
            autocompletion=given.known_games,
        ),
    ],
    game: given.GameOption = "",
    again: Annotated[bool, typer.Option("--again", help=text("client.help.move.again"))] = False,
    eml: given.Eml = False,
    dry_run: given.DryRun = False,
    json: given.Json = False,
) -> None:
    """Answer the open question, with a line or several; checked before they are signed."""
    settings = config.load()
    with store.change() as state:
        record, lines = game_and_words(state, words, game)
        lines = _checked(record, lines, again)
        signer = orders.Signer(settings)
        block, outgoing = orders.sign_orders(signer, state, record, lines)
        parcel = Parcel(settings, block, outgoing, eml=eml or dry_run, json=json)
        if not dry_run:
            orders.answered(record, outgoing)
            parcel.post(game=record.id, lines=lines)
    if dry_run:
        _tell_dry(record, lines, parcel)
        return
    parcel.finish("client.next.sync", game=record.id, lines=lines, prompt=record.answered)


def _checked(record: GameRecord, lines: list[str], again: bool) -> list[str]:
    """The lines as they will be sent; words without quotation marks count as one line."""
    from sigilpost_client.screen.position import newest

    if record.prompt is not None and not record.asked and not again:
        raise NoGame(say("client.error.answered", game=record.id), say("client.remedy.answered"))
    view = dict(newest(record).view or {})
    try:
        return orders.check(record, view, lines)
    except Refused:
        if len(lines) < 2 or any(" " in line for line in lines):
            raise
        return orders.check(record, view, [" ".join(lines)])


def _tell_dry(record: GameRecord, lines: list[str], parcel: Parcel) -> None:
    if parcel.json:
        plain.dump(
            {
                "game": record.id,
                "lines": lines,
                "to": parcel.mail.recipient,
                "sent": False,
                "mail": parcel.mail.raw.decode("utf-8").replace("\r\n", "\n"),
            }
        )
        return
    for line in lines:
        plain.say("client.done.legal", line=line)
    plain.say("client.done.dry")


def chat(
    words: Annotated[
        list[str],
        typer.Argument(metavar=text("client.metavar.text"), help=text("client.help.chat.text")),
    ],
    to: Annotated[
        str,
        typer.Option("--to", metavar=text("client.metavar.name"), help=text("client.help.chat.to")),
    ] = "all",
    game: given.GameOption = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Say something at the table."""
    from sigilpost_client.commands.choose import names_a_game
    from sigilpost_engine.wire.payloads import Chat

    settings = config.load()
    with store.change() as state:
        rest = list(words)
        if not game and len(rest) > 1 and names_a_game(state, rest[0]):
            game = rest.pop(0)
        record = one_table(state, game)
        said = " ".join(rest)
        signer = orders.Signer(settings)
        block = signer.sign(
            Chat, orders.server_of(settings, state), game=record.id, to=to, text=said
        )
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.chat-subject"),
            words=[f"    {line}" for line in said.splitlines()],
            game=record,
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(game=record.id)
    parcel.finish("client.next.sync", game=record.id, chat=to)


def resign(
    game: given.Game = "",
    yes: given.Yes = False,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Give a game up."""
    from sigilpost_engine.wire.payloads import Resign

    settings = config.load()
    record = one_table(store.read(), game)
    if record.status not in store.BEGUN or not record.seat:
        raise NoGame(say("client.error.not-running", game=record.id), say("client.remedy.games"))
    be_sure(text("client.ask.resign", game=record.id), yes=yes)
    with store.change() as state:
        signer = orders.Signer(settings)
        block = signer.sign(
            Resign, orders.server_of(settings, state), game=record.id, seat=record.seat
        )
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.resign-subject"),
            words=[text("client.mail.resign", game=record.id)],
            game=record,
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(game=record.id)
    parcel.finish("client.next.sync", game=record.id, did="resign")
