"""A player with a home, a Maildir and a way out, all real; and the host at the other end."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from sigilpost_client.cli import run
from tests.client.host import ADDRESS, Host, Table, drop, mails

SIGIL = Path(sys.executable).with_name("sigil")
PASSED_ON = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_START")

COMPILED = tempfile.TemporaryDirectory(prefix="sp-pyc-")


class Stream(io.TextIOWrapper):
    """A standard stream that is no terminal."""

    def __init__(self, content: bytes = b"") -> None:
        self.bytes = io.BytesIO(content)
        super().__init__(self.bytes, encoding="utf-8", write_through=True)

    def text(self) -> str:
        """What was written."""
        return self.bytes.getvalue().decode()


class Done(NamedTuple):
    """How a run of ``sigil`` ended."""

    status: int
    out: str
    err: str


class Player:
    """Somebody who types commands, and their folders."""

    def __init__(self, folder: Path, name: str, host: Host) -> None:
        self.folder = folder
        self.name = name
        self.host = host
        self.address = f"{name}@player.test"
        self.home = folder / "home"
        self.box = folder / "mail"
        self.sent_box = folder / "sent"
        for part in ("tmp", "new", "cur"):
            (self.box / part).mkdir(parents=True)

    def sigil(self, *arguments: str, stdin: str | bytes = "", **environment: str) -> Done:
        """Run ``sigil`` in this process, as its console script does, without a terminal."""
        out, err = Stream(), Stream()
        given = Stream(stdin.encode() if isinstance(stdin, str) else stdin)
        with (
            mock.patch.dict(os.environ, self.environment(environment), clear=True),
            mock.patch.object(sys, "stdin", given),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            contextlib.chdir(self.folder),
        ):
            status = run(["--home", str(self.home), *arguments])
        return Done(status, out.text(), err.text())

    def process(self, *arguments: str, stdin: str | bytes = "", **environment: str) -> Done:
        """Run ``sigil`` as a process of its own."""
        done = subprocess.run(
            [SIGIL, "--home", self.home, *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=self.environment(environment),
            cwd=self.folder,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        """A bare environment; what is compiled is kept, so that only the first start is slow."""
        known = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        fixed = {"HOME": str(self.folder), "LANG": "C.UTF-8", "PYTHONPYCACHEPREFIX": COMPILED.name}
        return {**known, **fixed, **more}

    def ok(self, *arguments: str, **options: Any) -> str:
        """Run ``sigil``; it must succeed. Its output."""
        done = self.sigil(*arguments, **options)
        assert done.status == 0, done
        return done.out

    def init(self, *more: str) -> None:
        """Set up with the Maildirs of this player."""
        self.ok(
            *("init", "--server", ADDRESS, "--address", self.address, "--name", self.name),
            *("--maildir", str(self.box), "--drop", str(self.sent_box), "--no-passphrase", *more),
        )

    def receive(self, document: bytes, **options: str) -> None:
        """A mail of the host arrives."""
        drop(self.box, self.host.mail(document, **options))

    @property
    def sent(self) -> list[bytes]:
        """What left this player, oldest first."""
        return mails(self.sent_box)


@pytest.fixture
def host() -> Host:
    """A server's key and pen."""
    return Host()


@pytest.fixture
def new_player(tmp_path: Path, host: Host) -> Callable[[str], Player]:
    """Makes players who have not done anything yet."""
    return lambda name: Player(tmp_path / name, name, host)


@pytest.fixture
def alice(new_player: Callable[[str], Player]) -> Player:
    """A player who is set up and knows the host's key."""
    player = new_player("alice")
    player.init("--fingerprint", player.host.key.fingerprint)
    return player


@pytest.fixture
def table(host: Host) -> Table:
    """A game of Weaver for three, begun; alice is asked first."""
    for number in range(100):
        found = Table(host, key=bytes([number]))
        if found.turn == 0:
            return found
    raise AssertionError("alice never begins")
