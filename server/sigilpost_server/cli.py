"""The program ``sigilpost``.

An MTA bounces a player's mail when ``sigilpost deliver`` ends with any status but 0 and 75. So this
module imports nothing that could be missing or half installed before it is on its guard.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

TRY_AGAIN = 75
"""Of sysexits.h, EX_TEMPFAIL: the mail stays with the MTA, which tries again."""


def is_deliver(arguments: Sequence[str]) -> bool:
    """Whether these are arguments of ``sigilpost deliver``."""
    words = iter(arguments)
    for word in words:
        if word in ("--config", "-c"):
            next(words, None)
        elif not word.startswith("-"):
            return word == "deliver"
    return False


def main() -> None:
    """Run the command that the arguments name, and exit."""
    arguments = sys.argv[1:]
    if is_deliver(arguments):
        _deliver(arguments)
    from sigilpost_server import program

    sys.exit(program.run(arguments))


def _deliver(arguments: Sequence[str]) -> None:
    status = TRY_AGAIN
    try:
        from sigilpost_server import program

        status = TRY_AGAIN if program.run(arguments) else 0
    finally:
        # Past every handler at exit: no full pipe and no thread changes what the MTA is told.
        os._exit(status)
