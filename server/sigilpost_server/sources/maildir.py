"""Mail from a Maildir (as qmail's maildir(5) describes it) that an MTA delivers into."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

from sigilpost_engine.wire.maildir import delivery
from sigilpost_server.sources.base import Handle, SourceError, Stop, hand_over
from sigilpost_server.sources.settings import MaildirSettings

log = logging.getLogger(__name__)


class MaildirSource:
    """One Maildir, looked at every few seconds.

    What waits is all of ``new``, and of ``cur`` what is not marked as seen: a mail reader that
    somebody opens there moves mail from the one to the other.
    """

    def __init__(self, settings: MaildirSettings, folder: Path, done: Path, *, limit: int) -> None:
        """``limit`` in bytes: of a bigger mail only so much and one byte more is read."""
        self.name = f"maildir:{folder}"
        self._settings = settings
        self._folder = folder
        self._done = done
        self._limit = limit

    def round(self, handle: Handle, stop: Stop) -> int:
        """Hand over and mark every mail that waits, in the order of their delivery."""
        count = 0
        for path in self._waiting():
            if stop.is_set():
                break
            try:
                with path.open("rb") as file:
                    raw = file.read(self._limit + 1)
            except FileNotFoundError:
                continue  # somebody else took it
            except OSError as error:
                log.warning("mail not read", extra={"source": self.name, "why": error})
                continue
            if hand_over(handle, raw, self.name):
                self._mark(path)
                count += 1
        return count

    def _waiting(self) -> list[Path]:
        unseen = [p for p in self._listed("cur") if "S" not in _flags(p.name)]
        return sorted(self._listed("new") + unseen, key=_delivered)

    def _listed(self, part: str) -> list[Path]:
        try:
            return [p for p in (self._folder / part).iterdir() if not p.name.startswith(".")]
        except OSError as error:
            raise SourceError(f"{self.name}: {error.strerror}: {part}") from error

    def _mark(self, path: Path) -> None:
        """Take the mail out of the next round; its transaction is committed."""
        base, flags = path.name.partition(":")[0], _flags(path.name)
        name = f"{base}:2,{''.join(sorted(flags | {'S'}))}"
        target = self._folder
        if self._settings.done == "move":
            target = self._done
            make_maildir(target)
        try:
            shutil.move(path, target / "cur" / name)
        except FileNotFoundError:
            pass  # somebody else marked or removed it
        except OSError as error:
            raise SourceError(f"{self.name}: cannot mark a mail: {error.strerror}") from error

    def wait(self, stop: Stop) -> None:
        """Wait for the next look."""
        stop.wait(self._settings.poll_seconds)

    def probe(self) -> None:
        """See that mail can be listed and marked. Raises SourceError."""
        self._waiting()
        for part in ("new", "cur"):
            if not os.access(self._folder / part, os.W_OK):
                raise SourceError(f"{self.name}: not writable: {part}")

    def close(self) -> None:
        """Nothing is held open."""


def make_maildir(folder: Path) -> None:
    """Make what of a Maildir is not there yet."""
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)


def _delivered(path: Path) -> tuple[int, int, int, str]:
    try:
        written = path.stat().st_mtime_ns
    except OSError:  # somebody else took it, or nobody may look at it
        written = 0
    return delivery(path.name, written)


def _flags(name: str) -> set[str]:
    """The letters after ``:2,`` in the name of a mail's file."""
    _, mark, flags = name.partition(":2,")
    return set(flags) if mark else set()
