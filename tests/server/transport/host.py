"""A configured server in a folder: its commands, its daemon as a process, its service in here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server.example import render
from sigilpost_server.service import Service
from sigilpost_server.settings import Settings, read
from tests.services.process import Daemon, free_port, is_listening

ADDRESS = "game@play.test"
SIGILPOST = [sys.executable, "-m", "sigilpost_server"]


class Host:
    """The folder of a host: configuration, key, database, and the Maildirs of the way out."""

    def __init__(self, folder: Path, database: Path | str, **values: Any) -> None:
        """``database``: a migrated SQLite file to copy, or a URL; ``values``: a__b for a.b."""
        folder.mkdir(parents=True, exist_ok=True)
        self._be_at(folder)
        settings: dict[str, Any] = {"server.address": ADDRESS, "server.key": "server.pem"}
        if isinstance(database, Path):
            shutil.copyfile(database, folder / "sigilpost.db")
        else:
            settings["database.url"] = database
        settings |= {name.replace("__", "."): value for name, value in values.items()}
        self.config.write_text(render(settings))
        (folder / "server.pem").write_bytes(PrivateKey.from_seed(b"s" * 32).to_pem())

    def _be_at(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.toml"
        self.mail = folder / "mail"
        self.port = free_port()

    def copy(self, folder: Path) -> Host:
        """Another host, as this one stands."""
        shutil.copytree(self.folder, folder)
        other = Host.__new__(Host)
        other._be_at(folder)
        return other

    @classmethod
    def listening(cls, folder: Path, database: Path | str, **values: Any) -> Host:
        """A host with an SMTP listener on ``port`` and Maildirs as the way out."""
        port = free_port()
        known: dict[str, Any] = {"sources__listener__port": port, "out__maildir__path": "mail"}
        known["out__poll_seconds"] = 0.2
        host = cls(folder, database, **{**known, **values})
        host.port = port
        return host

    @property
    def settings(self) -> Settings:
        """The settings as the programs read them."""
        return read(self.config)

    def run(
        self, *arguments: str, mail: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run ``sigilpost`` to its end, with a mail on its standard input."""
        return subprocess.run(
            [*SIGILPOST, "--config", str(self.config), *arguments],
            input=mail,
            capture_output=True,
            timeout=60,
            check=False,
            env={**os.environ, **(env or {})},
        )

    def deliver(self, mail: bytes) -> int:
        """The exit status of ``sigilpost deliver``."""
        return self.run("deliver", mail=mail).returncode

    @contextmanager
    def serving(self) -> Iterator[Daemon]:
        """``sigilpost serve`` as a process of its own, its log in ``serve.log``."""
        log = self.folder / "serve.log"
        daemon = Daemon([*SIGILPOST, "-c", self.config, "serve"], log=log)
        try:
            daemon.wait_ready(lambda: self.log_has("serving"))
            if self.settings.sources.listener:
                daemon.wait_ready(lambda: is_listening(self.port))
            yield daemon
        finally:
            daemon.stop()

    def log_has(self, words: str) -> bool:
        """Whether the daemon has logged this."""
        log = self.folder / "serve.log"
        return log.exists() and words in log.read_text(errors="replace")

    @contextmanager
    def service(self) -> Iterator[Service]:
        """The service on this host's database, in this process."""
        service = Service.open(self.settings)
        try:
            yield service
        finally:
            service.close()

    def mails(self, address: str) -> list[bytes]:
        """The mails in somebody's Maildir."""
        return [path.read_bytes() for path in (self.mail / address).glob("new/*")]
