"""Fixtures: a schema to copy, and hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sigilpost_server import db
from tests.server.transport.host import Host
from tests.services.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the schema, to copy."""
    path = tmp_path_factory.mktemp("schema") / "empty.db"
    db.migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def host(tmp_path: Path, schema: Path) -> Host:
    """A host that listens on a port and writes Maildirs, on SQLite."""
    return Host.listening(tmp_path / "host", schema)


@pytest.fixture
def migrated_postgresql(postgresql: PostgreSQL) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database with the schema."""
    url = postgresql.create_database(postgresql.template("schema", db.migrate))
    yield url
    postgresql.ensure_running()
    postgresql.drop_database(url)
