"""The kinds of block, a file each: ``run(work, signed)`` carries one out.

A command changes the database through the work's transaction, posts the letters that others get,
and returns the outcome with the one answer. It is given blocks with good signatures only.
"""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_server.commands import (
    chat,
    confirm,
    create,
    decline,
    join,
    orders,
    recover,
    register,
    request,
    resign,
    revoke,
    rotate,
    seal,
    standing,
)
from sigilpost_server.transaction.work import Outcome, Signed, Work

Command = Callable[[Work, Signed], Outcome]

COMMANDS: dict[str, Command] = {
    "REGISTER": register.run,
    "CONFIRM": confirm.run,
    "CREATE": create.run,
    "JOIN": join.run,
    "DECLINE": decline.run,
    "ORDERS": orders.run,
    "RESIGN": resign.run,
    "CHAT": chat.run,
    "REQUEST": request.run,
    "STANDING": standing.run,
    "ROTATE": rotate.run,
    "RECOVER": recover.run,
    "REVOKE": revoke.run,
    "SEAL": seal.run,
}
