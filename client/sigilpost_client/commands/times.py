"""Time: ``vacation``, ``pause``, ``resume``, ``claim``, ``back``, ``substitute …``.

Each is a signed request; the server's answer says what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from sigilpost_client import store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import one_table, whole_tag
from sigilpost_client.commands.consent import be_sure
from sigilpost_client.commands.requests import request
from sigilpost_client.errors import NoGame, Unusable
from sigilpost_client.spoken import Command, Group
from sigilpost_client.store import GameRecord
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say


def _send(
    what: str,
    args: Sequence[str],
    words: str,
    *,
    record: GameRecord | None = None,
    eml: bool,
    json: bool,
) -> None:
    """Sign a request and send it; ``words`` say in its mail what it is."""
    subject = text("client.mail.time-subject")
    parcel = request(what, args, subject=subject, words=words, game=record, eml=eml, json=json)
    parcel.finish("client.next.sync", game=record.id if record else "", did=what)


def _running(tag: str) -> GameRecord:
    """The game that is meant, which must have begun and not ended."""
    record = one_table(store.read(), tag)
    if record.status not in store.BEGUN:
        raise NoGame(say("client.error.not-running", game=record.id), say("client.remedy.games"))
    return record


# --- standing still -------------------------------------------------------------------------------


def vacation(
    days: Annotated[
        list[str],
        typer.Argument(metavar=text("client.metavar.days"), help=text("client.help.vacation.days")),
    ] = [],  # noqa: B006  # Typer copies it
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Announce a holiday, cancel one, or ask which there are."""
    words = [word for word in days if word.casefold() != "to"]
    cancels = [word.casefold() for word in words[:1]] == ["cancel"]
    dates = words[1:] if cancels else words
    most = 1 if cancels else 2
    if (days and not dates) or len(dates) > most or not all(map(_is_day, dates)):
        raise Unusable(say("client.error.days"), say("client.remedy.days"))
    if dates != sorted(dates):
        raise Unusable(say("client.error.days-backwards"), say("client.remedy.days"))
    if cancels:
        said = text("client.mail.vacation-cancel", first=dates[0])
    elif dates:
        said = text("client.mail.vacation", first=dates[0], last=dates[-1])
    else:
        said = text("client.mail.vacation-list")
    _send("vacation", words, said, eml=eml, json=json)


def _is_day(word: str) -> bool:
    """Whether this is a day as the server reads it: ``date`` would take other forms, too."""
    from datetime import date

    try:
        return str(date.fromisoformat(word)) == word
    except ValueError:
        return False


def pause(
    game: given.Game = "",
    days: Annotated[
        int,
        typer.Option(
            "--days",
            min=1,
            metavar=text("client.metavar.number"),
            help=text("client.help.pause.days"),
        ),
    ] = 14,
    emergency: Annotated[
        bool, typer.Option("--emergency", help=text("client.help.pause.emergency"))
    ] = False,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Let the clocks of a game stand still, if everybody agrees; or all at once."""
    if emergency and game:
        raise Unusable(say("client.error.emergency-game"), say("client.remedy.emergency-game"))
    if emergency:
        _send("emergency", (), text("client.mail.emergency"), eml=eml, json=json)
        return
    record = _running(game)
    said = text("client.mail.pause", game=record.id, n=days)
    _send("pause", (record.id, str(days)), said, record=record, eml=eml, json=json)


def resume(game: given.Game = "", eml: given.Eml = False, json: given.Json = False) -> None:
    """Let the clocks of a game run again."""
    record = _running(game)
    said = text("client.mail.resume", game=record.id)
    _send("resume", (record.id,), said, record=record, eml=eml, json=json)


# --- absent players -------------------------------------------------------------------------------


def claim(
    game: given.Game = "",
    yes: given.Yes = False,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """End a game in which an opponent's time is out."""
    record = _running(game)
    be_sure(text("client.ask.claim", game=record.id), yes=yes)
    said = text("client.mail.claim", game=record.id)
    _send("claim", (record.id,), said, record=record, eml=eml, json=json)


def back(game: given.Game = "", eml: given.Eml = False, json: given.Json = False) -> None:
    """Take the own seat back from the bot that acts there."""
    record = _running(game)
    said = text("client.mail.back", game=record.id)
    _send("back", (record.id,), said, record=record, eml=eml, json=json)


# --- substitutes ----------------------------------------------------------------------------------

substitute = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)

Kind = Annotated[
    str,
    typer.Argument(metavar=text("client.metavar.kind"), help=text("client.help.substitute.kind")),
]
Tag = Annotated[
    str, typer.Argument(metavar=text("client.metavar.game"), help=text("client.help.game"))
]


def _pool(word: str, kind: str, eml: bool, json: bool) -> None:
    args = (word, kind) if kind else (word,)
    said = text("client.mail.substitute", words=" ".join(args))
    _send("substitute", args, said, eml=eml, json=json)


@substitute.command("on", cls=Command, help=text("client.help.substitute.on"))
def on(kind: Kind = "", eml: given.Eml = False, json: given.Json = False) -> None:
    """Be ready to play on for others."""
    _pool("on", kind, eml, json)


@substitute.command("off", cls=Command, help=text("client.help.substitute.off"))
def off(kind: Kind = "", eml: given.Eml = False, json: given.Json = False) -> None:
    """Be ready no longer."""
    _pool("off", kind, eml, json)


@substitute.command("take", cls=Command, help=text("client.help.substitute.take"))
def take(game: Tag, eml: given.Eml = False, json: given.Json = False) -> None:
    """Take a seat that is on offer."""
    _pool("take", whole_tag(game, say("client.remedy.offered")), eml, json)


@substitute.command("refuse", cls=Command, help=text("client.help.substitute.refuse"))
def refuse(game: Tag, eml: given.Eml = False, json: given.Json = False) -> None:
    """Leave a seat that is on offer to others."""
    _pool("refuse", whole_tag(game, say("client.remedy.offered")), eml, json)
