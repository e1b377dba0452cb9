"""Beginning: ``init``, ``register``, ``confirm``."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sigilpost_client import config, home, keys, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.config import Config, Mailbox, Submission
from sigilpost_client.errors import Unusable
from sigilpost_client.screen import plain
from sigilpost_client.words import from_environment, text
from sigilpost_engine.core.messages import say

LOOPBACK = ("localhost", "127.0.0.1", "::1")
IMPLICIT_TLS = (993, 465)
PLAIN_PORTS = (143, 587, 25)
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")


def init(
    server: Annotated[
        str,
        typer.Option(
            "--server", metavar=text("client.metavar.address"), help=text("client.help.init.server")
        ),
    ] = "",
    address: Annotated[
        str,
        typer.Option(
            "--address",
            metavar=text("client.metavar.address"),
            help=text("client.help.init.address"),
        ),
    ] = "",
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar=text("client.metavar.name"), help=text("client.help.init.name")
        ),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            "--language",
            metavar=text("client.metavar.language"),
            help=text("client.help.init.language"),
        ),
    ] = "",
    zone: Annotated[
        str,
        typer.Option(
            "--zone", metavar=text("client.metavar.zone"), help=text("client.help.init.zone")
        ),
    ] = "",
    fingerprint: Annotated[
        str,
        typer.Option(
            "--fingerprint",
            metavar=text("client.metavar.fingerprint"),
            help=text("client.help.init.fingerprint"),
        ),
    ] = "",
    maildir: Annotated[
        str,
        typer.Option(
            "--maildir",
            metavar=text("client.metavar.folder"),
            help=text("client.help.init.maildir"),
        ),
    ] = "",
    imap: Annotated[
        str,
        typer.Option(
            "--imap", metavar=text("client.metavar.host"), help=text("client.help.init.imap")
        ),
    ] = "",
    imap_user: Annotated[
        str,
        typer.Option(
            "--imap-user", metavar=text("client.metavar.name"), help=text("client.help.init.user")
        ),
    ] = "",
    imap_security: Annotated[
        str,
        typer.Option(
            "--imap-security", metavar="tls|starttls|none", help=text("client.help.init.security")
        ),
    ] = "",
    imap_folder: Annotated[
        list[str],
        typer.Option(
            "--imap-folder",
            metavar=text("client.metavar.name"),
            help=text("client.help.init.imap-folder"),
        ),
    ] = [],  # noqa: B006  # Typer copies it
    no_mailbox: Annotated[
        bool, typer.Option("--no-mailbox", help=text("client.help.init.no-mailbox"))
    ] = False,
    smtp: Annotated[
        str,
        typer.Option(
            "--smtp", metavar=text("client.metavar.host"), help=text("client.help.init.smtp")
        ),
    ] = "",
    smtp_user: Annotated[
        str,
        typer.Option(
            "--smtp-user", metavar=text("client.metavar.name"), help=text("client.help.init.user")
        ),
    ] = "",
    smtp_security: Annotated[
        str,
        typer.Option(
            "--smtp-security", metavar="tls|starttls|none", help=text("client.help.init.security")
        ),
    ] = "",
    drop: Annotated[
        str,
        typer.Option(
            "--drop", metavar=text("client.metavar.folder"), help=text("client.help.init.drop")
        ),
    ] = "",
    eml: Annotated[bool, typer.Option("--eml", help=text("client.help.init.eml"))] = False,
    password_command: Annotated[
        str,
        typer.Option(
            "--password-command",
            metavar=text("client.metavar.command"),
            help=text("client.help.init.password-command"),
        ),
    ] = "",
    xoauth2: Annotated[
        bool, typer.Option("--xoauth2", help=text("client.help.init.xoauth2"))
    ] = False,
    ca_file: Annotated[
        str,
        typer.Option(
            "--ca-file", metavar=text("client.metavar.file"), help=text("client.help.init.ca-file")
        ),
    ] = "",
    key: Annotated[
        str,
        typer.Option(
            "--key", metavar=text("client.metavar.file"), help=text("client.help.init.key")
        ),
    ] = "",
    no_passphrase: Annotated[
        bool, typer.Option("--no-passphrase", help=text("client.help.init.no-passphrase"))
    ] = False,
    keyring: Annotated[
        bool, typer.Option("--keyring", help=text("client.help.init.keyring"))
    ] = False,
    again: Annotated[bool, typer.Option("--again", help=text("client.help.init.again"))] = False,
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
            **_account(choices.imap or _ask("imap"), choices.imap_security, user),
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
        if not user and _host(host)[0] not in LOOPBACK:
            user = settings.player.address
        settings.submission = Submission(
            kind="smtp", **_account(host, choices.smtp_security, user), **choices.login
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
    from sigilpost_engine.wire.keys import ungrouped
    from sigilpost_engine.wire.payloads import FINGERPRINT

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
    return str(Path(path).expanduser().resolve())


def _host(given: str) -> tuple[str, int]:
    """``HOST[:PORT]``; an IPv6 address with a port stands in brackets (RFC 3986)."""
    host, colon, figures = given.rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        return given.strip("[]"), 0
    if not figures.isascii() or not figures.isdigit() or not 0 < int(figures) < 65536:
        raise Unusable(say("client.error.port", given=given), say("client.remedy.port"))
    return host.strip("[]"), int(figures)


def _account(given: str, security: str, user: str) -> dict[str, Any]:
    host, port = _host(given)
    if security and security not in config.SECURITIES:
        raise Unusable(
            say(
                "client.error.setting-word",
                key="--…-security",
                value=security,
                words=list(config.SECURITIES),
            )
        )
    return {"host": host, "port": port, "security": security or _security(host, port), "user": user}


def _security(host: str, port: int) -> str:
    """What is safe and usual (RFC 8314); nothing only towards this very machine."""
    if port in IMPLICIT_TLS:
        return "tls"
    if port in PLAIN_PORTS:
        return "starttls"
    if host in LOOPBACK:
        return "none"
    return "starttls" if port else "tls"


def _make_key(settings: Config, choices: Choices) -> str:
    """Make the key, or take the one that is given; return how it is protected."""
    if choices.key:
        return _take_key(Path(choices.key))
    if choices.keyring:
        keys.make(keys.new_in_keyring(settings.player.address))
        return "keyring"
    passphrase = os.environ.get(keys.VARIABLE, "")
    if not passphrase and not choices.no_passphrase:
        passphrase = _new_passphrase()
    keys.make(passphrase or None)
    return "passphrase" if passphrase else "none"


def _new_passphrase() -> str:
    if not sys.stdin.isatty():
        raise Unusable(
            say("client.error.option-missing", option="--no-passphrase"),
            say("client.remedy.no-passphrase", name=keys.VARIABLE),
        )
    return keys.ask_new()


def _take_key(source: Path) -> str:
    from sigilpost_client import files
    from sigilpost_engine.wire.keys import KeyFileError, PassphraseNeeded, PrivateKey

    protection = "none"
    try:
        data = source.expanduser().read_bytes()
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
    named = os.environ.get("TZ", "").lstrip(":")
    if not named:
        target = os.path.realpath("/etc/localtime")
        named = target.partition("zoneinfo/")[2]
    return named if ZONE.fullmatch(named) else "UTC"


def register(
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Ask the server to know this player: address, name and key."""
    from sigilpost_engine.wire.payloads import Register

    settings = config.load()
    signer = orders.Signer(settings)
    player = settings.player
    with store.change() as state:
        block = signer.sign(
            Register,
            state.server.fingerprint,
            public=signer.key.public.hex,
            name=player.name,
            address=player.address,
            lang=player.language or "en",
            zone=player.zone,
        )
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.register-subject"),
            words=[text("client.mail.register", name=player.name, address=player.address)],
        )
        state.registration.state = "sent"
        state.registration.key = signer.key.fingerprint
        state.registration.digest = block.digest.hex()
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.challenge", did="register")


def confirm(
    token: Annotated[
        str, typer.Argument(metavar=text("client.metavar.token"), help=text("client.help.token"))
    ],
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Answer a challenge by hand."""
    settings = config.load()
    signer = orders.Signer(settings)
    with store.change() as state:
        block, outgoing = orders.confirmation(signer, state, token)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.sync", did="confirm")
