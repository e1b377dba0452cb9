"""``site``: the public pages of all leagues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sigilpost_server.tools import opened
from sigilpost_server.words import text


def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help=text("league.help.folder"))],
    again: Annotated[bool, typer.Option("--all", help=text("league.help.again"))] = False,
) -> None:
    """Write the pages of all leagues into a folder."""
    from sigilpost_server.leagues.site.write import write

    with opened.service() as service:
        done = write(service, folder, again=again)
    first = str(done.first)
    typer.echo(text("league.done.site", pages=done.pages, folder=str(folder), first=first))
