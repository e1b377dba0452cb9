"""Fixtures: a town whose people play in leagues, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.clocks.hours import STEADY
from tests.server.leagues.town import LeagueTown
from tests.server.service.conftest import (
    database_url,
    migrated_postgresql,
    migrated_sqlite,
    sqlite_url,
)

__all__ = ["database_url", "migrated_postgresql", "migrated_sqlite", "sqlite_url"]


@pytest.fixture
def town(sqlite_url: str) -> Iterator[LeagueTown]:
    """A town on SQLite."""
    with LeagueTown.on(sqlite_url, clocks=STEADY) as town:
        assert isinstance(town, LeagueTown)
        yield town


@pytest.fixture
def any_town(database_url: str) -> Iterator[LeagueTown]:
    """A town on each kind of database in turn."""
    with LeagueTown.on(database_url, clocks=STEADY) as town:
        assert isinstance(town, LeagueTown)
        yield town
