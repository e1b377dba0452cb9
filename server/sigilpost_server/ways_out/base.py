"""What all ways out have in common."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Post(NamedTuple):
    """A mail ready to go: its envelope and its bytes, which nobody changes any more."""

    message_id: str
    sender: str
    recipient: str
    raw: bytes


class Refused(Exception):
    """This mail was refused; the text is the refusal, without secrets."""


class RefusedNow(Refused):
    """Refused for now (RFC 5321: 4yz): the same mail may be taken later."""


class RefusedForEver(Refused):
    """Refused for good (RFC 5321: 5yz): a bounce."""


class NoWay(Exception):
    """The way itself is not open now; says nothing about any mail. The text says why."""


class WayOut(Protocol):
    """Somewhere to send mail by."""

    name: str
    """What the log calls it."""

    def open(self) -> None:
        """Be ready to send. Raises NoWay."""

    def send(self, post: Post) -> None:
        """Hand the mail over for good. Raises RefusedNow, RefusedForEver, NoWay."""

    def close(self) -> None:
        """Let go of the connection."""
