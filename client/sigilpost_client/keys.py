"""The player's private key: made, protected, opened, shown."""

from __future__ import annotations

import hashlib
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
    from sigilpost_engine.wire.sealed import SealKey

FILE = "key.pem"
NEXT = "key.next.pem"
SEAL = "seal.pem"
FORMER = "former"
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
    return load_with_passphrase(config)[0]


def load_with_passphrase(config: Config) -> tuple[PrivateKey, str | None]:
    """The key and the passphrase of its file, if it has one. Raises NotSetUp, KeyLocked."""
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
        passphrase = _passphrase(config)
        return PrivateKey.from_pem(data, passphrase), passphrase
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


# --- keys that change -----------------------------------------------------------------------------


def next_key(passphrase: str | None) -> PrivateKey:
    """The key that is to follow; made unless it is there. Raises KeyLocked."""
    from sigilpost_engine.wire.keys import KeyFileError, PrivateKey

    file = home.folder() / NEXT
    if file.exists():
        try:
            return PrivateKey.from_pem(file.read_bytes(), passphrase)
        except KeyFileError as fault:
            raise KeyLocked(
                say("client.error.key-file", path=str(file), why=str(fault)),
                say("client.remedy.next-key", path=str(file)),
            ) from fault
    key = PrivateKey.generate()
    files.write(file, key.to_pem(passphrase))
    return key


def take_next() -> None:
    """The next key takes the place of the key, which is kept aside."""
    file = home.folder() / NEXT
    if file.exists():
        _keep_aside(move=False)
        file.replace(path())


def set_aside() -> None:
    """Make room for a new key; the old one is kept, should it not be lost after all."""
    if path().exists():
        _keep_aside(move=True)


def _keep_aside(*, move: bool) -> None:
    data = path().read_bytes()
    name = f"{hashlib.sha256(data).hexdigest()[:16]}.pem"
    files.write(home.folder() / FORMER / name, data)
    if move:
        path().unlink()


def seal_key() -> SealKey:
    """The key that mail is sealed to; made unless it is there. Raises KeyLocked.

    It has no passphrase: what it opens lies open beside it, in ``turns/``.
    """
    from sigilpost_engine.wire.sealed import SealKey

    found = seal_keys()
    if found:
        return found[0]
    key = SealKey.generate()
    files.write(home.folder() / SEAL, key.to_pem())
    return key


def seal_keys() -> list[SealKey]:
    """The keys that open sealed mail: none before one was made. Raises KeyLocked."""
    from sigilpost_engine.wire.keys import KeyFileError
    from sigilpost_engine.wire.sealed import SealKey

    file = home.folder() / SEAL
    try:
        return [SealKey.from_pem(file.read_bytes())]
    except FileNotFoundError:
        return []
    except (OSError, KeyFileError) as fault:
        raise KeyLocked(
            say("client.error.key-file", path=str(file), why=str(fault)),
            say("client.remedy.seal-key", path=str(file)),
        ) from fault


# --- the passphrase -------------------------------------------------------------------------------


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


def new_passphrase(*, none: bool) -> str | None:
    """The passphrase for a file that is written now: from the environment, else asked for twice.

    ``none``: the player wants none. Raises Unusable if nobody is there to ask, or the two differ.
    """
    if none:
        return None
    if given := os.environ.get(VARIABLE):
        return given
    if not sys.stdin.isatty():
        raise Unusable(
            say("client.error.option-missing", option="--no-passphrase"),
            say("client.remedy.no-passphrase", name=VARIABLE),
        )
    first = ask(text("client.ask.new-passphrase"))
    if first != ask(text("client.ask.passphrase-again")):
        raise Unusable(say("client.error.passphrases-differ"), say("client.remedy.again"))
    return first or None


def _keyring() -> Any:
    """The optional package of that name, which speaks to the desktop's keyring."""
    from importlib import import_module

    try:
        return import_module("keyring")
    except ImportError as fault:
        raise _no_keyring(fault) from fault


def _no_keyring(fault: Exception) -> KeyLocked:
    return KeyLocked(say("client.error.keyring", why=str(fault)), say("client.remedy.keyring"))
