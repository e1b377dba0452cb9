"""An SMTP server that takes, refuses or drops mail as a test wants it, with aiosmtpd."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.services.process import HOST, free_port
from tests.services.tls import TlsFiles

PASSWORD = "open-sesame"


@dataclass
class Taken:
    """A mail that was taken."""

    sender: str
    recipient: str
    raw: bytes
    options: list[str]


@dataclass
class RelayPeer:
    """What the server does; a reply of "" means that it does the usual."""

    port: int = 0
    at_mail: str = ""
    at_rcpt: str = ""
    at_data: str = ""
    drop: bool = False
    """Take the mail and cut the connection instead of replying."""
    taken: list[Taken] = field(default_factory=list)
    sessions: int = 0
    deliver: Callable[[Taken], None] = lambda mail: None
    """What becomes of a mail that was taken."""

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, name: str, said: list[str]
    ) -> list[str]:
        self.sessions += 1
        session.host_name = name
        return said

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.at_mail:
            return self.at_mail
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 ok"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.at_rcpt:
            return self.at_rcpt
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.at_data:
            return self.at_data
        assert isinstance(envelope.content, bytes)
        assert envelope.mail_from is not None
        mail = Taken(
            envelope.mail_from, envelope.rcpt_tos[0], envelope.content, envelope.mail_options
        )
        self.taken.append(mail)
        self.deliver(mail)
        if self.drop:
            assert server.transport is not None
            server.transport.close()
        return "250 taken"


@contextlib.contextmanager
def relay_peer(
    port: int = 0, *, tls: TlsFiles | None = None, starttls: bool = False, login: bool = False
) -> Iterator[RelayPeer]:
    """A running server. With ``login`` it wants the user ``game`` with ``PASSWORD``."""
    peer = RelayPeer(port or free_port())
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.cert, tls.key)

    def authenticate(
        server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: object
    ) -> AuthResult:
        wanted = LoginPassword(b"game", PASSWORD.encode())
        return AuthResult(success=given == wanted, handled=False)

    controller = Controller(
        peer,
        hostname=HOST,
        port=peer.port,
        ssl_context=None if starttls else context,
        tls_context=context if starttls else None,
        require_starttls=starttls,
        auth_required=login,
        auth_require_tls=starttls,
        authenticator=authenticate,
    )
    controller.start()
    peer.sessions = 0
    try:
        yield peer
    finally:
        controller.stop()
