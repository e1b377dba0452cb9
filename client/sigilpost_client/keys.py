"""The player's private key: made, protected, opened, shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sigilpost_client import files, home
from sigilpost_client.config import Config
from sigilpost_client.errors import KeyLocked, NotSetUp, Unusable
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

if TYPE_CHECKING:
    from sigilpost_engine.wire.keys import PrivateKey

FILE = "key.pem"
VARIABLE = "SIGIL_PASSPHRASE"
SERVICE = "sigilpost"


def path() -> Path:
    """The key file."""
    return home.folder() / FILE


def make(passphrase: str | None) -> PrivateKey:
    """Make and store a new key. Raises Unusable if there is one: keys are never overwritten."""
    from sigilpost_engine.wire.keys import PrivateKey

    if path().exists():
        raise Unusable(
            say("client.error.key-exists", path=str(path())), say("client.remedy.key-exists")
        )
    key = PrivateKey.generate()
    files.write(path(), key.to_pem(passphrase))
    return key


def new_in_keyring(address: str) -> str:
    """Put a new random passphrase into the desktop keyring; return it. Raises KeyLocked."""
    import secrets

    passphrase = secrets.token_urlsafe(32)
    keyring = _keyring()
    try:
        keyring.set_password(SERVICE, address, passphrase)
    except Exception as fault:
        raise _no_keyring(fault) from fault
    return passphrase


def load(config: Config) -> PrivateKey:
    """Open the key, asking for the passphrase if it needs one. Raises NotSetUp, KeyLocked."""
    from sigilpost_engine.wire.keys import (
        KeyFileError,
        PassphraseNeeded,
        PrivateKey,
        WrongPassphrase,
    )

    try:
        data = path().read_bytes()
    except OSError:
        raise NotSetUp(
            say("client.error.no-key", path=str(path())), say("client.remedy.init")
        ) from None
    try:
        return PrivateKey.from_pem(data, _passphrase(config))
    except PassphraseNeeded:
        raise KeyLocked(
            say("client.error.passphrase-needed"), say("client.remedy.passphrase", name=VARIABLE)
        ) from None
    except WrongPassphrase:
        raise KeyLocked(say("client.error.passphrase-wrong"), say("client.remedy.again")) from None
    except KeyFileError as fault:
        raise KeyLocked(
            say("client.error.key-file", path=str(path()), why=str(fault)),
            say("client.remedy.key-file"),
        ) from fault


def _passphrase(config: Config) -> str | None:
    if config.key.protection == "none":
        return None
    if given := os.environ.get(VARIABLE):
        return given
    if config.key.protection == "keyring":
        keyring = _keyring()
        try:
            found: str | None = keyring.get_password(SERVICE, config.player.address)
        except Exception as fault:
            raise _no_keyring(fault) from fault
        return found
    return ask(text("client.ask.passphrase")) if somebody_there() else None


def somebody_there() -> bool:
    """Whether there is a terminal to ask at; in ``|sigil read`` it is not standard input."""
    return sys.stdin.isatty() or sys.stderr.isatty()


def ask(question: str) -> str:
    """Ask for something secret at the terminal, not shown while typed."""
    from getpass import getpass

    return getpass(f"{question} ")


def ask_new() -> str:
    """Ask for a new passphrase, twice. Raises Unusable if the two differ."""
    first = ask(text("client.ask.new-passphrase"))
    if first != ask(text("client.ask.passphrase-again")):
        raise Unusable(say("client.error.passphrases-differ"), say("client.remedy.again"))
    return first


def _keyring() -> Any:
    """The optional package of that name, which speaks to the desktop's keyring."""
    from importlib import import_module

    try:
        return import_module("keyring")
    except ImportError as fault:
        raise _no_keyring(fault) from fault


def _no_keyring(fault: Exception) -> KeyLocked:
    return KeyLocked(say("client.error.keyring", why=str(fault)), say("client.remedy.keyring"))


def grouped(fingerprint: str) -> str:
    """A fingerprint as people compare it."""
    return " ".join(fingerprint[at : at + 4] for at in range(0, len(fingerprint), 4))
