"""Starting and surely ending the processes behind the tests' real peers."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

HOST = "127.0.0.1"

# Reads which process groups and folders there are, and clears them away when the test run is gone:
# the pipe then ends, however it died. (The kernel's PR_SET_PDEATHSIG would be simpler, but a
# program that changes its user, as Postfix's master does, loses it.)
GUARDIAN = """\
import os, shutil, signal, sys, time
kept = set()
for line in sys.stdin:
    (kept.add if line[0] == "+" else kept.discard)(line[1:-1])
for signal_number in (signal.SIGTERM, signal.SIGKILL):
    for name in kept:
        if name.isdigit():
            try:
                os.killpg(int(name), signal_number)
            except ProcessLookupError:
                pass
    time.sleep(1)
for name in kept:
    if not name.isdigit():
        shutil.rmtree(name, ignore_errors=True)
"""


class ServiceError(Exception):
    """A peer did not start or did not do what it was told; the text ends with its log."""


PORTS = range(20_000, 32_000)
"""Below those that the kernel gives to outgoing connections (ip_local_port_range)."""


def free_port() -> int:
    """Return a TCP port on the loopback that nobody listens on now.

    No outgoing connection takes it while its server is stopped and starts again.
    """
    while True:
        port = random.SystemRandom().choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind((HOST, port))
            return port


@functools.cache
def _guardian() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", "-c", GUARDIAN],
        stdin=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _guard(change: str, name: object) -> None:
    pipe = _guardian().stdin
    assert pipe is not None
    pipe.write(f"{change}{name}\n")
    pipe.flush()


@contextlib.contextmanager
def service_folder(name: str) -> Iterator[Path]:
    """Yield a temporary folder, passable for a service's own users, and remove it afterwards.

    It lies under /tmp by a short name: UNIX sockets live in it, and their paths end at 107 bytes.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"sp-{name}-", dir="/tmp"))
    folder.chmod(0o755)
    _guard("+", folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _guard("-", folder)


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Return as soon as ``ready()``; raise ``ServiceError`` after so many seconds."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise ServiceError(f"{what}: not so within {seconds:g} s")
        time.sleep(0.02)


def is_listening(port: int) -> bool:
    """Tell whether somebody accepts connections on this loopback port."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def tail(path: Path, lines: int = 30) -> str:
    """Return the last lines of a log, or a word about its absence."""
    if not path.exists():
        return f"(no {path.name})"
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


class Daemon:
    """One program in the foreground, its output in a log file.

    It has a session of its own and dies with the test run, even a killed one.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        log: Path,
        stop_signal: signal.Signals = signal.SIGTERM,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Start ``command``, as ``user`` if given (root only)."""
        self.name = Path(command[0]).name
        self.log = log
        self.stop_signal = stop_signal
        self._ended = False

        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [os.fspath(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                env=None if env is None else {**os.environ, **env},
                user=user,
                group=user,
                extra_groups=None if user is None else os.getgrouplist(user, _group_of(user)),
                start_new_session=True,
            )
        _guard("+", self.process.pid)

    def running(self) -> bool:
        """Tell whether the process lives."""
        return self.process.poll() is None

    def wait_ready(self, ready: Callable[[], bool], seconds: float = 30.0) -> None:
        """Return as soon as ``ready()``; raise ``ServiceError`` if the process ends before."""

        def ready_or_dead() -> bool:
            if not self.running():
                status = self.process.returncode
                raise ServiceError(f"{self.name} ended ({status}):\n{tail(self.log)}")
            return ready()

        try:
            wait_until(ready_or_dead, f"{self.name} ready", seconds)
        except ServiceError:
            self.stop()
            raise

    def stop(self, seconds: float = 10.0) -> None:
        """End the process and its children, and wait: politely first, then by force."""
        if self.running():
            self.process.send_signal(self.stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """End the process and its children at once, as a crash would."""
        # Its session is its own, so this group holds nobody else's processes. A child may outlive
        # a polite end: Dovecot's serve their connected clients on.
        if self._ended:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        _guard("-", self.process.pid)
        self._ended = True


class Peer:
    """A server that a test can stop, start and restart."""

    _daemon: Daemon | None = None

    def start(self) -> None:
        """Start, and return when it answers."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop it; its clients are cut off, its data stays."""
        if self._daemon:
            self._daemon.stop()

    def restart(self) -> None:
        """Stop and start again on the same ports, data unchanged."""
        self.stop()
        self.start()

    def ensure_running(self) -> None:
        """Start unless it runs."""
        if self._daemon is None or not self._daemon.running():
            self.start()


def _group_of(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid


def run(command: Sequence[str | Path], *, user: str | None = None) -> str:
    """Run a helper program to its end; return its output or raise ``ServiceError`` with it."""
    done = subprocess.run(
        [os.fspath(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        user=user,
        group=user,
        cwd="/",
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise ServiceError(f"{command[0]} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout
