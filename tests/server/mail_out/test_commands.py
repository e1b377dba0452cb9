"""The commands that mails tell players to type are commands of their program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sigilpost_client.cli import COMMANDS, Commands
from sigilpost_engine.texts import Texts
from sigilpost_server.mail_out.compose import plain
from sigilpost_server.mail_out.letter import Letter

from .samples import every_kind

LINE = re.compile(r"^  sigil (.*(?:\n      .*)*?)$", re.MULTILINE)


@pytest.mark.parametrize("letter", every_kind().values(), ids=list(every_kind()))
def test_the_client_takes_every_command_in_a_mail(
    letter: Letter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGIL_HOME", str(tmp_path))
    for line in LINE.findall(plain(letter, Texts())):
        name, *arguments = shlex.split(line)
        if name == "--help":
            continue
        assert name in COMMANDS, line
        command = Commands(name="sigil").get_command(None, name)
        command.make_context(name, arguments)  # raises for arguments that it does not take
