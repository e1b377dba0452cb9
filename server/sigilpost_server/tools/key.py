"""``key``: the server's own key, and another one in its place."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_engine.wire.keys import PublicKey, grouped
from sigilpost_server import config_file, server_key
from sigilpost_server.clock import now
from sigilpost_server.tools import opened
from sigilpost_server.transaction.house import House
from sigilpost_server.words import text

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.command(help=text("host.help.key.show"))
def show() -> None:
    """The key's fingerprint, and those of the keys before it."""
    house = House.of(config_file.load())
    typer.echo(text("host.key.now", fingerprint=grouped(house.fingerprint)))
    for step in house.handovers:
        print_ = grouped(PublicKey.from_hex(step.old).fingerprint)
        typer.echo(text("host.key.former", fingerprint=print_))


@app.command(help=text("host.help.key.rotate"))
def rotate(
    yes: Annotated[bool, typer.Option("--yes", "-y", help=text("host.help.yes"))] = False,
) -> None:
    """Make a new key, signed by the old one, and announce it to every player."""
    from sigilpost_server.transaction import keys

    settings = config_file.load()
    with opened.service(settings):
        pass  # whatever is not ready says so before anything is changed
    if not yes:
        typer.confirm(text("host.key.sure"), abort=True)
    step = server_key.rotate(settings, now())
    with opened.service(settings) as service, service.changing() as (db, post):
        told = keys.announce(db, post, step)
    fingerprint = grouped(service.house.fingerprint)
    typer.echo(text("host.key.rotated", fingerprint=fingerprint, n=told))
