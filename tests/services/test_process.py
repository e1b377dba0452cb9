"""No peer outlives its test run, and a folder for it is short and passable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.process import (
    Daemon,
    ServiceError,
    free_port,
    service_folder,
    wait_until,
)

ROOT = Path(__file__).resolve().parents[2]

PARENT = """\
import pathlib, sys, time
from tests.services.process import Daemon
daemon = Daemon(["sleep", "600"], log=pathlib.Path(sys.argv[1]))
print(daemon.process.pid, flush=True)
time.sleep(600)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_peer_dies_with_a_killed_test_run(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "log")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    wait_until(lambda: not alive(pid), "the peer ended")


def test_a_peer_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    script = "trap '' TERM; echo ready; while :; do sleep 1; done"
    daemon = Daemon(["sh", "-c", script], log=tmp_path / "log")
    daemon.wait_ready(lambda: "ready" in (tmp_path / "log").read_text())
    daemon.stop(seconds=0.2)
    assert daemon.process.returncode == -signal.SIGKILL


def test_children_end_with_their_peer(tmp_path: Path) -> None:
    daemon = Daemon(["sh", "-c", "sleep 600 & echo $!; wait"], log=tmp_path / "log")
    daemon.wait_ready(lambda: (tmp_path / "log").read_text().endswith("\n"))
    child = int((tmp_path / "log").read_text())
    daemon.stop()
    wait_until(lambda: not alive(child), "the child ended")


def test_a_peer_that_does_not_start_says_why(tmp_path: Path) -> None:
    daemon = Daemon(["sh", "-c", "echo no such option; exit 3"], log=tmp_path / "log")
    with pytest.raises(ServiceError, match=r"(?s)ended \(3\).*no such option"):
        daemon.wait_ready(lambda: False)


def test_a_service_folder_is_passable_short_and_removed() -> None:
    with service_folder("dovecot") as folder:
        assert folder.stat().st_mode & 0o777 == 0o755
        assert len(str(folder)) < 40
    assert not folder.exists()


def test_no_outgoing_connection_takes_the_port_of_a_stopped_peer() -> None:
    given = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    lowest, highest = map(int, given)
    assert all(not lowest <= free_port() <= highest for _ in range(1_000))
