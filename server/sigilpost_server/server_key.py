"""The server's key on disk: reading it, and putting another one in its place.

Beside the key file lies its past: the handovers from the first key to this one, and the secret
that Message-IDs and tokens follow from, which stays the same however often the key changes.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from sigilpost_engine.wire.errors import WireError
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server.errors import NotReady
from sigilpost_server.settings import Settings


class Past(NamedTuple):
    """What is kept of the keys before: the secret of the names, and the handovers in order."""

    names: bytes
    handovers: tuple[Handover, ...]

    def __repr__(self) -> str:
        return f"Past({len(self.handovers)} handovers)"


def path(settings: Settings) -> Path:
    """The key file."""
    return settings.path(settings.server.key)


def past_path(settings: Settings) -> Path:
    """The file of its past. It need not exist."""
    key = path(settings)
    return key.with_name(f"{key.name}.past")


def stamp(settings: Settings) -> int:
    """What changes whenever the key does, which is written last; 0 without a key file."""
    try:
        return path(settings).stat().st_mtime_ns
    except OSError:
        return 0


def names(key: PrivateKey) -> bytes:
    """The secret of the names, as the first key gives it.

    Ed25519 is deterministic: the signature over a text that is published nowhere is a secret
    that needs no file of its own.
    """
    return hashlib.sha256(key.sign("names", b"message ids and tokens")).digest()


def read(settings: Settings) -> tuple[PrivateKey, Past | None]:
    """The key, and its past if it has one. Raises NotReady."""
    file = path(settings)
    try:
        key = PrivateKey.from_pem(file.read_bytes())
    except OSError as fault:
        raise NotReady(f"server.key: {file}: {fault.strerror}; run `sigilpost init`") from fault
    except ValueError as fault:
        raise NotReady(f"server.key: {file}: {fault}") from fault
    return key, _read_past(past_path(settings), key)


def _read_past(file: Path, key: PrivateKey) -> Past | None:
    try:
        raw = json.loads(file.read_bytes())
        past = Past(bytes.fromhex(raw["names"]), tuple(map(Handover.from_json, raw["handovers"])))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, WireError) as fault:
        raise NotReady(f"server.key: {file} cannot be used: {type(fault).__name__}") from fault
    return _up_to(past, key)


def _up_to(past: Past, key: PrivateKey) -> Past:
    """The past of this very key: a handover that was written, but whose key was not, is none."""
    steps = past.handovers
    if steps and steps[-1].new != key.public.hex and steps[-1].old == key.public.hex:
        steps = steps[:-1]
    if steps and steps[-1].new != key.public.hex:
        raise NotReady("server.key: the key is another one than that which its past leads to")
    return past._replace(handovers=steps)


def rotate(settings: Settings, now: int) -> Handover:
    """Put a new key in the place of the old one, which is kept nowhere. Raises NotReady.

    First the handover is written, then the key: after a crash between the two the old key counts,
    and the handover is written over by the next.
    """
    old, past = read(settings)
    new = PrivateKey.generate()
    step = Handover.sign(old, new, now)
    steps = [*(past.handovers if past else ()), step]
    kept = {
        "names": (past.names if past else names(old)).hex(),
        "handovers": [each.to_json() for each in steps],
    }
    write(past_path(settings), json.dumps(kept, indent=1).encode() + b"\n")
    write(path(settings), new.to_pem())
    return step


def write(file: Path, data: bytes) -> None:
    """Write a file that only its owner can read: whole, or not at all."""
    draft = file.with_name(f"{file.name}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
