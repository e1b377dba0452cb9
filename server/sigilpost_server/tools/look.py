"""``log``, ``games``, ``show``, ``check``, ``release`` and ``mail``: what a host sees and mends."""

from __future__ import annotations

import json as jsons
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sigilpost_server.tools import opened
from sigilpost_server.tools.terminal import Json, Tag, columns, fail, when
from sigilpost_server.words import text

if TYPE_CHECKING:
    from sigilpost_server.host import GameLine

Digest = Annotated[str, typer.Argument(metavar="DIGEST", help=text("host.help.digest"))]

SHORT = 16
"""Digits of a digest that a person is shown."""


# --- the log --------------------------------------------------------------------------------------


def log(
    json: Json = False,
    last: Annotated[int, typer.Option(min=0, help=text("host.help.log.last"))] = 0,
) -> None:
    """A line for each mail that came in."""
    from sigilpost_server import host

    with opened.database() as database:
        for line in host.log(database, last or None):
            if json:
                values = line._asdict()
                typer.echo(jsons.dumps({"from": values.pop("sender"), **values}))
            else:
                columns(
                    when(line.received),
                    line.digest[:SHORT],
                    f"{line.verdict:9}",
                    f"{line.reason:18}",
                    f"{line.game or '-':14}",
                    "-" if line.seq is None else str(line.seq),
                    line.sender or "-",
                )


# --- games ----------------------------------------------------------------------------------------


def games(
    json: Json = False,
    status: Annotated[list[str] | None, typer.Option(help=text("host.help.games.status"))] = None,
) -> None:
    """A line for each game."""
    from sigilpost_server import host
    from sigilpost_server.models import GameStatus

    for word in status or ():
        if word not in list(GameStatus):
            known = ", ".join(GameStatus)
            raise typer.BadParameter(text("host.games.status", word=word, known=known))
    with opened.database() as database:
        for game in host.all_games(database, status or ()):
            if json:
                typer.echo(jsons.dumps(_values(game)))
            else:
                names = ", ".join(seat.name for seat in game.seats)
                waiting = text("host.games.waiting", names=game.waiting) if game.waiting else ""
                columns(f"{game.tag:14}", f"{game.status:9}", f"{game.number:4}", names, waiting)


def show(tag: Tag, json: Json = False) -> None:
    """One game, without anything hidden."""
    from sigilpost_server import host

    with opened.database() as database:
        game = host.show(database, tag)
    if game is None:
        fail(text("host.no-game", game=tag))
    if json:
        typer.echo(jsons.dumps(_values(game)))
        return
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    for label, value in (
        ("game", game.tag),
        ("status", game.status),
        ("options", options),
        ("answers", str(game.number)),
        ("head", game.head or "-"),
        ("created", when(game.created)),
        ("started", when(game.started)),
        ("ended", when(game.ended)),
        ("result", jsons.dumps(game.result) if game.result else "-"),
        ("why", game.why or "-"),
    ):
        columns(f"{text(f'host.show.{label}'):10}", value)
    for seat in game.seats:
        joined = text("host.show.joined" if seat.joined else "host.show.invited")
        columns(f"{seat.number:10}", f"{seat.name:24}", seat.address, joined, seat.asked)


def _values(game: GameLine) -> dict[str, Any]:
    values = game._asdict()
    return {
        **values,
        "seats": [seat._asdict() for seat in game.seats],
        "waiting": game.waiting,
    }


def check() -> None:
    """Run the open step of every match again, as before an upgrade."""
    from sigilpost_server import host

    with opened.database() as database:
        faults = list(host.check(database))
    for fault in faults:
        columns(fault.tag, fault.why)
    if faults:
        fail(text("host.check.faults", n=len(faults)))
    typer.echo(text("host.check.good"))


def release(tag: Tag) -> None:
    """Let a held game go on."""
    from sigilpost_server import host

    with opened.service() as service:
        try:
            released = host.release(service, tag)
        except host.StillHeld as still:
            fail(text("host.release.still", game=tag, why=str(still)))
    if not released:
        fail(text("host.release.not-held", game=tag))
    typer.echo(text("host.release.done", game=tag))


# --- mails set aside ------------------------------------------------------------------------------

mail = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@mail.command("list", help=text("host.help.mail.list"))
def list_(json: Json = False) -> None:
    """The mails that failed by our own fault."""
    from sigilpost_server import host

    with opened.database() as database:
        for kept in host.set_aside(database):
            if json:
                values = {"digest": kept.digest.hex(), "last": kept.last, "source": kept.source}
                more = {"failures": kept.failures, "why": kept.why, "size": kept.size}
                typer.echo(jsons.dumps({**values, **more}))
            else:
                columns(when(kept.last), kept.digest.hex()[:SHORT], kept.source, kept.why)


@mail.command("show", help=text("host.help.mail.show"))
def show_mail(digest: Digest) -> None:
    """Where a mail failed, and its bytes; on a terminal nothing of it that could command that."""
    from sigilpost_server import host

    wanted = _find(digest)
    with opened.database() as database:
        kept = host.mail(database, wanted)
    assert kept is not None
    typer.echo(kept.traceback, err=True)
    typer.echo(printable(kept.raw) if sys.stdout.isatty() else kept.raw, nl=sys.stdout.isatty())


def printable(raw: bytes) -> str:
    """A mail's text with a mark for every character that is none, such as a terminal's commands."""
    lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").expandtabs().split("\n")
    return "\n".join(
        "".join(char if char.isprintable() else "\ufffd" for char in line) for line in lines
    )


@mail.command("replay", help=text("host.help.mail.replay"))
def replay(
    digest: Digest,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=text("host.help.mail.dry-run"))
    ] = False,
) -> None:
    """Deal with a mail again."""
    from sigilpost_server import host

    if dry_run:
        _rehearse(digest)
        return
    with opened.service() as service:
        verdict = host.replay(service, _find(digest))
    assert verdict is not None
    columns(verdict.verdict, verdict.reason, verdict.game or "-")


def _rehearse(digest: str) -> None:
    from sigilpost_server import host

    with opened.service() as service:
        done = host.rehearse(service, _find(digest))
    assert done is not None
    columns(done.verdict.verdict, done.verdict.reason, done.verdict.game or "-")
    for recipient in done.recipients:
        typer.echo(text("host.mail.would-go", address=recipient))


@mail.command("discard", help=text("host.help.mail.discard"))
def discard(digest: Digest) -> None:
    """Forget a mail."""
    from sigilpost_server import host

    with opened.database() as database:
        host.discard(database, _find(digest))


def _find(digits: str) -> bytes:
    """The digest of the one mail set aside whose digest begins so."""
    from sigilpost_server import host

    with opened.database() as database:
        found = [
            kept.digest
            for kept in host.set_aside(database)
            if digits and kept.digest.hex().startswith(digits.lower())
        ]
    if len(found) != 1:
        fail(text("host.mail.no-such", digest=digits, n=len(found)))
    return found[0]
