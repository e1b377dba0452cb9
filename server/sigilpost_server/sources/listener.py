"""Mail by SMTP (RFC 5321) or LMTP (RFC 2033) on a port of our own, with aiosmtpd.

The reply to DATA is 250 only after the commit. A client that never hears it sends the mail again,
and then the service finds the same bytes; so nothing that differs between two attempts is added.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from sigilpost_server.errors import TryLater
from sigilpost_server.mail_in import postmaster
from sigilpost_server.sources.base import Handle, SourceError, Stop, hand_over
from sigilpost_server.sources.settings import ListenerSettings

log = logging.getLogger(__name__)

OK = "250 2.0.0 dealt with"
LATER = "451 4.3.0 not now, try again later"
STRANGER = "550 5.1.1 no such address here"
TOO_MANY_LINES = "554 5.6.0 too many lines"
CROWDED = "421 4.7.0 too many connections"

_GRACE = 10.0  # seconds for the mails in hand when the daemon ends


class _Hall:
    """Receives the clients of one listener: aiosmtpd calls these hooks."""

    def __init__(self, listener: Listener, handle: Handle, pool: ThreadPoolExecutor) -> None:
        self._listener = listener
        self._handle = handle
        self._pool = pool
        self.lines = listener.lines
        self._clients = 0
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def enter(self) -> bool:
        """Count a new client; False if there are too many."""
        if self._clients >= self._listener.connections:
            return False
        self._clients += 1
        return True

    def leave(self) -> None:
        """Count a client as gone."""
        self._clients -= 1

    async def idle(self, seconds: float) -> None:
        """Wait, not longer than so many seconds, until no mail is being dealt with."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), seconds)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take recipients of ours only: this is no relay."""
        if not (self._listener.takes(address) or self._listener.is_postmaster(address)):
            return STRANGER
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Reply only when the mail's transaction is over: one for the server's own addresses, and
        one for the postmaster."""
        to_postmaster = [self._listener.is_postmaster(each) for each in envelope.rcpt_tos]
        self._busy += 1
        self._idle.clear()
        try:
            loop = asyncio.get_running_loop()
            replies = {}
            for each in sorted(set(to_postmaster)):
                raw = _raw(envelope, to_postmaster=each)
                replies[each] = await loop.run_in_executor(self._pool, self._deal_with, raw)
        finally:
            self._busy -= 1
            if not self._busy:
                self._idle.set()
        if isinstance(server, LMTP):
            # RFC 2033 section 4.2: LMTP has a reply for each recipient.
            return "\r\n".join(replies[each] for each in to_postmaster)
        return next((reply for reply in replies.values() if reply != OK), OK)

    def _deal_with(self, raw: bytes) -> str:
        try:
            done = hand_over(self._handle, raw, self._listener.name)
        except TryLater as error:
            log.warning("mail put off", extra={"source": self._listener.name, "why": error})
            return LATER
        if done:
            self._listener.count()
        return OK if done else LATER

    async def handle_exception(self, error: Exception) -> str:
        """Whatever breaks here is no reason for a client to give a mail up."""
        log.error("in a session", extra={"source": self._listener.name}, exc_info=error)
        return LATER


class _TooManyLines(Exception):
    """A mail of very many lines: each costs the library an object and a turn of the loop."""


class _Counting:
    """A reader of a mail's lines, up to a number of them."""

    def __init__(self, reader: asyncio.StreamReader, lines: int) -> None:
        self._reader = reader
        self._left = lines
        self.read = reader.read

    async def readuntil(self, separator: bytes = b"\n") -> bytes:
        """The next line. Raises _TooManyLines."""
        self._left -= 1
        if self._left < 0:
            raise _TooManyLines
        return await self._reader.readuntil(separator)


class _Smtp(SMTP):
    """aiosmtpd's protocol with limits of clients and lines, and lines as long as people send."""

    line_length_limit = 1 << 18

    async def _handle_client(self) -> None:
        hall: _Hall = self.event_handler
        if not hall.enter():
            await self.push(CROWDED)
            self._writer.close()
            return
        try:
            await super()._handle_client()
        finally:
            hall.leave()

    async def smtp_DATA(self, arg: str) -> None:
        reader = self._reader
        self._reader = _Counting(reader, self.event_handler.lines)  # type: ignore[assignment]
        try:
            await super().smtp_DATA(arg)
        except _TooManyLines:
            # The rest of the mail must not be read as commands.
            await self.push(TOO_MANY_LINES)
            self._writer.close()
            raise asyncio.CancelledError from None
        finally:
            self._reader = reader


class _Lmtp(_Smtp, LMTP):
    pass


def _raw(envelope: Envelope, *, to_postmaster: bool) -> bytes:
    """The mail with its return path before it, as RFC 5321 section 4.4 has it at delivery.

    No ``Received`` is added: its time would make another mail of a second attempt.
    """
    assert isinstance(envelope.content, bytes)
    sender = (envelope.mail_from or "").encode("utf-8", "surrogateescape").strip(b"<>")
    mark = postmaster.DELIVERED if to_postmaster else b""
    return b"Return-Path: <%s>\r\n%s%s" % (sender, mark, envelope.content)


