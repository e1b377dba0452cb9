"""``[out.…]``: the way that mail leaves by."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import SecretStr, model_validator

from sigilpost_server.section import Port, Positive, Seconds, Section


class RelaySettings(Section):
    """``[out.relay]``: an SMTP server that takes our mail."""

    host: str = "localhost"
    """The server's name, as its certificate has it."""
    port: Port = 0
    """The port; 0: 465 with tls "implicit", 587 with "starttls", else 25."""
    tls: Literal["implicit", "starttls", "none"] = "none"
    """How the connection is protected: "implicit", "starttls" or "none"."""
    ca_file: Path | None = None
    """A PEM file of certificates to trust instead of the system's."""
    user: str = ""
    """The login name; "" for no login."""
    password: SecretStr = SecretStr("")
    """The password; better is password_command."""
    password_command: tuple[str, ...] = ()
    """A program and its arguments that prints the password."""
    helo: str = ""
    """What to call ourselves; "" for this computer's name."""
    timeout_seconds: Seconds = 60
    """How long an answer of the relay may take."""


class MaildirOutSettings(Section):
    """``[out.maildir]``: mail is put into Maildirs here, for tests and a game at one computer."""

    path: Path = Path("mail")
    """The folder with a Maildir for each address, made when needed."""


class OutSettings(Section):
    """``[out]``: one way at most. Without one, mail waits in the outbox."""

    relay: RelaySettings | None = None
    maildir: MaildirOutSettings | None = None
    batch: Positive = 50
    """How many mails are claimed at a time."""
    poll_seconds: Seconds = 5
    """How often to look for mails that wait, besides after each incoming one."""
    first_retry_seconds: Positive = 60
    """How long to wait after the first temporary refusal; it doubles from there."""
    longest_retry_seconds: Positive = 14_400
    """How long to wait at most between two attempts."""
    give_up_days: Positive = 5
    """After how many days of temporary refusals a mail counts as bounced."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.relay is not None and self.maildir is not None:
            raise ValueError("either relay or maildir")
        return self
