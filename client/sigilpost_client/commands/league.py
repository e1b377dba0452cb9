"""Leagues and the lobby: what is on offer, and everything that is asked of a league."""

from __future__ import annotations

import json as jsons
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from sigilpost_client import config, files, home, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import one_game, only_one, whole_tag
from sigilpost_client.commands.consent import be_sure
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.commands.requests import request
from sigilpost_client.errors import NoGame
from sigilpost_client.store import GameRecord, State
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

League = Annotated[
    str, typer.Argument(metavar=text("client.metavar.league"), help=text("client.help.league"))
]
Someone = typer.Argument(metavar=text("client.metavar.name"), help=text("client.help.someone"))


def _ask(what: str, args: Sequence[str], eml: bool, json: bool) -> None:
    """Sign a request and send it; the answer comes by mail."""
    parcel = request(
        what,
        args,
        subject=text("client.mail.request-subject", what=what),
        words=text("client.mail.request", what=" ".join([what, *args])),
        eml=eml,
        json=json,
    )
    parcel.finish("client.next.answer", what=what, args=list(args))


def offers(eml: given.Eml = False, json: given.Json = False) -> None:
    """Ask for the open offers."""
    _ask("offers", (), eml, json)


def leagues(eml: given.Eml = False, json: given.Json = False) -> None:
    """Ask which leagues there are."""
    _ask("leagues", (), eml, json)


def enter(
    league: League,
    partners: Annotated[
        list[str],
        typer.Argument(
            metavar=text("client.metavar.partners"), help=text("client.help.enter.partners")
        ),
    ] = [],  # noqa: B006  # Typer copies it
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Enter a league."""
    _ask("enter", (league, *partners), eml, json)


def withdraw(
    league: League, yes: given.Yes = False, eml: given.Eml = False, json: given.Json = False
) -> None:
    """Leave a league."""
    be_sure(text("client.ask.withdraw", league=league), yes=yes)
    _ask("withdraw", (league,), eml, json)


def standings(league: League, eml: given.Eml = False, json: given.Json = False) -> None:
    """Ask for the tables of a league."""
    _ask("standings", (league,), eml, json)


def challenge(
    league: League,
    name: Annotated[str, Someone],
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Challenge somebody above on a ladder."""
    _ask("challenge", (league, name), eml, json)


def ratings(
    name: Annotated[str, Someone] = "", eml: given.Eml = False, json: given.Json = False
) -> None:
    """Ask for somebody's ratings, by default one's own."""
    _ask("ratings", (name,) if name else (), eml, json)


# --- taking an offer, playing again ---------------------------------------------------------------


def _file() -> Any:
    return home.folder() / "offers.json"


def keep_offers(offered: Sequence[dict[str, Any]]) -> None:
    """Remember what each offer is committed to: whoever takes it repeats that."""
    known = {str(offer["game"]): str(offer["commitment"]) for offer in offered}
    files.write(_file(), jsons.dumps(known).encode())


def _commitment(tag: str) -> str:
    try:
        return str(jsons.loads(_file().read_bytes()).get(tag, ""))
    except (OSError, ValueError, AttributeError):
        return ""  # then the join repeats none


def accept(
    game: Annotated[
        str, typer.Argument(metavar=text("client.metavar.game"), help=text("client.help.game"))
    ],
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Take a free place of an offer."""
    tag = whole_tag(game, say("client.remedy.offers"))
    settings = config.load()
    with store.change() as state:
        record = state.games.get(tag) or GameRecord.unread(tag)
        record.commitment = record.commitment or _commitment(tag)
        record.seat = 0  # the places of an offer move up when somebody leaves
        block, outgoing = orders.reply(orders.Signer(settings), state, record, "join")
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(game=tag)
    parcel.finish("client.next.sync", game=tag, did="accept")


def rematch(
    game: given.Game = "",
    option: given.Options = [],  # noqa: B006
    rule: given.Rules = [],  # noqa: B006
    clock: given.Clock = "",
    timeout: given.Timeout = "",
    credentials: given.Credentials = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Propose a game that is over to the same players again, the next one first, by the rules and
    with the options that it had; what is given counts in their place."""
    from sigilpost_client.commands.table import pairs, propose, read_options, read_rules, sendable

    config.load()
    record = _over(store.read(), game)
    # From one's own seat round the table: so whoever proposes sits first, and seats change.
    at = record.seat - 1
    opponents = record.seats[at + 1 :] + record.seats[:at]
    wished = sendable(record.options) | pairs(option)
    options = read_options(record.kind, wished, len(record.seats))
    rules = record.rules | read_rules(rule, clock, timeout, credentials)
    parcel = propose(record.kind, options, opponents, rules, eml=eml, json=json)
    parcel.finish(
        "client.next.created",
        created=record.kind,
        opponents=opponents,
        options=options,
        rules=rules,
    )


def _over(state: State, tag: str) -> GameRecord:
    """The finished game that is meant: the only one without a word. Raises NoGame."""
    finished = [record for record in state.games.values() if _is_over(record)]
    if not tag and finished:
        return only_one(finished)
    record = one_game(state, tag)
    if not _is_over(record):
        raise NoGame(say("client.error.not-over", game=record.id), say("client.remedy.games"))
    return record


def _is_over(record: GameRecord) -> bool:
    return record.status == store.FINISHED and record.seat > 0
