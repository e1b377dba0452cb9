"""A real Dovecot on the loopback: IMAP, IMAP over TLS and LMTP over Maildirs.

It reads a configuration of its own and shares nothing with an installed system service. As root,
mail processes run as ``nobody`` (Dovecot refuses to serve mail as root); otherwise everything
runs as the caller.
"""

from __future__ import annotations

import base64
import grp
import hashlib
import hmac
import itertools
import json
import os
import pwd
import re
import time
from pathlib import Path

from sigilpost_engine.wire.maildir import delivery
from tests.services.process import HOST, Daemon, Peer, free_port, is_listening, run, wait_until
from tests.services.requirements import program
from tests.services.tls import TlsFiles, make_certificate

DOMAIN = "mail.test"
PASSWORD = "open-sesame"

CONFIG = """\
protocols = imap lmtp
listen = {host}
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
instance_name = sigilpost-test
default_internal_user = {internal_user}
default_internal_group = {internal_group}
default_login_user = {login_user}
first_valid_uid = 1
first_valid_gid = 1
auth_mechanisms = plain login xoauth2 oauthbearer
auth_username_format = %Lu
# The 2 s after each failure, and the penalty by address (anvil-auth-penalty below) that makes the
# next logins wait too, would only slow the tests of failures.
auth_failure_delay = 0
disable_plaintext_auth = no
ssl = yes
ssl_cert = <{cert}
ssl_key = <{key}
mail_location = maildir:~/Maildir
mail_max_userip_connections = 100
recipient_delimiter = +
lda_mailbox_autocreate = yes
postmaster_address = postmaster@{domain}
namespace inbox {{
  inbox = yes
}}
# A file a user: Dovecot would notice a change of one common file only a second later.
passdb {{
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN {folder}/users/%Lu
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf.ext
}}
userdb {{
  driver = passwd-file
  args = {folder}/users/%Lu
  default_fields = uid={uid} gid={gid} home={folder}/mail/%Lu
}}
service imap-login {{
  {no_chroot}
  inet_listener imap {{
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = {imaps_port}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = {host}
    port = {lmtp_port}
  }}
}}
service anvil {{
  {no_chroot}
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  {no_chroot}
}}
"""

OAUTH2 = """\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/oauth2-keys/
username_attribute = email
tokeninfo_url =
"""


