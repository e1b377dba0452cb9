"""What one mail from the server changes here: verified, filed, and told."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from sigilpost_client import filing, keys, store, trust
from sigilpost_client.config import Config
from sigilpost_client.errors import KeyLocked, Unusable
from sigilpost_client.inbox.eml import Letter
from sigilpost_client.orders import Signer, confirmation, post
from sigilpost_client.store import GameRecord, State
from sigilpost_client.trust import OtherServer
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.wire.errors import BadVersion, WireError
from sigilpost_engine.wire.keys import grouped
from sigilpost_engine.wire.sealed import CannotOpen, is_sealed, open_sealed
from sigilpost_engine.wire.turn import TurnDoc, signer

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
            document = trust.verified(self.config, state, data)
        except (OtherServer, WireError) as fault:
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
        if filing.for_another(game, document):
            return Received(UNTRUSTED, told=(filing.other_seat(game, document),))
        name = filing.file_name(document, data)
        store.keep_turn(game.id, name, data)
        conflict = filing.conflict(game, document)
        filing.thread(game, letter)
        notice = document.notice or {}
        if isinstance(notice.get("commitment"), str):
            game.commitment = game.commitment or notice["commitment"]
        newer = filing.age(document) >= filing.known_age(game)
        if newer:
            filing.update(game, document, name)
        if filing.age(document)[0] >= filing.known_age(game)[0] and game.order in letter.answers:
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


def _not_taken(fault: OtherServer | WireError) -> Received:
    """What is to be said of a document that cannot be believed, or not be read."""
    if isinstance(fault, OtherServer):
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
