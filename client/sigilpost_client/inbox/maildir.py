"""A Maildir (as qmail's maildir(5) describes it), read beside the player's mail reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sigilpost_client.errors import Unreachable
from sigilpost_client.files import named
from sigilpost_client.inbox import SIZE_MAX, Found
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.maildir import delivery


class MaildirInbox:
    """The mails of ``new`` and ``cur``; remembered are the unique parts of their file names."""

    def __init__(self, path: str) -> None:
        self.name = f"maildir:{path}"
        self._path = named(path)

    def new(self, memory: Any) -> Iterator[Found]:
        """The mails not seen yet, oldest delivery first."""
        files = self._files()
        # Names of mails that were deleted are forgotten, so that the memory stays small.
        seen = set(memory or ()) & files.keys()
        for name in sorted(files.keys() - seen, key=lambda name: _delivered(files[name])):
            raw = _read(files[name])
            if raw is None:  # moved or deleted meanwhile: next time, under its new name
                continue
            seen.add(name)
            yield Found(raw, sorted(seen))

    def _files(self) -> dict[str, Path]:
        found = {}
        try:
            for part in ("new", "cur"):
                for path in (self._path / part).iterdir():
                    if not path.name.startswith("."):
                        found[path.name.partition(":")[0]] = path
        except OSError as fault:
            raise Unreachable(
                say("client.error.maildir", path=str(self._path), why=str(fault)),
                say("client.remedy.maildir"),
            ) from fault
        return found


def _delivered(path: Path) -> tuple[int, int, int, str]:
    try:
        written = path.stat().st_mtime_ns
    except OSError:  # moved or deleted meanwhile
        written = 0
    return delivery(path.name, written)


def _read(path: Path) -> bytes | None:
    """The mail's bytes; b"" for one that is too big to be looked at."""
    try:
        return b"" if path.stat().st_size > SIZE_MAX else path.read_bytes()
    except OSError:
        return None
