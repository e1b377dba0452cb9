"""How long the player waits for ``sigil``: start-ups, beside a bare Typer app in the same run.

Programs are started in turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.rows import Row
from tests.client.host import Host, Table, drop

RUNS = 21
GAMES = 20
SIGIL = Path(sys.executable).with_name("sigil")

BARE = """
import typer
app = typer.Typer()
def make(number):
    def command(game: str = typer.Argument(None), json: bool = typer.Option(False, "--json")):
        '''Says something.'''
        print("something")
    app.command("command" + str(number))(command)
for number in range(int({commands})):
    make(number)
app()
"""


def run() -> list[Row]:
    """Medians of starts in milliseconds; the floor is the bare app's."""
    from sigilpost_client.cli import COMMANDS

    with tempfile.TemporaryDirectory() as folder:
        home = prepared(Path(folder))
        environment = {
            **os.environ,
            "SIGIL_HOME": str(home),
            "PYTHONPYCACHEPREFIX": f"{folder}/pyc",
        }
        # As on a player's machine: what was compiled once is kept.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        programs: dict[str, list[str | Path]] = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "bare": [sys.executable, "-c", BARE.format(commands=len(COMMANDS)), "command3"],
            "next": [SIGIL, "next"],
            "next --json": [SIGIL, "next", "--json"],
            "games": [SIGIL, "games"],
            "show": [SIGIL, "show", "weaver-000"],
            "--version": [SIGIL, "--version"],
            "move --dry-run": [SIGIL, "move", "weaver-000", LINE[0], "--dry-run"],
        }
        times = medians(programs, environment)
    bare = times["bare"]
    rows = [
        Row("Python alone", times["python -c pass"], "ms"),
        Row(f"a bare Typer app of {len(COMMANDS)} commands", bare, "ms"),
        Row(f"sigil next ({GAMES} games)", times["next"], "ms", bare, "at most 1.5 ×"),
    ]
    others = ("next --json", "games", "show", "move --dry-run", "--version")
    return rows + [Row(f"sigil {name}", times[name], "ms", bare) for name in others]


LINE: list[str] = []


def prepared(folder: Path) -> Path:
    """A player's home with a score of running games."""
    home, box = folder / "home", folder / "mail"
    host = Host()
    sigil(
        home,
        *("init", "--server", "play@server.test", "--address", "carol@player.test"),
        *("--name", "carol", "--eml", "--maildir", str(box), "--no-passphrase"),
        *("--fingerprint", host.key.fingerprint),
    )
    for number in range(GAMES):
        table = Table(host, f"weaver-{number:03d}", key=bytes([1, number]))
        if number == 0:
            LINE[:] = [table.some_line()]
        drop(box, host.mail(table.document(table.turn)))
    sigil(home, "sync")
    return home


def sigil(home: Path, *arguments: str) -> None:
    """Run ``sigil`` quietly; it must not fail."""
    subprocess.run([SIGIL, "--home", home, *arguments], check=True, stdout=subprocess.DEVNULL)


def medians(programs: dict[str, list[str | Path]], environment: dict[str, str]) -> dict[str, float]:
    """The median time of each program in milliseconds, one warm-up each."""
    times: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(RUNS + 1):
        for name, command in programs.items():
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            if number:
                times[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(values) for name, values in times.items()}
