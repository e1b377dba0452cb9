"""Out with the mail: by SMTP submission, into a Maildir, or printed.

Everything goes through ``outbox/`` first: a mail that is there will be sent, also after a crash
or a day without network, and always the same bytes, which the server answers once.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import smtplib
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sigilpost_client import files, home
from sigilpost_client.compose import Outgoing
from sigilpost_client.config import Config, Submission, port_of
from sigilpost_client.errors import Unreachable, Unusable
from sigilpost_client.passwords import password
from sigilpost_engine.core.messages import say

PORTS = {"tls": 465, "starttls": 587, "none": 25}
PATIENCE = 60


def outbox() -> Path:
    """Where mails wait."""
    return home.folder() / "outbox"


def put(mail: Outgoing) -> Path:
    """Put a mail into the outbox; return its file."""
    path = outbox() / f"{time.time_ns():020d}-{secrets.token_hex(4)}.json"
    entry = {
        "sender": mail.sender,
        "recipient": mail.recipient,
        "message_id": mail.message_id,
        "raw": mail.raw.decode("utf-8"),
    }
    files.write(path, json.dumps(entry, ensure_ascii=False).encode("utf-8"))
    return path


def waiting() -> list[Path]:
    """The mails that wait, oldest first."""
    if not outbox().is_dir():
        return []
    return sorted(path for path in outbox().iterdir() if path.suffix == ".json")


def flush(config: Config) -> int:
    """Send all that waits; return the number sent.

    Raises Unreachable if it cannot be now (the rest waits on), Unusable if the mail server
    refuses a mail for good (it is set aside, ``….refused``).
    """
    if not waiting():
        return 0
    sent = 0
    # One at a time, so that two programs never send one mail twice.
    with files.lock(outbox() / ".lock"), _way(config.submission) as way:
        for path in waiting():
            entry = json.loads(path.read_bytes())
            raw = entry["raw"].encode("utf-8")
            try:
                way(Outgoing(entry["sender"], entry["recipient"], entry["message_id"], raw))
            except Unusable:
                path.rename(path.with_suffix(".refused"))
                raise
            path.unlink()
            sent += 1
    return sent


class _Way:
    """How one mail leaves."""

    def __call__(self, mail: Outgoing) -> None:
        raise NotImplementedError


@contextlib.contextmanager
def _way(settings: Submission) -> Iterator[_Way]:
    if settings.kind == "maildir":
        yield _IntoMaildir(settings.path)
    elif settings.kind == "eml":
        yield _Print()
    else:
        with _BySmtp(settings) as way:
            yield way


class _Print(_Way):
    def __call__(self, mail: Outgoing) -> None:
        print_mail(mail)


class _IntoMaildir(_Way):
    def __init__(self, path: str) -> None:
        self._path = files.named(path)

    def __call__(self, mail: Outgoing) -> None:
        seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
        unique = f"M{microseconds:06d}P{os.getpid()}R{secrets.token_hex(4)}"
        name = f"{seconds}.{unique}.{socket.gethostname()}"
        draft = self._path / "tmp" / name
        try:
            for part in ("tmp", "new", "cur"):
                (self._path / part).mkdir(parents=True, exist_ok=True)
            files.write(draft, mail.raw.replace(b"\r\n", b"\n"))
            draft.rename(self._path / "new" / name)
        except OSError as fault:
            raise Unreachable(
                say("client.error.maildir", path=str(self._path), why=str(fault)),
                say("client.remedy.maildir"),
            ) from fault


class _BySmtp(_Way):
    """One session (RFC 6409) for all that waits."""

    def __init__(self, settings: Submission) -> None:
        self._settings = settings
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> _BySmtp:
        with self._faults():
            self._client = self._connect()
        self._stack.callback(self._quit)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, mail: Outgoing) -> None:
        wide = not (mail.sender.isascii() and mail.recipient.isascii())
        with self._faults():
            self._client.sendmail(
                mail.sender, [mail.recipient], mail.raw, ["SMTPUTF8"] if wide else []
            )

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        port = port_of(settings, PORTS)
        tls = ssl.create_default_context(cafile=settings.ca_file or None)
        if settings.security == "tls":
            client: smtplib.SMTP = smtplib.SMTP_SSL(
                settings.host, port, timeout=PATIENCE, context=tls
            )
        else:
            client = smtplib.SMTP(settings.host, port, timeout=PATIENCE)
        try:
            if settings.security == "starttls":
                client.starttls(context=tls)
            if settings.user:
                self._login(client)
        except BaseException:
            client.close()
            raise
        return client

    def _login(self, client: smtplib.SMTP) -> None:
        settings = self._settings
        secret = password(settings)
        if settings.login == "xoauth2":
            client.ehlo_or_helo_if_needed()
            token = f"user={settings.user}\x01auth=Bearer {secret}\x01\x01"
            client.auth("XOAUTH2", lambda _=None: token, initial_response_ok=True)
        else:
            client.login(settings.user, secret)

    def _quit(self) -> None:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            self._client.quit()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (OSError, smtplib.SMTPException) as fault:
            if _for_good(fault):
                raise Unusable(
                    say("client.error.smtp-refused", host=self._settings.host, why=_why(fault)),
                    say("client.remedy.smtp-refused"),
                ) from fault
            raise Unreachable(
                say("client.error.smtp", host=self._settings.host, why=_why(fault)),
                say("client.remedy.smtp"),
            ) from fault


def _replies(fault: Exception) -> list[tuple[int, bytes | str]]:
    """The server's replies (code, text) in a fault of smtplib."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        return list(fault.recipients.values())
    if isinstance(fault, smtplib.SMTPResponseException):
        return [(fault.smtp_code, fault.smtp_error)]
    return []


def _for_good(fault: Exception) -> bool:
    """Whether this very mail is refused for good (RFC 5321 section 4.2.1); not a failed login."""
    kinds = (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)
    return isinstance(fault, kinds) and all(500 <= code <= 599 for code, _ in _replies(fault))


def _why(fault: Exception) -> str:
    replies = _replies(fault)
    if not replies:
        return str(fault)
    code, words = replies[0]
    return f"{code} {words.decode('utf-8', 'replace') if isinstance(words, bytes) else words}"


def print_mail(mail: Outgoing) -> None:
    """Print a mail with the line ends of this system, as ``sendmail -t`` takes it."""
    sys.stdout.write(mail.raw.decode("utf-8").replace("\r\n", "\n"))
    sys.stdout.flush()
