"""What one mail from the server changes here: verified, filed, and told."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from sigilpost_client import keys, store
from sigilpost_client.config import Config
from sigilpost_client.errors import KeyLocked, Unusable
from sigilpost_client.inbox.eml import Letter
from sigilpost_client.orders import Signer, confirmation, post
from sigilpost_client.store import GameRecord, State
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.wire import handover
from sigilpost_engine.wire.errors import BadVersion, WireError, WrongServer
from sigilpost_engine.wire.keys import PublicKey, grouped, ungrouped
from sigilpost_engine.wire.sealed import CannotOpen, is_sealed, open_sealed
from sigilpost_engine.wire.turn import TurnDoc, open_turn, signer

# What a document did here.
NEW = "new"
OLD = "old"
NOTICE = "notice"
CHALLENGE = "challenge"
UNTRUSTED = "untrusted"
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Received:
    """What came of one signed document. ``told`` is what the player should hear of it."""

    what: str
    game: str = ""
    document: TurnDoc | None = None
    told: tuple[Msg, ...] = ()
    happened: tuple[Msg, ...] = ()
    alarm: bool = False
    tables: Sheet = ()


class _OtherServer(Exception):
    """Signed by another key than the one that is known (fingerprints)."""

    def __init__(self, known: str, found: str) -> None:
        super().__init__(found)
        self.known = known
        self.found = found


@dataclass
class Reception:
    """Takes mails in, one after the other, each under the state's lock."""

    config: Config
    signer: Signer

    def take(self, state: State, letter: Letter) -> list[Received]:
        """Take in one mail; the state is changed and files are written, nothing is sent yet."""
        return [self._document(state, data, letter) for data in letter.documents]

    def _document(self, state: State, data: bytes, letter: Letter) -> Received:
        known = state.server.fingerprint
        try:
            data = _opened(data)
            document = self._verified(state, data)
        except (_OtherServer, WireError) as fault:
            return _not_taken(fault)
        if document is None:
            stranger = say("client.alarm.stranger", found=grouped(signer(data).fingerprint))
            return Received(UNTRUSTED, told=(stranger,))
        try:
            if document.game:
                received = self._game(state, document, data, letter)
            else:
                received = self._notice(state, document)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as fault:
            # Signed, and still not what this version can use: one mail must not stop the others.
            return Received(UNREADABLE, told=(say("client.alarm.unreadable", why=repr(fault)),))
        return _with_new_key(received, known, state.server.fingerprint)

    # --- whose word it is

    def _verified(self, state: State, data: bytes) -> TurnDoc | None:
        """The document if the pinned key signed it, or if it may pin its own; else None.

        Raises _OtherServer, WireError.
        """
        if state.server.public:
            return self._by_pinned(state, data)
        document = open_turn(data)
        expected = ungrouped(self.config.server.fingerprint)
        if expected and document.server != expected and not _leads_from(expected, document, data):
            raise _OtherServer(expected, document.server)
        # Anybody can sign something with a key of their own: first contact is only the answer
        # to a registration that is under way.
        if not expected and not state.registration.under_way:
            return None
        state.server.public = signer(data).hex
        state.server.fingerprint = document.server
        state.server.address = document.address
        return document

    def _by_pinned(self, state: State, data: bytes) -> TurnDoc:
        try:
            return open_turn(data, bytes.fromhex(state.server.public))
        except WrongServer as fault:
            document = open_turn(data)
            if _follow(state.server, document, fault.public.hex()):
                return document
            found = PublicKey(fault.public).fingerprint
            raise _OtherServer(state.server.fingerprint, found) from fault

    # --- what concerns no game

    def _notice(self, state: State, document: TurnDoc) -> Received:
        notice = document.notice or {}
        if not self._for_this_key(state, notice):
            return Received(OLD, document=document)
        if notice.get("type") == "challenge" and isinstance(notice.get("token"), str):
            return self._challenge(state, document, notice["token"])
        told = notice_texts(notice)
        if notice.get("type") == "registered":
            state.registration.state = store.REGISTERED
            told = (say("client.told.registered"), *told)
        if notice.get("type") == "rotated" and notice.get("key") == state.next_key != "":
            keys.take_next()
            self.signer.forget()
            state.next_key = ""
        if notice.get("type") == "offers":
            from sigilpost_client.commands.league import keep_offers

            keep_offers(notice["offers"])
        tables = _tables(notice)
        return Received(NOTICE, document=document, told=told, tables=tables)

    def _for_this_key(self, state: State, notice: Mapping[str, Any]) -> bool:
        """Whether a step of a registration is about the key that asks: a mailbox may hold those
        of a key that was lost."""
        own, meant = state.registration.key, notice.get("key")
        if notice.get("type") not in ("challenge", "registered"):
            return True
        return not own or not meant or own == meant

    def _challenge(self, state: State, document: TurnDoc, token: str) -> Received:
        registration = state.registration
        if not registration.under_way:
            return Received(NOTICE, told=(say("client.told.challenge-unasked"),))
        if token in registration.tokens:
            return Received(OLD)
        try:
            post(*confirmation(self.signer, state, token))
        except KeyLocked:
            if token not in registration.waiting:
                registration.waiting.append(token)
            return Received(CHALLENGE, told=(say("client.told.challenge-waits"),))
        except Unusable as fault:
            return Received(UNREADABLE, told=(fault.what,))
        return Received(
            CHALLENGE,
            document=document,
            told=(say("client.told.confirmed", server=grouped(document.server)),),
        )

    def catch_up(self, state: State) -> list[Received]:
        """Answer the challenges that waited for the key."""
        done = []
        for token in list(state.registration.waiting):
            try:
                post(*confirmation(self.signer, state, token))
            except KeyLocked:
                break
            state.registration.waiting.remove(token)
            server = grouped(state.server.fingerprint)
            done.append(Received(CHALLENGE, told=(say("client.told.confirmed", server=server),)))
        return done

    # --- what concerns a game

    def _game(self, state: State, document: TurnDoc, data: bytes, letter: Letter) -> Received:
        # On a copy, so that a document that cannot be used changes nothing.
        game = deepcopy(state.games.get(document.game) or GameRecord(document.game))
        if game.seat and document.seat and game.seat != document.seat:
            return Received(UNTRUSTED, told=(_other_seat(game, document),))
        name = _file_name(document, data)
        store.keep_turn(game.id, name, data)
        conflict = _conflict(game, document)
        _thread(game, letter)
        notice = document.notice or {}
        if isinstance(notice.get("commitment"), str):
            game.commitment = game.commitment or notice["commitment"]
        newer = _age(document) >= _known_age(game)
        if newer:
            _update(game, document, name)
        if _age(document)[0] >= _known_age(game)[0] and game.order in letter.answers:
            # The server has answered the order: what it still asks is open again.
            game.reopened = True
        told = notice_texts(notice)
        if notice.get("type") == "invitation" and game.invited:
            told = (*told, *_invited(game, str(notice.get("host", ""))))
        if conflict:
            told = (*told, conflict)
        happened = tuple(Msg.from_json([id, dict(values)]) for id, values in document.events)
        state.games[game.id] = game
        what = NEW if newer else OLD
        return Received(what, game.id, document, told, happened, alarm=conflict is not None)


