"""Coming together: ``create``, ``join``, ``decline``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from sigilpost_client import config, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import only_one, whole_tag
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.errors import NoGame, Unusable
from sigilpost_client.kinds import rules_of
from sigilpost_client.store import GameRecord, State
from sigilpost_client.words import text
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.messages import say

CREDENTIALS = ("signed", "code")


def create(
    kind: Annotated[
        str, typer.Argument(metavar=text("client.metavar.kind"), help=text("client.help.kind"))
    ],
    opponents: Annotated[
        list[str],
        typer.Argument(
            metavar=text("client.metavar.opponents"), help=text("client.help.create.opponents")
        ),
    ] = [],  # noqa: B006  # Typer copies it
    option: given.Options = [],  # noqa: B006
    free: Annotated[
        int,
        typer.Option(
            "--open",
            metavar=text("client.metavar.number"),
            min=0,
            max=15,
            help=text("client.help.create.open"),
        ),
    ] = 0,
    rule: given.Rules = [],  # noqa: B006
    clock: given.Clock = "",
    timeout: given.Timeout = "",
    credentials: given.Credentials = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Propose a game to others; the server invites them."""
    chosen = read_options(kind, pairs(option), 1 + len(opponents) + free)
    rules = read_rules(rule, clock, timeout, credentials) | ({"open": str(free)} if free else {})
    parcel = propose(kind, chosen, opponents, rules, eml=eml, json=json)
    after = "client.next.offered" if free else "client.next.created"
    parcel.finish(after, created=kind, opponents=list(opponents), options=chosen)


def propose(
    kind: str,
    options: Mapping[str, Any],
    opponents: Sequence[str],
    rules: Mapping[str, str],
    *,
    eml: bool,
    json: bool,
) -> Parcel:
    """Sign a proposal, and send it or show it as a mail."""
    from sigilpost_engine.wire.payloads import Create

    settings = config.load()
    with store.change() as state:
        signer = orders.Signer(settings)
        block = signer.sign(
            Create,
            orders.server_of(settings, state),
            game=kind,
            options=options,
            opponents=tuple(opponents),
            rules=rules,
        )
        shown = [f"{name} = {value}" for name, value in {**options, **rules}.items()]
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.create-subject"),
            words=[
                text("client.mail.create", kind=kind, opponents=list(opponents)),
                *(f"    {line}" for line in shown),
            ],
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(game=kind)
    return parcel


def read_options(kind: str, wished: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """The options as the game reads them, only those that are wished. Raises Unusable."""
    rules = rules_of(kind)
    try:
        complete = rules.read_options(wished)
        rules.check_seats([f"seat {number}" for number in range(seats)], complete)
    except BadOption as fault:
        raise Unusable(
            say("client.error.option", option=fault.path, why=fault.message),
            say("client.remedy.option", kind=kind),
        ) from fault
    return sendable({name: complete[name] for name in wished})


def read_rules(rule: list[str], clock: str, timeout: str, credentials: str) -> dict[str, str]:
    """How it is to be played, only what was given. Raises Unusable."""
    given_lines = {"clock": clock, "timeout": timeout}
    lines = {name: line for name, line in given_lines.items() if line}
    return pairs(rule) | lines | _credentials(credentials)


def sendable(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as an order takes them: no number is the word that players type for it."""
    return {name: "none" if value is None else value for name, value in options.items()}


def _credentials(word: str) -> dict[str, str]:
    """The rule that says what moves need. Raises Unusable."""
    if word not in ("", *CREDENTIALS):
        raise Unusable(config.no_such_word("--credentials", word, CREDENTIALS))
    return {"credentials": word} if word else {}


def pairs(settings: list[str]) -> dict[str, str]:
    """``name=value`` each."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise Unusable(say("client.error.pair", given=setting), say("client.remedy.pair"))
        found[name.strip()] = value.strip()
    return found


def join(
    game: given.Game = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Accept an invitation."""
    parcel, tag = _reply("join", game, eml, json)
    parcel.finish("client.next.sync", game=tag, did="join")


def decline(
    game: given.Game = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Refuse an invitation."""
    parcel, tag = _reply("decline", game, eml, json)
    parcel.finish("client.next.sync", game=tag, did="decline")


def _reply(word: str, given_tag: str, eml: bool, json: bool) -> tuple[Parcel, str]:
    settings = config.load()
    with store.change() as state:
        record = _invitation(state, given_tag)
        block, outgoing = orders.reply(orders.Signer(settings), state, record, word)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(game=record.id)
    return parcel, record.id


def _invitation(state: State, tag: str) -> GameRecord:
    """The invitation that is meant; a whole tag counts even where its mail was not read here."""
    if not tag:
        if found := state.invited():
            return only_one(found)
        raise NoGame(say("client.error.no-invitation"), say("client.remedy.sync"))
    if state.fitting(tag):
        record = state.game(tag)
    else:
        record = GameRecord.unread(whole_tag(tag, say("client.remedy.games")))
    if record.status != store.PROPOSED:
        raise NoGame(say("client.error.not-proposed", game=record.id), say("client.remedy.games"))
    state.games[record.id] = record
    return record
