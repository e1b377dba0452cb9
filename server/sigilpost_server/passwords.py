"""Passwords and tokens that a command of the host prints."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

_SECONDS = 30


class CommandFailed(Exception):
    """The command did not print a secret. The text has nothing of what it printed."""


def secret_of(command: Sequence[str]) -> str:
    """What a command prints, without white space around it. Raises CommandFailed."""
    try:
        done = subprocess.run(  # noqa: S603 - the host's own configuration says what to run
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True
        )
        secret = done.stdout.decode().strip()
    except subprocess.CalledProcessError as error:
        raise CommandFailed(f"{command[0]} ended with status {error.returncode}") from None
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        # The error's own text could hold the command's output.
        raise CommandFailed(f"{command[0]}: {type(error).__name__}") from None
    if not secret:
        raise CommandFailed(f"{command[0]} printed nothing")
    return secret
