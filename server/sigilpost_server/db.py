"""The database: opening it, its transactions, and the version of its schema.

The same code serves SQLite and PostgreSQL. On SQLite every transaction that writes begins with
``BEGIN IMMEDIATE``, so that it never finds out at its end that another one was quicker; on
PostgreSQL the rows that are changed are locked when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, TimeoutError

from sigilpost_server.errors import NoDatabase, NotReady, TryLater

HEAD = "0006"
"""The schema that this program works with: the newest of ``migrations/versions``."""

MIGRATIONS = Path(__file__).parent / "migrations"
_READING = "sigilpost_reading"


def open_engine(url: str, busy_seconds: int = 10) -> Engine:
    """The engine of a database. Nothing is connected yet."""
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": busy_seconds})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(dbapi: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, and DEFERRED: see _begin_sqlite.
    dbapi.isolation_level = None
    cursor = dbapi.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "cache_size = -65536",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get(_READING, False)
    cursor = connection.connection.cursor()
    cursor.execute("BEGIN" if reading else "BEGIN IMMEDIATE")
    cursor.close()


class SomebodyWasQuicker(Exception):
    """Another process changed what this transaction builds on: the work is to be done again."""


class Database:
    """Transactions on one database. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._driver: Any = engine.dialect.loaded_dbapi

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: committed at the end of the block, undone if anything is raised.

        Raises TryLater if the database cannot be written to now, and SomebodyWasQuicker if what
        is written was written by another process meanwhile.
        """
        with self._translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that only reads, and keeps no writer waiting. Raises TryLater."""
        with self._translated(), self.engine.connect() as connection:
            connection = connection.execution_options(**{_READING: True})
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """What the database may get over (full, locked, gone, read-only) becomes TryLater.

        Only the driver's own words are kept: SQLAlchemy would add the statement and its values.
        """
        driver = self._driver
        try:
            yield
        except (DBAPIError, driver.Error) as error:
            fault = error.orig if isinstance(error, DBAPIError) else error
            if isinstance(fault, driver.IntegrityError):
                raise SomebodyWasQuicker(type(fault).__name__) from None
            if isinstance(fault, driver.DataError | driver.ProgrammingError):
                raise
            raise TryLater(f"database: {_first_line(fault)}") from None
        except TimeoutError as error:
            raise TryLater(f"database: {_first_line(error)}") from None


def _first_line(error: object) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def migrate(url: str) -> None:
    """Bring a database, also an empty one, to the schema of this program."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = open_engine(url)
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                # Two programs that start at once migrate one after the other.
                connection.execute(text("SELECT pg_advisory_xact_lock(7331)"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def check_schema(database: Database) -> None:
    """Raise NotReady unless the database has the schema of this program."""
    file = database.engine.url.database
    if database.engine.dialect.name == "sqlite" and file and not _is_there(file):
        # SQLite would make an empty one, which hides that a disk is not mounted.
        raise NoDatabase(
            f"there is no database {file}: see that its disk is there, restore it from your "
            "backup, or begin a new one with `sigilpost migrate`"
        )
    found = _schema(database)
    if found is None:
        raise NotReady("the database is empty: run `sigilpost init` or `sigilpost migrate`")
    if found != HEAD:
        raise NotReady(
            f"the database has schema {found}, this program {HEAD}: run `sigilpost migrate` "
            "(or the newer program)"
        )


def _is_there(file: str) -> bool:
    return file == ":memory:" or file.startswith("file:") or Path(file).exists()


def _schema(database: Database) -> str | None:
    with database.read() as connection:
        if not database.engine.dialect.has_table(connection, "alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
