"""What a command works with, open for as long as it does: the database, or the whole service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sigilpost_server import config_file, db

if TYPE_CHECKING:
    from sigilpost_server.db import Database
    from sigilpost_server.service import Service
    from sigilpost_server.settings import Settings


@contextmanager
def database() -> Iterator[Database]:
    """The database of the configuration. Raises BadConfig, NotReady, TryLater."""
    settings = config_file.load()
    opened = db.Database(db.open_engine(settings.database_url, settings.database.busy_seconds))
    try:
        db.check_schema(opened)
        yield opened
    finally:
        opened.close()


@contextmanager
def service(settings: Settings | None = None) -> Iterator[Service]:
    """The service of these settings, or of the configuration. Raises BadConfig, NotReady,
    TryLater."""
    from sigilpost_server.service import Service

    opened = Service.open(settings or config_file.load())
    try:
        yield opened
    finally:
        opened.close()
