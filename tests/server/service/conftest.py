"""Fixtures: a town of players and their server, on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sigilpost_server import db
from tests.server.service.copies import Copies
from tests.server.service.town import Table, Town
from tests.services.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the schema, to copy."""
    path = tmp_path_factory.mktemp("schema") / "empty.db"
    db.migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> str:
    """The URL of a fresh SQLite database with the schema."""
    path = tmp_path / "sigilpost.db"
    shutil.copyfile(migrated_sqlite, path)
    return f"sqlite:///{path}"


@pytest.fixture
def migrated_postgresql(postgresql: PostgreSQL) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database with the schema."""
    url = postgresql.create_database(postgresql.template("schema", db.migrate))
    yield url
    postgresql.drop_database(url)


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.service("postgresql")),
    ]
)
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a fresh database, of each kind in turn."""
    name = "sqlite_url" if request.param == "sqlite" else "migrated_postgresql"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def copies(request: pytest.FixtureRequest, database_url: str) -> Copies:
    """A fresh database of each kind in turn, that can be copied."""
    if database_url.startswith("sqlite"):
        return Copies(database_url)
    return Copies(database_url, request.getfixturevalue("postgresql"))


@pytest.fixture
def town(sqlite_url: str) -> Iterator[Town]:
    """A server on SQLite, and its players."""
    with Town.on(sqlite_url) as town:
        yield town


@pytest.fixture(scope="session")
def begun(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Table]:
    """An SQLite file with a game of three that has just begun, and the table, to copy."""
    path = tmp_path_factory.mktemp("begun") / "begun.db"
    shutil.copyfile(migrated_sqlite, path)
    with Town.on(f"sqlite:///{path}") as town:
        table = town.begin("alice", "bob", "carol")
    return path, table


@pytest.fixture
def table(begun: tuple[Path, Table], sqlite_url: str) -> Iterator[Table]:
    """A running game of three, on SQLite."""
    path, table = begun
    shutil.copyfile(path, sqlite_url.removeprefix("sqlite:///"))
    with Town.on(sqlite_url) as town:
        yield table.moved(town)


@pytest.fixture
def any_town(database_url: str) -> Iterator[Town]:
    """A server on each kind of database in turn, and its players."""
    with Town.on(database_url) as town:
        yield town
