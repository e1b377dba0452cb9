"""Files that are whole or not there: written aside, flushed, and moved into place."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


def named(path: str | Path) -> Path:
    """A path as it was typed, with the home that ``~`` or ``~NAME`` stands for; as it is where
    nobody has that name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, with its parents; return it."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    # One by one: mkdir's own ``parents`` would make the upper ones open to others.
    for path in reversed(missing):
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    return path


def write(path: Path, data: bytes) -> None:
    """Write a private file so that a crash leaves the old content or the new."""
    private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def _flush_folder(path: Path) -> None:
    # The new name itself must outlive a power cut.
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock file ``path``; other programs that want it wait."""
    private_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
