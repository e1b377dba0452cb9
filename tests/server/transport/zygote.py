"""Forks daemons for the tests that kill many: what the program's start costs is paid once.

For every line on standard input a child runs ``sigilpost -c CONFIG serve``; its process id goes to
standard output. The children end with this process, and this one with the test.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from importlib import import_module

from sigilpost_server import program

PR_SET_PDEATHSIG = 1
PARTS = ("tools.run", "daemon", "service", "sources.listener", "ways_out.maildir", "ways_out.relay")


def main(config: str) -> None:
    """Fork on demand."""
    for part in PARTS:
        import_module(f"sigilpost_server.{part}")
    import_module("sigilpost_engine.games.weaver")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    libc = ctypes.CDLL(None)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(2, 1)
            os._exit(program.run(["--config", config, "serve"]))
        print(child, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
