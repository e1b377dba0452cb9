"""``doctor``: what is wrong with this server, and what to do about it."""

from __future__ import annotations

import json as jsons
from typing import Annotated

import typer

from sigilpost_server import config_file
from sigilpost_server.words import render, text

MARKS = {"good": "ok  ", "care": "note", "bad": "BAD "}


def doctor(
    json: Annotated[bool, typer.Option("--json", help=text("host.help.json"))] = False,
) -> None:
    """Look at configuration, database, clock, mailboxes and relay."""
    from sigilpost_server.clock import now
    from sigilpost_server.doctor import State, examine

    bad = False
    for finding in examine(config_file.path(), now):
        bad |= finding.state is State.BAD
        what = render(finding.what)
        remedy = render(finding.remedy) if finding.remedy else ""
        if json:
            line = {"state": finding.state, "check": finding.what.id, "what": what}
            typer.echo(jsons.dumps(line | {"remedy": remedy}))
        else:
            typer.echo(f"{MARKS[finding.state]} {what}" + (f"\n     {remedy}" if remedy else ""))
    if bad:
        raise typer.Exit(1)
