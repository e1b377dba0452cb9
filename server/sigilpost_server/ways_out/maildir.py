"""Mail into Maildirs of our own: a folder of mailboxes for tests and games at one computer."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

from sigilpost_server.sources.maildir import make_maildir
from sigilpost_server.ways_out.base import NoWay, Post

_LONGEST_NAME = 200  # bytes; file systems end at 255


class MaildirOut:
    """A Maildir for each recipient below one folder, named by the address.

    A mail's file is named by its Message-ID. So what is sent again after a crash finds itself
    there already, and nobody gets a mail twice.
    """

    def __init__(self, folder: Path) -> None:
        self.name = f"maildir:{folder}"
        self._folder = folder

    def open(self) -> None:
        """See that Maildirs can be made, each when it is needed. Raises NoWay."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise NoWay(f"{self.name}: {error.strerror}") from error

    def send(self, post: Post) -> None:
        """Write the mail, to the disk, and then let it appear. Raises NoWay."""
        maildir = self._folder / mailbox_name(post.recipient)
        name = f"{hashlib.sha256(post.message_id.encode()).hexdigest()[:32]}.sigilpost"
        try:
            make_maildir(maildir)
            if _has(maildir, name):
                return
            draft = maildir / "tmp" / f"{name}.{os.getpid()}"
            with draft.open("wb") as file:
                file.write(post.raw.replace(b"\r\n", b"\n"))  # a file's line ends, not the wire's
                file.flush()
                os.fsync(file.fileno())
            draft.rename(maildir / "new" / name)
        except OSError as error:
            raise NoWay(f"{self.name}: {error.strerror}") from error

    def close(self) -> None:
        """Nothing is held open."""


def mailbox_name(address: str) -> str:
    """The folder of an address: in lower case, with what a path would misread written as %XX."""
    name = quote(address.lower(), safe="@+-._=")
    if len(name) > _LONGEST_NAME:
        return f"{name[:100]}~{hashlib.sha256(name.encode()).hexdigest()}"
    return name if name.strip(".") else f"_{name}"


def _has(maildir: Path, name: str) -> bool:
    """Whether the mail is there; a mail reader may have moved it from new to cur meanwhile."""
    if (maildir / "new" / name).exists():
        return True
    return any(maildir.joinpath("cur").glob(f"{name}*"))
