"""Mail by SMTP to a relay (RFC 5321), over one kept connection.

The bytes go as they are: ``smtplib.sendmail`` of ready bytes costs a fraction of
``send_message``, and nothing is folded or encoded anew.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import ssl
from collections.abc import Iterator

from sigilpost_server.passwords import CommandFailed, secret_of
from sigilpost_server.ways_out.base import NoWay, Post, RefusedForEver, RefusedNow
from sigilpost_server.ways_out.settings import RelaySettings

_SENT_TOO_OFTEN = 100
"""Mails in one session; many relays end it about there, and then with an error."""
_TOO_BIG = 552
_NOT_ALLOWED = frozenset([503, 530, 534, 535, 538])
"""The relay wants a login or another order of commands (RFC 5321, RFC 4954): no mail's fault."""
_GOODBYE = 2.0  # seconds


class Relay:
    """The server that takes our mail."""

    def __init__(self, settings: RelaySettings) -> None:
        self._settings = settings
        self._port = settings.port or {"implicit": 465, "starttls": 587, "none": 25}[settings.tls]
        self.name = f"smtp:{settings.host}:{self._port}"
        self._session: smtplib.SMTP | None = None
        self._sent = 0

    def open(self) -> None:
        """Connect and log in, or see that the kept connection still lives. Raises NoWay."""
        with self._no_way():
            if self._session is not None and not self._alive(self._session):
                self._drop()
            if self._session is None:
                self._session = self._connect()
                self._sent = 0

    def send(self, post: Post) -> None:
        """Hand one mail over. Raises RefusedNow, RefusedForEver, NoWay."""
        if self._session is None:
            self.open()
        session = self._session
        assert session is not None
        sender, recipient, options = _envelope(session, post)
        try:
            with self._no_way():
                session.sendmail(sender, [recipient], crlf(post.raw), mail_options=options)
        except smtplib.SMTPRecipientsRefused as error:
            raise self._refusal(*error.recipients[recipient]) from None
        except smtplib.SMTPDataError as error:
            raise self._refusal(error.smtp_code, error.smtp_error) from None
        except smtplib.SMTPSenderRefused as error:
            if error.smtp_code == _TOO_BIG:
                raise _refused(error.smtp_code, error.smtp_error) from None
            # The sender is always us: no mail is to blame, and none may bounce for it.
            raise self._closed(error.smtp_code, error.smtp_error) from None
        self._sent += 1
        if self._sent >= _SENT_TOO_OFTEN:
            self.close()

    def _refusal(self, code: int, said: bytes | str) -> Exception:
        return self._closed(code, said) if code in _NOT_ALLOWED else _refused(code, said)

    def _closed(self, code: int, said: bytes | str) -> NoWay:
        self.close()
        return NoWay(f"{self.name}: {_text(code, said)}")

    def close(self) -> None:
        """End the session politely; not even that may take long."""
        if self._session is not None:
            if self._session.sock is not None:
                self._session.sock.settimeout(_GOODBYE)
            with contextlib.suppress(OSError):
                self._session.quit()
            self._drop()

    def _drop(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _alive(self, session: smtplib.SMTP) -> bool:
        with contextlib.suppress(OSError):  # SMTPException is one
            return session.noop()[0] == 250
        return False

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        context = None
        if settings.tls != "none":
            context = ssl.create_default_context(cafile=settings.ca_file)
        helo = settings.helo or None
        session: smtplib.SMTP
        if settings.tls == "implicit":
            session = smtplib.SMTP_SSL(
                settings.host, self._port, helo, timeout=settings.timeout_seconds, context=context
            )
        else:
            session = smtplib.SMTP(
                settings.host, self._port, helo, timeout=settings.timeout_seconds
            )
        try:
            if settings.tls == "starttls":
                session.starttls(context=context)
            session.ehlo_or_helo_if_needed()
            if settings.user:
                session.login(settings.user, self._password())
        except BaseException:
            session.close()
            raise
        return session

    def _password(self) -> str:
        if self._settings.password_command:
            return secret_of(self._settings.password_command)
        return self._settings.password.get_secret_value()

    @contextlib.contextmanager
    def _no_way(self) -> Iterator[None]:
        """Name whatever concerns the connection NoWay, and begin with a new one next time."""
        try:
            yield
        except (
            smtplib.SMTPRecipientsRefused,
            smtplib.SMTPDataError,
            smtplib.SMTPSenderRefused,
        ):
            raise
        except (OSError, CommandFailed, ValueError) as error:  # SMTPException is an OSError
            self._drop()
            raise NoWay(f"{self.name}: {_said(error)}") from error


def _envelope(session: smtplib.SMTP, post: Post) -> tuple[str, str, list[str]]:
    """Sender, recipient and MAIL's options. Raises RefusedForEver."""
    options = []
    if not post.raw.isascii() and session.has_extn("8bitmime"):
        options.append("BODY=8BITMIME")
    sender, recipient = _ascii_domain(post.sender), _ascii_domain(post.recipient)
    if not (sender + recipient).isascii():
        if not session.has_extn("smtputf8"):
            raise RefusedForEver("the relay does not take such addresses (SMTPUTF8, RFC 6531)")
        options.append("SMTPUTF8")
    return sender, recipient, options


def _ascii_domain(address: str) -> str:
    """The address with its domain in the form of RFC 5890 if only that is not ASCII."""
    local, at, domain = address.rpartition("@")
    if address.isascii() or not local.isascii():
        return address
    try:
        return f"{local}{at}{domain.encode('idna').decode()}"
    except UnicodeError:
        return address


def crlf(raw: bytes) -> bytes:
    """The mail with the line ends of RFC 5321 section 2.3.8, whatever it had."""
    return re.sub(rb"\r\n|\r|\n", b"\r\n", raw)


def _refused(code: int, said: bytes | str) -> RefusedNow | RefusedForEver:
    kind = RefusedForEver if 500 <= code < 600 else RefusedNow
    return kind(_text(code, said))


def _text(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"


def _said(error: Exception) -> str:
    """An error's words; the relay's own, if it said any."""
    if isinstance(error, smtplib.SMTPResponseException):
        return _text(error.smtp_code, error.smtp_error)
    return str(error) or type(error).__name__
