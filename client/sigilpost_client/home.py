"""Where this player's files are: ``--home``, else ``SIGIL_HOME``, else the platform's data folder.

========================  ================================================================
``config.toml``           settings, by :mod:`sigilpost_client.config`
``key.pem``               the private key (PKCS#8), by :mod:`sigilpost_client.keys`
``key.next.pem``          the key that is to follow, until the server has taken it
``former/``               keys that were replaced
``seal.pem``              the key that opens sealed mail (PKCS#8, X25519)
``state.json``            games, pinned server key, what was read: :mod:`sigilpost_client.store`
``turns/GAME/``           every signed document of a game as received: the receipts
``sent/``                 the signed blocks that left, one JSON file each
``outbox/``               mails that still wait to be sent
========================  ================================================================
"""

from __future__ import annotations

import os
from pathlib import Path

from sigilpost_client import files

VARIABLE = "SIGIL_HOME"
SETTINGS = "config.toml"

_chosen: list[Path] = []


def use(path: str | Path | None) -> None:
    """Use this folder from now on; None goes back to the default."""
    _chosen[:] = [files.named(path)] if path else []


def folder() -> Path:
    """The folder in use. It need not exist."""
    if _chosen:
        return _chosen[0]
    if named := os.environ.get(VARIABLE):
        return files.named(named)
    from platformdirs import user_data_path

    return user_data_path("sigilpost", appauthor=False)
