"""A database, and copies of it as it is at a moment: the same history twice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server.service.town import Town
from tests.services.postgresql import PostgreSQL


class Copies:
    """A database at ``url``; nobody may be connected to it when it is copied."""

    def __init__(self, url: str, cluster: PostgreSQL | None = None) -> None:
        self.url = url
        self._cluster = cluster

    @contextmanager
    def original(self) -> Iterator[Town]:
        """A town on the database itself."""
        with Town.on(self.url) as town:
            yield town

    @contextmanager
    def copy(self) -> Iterator[Town]:
        """A town on a copy, which is gone afterwards."""
        if self._cluster is None:
            path = Path(self.url.removeprefix("sqlite:///"))
            other = path.with_name("copy.db")
            shutil.copyfile(path, other)
            with Town.on(f"sqlite:///{other}") as town:
                yield town
            return
        url = self._cluster.create_database(self.url.rpartition("/")[2])
        try:
            with Town.on(url) as town:
                yield town
        finally:
            self._cluster.drop_database(url)