def _opened(data: bytes) -> bytes:
    """The signed document that was sealed to this player; any other as it is. Raises WireError,
    KeyLocked."""
    return open_sealed(data, keys.seal_keys()) if is_sealed(data) else data


def _not_taken(fault: _OtherServer | WireError) -> Received:
    """What is to be said of a document that cannot be believed, or not be read."""
    if isinstance(fault, _OtherServer):
        known, found = grouped(fault.known), grouped(fault.found)
        told = say("client.alarm.other-server", known=known, found=found)
        return Received(UNTRUSTED, told=(told,), alarm=True)
    if isinstance(fault, CannotOpen):
        told = say("client.alarm.sealed", key=grouped(fault.key))
    elif isinstance(fault, BadVersion):
        told = say("client.alarm.newer")
    else:
        told = say("client.alarm.unreadable", why=str(fault))
    return Received(UNREADABLE, told=(told,))


LATE = 86_400
"""Seconds after a handover for which mails signed with the old key may still come."""


def _follow(server: store.ServerRecord, document: TurnDoc, public: str) -> bool:
    """Whether a document by another key than the pinned one counts: the pinned key has named the
    other, which is pinned from now on; or it is late, by a key that was handed over."""
    steps = handover.follow(server.public, public, handover.read(document.extra.get("handovers")))
    if steps is None:
        return public in server.left and document.made <= server.left[public] + LATE
    for step in steps:
        server.former.append(step.old)
        server.left[step.old] = step.made
    server.public, server.fingerprint = public, document.server
    return True


