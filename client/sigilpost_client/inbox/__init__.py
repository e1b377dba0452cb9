"""Where the server's mail is found: IMAP folders or a Maildir, read only, new mail only.

A source remembers what was read in a small JSON value. Nothing in the mailbox is changed: no
flag is set, nothing is moved, so that the player's own mail reader finds everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from sigilpost_client.config import Config
from sigilpost_client.errors import NotSetUp
from sigilpost_engine.core.messages import say

SIZE_MAX = 12 * 1024 * 1024
"""Mails over this many bytes are none of the server's, and are not looked at."""


class Found(NamedTuple):
    """One new mail, and what to remember of the source once it has been dealt with."""

    raw: bytes
    memory: Any


class Inbox(Protocol):
    """A source of mail. ``name`` tells it from others in the state."""

    name: str

    def new(self, memory: Any) -> Iterator[Found]:
        """The mails that ``memory`` (None at first) does not know. Raises Unreachable."""


def open_inbox(config: Config) -> Inbox:
    """The mailbox of the settings. Raises NotSetUp if there is none."""
    if config.mailbox.kind == "maildir":
        from sigilpost_client.inbox.maildir import MaildirInbox

        return MaildirInbox(config.mailbox.path)
    if config.mailbox.kind == "imap":
        from sigilpost_client.inbox.imap import ImapInbox

        return ImapInbox(config.mailbox, config.server.address)
    raise NotSetUp(say("client.error.no-mailbox"), say("client.remedy.mailbox"))
