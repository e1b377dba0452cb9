"""Signed blocks on their way out: built, remembered, wrapped in a mail, put into the outbox."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sigilpost_client import compose, files, home, keys, send
from sigilpost_client.config import Config
from sigilpost_client.errors import NotSetUp, Refused, Unusable
from sigilpost_client.store import CONFIRMED, GameRecord, State
from sigilpost_client.words import text, texts
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_engine.wire.errors import BadFields, BlockTooBig
from sigilpost_engine.wire.keys import ungrouped

if TYPE_CHECKING:
    from sigilpost_client.compose import Outgoing
    from sigilpost_engine.wire.keys import PrivateKey

NONCE_BYTES = 16


class Signer:
    """The player's key and the server that payloads are for.

    The key is opened when it is first needed, and once.
    """

    def __init__(self, config: Config, key: PrivateKey | None = None) -> None:
        self.config = config
        self._key = key

    @property
    def key(self) -> PrivateKey:
        """The private key. Raises NotSetUp, KeyLocked."""
        if self._key is None:
            self._key = keys.load(self.config)
        return self._key

    def forget(self) -> None:
        """The key is another one from now on."""
        self._key = None

    def sign(self, kind: type[payloads.Payload], server: str, **values: Any) -> Block:
        """The signed block of a payload of this kind. Raises Unusable for a bad field."""
        try:
            values.setdefault("nonce", secrets.token_hex(NONCE_BYTES))
            payload = kind(server=server, key=self.key.fingerprint, made=int(time.time()), **values)
            return payloads.sign(payload, self.key)
        except BadFields as fault:
            raise bad_field(fault) from fault
        except BlockTooBig as fault:
            raise Unusable(say("client.error.too-big"), say("client.remedy.shorter")) from fault


def bad_field(fault: BadFields) -> Unusable:
    """A value that the protocol does not take, with what it asks for instead."""
    id = f"client.field.{fault.field.partition('[')[0].partition('.')[0]}"
    rule = say(id if texts().knows(id) else "client.field.other")
    return Unusable(
        say("client.error.field", field=fault.field, rule=rule), say("client.remedy.field")
    )


def server_of(config: Config, state: State) -> str:
    """The server's fingerprint, pinned or given. Raises NotSetUp before there is one."""
    known = state.server.fingerprint or ungrouped(config.server.fingerprint)
    if known:
        return known
    if state.registration.state:
        raise NotSetUp(say("client.error.not-confirmed"), say("client.remedy.sync"))
    raise NotSetUp(say("client.error.not-registered"), say("client.remedy.register"))


def mail(
    config: Config,
    block: Block,
    *,
    subject: str,
    words: Sequence[str],
    game: GameRecord | None = None,
) -> Outgoing:
    """The mail that carries a block, threaded with the game's mails."""
    tag = f"[{game.id}] " if game else ""
    return compose.compose(
        config,
        block,
        subject=tag + subject,
        words=words,
        to=game.address if game else "",
        references=game.references if game else (),
    )


def remember(block: Block, outgoing: Outgoing, **about: Any) -> None:
    """Keep what was signed: the client's own half of a game's history."""
    entry = {
        **about,
        "kind": block.kind,
        "digest": block.digest.hex(),
        "message_id": outgoing.message_id,
        "made": int(time.time()),
        "block": armour(block),
    }
    data = json.dumps(entry, ensure_ascii=False, indent=1).encode("utf-8")
    files.write(home.folder() / "sent" / f"{block.digest.hex()}.json", data)


def post(block: Block, outgoing: Outgoing, **about: Any) -> None:
    """Remember a block and put its mail into the outbox. ``send.flush`` sends it."""
    remember(block, outgoing, **about)
    send.put(outgoing)


