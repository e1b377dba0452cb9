"""A game's newest document on the screen, or as JSON."""

from __future__ import annotations

from typing import Any

from sigilpost_client import store
from sigilpost_client.errors import Untrusted, Unusable
from sigilpost_client.screen import plain
from sigilpost_client.screen.rich import print_heading, print_list, print_sheet
from sigilpost_client.store import GameRecord
from sigilpost_client.words import render, text
from sigilpost_engine import games
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.errors import WireError
from sigilpost_engine.wire.turn import TurnDoc, open_turn, signer


def newest(game: GameRecord) -> TurnDoc:
    """The newest document of a game, verified again. Raises NoGame, Untrusted."""
    data = store.newest_turn(game)
    try:
        by = signer(data)
        if by.hex in store.read().server.known:
            return open_turn(data, by.raw)
    except WireError:
        pass  # what lies in the folder is not what was filed there
    raise Untrusted(say("client.error.turn-changed", game=game.id), say("client.remedy.sync"))


def show_game(game: GameRecord) -> None:
    """Print a game: what happened, the position, the question."""
    document = newest(game)
    plain.out(_title(game), "bold")
    plain.out()
    if document.events:
        print_heading(text("client.show.happened"))
        print_list([render(Msg.from_json([id, dict(values)])) for id, values in document.events])
    if document.view:
        print_sheet(rules_of(game).sheet(dict(document.view)))
    show_question(game)


def show_past(game: GameRecord) -> None:
    """Print what was played before, as far as the game lets it be looked up."""
    view = newest(game).view
    past = rules_of(game).past(dict(view)) if view else ()
    if past:
        print_sheet(past)
    else:
        plain.say("client.show.no-past", game=game.id)


def _title(game: GameRecord) -> str:
    if game.status == store.PROPOSED:
        return text("client.show.invitation", game=game.id, seats=game.seats)
    if game.status == store.FINISHED:
        return text("client.show.finished", game=game.id, seats=game.seats)
    if game.status == store.CANCELLED:
        return text("client.show.cancelled", game=game.id, seats=game.seats)
    return text("client.show.title", game=game.id, number=game.number, seats=game.seats)


def show_question(game: GameRecord) -> None:
    """Print what is asked and the commands that answer it."""
    if game.prompt is None or game.question is None:
        if game.waiting:
            plain.out(render(game.waits))
        elif game.invited:
            plain.say("client.next.reply", game=game.id)
        return
    print_heading(text("client.show.question"))
    plain.paragraph(render(game.question))
    plain.out()
    plain.menu(game.menu)
    plain.out()
    if game.exemplary:
        plain.paragraph(text("core.menu.exemplary"), style="dim")
    how = "client.next.how" if game.asked else "client.next.answered"
    plain.out(text(how, game=game.id), "dim")


def rules_of(game: GameRecord) -> Any:
    """The rules of the game. Raises Unusable for one that this program does not know."""
    try:
        return games.find(game.kind)
    except (games.UnknownGame, ImportError) as fault:
        raise Unusable(
            say("client.error.kind-unknown", kind=game.kind), say("client.remedy.update")
        ) from fault


def as_json(game: GameRecord) -> dict[str, Any]:
    """The game, the view, the question, what happened."""
    from sigilpost_client.commands.look import game_as_json

    document = newest(game)
    return {
        **game_as_json(game),
        "view": document.view,
        "prompt": game.prompt,
        "question": render(game.question) if game.question else None,
        "menu": game.menu,
        "happened": [render(Msg.from_json([id, dict(values)])) for id, values in document.events],
    }
