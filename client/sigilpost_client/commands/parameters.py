"""Parameters that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client.words import text

Json = Annotated[bool, typer.Option("--json", help=text("client.help.json"))]
Eml = Annotated[bool, typer.Option("--eml", help=text("client.help.eml"))]
DryRun = Annotated[bool, typer.Option("--dry-run", help=text("client.help.dry-run"))]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=text("client.help.yes"))]
NoPassphrase = Annotated[
    bool, typer.Option("--no-passphrase", help=text("client.help.init.no-passphrase"))
]

Rules = Annotated[
    list[str],
    typer.Option(
        "--rule", metavar=text("client.metavar.setting"), help=text("client.help.create.rule")
    ),
]

Options = Annotated[
    list[str],
    typer.Option(
        "--option",
        "-o",
        metavar=text("client.metavar.setting"),
        help=text("client.help.create.option"),
    ),
]
Clock = Annotated[
    str,
    typer.Option(
        "--clock", metavar=text("client.metavar.clock"), help=text("client.help.create.clock")
    ),
]
Timeout = Annotated[
    str,
    typer.Option(
        "--timeout", metavar=text("client.metavar.clock"), help=text("client.help.create.timeout")
    ),
]
Credentials = Annotated[
    str,
    typer.Option(
        "--credentials", metavar="signed|code", help=text("client.help.create.credentials")
    ),
]


def known_games(incomplete: str) -> list[str]:
    """Tags, for the shell to complete."""
    from sigilpost_client import store
    from sigilpost_client.errors import ClientError

    try:
        return [tag for tag in store.read().games if tag.startswith(incomplete)]
    except ClientError:
        return []


Game = Annotated[
    str,
    typer.Argument(
        metavar=text("client.metavar.game"),
        help=text("client.help.game"),
        autocompletion=known_games,
    ),
]
GameOption = Annotated[
    str,
    typer.Option(
        "--game",
        "-g",
        metavar=text("client.metavar.game"),
        help=text("client.help.game"),
        autocompletion=known_games,
    ),
]
