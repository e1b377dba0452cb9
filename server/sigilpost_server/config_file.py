"""Where the configuration is: ``--config``, ``SIGILPOST_CONFIG``, here, or in /etc."""

from __future__ import annotations

import os
from pathlib import Path

from sigilpost_server.settings import Settings, read

NAME = "config.toml"
VARIABLE = "SIGILPOST_CONFIG"
SYSTEM = Path("/etc/sigilpost") / NAME

_chosen: list[Path] = []


def choose(path: Path | None) -> None:
    """Use this file, the one of ``--config``; None goes back to looking for it."""
    _chosen[:] = [path] if path else []


def path() -> Path:
    """The file in use. It need not exist."""
    if _chosen:
        return _chosen[0]
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE])
    here = Path(NAME)
    return here if here.exists() or not SYSTEM.exists() else SYSTEM


def load() -> Settings:
    """The settings of the file in use. Raises BadConfig."""
    return read(path())
