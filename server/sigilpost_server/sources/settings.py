"""``[[sources.…]]``: the places where mail arrives."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import SecretStr, model_validator

from sigilpost_server.section import Port, Positive, Seconds, Section


class ImapSettings(Section):
    """``[[sources.imap]]``: a mailbox on an IMAP server."""

    host: str
    """The server's name, as its certificate has it."""
    user: str
    """The login name."""
    password: SecretStr = SecretStr("")
    """The password; better is password_command."""
    password_command: tuple[str, ...] = ()
    """A program and its arguments that prints the password."""
    token_command: tuple[str, ...] = ()
    """A program that prints an OAuth 2 access token, for XOAUTH2 or OAUTHBEARER."""
    port: Port = 0
    """The port; 0: 993 with tls "implicit", else 143."""
    tls: Literal["implicit", "starttls", "none"] = "implicit"
    """How the connection is protected: "implicit", "starttls" or "none"."""
    ca_file: Path | None = None
    """A PEM file of certificates to trust instead of the system's."""
    folder: str = "INBOX"
    """The folder that is read."""
    done: Literal["mark", "move", "delete"] = "mark"
    """What becomes of a mail that is dealt with: "mark", "move" or "delete"."""
    done_folder: str = "Done"
    """Where "move" moves it."""
    idle: bool = True
    """Whether to wait with IDLE where the server has it."""
    idle_renew_seconds: Seconds = 240
    """How long one IDLE lasts: some die without a word."""
    poll_seconds: Seconds = 60
    """How often to look without IDLE."""
    timeout_seconds: Seconds = 30
    """How long an answer of the server may take."""


class ListenerSettings(Section):
    """``[[sources.listener]]``: an SMTP or LMTP port of our own."""

    protocol: Literal["smtp", "lmtp"] = "smtp"
    """What is spoken there: "smtp" or "lmtp"."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Port = 8025
    """The port to listen on."""
    socket: Path | None = None
    """A UNIX socket to listen on instead."""
    recipients: tuple[str, ...] = ()
    """Addresses taken besides the server's own one; "*" takes any."""
    tls_cert: Path | None = None
    """A PEM file; with it and tls_key STARTTLS is offered."""
    tls_key: Path | None = None
    """A PEM file with the key of tls_cert."""
    connections: Positive = 50
    """How many clients may be connected at a time."""
    timeout_seconds: Seconds = 60
    """How long a client may be silent."""

    @model_validator(mode="after")
    def _cert_and_key(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key go together")
        return self


class MaildirSettings(Section):
    """``[[sources.maildir]]``: a Maildir that an MTA delivers into."""

    path: Path
    """The folder that has cur, new and tmp in it."""
    done: Literal["mark", "move"] = "mark"
    """What becomes of a mail that is dealt with: "mark" (as seen, in cur) or "move"."""
    done_path: Path = Path("done")
    """The Maildir that "move" moves it to, made if it is not there."""
    poll_seconds: Seconds = 2
    """How often to look."""


class SourcesSettings(Section):
    """``[sources]``: any mix of them. ``sigilpost deliver`` works without any."""

    imap: tuple[ImapSettings, ...] = ()
    listener: tuple[ListenerSettings, ...] = ()
    maildir: tuple[MaildirSettings, ...] = ()
