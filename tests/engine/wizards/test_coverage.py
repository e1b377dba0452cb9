"""Every branch of every spell is reached by the scenarios and by self-play."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from sigilpost_engine.games import find

from .exercise import play_games

ROOT = Path(__file__).resolve().parents[3]


def test_every_line_and_branch_of_the_spell_files_is_reached(tmp_path: Path) -> None:
    measure(
        tmp_path,
        "run",
        "--branch",
        "--include=*/games/wizards/spells/*",
        "-m",
        "tests.engine.wizards.exercise",
    )
    measure(tmp_path, "json", "-o", str(tmp_path / "report.json"))
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    missing = {
        Path(name).name: [*file["missing_lines"], *file["missing_branches"]]
        for name, file in report["files"].items()
        if file["missing_lines"] or file["missing_branches"]
    }
    assert len(report["files"]) >= 3
    assert missing == {}


def measure(folder: Path, *arguments: str) -> None:
    """Run coverage.py in a process of its own, so that it sees the spells being loaded."""
    environment = {**os.environ, "COVERAGE_FILE": str(folder / "data")}
    subprocess.run(
        [sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment, check=True
    )


def test_self_play_casts_every_spell() -> None:
    casts = play_games()
    assert [spell for spell in find("wizards").cards if not casts[spell]] == []
