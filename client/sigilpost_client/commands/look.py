"""Looking: ``next`` (whose turn, what is asked), ``games``, ``show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sigilpost_client import config, home, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import one_game
from sigilpost_client.screen import plain
from sigilpost_client.store import GameRecord, State
from sigilpost_client.words import render, text

MENU_MAX = 12


def next_(
    all_: Annotated[bool, typer.Option("--all", "-a", help=text("client.help.next.all"))] = False,
    json: given.Json = False,
) -> None:
    """What this player is asked, and whom the other games wait for."""
    state = store.read()
    if not state.games and not (home.folder() / home.SETTINGS).exists():
        config.load()  # which says what to begin with
    if json:
        plain.dump(next_as_json(state))
        return
    for game in state.asked():
        _tell_question(game, all_)
    for game in state.invited():
        plain.out(text("client.next.invited", game=game.id, seats=game.seats), "bold")
        plain.out("  " + text("client.next.reply", game=game.id), "dim")
    for game in state.going():
        if not game.asked and not game.invited:
            plain.out(_waits(game), "dim")
    if not state.going():
        plain.say("client.next.nothing")


def _tell_question(game: GameRecord, everything: bool) -> None:
    plain.out(text("client.next.asked", game=game.id, seats=game.seats), "bold")
    question = game.question
    if question:
        plain.paragraph(render(question), "  ", "  ")
    if game.deadline:
        plain.out("  " + _deadline(game.deadline), "warn")
    shown = game.menu if everything else game.menu[:MENU_MAX]
    plain.menu(shown)
    if len(shown) < len(game.menu):
        plain.out("    " + text("client.next.more", n=len(game.menu) - len(shown)), "dim")
    if game.exemplary:
        plain.paragraph(text("core.menu.exemplary"), "  ", "  ", "dim")
    plain.out("  " + text("client.next.how", game=game.id), "dim")
    plain.out()


def _deadline(moment: int) -> str:
    """A deadline in the zone of this computer, and how long it is until then."""
    import time

    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    minutes = max(0, moment - int(time.time())) // 60
    days, hours = divmod(minutes // 60, 24)
    if not minutes:
        return text("client.next.over", when=when)
    if days:
        return text("client.next.until-days", when=when, n=days, hours=hours)
    return text("client.next.until", when=when, n=hours, minutes=minutes % 60)


def _waits(game: GameRecord) -> str:
    if game.status == store.PROPOSED:
        return text("client.next.proposed", game=game.id)
    if game.status == store.HELD:
        return text("client.next.held", game=game.id)
    if game.prompt is not None:
        return text("client.next.answered", game=game.id)
    if not game.waiting:
        return text("client.next.waits", game=game.id)
    return render(game.waits)


def next_as_json(state: State) -> dict[str, Any]:
    """``{"asked": [question…], "invited": [game…], "waiting": [game…]}``."""
    waiting = [game for game in state.going() if not game.asked and not game.invited]
    return {
        "asked": [question_as_json(game) for game in state.asked()],
        "invited": [game_as_json(game) for game in state.invited()],
        "waiting": [game_as_json(game) for game in waiting],
    }


def question_as_json(game: GameRecord) -> dict[str, Any]:
    """A game with its open question: its id, its topic, its text and the commands."""
    assert game.prompt is not None
    return {
        **game_as_json(game),
        "prompt": game.prompt["id"],
        "topic": game.prompt["topic"],
        "question": render(game.question) if game.question else "",
        "menu": game.menu,
    }


def game_as_json(game: GameRecord) -> dict[str, Any]:
    """What is public of a game: never a key, a nonce, a hand."""
    return {
        "game": game.id,
        "kind": game.kind,
        "status": game.status,
        "reply": game.reply,
        "seat": game.seat,
        "name": game.name,
        "seats": game.seats,
        "options": game.options,
        "rules": game.rules,
        "number": game.number,
        "asked": game.asked,
        "waiting": game.waiting,
        "answered": bool(game.prompt) and not game.asked,
        "deadline": game.deadline or None,
        "head": {"number": game.head[0], "hash": game.head[1]} if game.head else None,
        "made": game.made,
    }


def games(json: given.Json = False) -> None:
    """Every game that is known here."""
    found = sorted(store.read().games.values(), key=lambda game: (-game.made, game.id))
    if not found:
        config.load()  # without settings nobody can have games: that is to be told first
    if json:
        plain.dump({"games": [game_as_json(game) for game in found]})
        return
    if not found:
        plain.say("client.games.none")
        return
    from sigilpost_client.screen.rich import print_table

    headings = ("game", "status", "players", "waits")
    print_table(
        [text(f"client.games.{name}") for name in headings],
        [_row(game) for game in found],
    )


def _row(game: GameRecord) -> tuple[str, str, str, str]:
    waits = text("client.games.you") if game.asked else ", ".join(game.waiting)
    status = text("client.status.invited") if game.invited else text(f"client.status.{game.status}")
    return game.id, status, ", ".join(game.seats), waits


def show(
    game: given.Game = "",
    played: Annotated[bool, typer.Option("--played", help=text("client.help.show.played"))] = False,
    json: given.Json = False,
) -> None:
    """The position of a game as it was last mailed."""
    state = store.read()
    record = one_game(state, game)
    from sigilpost_client.screen import position

    if json:
        plain.dump(position.as_json(record))
    elif played:
        position.show_past(record)
    else:
        position.show_game(record)
