"""``make demo LEAGUE=1``: a season by real mail, from the programs as they are installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def test_the_demo_of_a_league_ends_with_tables_and_pages(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    command = [sys.executable, "-m", "sigilpost_server.demo", "--league", "--folder", str(folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "Division Gold" in done.stdout
    assert "hal (withdrawn)" in done.stdout
    found = re.search(r"pages: (\S+)\s*\Z", done.stdout)
    assert found
    assert Path(found[1]).is_file()
    assert len(list((folder / "site/games").glob("*.html"))) >= 9
