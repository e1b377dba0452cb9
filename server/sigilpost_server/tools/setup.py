"""``init`` and ``migrate``: what must be there before the first mail."""

from __future__ import annotations

import os
import shlex
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.engine import make_url

from sigilpost_engine.wire.keys import PrivateKey, grouped
from sigilpost_server import config_file, db, example, server_key
from sigilpost_server.settings import Settings, parse
from sigilpost_server.transaction.house import House
from sigilpost_server.words import text


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help=text("host.help.init.dir"))],
    address: Annotated[str, typer.Option(help=text("host.help.init.address"))] = "sigil@localhost",
    name: Annotated[str, typer.Option(help=text("host.help.init.name"))] = "Sigilpost",
    database: Annotated[str, typer.Option(help=text("host.help.init.database"))] = "",
    set: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help=text("host.help.init.set"))
    ] = None,
) -> None:
    """Write configuration and keys into a folder and make the database."""
    # Absolute, as an MTA runs its pipe from a folder of its own.
    folder = folder.resolve()
    file = folder / config_file.NAME
    if file.exists():
        typer.echo(text("host.init.exists", file=str(file)), err=True)
        raise typer.Exit(1)
    values: dict[str, Any] = {"server.address": address, "server.name": name}
    if database:
        values["database.url"] = database
    written = example.render(values | dict(map(_setting, set or ())))
    settings = parse(written, folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fingerprint = grouped(_house(settings).fingerprint)
    _make_private(settings.database_url)
    db.migrate(settings.database_url)
    # Last, so that a folder with a configuration is complete.
    server_key.write(file, written.encode())
    typer.echo(
        text(
            "host.init.done",
            file=str(file),
            fingerprint=fingerprint,
            command=f"sigilpost -c {shlex.quote(str(file))}",
            address=address,
            alias=address.partition("@")[0],
        )
    )


def migrate() -> None:
    """Bring the database to this program's schema."""
    url = config_file.load().database_url
    _make_private(url)
    db.migrate(url)
    typer.echo(text("host.migrate.done"))


def _make_private(url: str) -> None:
    """Make the file of a SQLite database, if it is not there, so that only its owner reads it.

    It holds every hand and every secret. SQLite gives the files beside it the same mode.
    """
    file = make_url(url).database if url.startswith("sqlite") else None
    if file and file != ":memory:" and not file.startswith("file:"):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


def _setting(given: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE``. Raises BadParameter."""
    key, mark, value = given.partition("=")
    if not mark:
        raise typer.BadParameter(text("host.init.set", given=given))
    return key.strip(), _value(value.strip())


def _value(written: str) -> Any:
    """A value as TOML writes it; anything else is taken as text."""
    try:
        return tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        return written


def _house(settings: Settings) -> House:
    """The house of these settings; makes its key unless it is there. Raises NotReady."""
    path = settings.path(settings.server.key)
    if path.exists():
        return House.of(settings)
    key = PrivateKey.generate()
    house = House.with_key(settings, key)
    server_key.write(path, key.to_pem())
    return house
