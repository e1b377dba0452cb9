"""``init``: who the player is, where mail arrives and leaves, and the key."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sigilpost_client import accounts, config, files, home, keys, orders, store
from sigilpost_client.config import Config, Mailbox, Submission
from sigilpost_client.errors import Unusable
from sigilpost_client.screen import plain
from sigilpost_client.words import from_environment, text
from sigilpost_engine.core.messages import say


def _option(name: str, metavar: str = "", about: str = "") -> Any:
    """An option of ``init``; its words are in the catalogue. A flag has no ``metavar``."""
    return typer.Option(
        f"--{name}",
        metavar=text(f"client.metavar.{metavar}") if metavar else None,
        help=text(f"client.help.init.{about or name}"),
    )


def _security_option(name: str) -> Any:
    return typer.Option(
        f"--{name}", metavar="|".join(config.SECURITIES), help=text("client.help.init.security")
    )


def init(
    server: Annotated[str, _option("server", "address")] = "",
    address: Annotated[str, _option("address", "address")] = "",
    name: Annotated[str, _option("name", "name")] = "",
    language: Annotated[str, _option("language", "language")] = "",
    zone: Annotated[str, _option("zone", "zone")] = "",
    fingerprint: Annotated[str, _option("fingerprint", "fingerprint")] = "",
    maildir: Annotated[str, _option("maildir", "folder")] = "",
    imap: Annotated[str, _option("imap", "host")] = "",
    imap_user: Annotated[str, _option("imap-user", "name", "user")] = "",
    imap_security: Annotated[str, _security_option("imap-security")] = "",
    imap_folder: Annotated[list[str], _option("imap-folder", "name")] = [],  # noqa: B006  # Typer copies it
    no_mailbox: Annotated[bool, _option("no-mailbox")] = False,
    smtp: Annotated[str, _option("smtp", "host")] = "",
    smtp_user: Annotated[str, _option("smtp-user", "name", "user")] = "",
    smtp_security: Annotated[str, _security_option("smtp-security")] = "",
    drop: Annotated[str, _option("drop", "folder")] = "",
    eml: Annotated[bool, _option("eml")] = False,
    password_command: Annotated[str, _option("password-command", "command")] = "",
    xoauth2: Annotated[bool, _option("xoauth2")] = False,
    ca_file: Annotated[str, _option("ca-file", "file")] = "",
    key: Annotated[str, _option("key", "file")] = "",
    no_passphrase: Annotated[bool, _option("no-passphrase")] = False,
    keyring: Annotated[bool, _option("keyring")] = False,
    again: Annotated[bool, _option("again")] = False,
) -> None:
    """Write the settings and make the key."""
    choices = Choices(**locals())
    old = _old_settings(again)
    settings = old or Config()
    _player(settings, choices, old is None)
    _mailbox(settings, choices, old is None)
    _submission(settings, choices, old is None)
    if not keys.path().exists():
        settings.key.protection = _make_key(settings, choices)
    if choices.fingerprint:
        _trust(choices.fingerprint)
    path = config.save(settings)
    plain.say("client.done.init", path=str(path))
    plain.say("client.done.key", path=str(keys.path()))
    plain.say("client.next.register")


@dataclass(frozen=True)
class Choices:
    """The options of ``init`` as given."""

    server: str
    address: str
    name: str
    language: str
    zone: str
    fingerprint: str
    maildir: str
    imap: str
    imap_user: str
    imap_security: str
    imap_folder: list[str]
    no_mailbox: bool
    smtp: str
    smtp_user: str
    smtp_security: str
    drop: str
    eml: bool
    password_command: str
    xoauth2: bool
    ca_file: str
    key: str
    no_passphrase: bool
    keyring: bool
    again: bool

    @property
    def login(self) -> dict[str, Any]:
        """What both mail accounts share."""
        return {
            "login": "xoauth2" if self.xoauth2 else "password",
            "password_command": self.password_command,
            "ca_file": _absolute(self.ca_file) if self.ca_file else "",
        }


def _player(settings: Config, choices: Choices, fresh: bool) -> None:
    player = settings.player
    settings.server.address = choices.server or settings.server.address or _ask("server")
    player.address = choices.address or player.address or _ask("address")
    player.name = choices.name or player.name or _ask("name")
    player.language = choices.language or player.language or from_environment(os.environ)
    player.zone = choices.zone or (local_zone() if fresh else player.zone)
    settings.server.fingerprint = choices.fingerprint or settings.server.fingerprint
    _check_fingerprint(settings.server.fingerprint)
    _check_identity(settings)


def _mailbox(settings: Config, choices: Choices, fresh: bool) -> None:
    """Where mail arrives: as chosen; asked for at the first time."""
    _one_of(
        {"--maildir": choices.maildir, "--imap": choices.imap, "--no-mailbox": choices.no_mailbox}
    )
    if choices.maildir:
        settings.mailbox = Mailbox(kind="maildir", path=_absolute(choices.maildir))
    elif choices.no_mailbox:
        settings.mailbox = Mailbox()
    elif choices.imap or fresh:
        user = choices.imap_user or settings.player.address
        settings.mailbox = Mailbox(
            kind="imap",
            **accounts.account(choices.imap or _ask("imap"), choices.imap_security, user),
            **choices.login,
            folders=choices.imap_folder or ["INBOX"],
        )


def _submission(settings: Config, choices: Choices, fresh: bool) -> None:
    """How mail leaves: as chosen; asked for at the first time."""
    _one_of({"--smtp": choices.smtp, "--drop": choices.drop, "--eml": choices.eml})
    if choices.drop:
        settings.submission = Submission(kind="maildir", path=_absolute(choices.drop))
    elif choices.eml:
        settings.submission = Submission()
    elif choices.smtp or fresh:
        host = choices.smtp or _ask("smtp")
        user = choices.smtp_user
        if not user and not accounts.is_here(host):
            user = settings.player.address
        settings.submission = Submission(
            kind="smtp", **accounts.account(host, choices.smtp_security, user), **choices.login
        )


def _old_settings(again: bool) -> Config | None:
    if not (home.folder() / config.FILE).exists():
        return None
    if not again:
        raise Unusable(
            say("client.error.init-again", path=str(home.folder())), say("client.remedy.init-again")
        )
    return config.load()


def _ask(what: str) -> str:
    """Ask for a setting at the terminal. Raises Unusable where nobody can answer."""
    if not sys.stdin.isatty():
        raise Unusable(
            say("client.error.option-missing", option=f"--{what}"), say("client.remedy.init-help")
        )
    answer: str = typer.prompt(text(f"client.ask.{what}"), prompt_suffix=" ")
    return answer.strip()


def _one_of(options: dict[str, Any]) -> None:
    used = [name for name, value in options.items() if value]
    if len(used) > 1:
        raise Unusable(say("client.error.options-clash", options=used), None)


def _check_identity(settings: Config) -> None:
    """Refuse now what the server could not take later."""
    from sigilpost_engine.wire.errors import BadFields
    from sigilpost_engine.wire.payloads import Register

    player = settings.player
    checks = {each.name: each.metadata["check"] for each in fields(Register)}
    try:
        checks["address"]("address", settings.server.address)
        checks["address"]("address", player.address)
        checks["name"]("name", player.name)
        checks["lang"]("lang", player.language)
        checks["zone"]("zone", player.zone)
    except BadFields as fault:
        raise orders.bad_field(fault) from fault


def _check_fingerprint(shown: str) -> None:
    from sigilpost_engine.wire.checks import FINGERPRINT
    from sigilpost_engine.wire.keys import ungrouped

    if shown and not FINGERPRINT.fullmatch(ungrouped(shown)):
        raise Unusable(
            say("client.error.fingerprint", given=shown), say("client.remedy.fingerprint")
        )


def _trust(fingerprint: str) -> None:
    """Let go of a pinned key that is another one than the player says."""
    from sigilpost_engine.wire.keys import ungrouped

    with store.change() as state:
        pinned = state.server
        if pinned.public and pinned.fingerprint != ungrouped(fingerprint):
            state.server = store.ServerRecord(former=pinned.known)


def _absolute(path: str) -> str:
    return str(files.named(path).resolve())


def _make_key(settings: Config, choices: Choices) -> str:
    """Make the key, or take the one that is given; return how it is protected."""
    if choices.key:
        return _take_key(Path(choices.key))
    if choices.keyring:
        keys.make(keys.new_in_keyring(settings.player.address))
        return "keyring"
    passphrase = keys.new_passphrase(none=choices.no_passphrase)
    keys.make(passphrase)
    return "passphrase" if passphrase else "none"


def _take_key(source: Path) -> str:
    from sigilpost_engine.wire.keys import KeyFileError, PassphraseNeeded, PrivateKey

    protection = "none"
    try:
        data = files.named(source).read_bytes()
        PrivateKey.from_pem(data)
    except PassphraseNeeded:
        protection = "passphrase"
    except (OSError, KeyFileError) as fault:
        raise Unusable(
            say("client.error.key-file", path=str(source), why=str(fault)),
            say("client.remedy.key-file"),
        ) from fault
    files.write(keys.path(), data)
    return protection


def local_zone() -> str:
    """The IANA name of this machine's time zone, as far as it tells; else UTC."""
    from sigilpost_engine.wire.checks import ZONE

    named = os.environ.get("TZ", "").lstrip(":")
    if not named:
        target = os.path.realpath("/etc/localtime")
        named = target.partition("zoneinfo/")[2]
    return named if ZONE.fullmatch(named) else "UTC"
