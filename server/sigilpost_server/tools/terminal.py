"""What commands take from the terminal and say there alike."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from sigilpost_server.clock import moment
from sigilpost_server.words import text

Json = Annotated[bool, typer.Option("--json", help=text("host.help.json"))]
Tag = Annotated[str, typer.Argument(metavar="GAME", help=text("host.help.game"))]


def columns(*cells: str) -> None:
    """Print a row; who wants cells aligned pads them."""
    typer.echo("  ".join(cells))


def when(seconds: int | None) -> str:
    """A moment in UTC; ``-`` for none."""
    return "-" if seconds is None else moment(seconds).strftime("%Y-%m-%d %H:%M:%SZ")


def fail(why: str) -> NoReturn:
    """End with a message and status 1."""
    typer.echo(f"sigilpost: {why}", err=True)
    raise typer.Exit(1)
