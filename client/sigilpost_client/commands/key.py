"""The player's key: ``key show``, ``key export``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from sigilpost_client import config, files, keys, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.errors import Unusable
from sigilpost_client.screen import plain
from sigilpost_client.spoken import Command, Group
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)


@app.command(cls=Command, help=text("client.help.key.show"))
def show(json: given.Json = False) -> None:
    """The fingerprints of the own key and of the server's."""
    key = keys.load(config.load())
    server = store.read().server
    if json:
        plain.dump(
            {
                "key": key.fingerprint,
                "public": key.public.hex,
                "server": server.fingerprint,
                "file": str(keys.path()),
            }
        )
        return
    plain.say("client.key.own", fingerprint=keys.grouped(key.fingerprint))
    if server.fingerprint:
        plain.say("client.key.server", fingerprint=keys.grouped(server.fingerprint))
    else:
        plain.say("client.key.no-server")


@app.command(cls=Command, help=text("client.help.key.export"))
def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar=text("client.metavar.file"), help=text("client.help.key.export.file")
        ),
    ],
    no_passphrase: Annotated[
        bool, typer.Option("--no-passphrase", help=text("client.help.init.no-passphrase"))
    ] = False,
) -> None:
    """A copy of the private key, for another machine or a safe place."""
    key = keys.load(config.load())
    target = Path(file).expanduser()
    if target.exists():
        raise Unusable(say("client.error.file-exists", path=file), say("client.remedy.file-exists"))
    passphrase = os.environ.get(keys.VARIABLE, "")
    if not passphrase and not no_passphrase:
        if not sys.stdin.isatty():
            raise Unusable(
                say("client.error.option-missing", option="--no-passphrase"),
                say("client.remedy.no-passphrase", name=keys.VARIABLE),
            )
        passphrase = keys.ask_new()
    try:
        files.write(target, key.to_pem(passphrase or None))
    except OSError as fault:
        raise Unusable(
            say("client.error.file", path=file, why=fault.strerror or str(fault)),
            say("client.remedy.file"),
        ) from fault
    plain.say("client.done.exported", path=str(target))
