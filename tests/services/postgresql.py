"""A private PostgreSQL cluster on the loopback, with a fresh database for each test.

Durability is switched off (``fsync=off``): the cluster lives for one test run. As root, the
server runs as ``postgres``, for it refuses to run as root.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import psycopg

from tests.services.process import HOST, Daemon, Peer, free_port, run
from tests.services.requirements import postgresql_bin

OWNER = "sigilpost"

SETTINGS = {
    "listen_addresses": HOST,
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "max_wal_size": "64MB",
    "autovacuum": "off",
    "log_min_messages": "warning",
    "lc_messages": "C",
    "TimeZone": "UTC",
}


class PostgreSQL(Peer):
    """The running cluster. Every database has the same owner, without a password."""

    host = HOST

    def __init__(self, folder: Path) -> None:
        """Make a cluster in ``folder`` (short path, passable for other users)."""
        bin_folder = postgresql_bin()
        assert bin_folder is not None
        self.bin = bin_folder
        self.folder = folder
        self.port = free_port()
        self._user = "postgres" if os.geteuid() == 0 else None
        self._numbers = itertools.count(1)
        self._templates: dict[str, str] = {}
        self.data = folder / "data"
        self.data.mkdir(mode=0o700)
        if self._user:
            shutil.chown(self.data, self._user, self._user)
        run(
            [
                self.bin / "initdb",
                f"--pgdata={self.data}",
                f"--username={OWNER}",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            user=self._user,
        )

    def start(self) -> None:
        """Start, and return when it accepts connections."""
        settings = {**SETTINGS, "port": str(self.port), "unix_socket_directories": str(self.data)}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        self._daemon = Daemon(
            [self.bin / "postgres", "-D", self.data, *options],
            log=self.folder / "postgresql.log",
            stop_signal=signal.SIGINT,  # "fast": cut clients off, then shut down cleanly
            user=self._user,
        )
        self._daemon.wait_ready(self._answers)

    def _answers(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=HOST, port=self.port, user=OWNER, dbname="postgres", autocommit=True
        )

    def _execute(self, statement: str) -> None:
        with self._connect() as connection:
            connection.execute(statement.encode())

    def url(self, database: str) -> str:
        """Return SQLAlchemy's URL of a database."""
        return f"postgresql+psycopg://{OWNER}@{HOST}:{self.port}/{database}"

    def create_database(self, template: str = "template1") -> str:
        """Make a database as a copy of ``template``; return its URL."""
        name = f"test{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database by its URL, clients or not."""
        self._execute(f"DROP DATABASE IF EXISTS {url.rsplit('/', 1)[1]} WITH (FORCE)")

    def template(self, name: str, prepare: Callable[[str], None]) -> str:
        """Return the name of a database to copy; the first call has ``prepare(url)`` fill it.

        Migrations run once a test run this way, and a copy takes a few milliseconds.
        ``prepare`` must leave no connection open.
        """
        if name not in self._templates:
            self._execute(f"CREATE DATABASE {name}")
            prepare(self.url(name))
            self._templates[name] = name
        return self._templates[name]
