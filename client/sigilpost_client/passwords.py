"""Passwords and tokens of mail accounts: from the settings, a command, or the terminal."""

from __future__ import annotations

import os
import shlex
import subprocess

from sigilpost_client.config import Account
from sigilpost_client.errors import Unreachable
from sigilpost_client.keys import ask, somebody_there
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

VARIABLE = "SIGIL_MAIL_PASSWORD"
PATIENCE = 60


def password(account: Account) -> str:
    """The account's password, or access token for XOAUTH2. Raises Unreachable."""
    if account.password:
        return account.password
    if account.password_command:
        return _from_command(account.password_command)
    if given := os.environ.get(VARIABLE):
        return given
    if somebody_there():
        return ask(text("client.ask.password", user=account.user, host=account.host))
    raise Unreachable(
        say("client.error.no-password", user=account.user, host=account.host),
        say("client.remedy.password", name=VARIABLE),
    )


def _from_command(command: str) -> str:
    try:
        # The player's own command from the player's own settings file, run without a shell.
        done = subprocess.run(  # noqa: S603
            shlex.split(command), capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError) as fault:
        raise Unreachable(
            say("client.error.password-command", command=command),
            say("client.remedy.password-command"),
        ) from fault
    return done.stdout.partition("\n")[0]
