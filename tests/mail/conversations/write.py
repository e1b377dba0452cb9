"""Writes the folders again: ``python -m tests.mail.conversations.write``, then read the diff."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from sigilpost_server import db
from tests.mail.conversations.player import HERE, answer
from tests.mail.conversations.scripts import SCRIPTS, Says, Script, name_of
from tests.server.service.town import Town


def main() -> None:
    """Play every script and record it."""
    for script in SCRIPTS:
        folder = HERE / name_of(script)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with tempfile.TemporaryDirectory() as scratch:
            url = f"sqlite:///{Path(scratch) / 'town.db'}"
            db.migrate(url)
            with Town.on(url) as place:
                record(Says(place), script, folder)


def record(says: Says, script: Script, folder: Path) -> None:
    """Play one script; write each mail and what came of it."""
    for number, (sender, raw) in enumerate(script(says), start=1):
        came = answer(says.town, raw)
        says.hear(came.mails)
        name = f"{number:02d}-{sender}"
        (folder / f"{name}.eml").write_bytes(raw)
        (folder / f"{name}.txt").write_text(came.text, "utf-8")


if __name__ == "__main__":
    main()
