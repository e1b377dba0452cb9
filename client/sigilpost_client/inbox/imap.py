"""IMAP (RFC 9051) through IMAPClient: folders are examined, never selected for writing."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from sigilpost_client.config import Mailbox, port_of
from sigilpost_client.errors import Unreachable
from sigilpost_client.inbox import SIZE_MAX, Found
from sigilpost_client.passwords import password
from sigilpost_engine.core.messages import say

PORTS = {"tls": 993, "starttls": 143, "none": 143}
PATIENCE = 60
BATCH = 20


class ImapInbox:
    """The mails from the server's address in the settings' folders.

    Remembered is, for each folder, ``[UIDVALIDITY, next UID]`` (RFC 9051 section 2.3.1.1): under
    another UIDVALIDITY everything is read again, which does no harm.
    """

    def __init__(self, settings: Mailbox, sender: str) -> None:
        self.name = f"imap:{settings.user}@{settings.host}"
        self._settings = settings
        self._sender = sender

    def new(self, memory: Any) -> Iterator[Found]:
        """The mails above the remembered UIDs, in the order of their arrival."""
        folders: dict[str, list[int]] = dict(memory or {})
        with self._session() as client:
            for folder in self._settings.folders:
                yield from self._folder(client, folder, folders)

    def _folder(
        self, client: IMAPClient, folder: str, folders: dict[str, list[int]]
    ) -> Iterator[Found]:
        status = client.select_folder(folder, readonly=True)
        validity, following = int(status[b"UIDVALIDITY"]), int(status.get(b"UIDNEXT", 0))
        known, first = folders.get(folder, [validity, 1])
        if known != validity:
            first = 1
        if following and first >= following:
            return
        # ``n:*`` always names the last mail, even below n.
        criteria = ["UID", f"{first}:*", "FROM", self._sender]
        uids = sorted(uid for uid in client.search(criteria) if uid >= first)
        for at in range(0, len(uids), BATCH):
            for uid, raw in self._fetch(client, uids[at : at + BATCH]):
                folders[folder] = [validity, uid + 1]
                yield Found(raw, {name: list(place) for name, place in folders.items()})
        # What is not from the server need not be searched again.
        folders[folder] = [validity, max([following, *(uid + 1 for uid in uids)])]
        yield Found(b"", {name: list(place) for name, place in folders.items()})

    def _fetch(self, client: IMAPClient, uids: list[int]) -> Iterator[tuple[int, bytes]]:
        sizes = client.fetch(uids, ["RFC822.SIZE"])
        fit = [uid for uid in uids if sizes.get(uid, {}).get(b"RFC822.SIZE", 0) <= SIZE_MAX]
        if not fit:
            return
        mails = client.fetch(fit, ["BODY.PEEK[]"])
        for uid in fit:
            if raw := mails.get(uid, {}).get(b"BODY[]"):
                yield uid, raw

    @contextmanager
    def _session(self) -> Iterator[IMAPClient]:
        settings = self._settings
        try:
            with IMAPClient(
                settings.host,
                port_of(settings, PORTS),
                ssl=settings.security == "tls",
                ssl_context=self._tls(),
                timeout=PATIENCE,
            ) as client:
                if settings.security == "starttls":
                    client.starttls(self._tls())
                self._login(client)
                yield client
        except (OSError, IMAPClientError) as fault:
            raise Unreachable(
                say("client.error.imap", host=settings.host, why=str(fault)),
                say("client.remedy.imap"),
            ) from fault

    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self._settings.ca_file or None)

    def _login(self, client: IMAPClient) -> None:
        if self._settings.login == "xoauth2":
            client.oauth2_login(self._settings.user, password(self._settings))
        else:
            client.login(self._settings.user, password(self._settings))
