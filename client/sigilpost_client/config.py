"""The player's settings, ``config.toml``: who they are, where mail comes from and goes to."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from sigilpost_client import home
from sigilpost_client.errors import NotSetUp, Unusable
from sigilpost_client.files import write
from sigilpost_engine.core.messages import Msg, say

FILE = home.SETTINGS

SECURITIES = ("tls", "starttls", "none")
MAILBOXES = ("imap", "maildir", "none")
SUBMISSIONS = ("smtp", "maildir", "eml")
PROTECTIONS = ("none", "passphrase", "keyring")
LOGINS = ("password", "xoauth2")


@dataclass
class Player:
    """The person: name and address as the server shall know them, language, time zone."""

    name: str = ""
    address: str = ""
    language: str = ""
    zone: str = "UTC"


@dataclass
class Server:
    """Where orders go. ``fingerprint`` is known beforehand, or "" to pin at first contact."""

    address: str = ""
    fingerprint: str = ""


@dataclass
class Account:
    """How to get into a mail server, where one is used."""

    kind: str = "none"
    host: str = ""
    port: int = 0
    security: str = "tls"
    user: str = ""
    login: str = "password"
    password: str = ""
    password_command: str = ""
    ca_file: str = ""
    path: str = ""


@dataclass
class Mailbox(Account):
    """Where the server's mail arrives; ``folders`` are those of IMAP, ``path`` a Maildir."""

    folders: list[str] = field(default_factory=lambda: ["INBOX"])


@dataclass
class Submission(Account):
    """How mail leaves: by SMTP, into a Maildir at ``path``, or printed (``eml``)."""

    kind: str = "eml"
    security: str = "starttls"


@dataclass
class Key:
    """How the key file is protected."""

    protection: str = "none"


@dataclass
class Config:
    """All settings; one table of the file each."""

    player: Player = field(default_factory=Player)
    server: Server = field(default_factory=Server)
    mailbox: Mailbox = field(default_factory=Mailbox)
    submission: Submission = field(default_factory=Submission)
    key: Key = field(default_factory=Key)


T = TypeVar("T")


def load() -> Config:
    """Read the settings. Raises NotSetUp without any, Unusable with the key that is wrong."""
    path = home.folder() / FILE
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotSetUp(
            say("client.error.not-set-up", path=str(home.folder())),
            say("client.remedy.init"),
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise Unusable(
            say("client.error.config", path=str(path), why=str(fault)),
            say("client.remedy.config", path=str(path)),
        ) from fault
    config = _table(Config, raw, "", path)
    _check(config, path)
    return config


def save(config: Config) -> Path:
    """Write the settings, private to their owner; return the file."""
    import tomli_w

    path = home.folder() / FILE
    write(path, tomli_w.dumps(_without_defaults(config)).encode("utf-8"))
    return path


def _without_defaults(config: Config) -> dict[str, Any]:
    default = asdict(Config())
    return {
        name: {
            key: value
            for key, value in table.items()
            if value != default[name][key] or key in ("kind", "protection")
        }
        for name, table in asdict(config).items()
    }


def _table(cls: type[T], raw: dict[str, Any], prefix: str, path: Path) -> T:
    """Read one table strictly: no unknown key, no value of another type."""
    hints = get_type_hints(cls)
    known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in raw.items():
        here = f"{prefix}{name}"
        if name not in known:
            raise _wrong(path, here, "client.error.setting-unknown")
        hint = hints[name]
        if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
            if not isinstance(value, dict):
                raise _wrong(path, here, "client.error.setting-type")
            values[name] = _table(hint, value, f"{here}.", path)
        elif hint == list[str]:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise _wrong(path, here, "client.error.setting-type")
            values[name] = value
        elif type(value) is not hint:
            raise _wrong(path, here, "client.error.setting-type")
        else:
            values[name] = value
    return cls(**values)


def _wrong(path: Path, key: str, id: str) -> Unusable:
    return Unusable(say(id, key=key), say("client.remedy.config", path=str(path)))


def _check(config: Config, path: Path) -> None:
    words = (
        ("mailbox.kind", config.mailbox.kind, MAILBOXES),
        ("mailbox.security", config.mailbox.security, SECURITIES),
        ("mailbox.login", config.mailbox.login, LOGINS),
        ("submission.kind", config.submission.kind, SUBMISSIONS),
        ("submission.security", config.submission.security, SECURITIES),
        ("submission.login", config.submission.login, LOGINS),
        ("key.protection", config.key.protection, PROTECTIONS),
    )
    for key, value, allowed in words:
        if value not in allowed:
            raise Unusable(
                no_such_word(key, value, allowed),
                say("client.remedy.config", path=str(path)),
            )
    for key, value in (
        ("player.name", config.player.name),
        ("player.address", config.player.address),
        ("server.address", config.server.address),
    ):
        if not value:
            raise _wrong(path, key, "client.error.setting-missing")


def port_of(account: Account, defaults: dict[str, int]) -> int:
    """The account's port, or the usual one for its kind of security."""
    return account.port or defaults[account.security]


def no_such_word(key: str, value: str, words: Sequence[str]) -> Msg:
    """That a setting, or an option like one, must be one of some words."""
    return say("client.error.setting-word", key=key, value=value, words=list(words))
