"""Every recorded conversation is answered today as it was when it was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from sigilpost_server import db
from tests.mail.conversations.player import HERE, answer, conversations
from tests.mail.conversations.scripts import SCRIPTS, name_of
from tests.server.service.town import Town


@pytest.mark.parametrize("folder", conversations(), ids=lambda folder: folder.name)
def test_conversation(folder: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'town.db'}"
    db.migrate(url)
    with Town.on(url) as place:
        for mail in sorted(folder.glob("*.eml")):
            assert answer(place, mail.read_bytes()).text == mail.with_suffix(".txt").read_text(
                "utf-8"
            )


def test_every_script_has_its_folder() -> None:
    assert {folder.name for folder in conversations()} == {name_of(script) for script in SCRIPTS}


def test_every_mail_has_what_came_of_it() -> None:
    mails = {path.with_suffix("") for path in HERE.glob("*/*.eml")}
    assert mails == {path.with_suffix("") for path in HERE.glob("*/*.txt")}