class Dovecot(Peer):
    """The running server. Ports stay the same over ``stop``, ``start`` and ``restart``."""

    host = HOST
    password = PASSWORD

    def __init__(self, folder: Path) -> None:
        """Write configuration into ``folder`` (short path, passable for other users)."""
        self.folder = folder
        self.imap_port = free_port()
        self.imaps_port = free_port()
        self.lmtp_port = free_port()
        self.tls: TlsFiles = make_certificate(folder)
        self.config = folder / "dovecot.conf"
        self._numbers = itertools.count(1)
        self._oauth_key = os.urandom(32)
        if os.geteuid() == 0:
            mail = pwd.getpwnam("nobody")
            users = ("dovecot", "dovecot", "dovenull")
        else:
            mail = pwd.getpwuid(os.geteuid())
            users = (mail.pw_name, grp.getgrgid(mail.pw_gid).gr_name, mail.pw_name)
        self._uid, self._gid = mail.pw_uid, mail.pw_gid
        self._prepare(*users)

    def _prepare(self, internal_user: str, internal_group: str, login_user: str) -> None:
        for name in ("run", "state", "mail", "users", "oauth2-keys"):
            (self.folder / name).mkdir(mode=0o755)
        self._own(self.folder / "mail")
        key = self.folder / "oauth2-keys" / "default" / "HS256"
        key.mkdir(parents=True)
        (key / "default").write_text(base64.b64encode(self._oauth_key).decode())
        (self.folder / "oauth2.conf.ext").write_text(OAUTH2.format(folder=self.folder))
        self.config.write_text(
            CONFIG.format(
                host=HOST,
                domain=DOMAIN,
                folder=self.folder,
                internal_user=internal_user,
                internal_group=internal_group,
                login_user=login_user,
                cert=self.tls.cert,
                key=self.tls.key,
                uid=self._uid,
                gid=self._gid,
                imap_port=self.imap_port,
                imaps_port=self.imaps_port,
                lmtp_port=self.lmtp_port,
                no_chroot="chroot =" if os.geteuid() else "",
            )
        )

    def _own(self, path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, self._uid, self._gid)

    # --- the server

    def start(self) -> None:
        """Start, and return when all three ports answer."""
        self._daemon = Daemon(
            [program("dovecot") or "dovecot", "-F", "-c", self.config],
            log=self.folder / "console.log",
        )
        ports = (self.imap_port, self.imaps_port, self.lmtp_port)
        self._daemon.wait_ready(lambda: all(map(is_listening, ports)))

    def log(self) -> str:
        """Return all that the server has logged."""
        return (self.folder / "dovecot.log").read_text(errors="replace")

    def disconnect(self, user: str) -> None:
        """Cut every session of this user."""
        # Status 68 says that the user had none.
        run(["sh", "-c", f'doveadm -c {self.config} kick "$0" || [ $? = 68 ]', user])

    # --- users and their mail

    def add_user(self, name: str | None = None) -> str:
        """Add a mailbox with the common password; return its address, also its login name."""
        address = f"{name or f'user{next(self._numbers)}'}@{DOMAIN}"
        (self.folder / "users" / address).write_text(f"{address}:{PASSWORD}::::::\n")
        home = self.folder / "mail" / address
        for folder in (home, home / "Maildir"):
            folder.mkdir(mode=0o700)
            self._own(folder)
        self._maildir(home / "Maildir")
        return address

    def maildir(self, user: str, mailbox: str = "INBOX") -> Path:
        """Return the Maildir behind a mailbox (Maildir++ layout)."""
        top = self.folder / "mail" / user / "Maildir"
        return top if mailbox == "INBOX" else top / f".{mailbox}"

    def _maildir(self, path: Path) -> None:
        for name in ("", "cur", "new", "tmp"):
            part = path / name
            if not part.exists():
                part.mkdir(mode=0o700)
                self._own(part)

    def deliver(self, user: str, raw: bytes, mailbox: str = "INBOX") -> Path:
        """Put these exact bytes into a mailbox, as a local delivery agent does; wakes IDLE."""
        folder = self.maildir(user, mailbox)
        self._maildir(folder)
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        number = next(self._numbers)
        name = f"{seconds}.M{nanoseconds // 1000}P{os.getpid()}Q{number}.test"
        draft = folder / "tmp" / name
        draft.write_bytes(raw)
        self._own(draft)
        return draft.rename(folder / "new" / name)

    def messages(self, user: str, mailbox: str = "INBOX") -> list[bytes]:
        """Return the stored bytes of all mails of a mailbox, seen or not, oldest first."""
        folder = self.maildir(user, mailbox)
        found = [p for part in ("new", "cur") for p in (folder / part).glob("*")]
        return [p.read_bytes() for p in sorted(found, key=lambda p: delivery(p.name, 0))]

    def wait_messages(
        self, user: str, count: int, mailbox: str = "INBOX", seconds: float = 20.0
    ) -> list[bytes]:
        """Return the mails of a mailbox as soon as there are so many."""
        wait_until(
            lambda: len(self.messages(user, mailbox)) >= count,
            f"{count} mails in {mailbox} of {user}",
            seconds,
        )
        return self.messages(user, mailbox)

    def change_uidvalidity(self, user: str, mailbox: str = "INBOX") -> int:
        """Give a mailbox a new UIDVALIDITY and number its mails anew; return the new value.

        The user's sessions are cut: RFC 9051 section 2.3.1.1 lets the value change between
        sessions only.
        """
        self.disconnect(user)
        folder = self.maildir(user, mailbox)
        uidlist = folder / "dovecot-uidlist"
        old = 0
        if uidlist.exists() and (match := re.match(r"3 V(\d+)", uidlist.read_text())):
            old = int(match[1])
        new = max(old, int(time.time())) + 1
        for index in folder.glob("dovecot.index*"):
            index.unlink()
        uidlist.write_text(f"3 V{new} N1 G{os.urandom(16).hex()}\n")
        self._own(uidlist)
        return new

    # --- OAuth 2

    def access_token(self, user: str, lifetime: int = 3600) -> str:
        """Return a bearer token for XOAUTH2 and OAUTHBEARER; a negative lifetime: expired."""
        now = int(time.time())
        claims = {"email": user, "sub": user, "iat": now - 7200, "exp": now + lifetime}
        head = _b64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
        body = _b64url(json.dumps(claims).encode())
        signature = hmac.digest(self._oauth_key, f"{head}.{body}".encode(), hashlib.sha256)
        return f"{head}.{body}.{_b64url(signature)}"


def _b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
