"""Mail from an IMAP mailbox (RFC 9051), woken by IDLE (RFC 2177) or polled.

All memory of what is done lies in the mailbox itself, as a keyword or by the mail's absence.
No UID outlives its session, so a new UIDVALIDITY (RFC 9051 section 2.3.1.1), an expunge by
somebody else or a re-delivery needs no special care.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
from collections.abc import Iterator
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from sigilpost_server.passwords import CommandFailed, secret_of
from sigilpost_server.sources.base import Handle, LoginFailed, SourceError, Stop, hand_over
from sigilpost_server.sources.settings import ImapSettings

log = logging.getLogger(__name__)

DONE_KEYWORD = b"$SigilpostDone"
"""Ours alone: ``\\Seen`` would be set by anybody who looks into the mailbox with a mail reader."""


class ImapSource:
    """One mailbox, over one kept connection."""

    def __init__(self, settings: ImapSettings, *, limit: int) -> None:
        """``limit`` in bytes: of a bigger mail only so much and one byte more is fetched."""
        self.name = f"imap:{settings.user}@{settings.host}/{settings.folder}"
        self._settings = settings
        self._limit = limit
        self._client: Any = None
        self._keyword = True
        self._settled: set[int] = set()  # not to be fetched again in this session
        self._refused: set[int] = set()  # nor in this round: the server would not show them
        self._complained: set[int] = set()  # those of them that were logged

    # --- one round

    def round(self, handle: Handle, stop: Stop) -> int:
        """Fetch, hand over and mark every mail that waits."""
        count = 0
        with self._translated():
            client = self._connected()
            client.noop()  # some servers tell SEARCH of new mail only after it
            self._refused.clear()
            fresh = True
            while fresh and not stop.is_set():
                _take_news(client)
                count += self._pass(client, handle, stop)
                fresh = _take_news(client)
        return count

    def _pass(self, client: IMAPClient, handle: Handle, stop: Stop) -> int:
        """Deal with what one search finds; return how many mails are done."""
        count = 0
        for uid in self._waiting(client):
            if stop.is_set():
                break
            raw = self._fetch(client, uid)
            if raw is None:
                self._refused.add(uid)
            elif hand_over(handle, raw, self.name):
                self._settled.add(uid)  # some servers take a mark and do not keep it
                self._try_to_mark(client, uid)
                count += 1
        return count

    def _waiting(self, client: IMAPClient) -> list[int]:
        """The UIDs of the mails that bear no mark, in the order of their arrival."""
        if self._settings.done == "mark":
            fresh = ["UNKEYWORD", DONE_KEYWORD] if self._keyword else ["UNSEEN"]
        else:
            fresh = ["UNDELETED"]
        past = self._settled | self._refused
        return sorted(uid for uid in client.search(fresh) if uid not in past)

    def _fetch(self, client: IMAPClient, uid: int) -> bytes | None:
        """The bytes of a mail; None if somebody expunged it or the server cannot show it now."""
        part = b"BODY.PEEK[]<0.%d>" % (self._limit + 1)
        try:
            answer = client.fetch([uid], [part])
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            # A mail that the server itself stumbles over must not stop those behind it; and as
            # it may be but busy, the next round tries again.
            if uid not in self._complained:
                self._complained.add(uid)
                self._complain("mail not fetched", uid, error)
            return None
        items = answer.get(uid, {})
        raw = items.get(b"BODY[]<0>", items.get(b"BODY[]"))
        return raw if isinstance(raw, bytes) else None

    def _try_to_mark(self, client: IMAPClient, uid: int) -> None:
        """Mark a mail; if the server refuses that, those behind it have their turn all the same.

        The next session finds it once more, and the service knows it.
        """
        try:
            self._mark(client, uid)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            self._complain("mail not marked", uid, error)

    def _complain(self, what: str, uid: int, error: IMAPClientError) -> None:
        log.warning(what, extra={"source": self.name, "uid": uid, "why": error})

    def _mark(self, client: IMAPClient, uid: int) -> None:
        """Take the mail out of the next search; its transaction is committed."""
        if self._settings.done == "mark":
            flags = [rb"\Seen", DONE_KEYWORD] if self._keyword else [rb"\Seen"]
            client.add_flags([uid], flags, silent=True)
        elif self._settings.done == "move":
            self._move(client, uid)
        else:
            self._delete(client, uid)

    def _move(self, client: IMAPClient, uid: int) -> None:
        if client.has_capability("MOVE"):
            client.move([uid], self._settings.done_folder)
        else:
            client.copy([uid], self._settings.done_folder)
            self._delete(client, uid)

    def _delete(self, client: IMAPClient, uid: int) -> None:
        client.delete_messages([uid], silent=True)
        if client.has_capability("UIDPLUS"):  # without it EXPUNGE would take others' mail along
            client.uid_expunge([uid])

    # --- waiting

    def wait(self, stop: Stop) -> None:
        """Idle until there is news, but renew often: an IDLE that dies does not say so."""
        with self._translated():
            client = self._connected()
            if not (self._settings.idle and client.has_capability("IDLE")):
                stop.wait(self._settings.poll_seconds)
                return
            client.idle()
            if not _has_buffered(client):
                stop.wait_readable(client.socket(), self._settings.idle_renew_seconds)
            client.idle_done()

    # --- the connection

    def _connected(self) -> IMAPClient:
        if self._client is None:
            client = self._dial()
            try:
                self._log_in(client)
                self._select(client)
            except BaseException:
                _hang_up(client)
                raise
            self._client = client
            self._settled.clear()
            self._complained.clear()
            log.info("mailbox opened", extra={"source": self.name})
        return self._client

    def _dial(self) -> IMAPClient:
        settings = self._settings
        context = None
        if settings.tls != "none":
            context = ssl.create_default_context(cafile=settings.ca_file)
        client = IMAPClient(
            settings.host,
            port=settings.port or None,
            ssl=settings.tls == "implicit",
            ssl_context=context,
            timeout=SocketTimeout(settings.timeout_seconds, settings.timeout_seconds),
        )
        if settings.tls == "starttls":
            try:
                client.starttls(context)
            except BaseException:
                _hang_up(client)
                raise
        return client

    def _log_in(self, client: IMAPClient) -> None:
        settings = self._settings
        try:
            if settings.token_command:
                token = secret_of(settings.token_command)
                if client.has_capability("AUTH=XOAUTH2"):
                    client.oauth2_login(settings.user, token)
                else:
                    client.oauthbearer_login(settings.user, token)
            else:
                password = settings.password.get_secret_value()
                if settings.password_command:
                    password = secret_of(settings.password_command)
                client.login(settings.user, password)
        except IMAPClientAbortError:
            raise
        except (CommandFailed, IMAPClientError) as error:
            raise LoginFailed(f"the server refused the login of {settings.user}: {error}") from None

    def _select(self, client: IMAPClient) -> None:
        if self._settings.done == "move" and not client.folder_exists(self._settings.done_folder):
            client.create_folder(self._settings.done_folder)
        answer = client.select_folder(self._settings.folder)
        permanent = {flag.lower() for flag in answer.get(b"PERMANENTFLAGS", ())}
        # RFC 9051 section 7.1: `\*` means that new keywords can be made.
        self._keyword = bool(permanent & {rb"\*", DONE_KEYWORD.lower()})

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Close the connection after an error of it, and name the error SourceError."""
        try:
            yield
        except (OSError, IMAPClientError) as error:
            self.close()
            raise SourceError(f"{self.name}: {error or type(error).__name__}") from error
        except SourceError:
            self.close()
            raise

    def probe(self) -> None:
        """Log in and open the folder. Raises SourceError."""
        with self._translated():
            self._connected()

    def close(self) -> None:
        """Hang up; the next round connects anew."""
        if self._client is not None:
            _hang_up(self._client)
            self._client = None


def _take_news(client: IMAPClient) -> bool:
    """Whether the server has told of new mail since the last call.

    It does so in the answer to any command, and then not again when IDLE begins.
    """
    return client._imap.untagged_responses.pop("EXISTS", None) is not None


def _has_buffered(client: IMAPClient) -> bool:
    """Whether the library has already read what came right behind the server's ``+ idling``.

    The socket would never wake us for those lines.
    """
    sock: socket.socket = client.socket()
    if isinstance(sock, ssl.SSLSocket) and sock.pending():
        return True
    file = getattr(client._imap, "_file", None) or client._imap.file
    timeout = sock.gettimeout()
    sock.settimeout(0)
    try:
        return bool(file.peek(1))
    except OSError:  # nothing to read; SSLWantReadError is one
        return False
    finally:
        sock.settimeout(timeout)


def _hang_up(client: IMAPClient) -> None:
    # LOGOUT would wait for an answer that a dead server never gives.
    with contextlib.suppress(OSError, IMAPClientError):
        client.shutdown()