def confirmation(signer: Signer, state: State, token: str) -> tuple[Block, Outgoing]:
    """The answer to the challenge of a registration, noted in the state. Raises KeyLocked."""
    block = signer.sign(payloads.Confirm, server_of(signer.config, state), token=token)
    state.registration.tokens.append(token)
    state.registration.state = CONFIRMED
    outgoing = mail(
        signer.config,
        block,
        subject=text("client.mail.confirm-subject"),
        words=[text("client.mail.confirm")],
    )
    return block, outgoing


def reply(signer: Signer, state: State, game: GameRecord, word: str) -> tuple[Block, Outgoing]:
    """The reply to an invitation, ``join`` or ``decline``, noted in the game's record."""
    server = server_of(signer.config, state)
    if word == "join":
        nonce = secrets.token_hex(NONCE_BYTES)
        block = signer.sign(
            payloads.Join,
            server,
            nonce=nonce,
            game=game.id,
            seat=game.seat,
            commitment=game.commitment,
        )
        game.nonce = nonce
    else:
        block = signer.sign(payloads.Decline, server, game=game.id)
    game.reply = word
    outgoing = mail(
        signer.config,
        block,
        subject=text(f"client.mail.{word}-subject"),
        words=[text(f"client.mail.{word}", game=game.id)],
        game=game,
    )
    return block, outgoing


# --- orders ---------------------------------------------------------------------------------------


def check(game: GameRecord, view: dict[str, Any], lines: Sequence[str]) -> list[str]:
    """The lines as they will be signed, judged with the engine's own rules.

    The first must be a legal answer to the open question; those after it can only be checked
    for their form, as nobody knows the position then. Raises Refused with the reason.
    """
    from sigilpost_engine.core import grammar
    from sigilpost_engine.core.errors import Refusal

    tidied = [grammar.tidy(line) for line in lines]
    tidied = [line for line in tidied if line]
    if not tidied:
        raise Unusable(say("client.error.no-lines"), say("client.remedy.menu", game=game.id))
    rules, prompt = _question(game)
    for number, line in enumerate(tidied, start=1):
        try:
            if number == 1:
                prompt.check(rules.parse(view, prompt, line))
            else:
                grammar.verb_of(line, rules.verbs)
        except Refusal as refusal:
            raise Refused(
                say(
                    "client.error.refused",
                    line=line,
                    number=number,
                    kind=say(f"client.refusal.{refusal.kind}"),
                    why=refusal.message,
                ),
                say("client.remedy.menu", game=game.id),
            ) from refusal
    return tidied


def _question(game: GameRecord) -> tuple[Any, Any]:
    from sigilpost_client.errors import NoGame
    from sigilpost_engine import games
    from sigilpost_engine.core.prompts import Prompt

    if game.prompt is None:
        id = "client.error.not-asked-but" if game.waiting else "client.error.not-asked"
        raise NoGame(say(id, game=game.id, seats=game.waiting), say("client.remedy.sync"))
    return games.find(game.kind), Prompt.from_json(game.prompt)


def sign_orders(
    signer: Signer, state: State, game: GameRecord, lines: Sequence[str]
) -> tuple[Block, Outgoing]:
    """The block and mail of checked ``lines`` that answer the game's open question."""
    assert game.prompt is not None
    block = signer.sign(
        payloads.Orders,
        server_of(signer.config, state),
        game=game.id,
        seat=game.seat,
        prompt=game.prompt["id"],
        lines=tuple(lines),
    )
    words = [text("client.mail.orders", game=game.id), "", *(f"    {line}" for line in lines)]
    outgoing = mail(
        signer.config, block, subject=text("client.mail.orders-subject"), words=words, game=game
    )
    return block, outgoing


def answered(game: GameRecord, outgoing: Outgoing) -> None:
    """Note in the state that the open question has been answered by this mail."""
    assert game.prompt is not None
    if game.answered != game.prompt["id"]:
        game.tries = 0
    game.answered = game.prompt["id"]
    game.reopened = False
    game.order = outgoing.message_id
    game.tries += 1
