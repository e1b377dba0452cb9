"""Towns whose clock only the test moves: no jump of it is an outage, unless a test wants that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.clocks.hours import STEADY
from tests.server.service.conftest import (
    database_url,
    migrated_postgresql,
    migrated_sqlite,
    sqlite_url,
)
from tests.server.service.town import Town

__all__ = ["database_url", "migrated_postgresql", "migrated_sqlite", "sqlite_url"]


@pytest.fixture
def town(sqlite_url: str) -> Iterator[Town]:
    """A server on SQLite, and its players."""
    with Town.on(sqlite_url, clocks=STEADY) as town:
        yield town


@pytest.fixture
def any_town(database_url: str) -> Iterator[Town]:
    """A server on each kind of database in turn, and its players."""
    with Town.on(database_url, clocks=STEADY) as town:
        yield town
