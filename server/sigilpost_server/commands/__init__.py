"""The kinds of block, a file each: ``run(work, signed)`` carries one out.

A command changes the database through the work's transaction, posts the letters that others get,
and returns the outcome with the one answer. It is given blocks with good signatures only.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from sigilpost_server.errors import TryLater
from sigilpost_server.transaction.work import Outcome, Signed, Work

Command = Callable[[Work, Signed], Outcome]

COMMANDS = {
    "REGISTER": "register",
    "CONFIRM": "confirm",
    "CREATE": "create",
    "JOIN": "join",
    "DECLINE": "decline",
    "ORDERS": "orders",
    "RESIGN": "resign",
    "CHAT": "chat",
    "REQUEST": "request",
    "STANDING": "standing",
    "ROTATE": "rotate",
    "RECOVER": "recover",
    "REVOKE": "revoke",
    "SEAL": "seal",
}
"""The module of each kind. It is imported when a block of its kind comes: the process of a pipe has
one mail, mostly orders, and is not to wait for the leagues."""


def command(kind: str) -> Command:
    """What carries a kind of block out. Raises TryLater."""
    try:
        run: Command = import_module(f"{__name__}.{COMMANDS[kind]}").run
    except ImportError as error:
        raise incomplete(error) from error
    return run


def incomplete(error: ImportError) -> TryLater:
    """What is said where a module is not there: half an upgrade."""
    return TryLater(f"the program is not complete: {error}")


def load() -> None:
    """Import them all. Raises TryLater."""
    for kind in COMMANDS:
        command(kind)
