"""The server and the players of a demo: programs, each with a folder of its own."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sigilpost_server.words import text

HOST = "127.0.0.1"
DOMAIN = "demo.test"
GAME_ADDRESS = f"game@{DOMAIN}"

_BIN = Path(sys.executable).parent
_PATIENCE = 120.0  # seconds for any one thing to happen


class DemoFailed(Exception):
    """Something did not happen; the text says what, and where to look."""


@dataclass
class Player:
    """One player: a mailbox, a client with a home of its own, and in the end a bot."""

    name: str
    home: Path
    mailbox: Path
    moves: int = 0
    last: str = ""

    @property
    def address(self) -> str:
        """The player's mail address."""
        return f"{self.name}@{DOMAIN}"

    @property
    def mails(self) -> int:
        """How many mails have come."""
        return len(mails_in(self.mailbox))

    def sigil(self, *arguments: str) -> list[str]:
        """The command line of the client in this player's hands."""
        return [str(_BIN / "sigil"), "--home", str(self.home), *arguments]

    def follow(self, bot: subprocess.Popen[str]) -> None:
        """Note what a bot says that it does, until it ends."""
        assert bot.stdout is not None
        for line in bot.stdout:
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if said["did"] == "move":
                    self.moves += 1
                    self.last = said["what"]


@dataclass
class Party:
    """All programs of a demo, and the folder in which they write."""

    folder: Path
    players: list[Player] = field(default_factory=list)
    _children: list[subprocess.Popen[str]] = field(default_factory=list)
    _port: int = 0

    @property
    def mail(self) -> Path:
        """The folder of all mailboxes, the server's among them."""
        return self.folder / "mail"

    # --- programs

    def sigilpost(self, *arguments: str) -> list[str]:
        """A command line of the server."""
        config = self.folder / "server" / "config.toml"
        return [str(_BIN / "sigilpost"), "--config", str(config), *arguments]

    def start(self, command: Sequence[str], log: str) -> subprocess.Popen[str]:
        """Start a program; what it complains of goes into a log of this name."""
        with (self.folder / log).open("a") as errors:
            child = subprocess.Popen(  # noqa: S603 - our own two programs
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self._children.append(child)
        return child

    def run(self, *commands: Sequence[str]) -> None:
        """Run programs beside each other to their ends. Raises DemoFailed."""
        log = "setup.log"
        running = [self.start(command, log) for command in commands]
        for child, command in zip(running, commands, strict=True):
            child.communicate(timeout=_PATIENCE)
            if child.returncode:
                where = str(self.folder / log)
                raise DemoFailed(text("host.demo.failed", what=" ".join(command), log=where))

    def wait(self, what: str, ready: Callable[[], bool]) -> None:
        """Return as soon as ``ready()``. Raises DemoFailed."""
        deadline = time.monotonic() + _PATIENCE
        while not ready():
            if time.monotonic() > deadline:
                raise DemoFailed(text("host.demo.late", what=what, folder=str(self.folder)))
            time.sleep(0.02)

    def stop(self) -> None:
        """End all programs that still run."""
        for child in self._children:
            if child.poll() is None:
                child.terminate()
        for child in self._children:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            if child.stdout is not None:
                child.stdout.close()

    # --- the way to a game

    def set_up(self, names: Sequence[str]) -> None:
        """Start the server, and have every player's client set up and registered by mail."""
        self._port = _free_port()
        for name in names:
            player = Player(name, self.folder / "players" / name, self.mail / f"{name}@{DOMAIN}")
            self.players.append(player)
            for part in ("cur", "new", "tmp"):
                (player.mailbox / part).mkdir(parents=True)
        clients = [player.sigil("init", *self._client(player)) for player in self.players]
        self.run(self._init(), *clients)
        self.start(self.sigilpost("serve"), "server.log")
        self.wait("SMTP", lambda: _answers(self._port))
        self.run(*(player.sigil("register") for player in self.players))
        self._wait_mails(1)
        self.run(*(player.sigil("sync") for player in self.players))
        self._wait_mails(2)

    def _init(self) -> list[str]:
        settings = {
            "sources.listener.host": HOST,
            "sources.listener.port": self._port,
            "out.maildir.path": "../mail",
            "daemon.keep_incoming": "../mail",
            "daemon.tick_seconds": 1,
        }
        command = [str(_BIN / "sigilpost"), "init", str(self.folder / "server")]
        command += ["--address", GAME_ADDRESS]
        return command + [f"--set={key}={value}" for key, value in settings.items()]

    def _client(self, player: Player) -> list[str]:
        options = {
            "server": GAME_ADDRESS,
            "address": player.address,
            "name": player.name,
            "language": "en",
            "zone": "UTC",
            "maildir": str(player.mailbox),
            "smtp": f"{HOST}:{self._port}",
            "smtp-security": "none",
        }
        return [f"--{key}={value}" for key, value in options.items()] + ["--no-passphrase"]

    def _wait_mails(self, number: int) -> None:
        self.wait("mail", lambda: all(each.mails >= number for each in self.players))

    def play(self, kind: str, bot: str) -> list[threading.Thread]:
        """Have the first player propose a game to the others, and a bot take every seat.

        The threads end with the bots, which is when their players were told the end.
        """
        first, *others = self.players
        self.run(first.sigil("create", kind, *(player.address for player in others)))
        threads = []
        for player in self.players:
            command = player.sigil("bot", bot, "--watch", "--join", "--json")
            child = self.start(command, f"{player.name}.log")
            threads.append(threading.Thread(target=player.follow, args=(child,), daemon=True))
            threads[-1].start()
        return threads


def mails_in(maildir: Path) -> list[Path]:
    """The mails of a Maildir, those not read yet first."""
    return [*maildir.glob("new/*"), *maildir.glob("cur/*")]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False