class Listener:
    """A listening port. ``round`` opens it; from then on mails come by themselves."""

    def __init__(
        self,
        settings: ListenerSettings,
        *,
        address: str,
        limit: int,
        lines: int,
        path: Path | None = None,
        also: Sequence[str] = (),
        mark: str = "+",
    ) -> None:
        """``address`` is the server's own, ``also`` what else is, ``mark`` leads a subaddress;
        ``limit`` and ``lines`` are what a mail may have at most, in bytes and lines, ``path`` is
        a UNIX socket's."""
        self.name = f"{settings.protocol}:{path or f'{settings.host}:{settings.port}'}"
        self.connections = settings.connections
        self._settings = settings
        self._socket = path
        self.lines = lines
        self._limit = limit
        self._host = address.rpartition("@")[2]
        self._recipients = {_mailbox(each) for each in (address, *also, *settings.recipients)}
        self._domains = {each.rpartition("@")[2] for each in self._recipients}
        self._mark = mark
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._failure: Exception | None = None
        self._handled = 0

    def takes(self, address: str) -> bool:
        """Whether mail to this address is for us; what follows a ``+``, or the mark of our own
        subaddresses, does not matter."""
        mailbox = _mailbox(address)
        if "*" in self._recipients or mailbox in self._recipients:
            return True
        local, at, domain = mailbox.rpartition("@")
        shorter = local.rpartition(self._mark)[0] if self._mark else ""
        return bool(shorter) and f"{shorter}{at}{domain}" in self._recipients

    def is_postmaster(self, address: str) -> bool:
        """Whether mail to this address is for the host (RFC 5321 section 4.5.1): ``postmaster`` in
        any case, alone or at a domain that mail is taken for."""
        local, _, domain = address.lower().rpartition("@")
        if not local:
            return domain == postmaster.NAME
        return local == postmaster.NAME and (domain in self._domains or "*" in self._domains)

    def count(self) -> None:
        """Note that a mail has been dealt with."""
        self._handled += 1

    def round(self, handle: Handle, stop: Stop) -> int:
        """Open the port unless it is open; return how many mails came since the last call."""
        if self._thread is None or not self._thread.is_alive():
            self._open(handle)
        handled, self._handled = self._handled, 0
        return handled

    def wait(self, stop: Stop) -> None:
        """Wait a little; if the port was lost, the next round opens it again."""
        stop.wait(1.0)

    def probe(self) -> None:
        """See that the port is ours to open, or that we have it open. Raises SourceError."""
        try:
            greeting = self._greeting()
        except OSError:
            # Nobody is there yet.
            self._open(_unready)
            self.close()
        else:
            if "sigilpost" not in greeting:
                raise SourceError(f"{self.name}: another program listens there")

    def _greeting(self) -> str:
        """What whoever listens there says first. Raises OSError if nobody does."""
        if self._socket is None:
            client = socket.create_connection((self._settings.host, self._settings.port), 5)
        else:
            client = socket.socket(socket.AF_UNIX)
        with client:
            if self._socket is not None:
                client.settimeout(5)
                client.connect(str(self._socket))
            return client.recv(512).decode("utf-8", "replace")

    def close(self) -> None:
        """Close the port; mails in hand are still dealt with and answered."""
        if self._thread is None:
            return
        if self._loop is not None and self._end is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
        self._thread = None

    def _open(self, handle: Handle) -> None:
        ready = threading.Event()
        self._failure = None
        self._thread = threading.Thread(
            target=self._run, args=(handle, ready), name=self.name, daemon=True
        )
        self._thread.start()
        ready.wait()
        if self._failure is not None:
            raise SourceError(f"{self.name}: {self._failure}") from self._failure
        log.info("listening", extra={"source": self.name})

    def _run(self, handle: Handle, ready: threading.Event) -> None:
        try:
            asyncio.run(self._serve(handle, ready))
        except Exception as error:
            self._failure = error
            if ready.is_set():
                log.exception("listener lost", extra={"source": self.name})
        finally:
            ready.set()

    async def _serve(self, handle: Handle, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        # One worker: the database takes one writer at a time anyway.
        with ThreadPoolExecutor(1, thread_name_prefix=self.name) as pool:
            hall = _Hall(self, handle, pool)
            server = await self._bound(hall)
            ready.set()
            try:
                await self._end.wait()
            finally:
                server.close()
                await hall.idle(_GRACE)

    async def _bound(self, hall: _Hall) -> asyncio.Server:
        settings = self._settings
        loop = asyncio.get_running_loop()
        kind = _Lmtp if settings.protocol == "lmtp" else _Smtp
        context = None
        if settings.tls_cert and settings.tls_key:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(settings.tls_cert, settings.tls_key)

        def client() -> SMTP:
            return kind(
                hall,
                data_size_limit=self._limit,
                enable_SMTPUTF8=True,
                hostname=self._host,
                ident="sigilpost",
                tls_context=context,
                timeout=settings.timeout_seconds,
                auth_exclude_mechanism=["LOGIN", "PLAIN"],
                loop=loop,
            )

        if self._socket is not None:
            self._socket.unlink(missing_ok=True)  # left by a daemon that was killed
            server = await loop.create_unix_server(client, self._socket)
            # An MTA is another user. Who may come here is for the folder's mode to say.
            self._socket.chmod(0o666)
            return server
        return await loop.create_server(client, settings.host, settings.port)


def _unready(raw: bytes, *, source: str) -> None:
    raise TryLater("only a test of the port")


def _mailbox(address: str) -> str:
    """An address for comparison: without ``+tag``, in lower case."""
    local, at, domain = address.rpartition("@")
    return f"{local.partition('+')[0]}{at}{domain}".lower()