def _leads_from(expected: str, document: TurnDoc, data: bytes) -> bool:
    """Whether the key of this fingerprint, known beforehand, was handed over to the signer's."""
    steps = handover.read(document.extra.get("handovers"))
    known = [each.old for each in steps if PublicKey.from_hex(each.old).fingerprint == expected]
    return bool(known) and handover.follow(known[0], signer(data).hex, steps) is not None


def _with_new_key(received: Received, known: str, now: str) -> Received:
    """Say so if the server's key is another one than before, which signed it."""
    if not known or known == now:
        return received
    news = say("client.told.server-key", old=grouped(known), new=grouped(now))
    return replace(received, told=(news, *received.told))


def notice_texts(notice: Mapping[str, Any]) -> tuple[Msg, ...]:
    """What a notice says to the player: the outcome of each line sent, and its messages.

    ``lines`` is a list of ``{"line", "accepted", "why"}`` (``accepted`` null: not looked at;
    ``why`` a message as JSON, or null), ``messages`` a list of messages as JSON. A ``chat`` has
    ``speaker``, ``text`` and ``private``.
    """
    told = []
    if notice.get("type") == "chat":
        word = "whisper" if notice.get("private") else "chat"
        values = {"speaker": str(notice.get("speaker")), "text": str(notice.get("text"))}
        told.append(Msg(f"client.told.{word}", values))
    for entry in notice.get("lines") or ():
        word = {True: "played", False: "refused", None: "skipped"}[entry.get("accepted")]
        why = entry.get("why")
        message = Msg.from_json(why) if why else say("client.told.no-reason")
        told.append(say(f"client.told.line-{word}", line=str(entry.get("line")), why=message))
    told += [Msg.from_json(message) for message in notice.get("messages") or ()]
    return tuple(told)


def _invited(game: GameRecord, host: str) -> tuple[Msg, Msg]:
    title = game.title or game.kind
    return (
        say("client.told.invited", host=host, title=title, seats=game.seats),
        say("client.next.reply", game=game.id),
    )


def _tables(notice: Mapping[str, Any]) -> Sheet:
    if not notice.get("sheet"):
        return ()
    from sigilpost_client.screen import tables

    return tables.read(notice["sheet"])


def _file_name(document: TurnDoc, data: bytes) -> str:
    number = document.head.number if document.head else 0
    return f"{number:06d}-{document.made}-{hashlib.sha256(data).hexdigest()[:16]}.sigil"


def _conflict(game: GameRecord, document: TurnDoc) -> Msg | None:
    """Keep the head as a receipt; a message if an earlier mail stated another one."""
    if document.head is None:
        return None
    number, hash_ = str(document.head.number), document.head.hash
    known = game.heads.setdefault(number, hash_)
    if known == hash_:
        return None
    return say("client.alarm.two-histories", game=game.id, number=document.head.number)


def _other_seat(game: GameRecord, document: TurnDoc) -> Msg:
    """A mail that was written to somebody else: it is true, but no news of the own seat."""
    seats = document.seats
    to = seats[document.seat - 1] if document.seat <= len(seats) else str(document.seat)
    return say("client.alarm.other-seat", game=game.id, to=to)


def _age(document: TurnDoc) -> tuple[int, int]:
    return (document.head.number if document.head else -1, document.made)


def _known_age(game: GameRecord) -> tuple[int, int]:
    return (game.head[0] if game.head else -1, game.made)


def _thread(game: GameRecord, letter: Letter) -> None:
    """The next mail about this game answers the newest one."""
    if letter.message_id and letter.message_id not in game.references:
        first = game.references[:1] or list(letter.answers[:1])
        rest = [*game.references[1:], letter.message_id]
        game.references = [*first, *rest[-(store.REFERENCES_MAX - 1) :]]


def _update(game: GameRecord, document: TurnDoc, name: str) -> None:
    begun = game.status in (store.RUNNING, store.FINISHED) and bool(game.turn)
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
        game.rules = {str(name): str(line) for name, line in rules.items()}
    if document.view is None and game.status == store.RUNNING:
        return  # news without a position: what was asked is asked still
    if document.view is not None or not begun:
        # Of a game that is over the last position stays to be looked at, whatever comes after it.
        game.turn = name
        game.number = document.number
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
