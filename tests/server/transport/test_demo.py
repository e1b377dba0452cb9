"""The README's first command: a whole game by real mail."""

from __future__ import annotations

import mailbox
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("game", ["weaver"])
def test_the_demo_plays_a_whole_game_by_mail(tmp_path: Path, game: str) -> None:
    folder = tmp_path / "demo"
    done = subprocess.run(
        [sys.executable, "-m", "sigilpost_server.demo", "--game", game, "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"weaver-\w+ is proved", done.stdout)
    counted = re.search(r"(\d+) mails went to the server, (\d+) came from it", done.stdout)
    assert counted is not None
    boxes = {path.name: mailbox.Maildir(path) for path in (folder / "mail").iterdir()}
    to_server = len(boxes.pop("game@demo.test"))
    to_players = sum(map(len, boxes.values()))
    assert (int(counted[1]), int(counted[2])) == (to_server, to_players)
    assert len(boxes) == 3
    for box in boxes.values():
        assert any("over" in mail["Subject"] for mail in box)
