"""A document of a game on file: its place among the receipts, and what it changes in the record."""

from __future__ import annotations

import hashlib

from sigilpost_client import store
from sigilpost_client.inbox.eml import Letter
from sigilpost_client.store import GameRecord
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.turn import REPEATED_RULES, TurnDoc


def file_name(document: TurnDoc, data: bytes) -> str:
    """What the file of a document is called: names sort as the answers that they tell of."""
    number = document.head.number if document.head else 0
    return f"{number:06d}-{document.made}-{hashlib.sha256(data).hexdigest()[:16]}.sigil"


def conflict(game: GameRecord, document: TurnDoc) -> Msg | None:
    """Keep the head as a receipt; a message if an earlier mail stated another one."""
    if document.head is None:
        return None
    number, hash_ = str(document.head.number), document.head.hash
    known = game.heads.setdefault(number, hash_)
    if known == hash_:
        return None
    return say("client.alarm.two-histories", game=game.id, number=document.head.number)


def for_another(game: GameRecord, document: TurnDoc) -> bool:
    """Whether a mail is for another seat than the own. Before an offer's game begins, a seat moves
    up when somebody before it leaves: then the player's name tells."""
    if not (game.seat and document.seat) or game.seat == document.seat:
        return False
    named = document.seats[document.seat - 1 : document.seat]
    return game.status != store.PROPOSED or named != (game.name,)


def other_seat(game: GameRecord, document: TurnDoc) -> Msg:
    """A mail that was written to somebody else: it is true, but no news of the own seat."""
    seats = document.seats
    to = seats[document.seat - 1] if document.seat <= len(seats) else str(document.seat)
    return say("client.alarm.other-seat", game=game.id, to=to)


def age(document: TurnDoc) -> tuple[int, int]:
    """How new a document is: the number of its head (-1: none), and when it was made."""
    return (document.head.number if document.head else -1, document.made)


def known_age(game: GameRecord) -> tuple[int, int]:
    """How new is what is known of a game, as :func:`age`."""
    return (game.head[0] if game.head else -1, game.made)


def thread(game: GameRecord, letter: Letter) -> None:
    """The next mail about this game answers the newest one."""
    if letter.message_id and letter.message_id not in game.references:
        first = game.references[:1] or list(letter.answers[:1])
        rest = [*game.references[1:], letter.message_id]
        game.references = [*first, *rest[-(store.REFERENCES_MAX - 1) :]]


def update(game: GameRecord, document: TurnDoc, name: str) -> None:
    """Bring a record to what a document says that is kept under this file name."""
    begun = game.status in (store.RUNNING, store.FINISHED) and bool(game.turn)
    _update_terms(game, document)
    if document.view is None and game.status == store.RUNNING:
        return  # news without a position: what was asked is asked still
    if document.view is not None or not begun:
        # Of a game that is over the last position stays to be looked at, whatever comes after it.
        game.turn = name
        game.number = document.number
    _update_question(game, document)


def _update_terms(game: GameRecord, document: TurnDoc) -> None:
    """What the game is, and who sits where."""
    game.kind = document.kind
    game.status = document.status or game.status
    game.address = document.address
    game.made = document.made
    game.title = document.title or game.title
    game.seat = document.seat or game.seat
    game.seats = list(document.seats) or game.seats
    game.options = dict(document.options) or game.options
    if document.head:
        game.head = [document.head.number, document.head.hash]
    standing = document.extra.get("standing")
    if isinstance(standing, list):
        game.standing = [dict(order) for order in standing]
    rules = document.extra.get("rules")
    if isinstance(rules, dict):
        # What else a server named would be signed unseen in a rematch: free places, say.
        game.rules = {name: str(rules[name]) for name in REPEATED_RULES if name in rules}


def _update_question(game: GameRecord, document: TurnDoc) -> None:
    """What is asked, and who is waited for."""
    game.prompt = dict(document.prompt) if document.prompt else None
    game.menu = _menu(game)
    deadline = document.extra.get("deadline")
    game.deadline = deadline if isinstance(deadline, int) else 0
    waiting = document.extra.get("waiting")
    game.waiting = list(map(str, waiting)) if isinstance(waiting, list) else _turn(document)
    if game.status == store.PROPOSED and game.name and waiting and game.name not in game.waiting:
        # Who took the free place of an offer was never invited, and has joined all the same.
        game.reply = game.reply or "join"


def _turn(document: TurnDoc) -> list[str]:
    """Who is waited for, as far as the view tells."""
    turn = (document.view or {}).get("turn")
    if isinstance(turn, str) and document.status == store.RUNNING:
        return [turn]
    return []


def _menu(game: GameRecord) -> list[str]:
    if game.prompt is None:
        return []
    from sigilpost_engine import games
    from sigilpost_engine.core.prompts import Prompt

    try:
        return games.find(game.kind).menu(Prompt.from_json(game.prompt))
    except (games.UnknownGame, ImportError):
        # A game that this client is too old for: mail can still be read, the web of trust holds.
        return []
