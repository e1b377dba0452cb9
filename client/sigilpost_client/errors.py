"""What can go wrong for a player: each kind has an exit status, what is wrong, and the remedy.

====== =====================================================================================
status meaning
====== =====================================================================================
0      done
1      something that was checked does not hold (a scenario's expectation)
2      the command line, a file or a setting cannot be used as it is
3      nothing is set up here yet, or the server does not know this player yet
4      refused: a line that the open question does not allow; nothing was sent
5      no such game, or nothing is asked in it
6      a signature that does not fit: another server key, or histories that disagree
7      the mailbox or the outgoing mail server cannot be reached; mail is kept and sent later
8      the key cannot be opened
70     a fault of this program; what to report is in ``crash.log``
130    interrupted
====== =====================================================================================
"""

from __future__ import annotations

from typing import ClassVar

from sigilpost_engine.core.messages import Msg


class ClientError(Exception):
    """The base of all; ``what`` is wrong and, where there is one, the ``remedy``."""

    status: ClassVar[int]

    def __init__(self, what: Msg, remedy: Msg | None = None) -> None:
        super().__init__(what.id)
        self.what = what
        self.remedy = remedy


class Unusable(ClientError):
    """The command line, a file or a setting cannot be used as it is."""

    status = 2


class NotSetUp(ClientError):
    """No settings, no key, or no server that knows this player."""

    status = 3


class Refused(ClientError):
    """The open question does not allow this line."""

    status = 4


class NoGame(ClientError):
    """No such game, more than one that is meant, or nothing is asked."""

    status = 5


class Untrusted(ClientError):
    """A signature that does not fit, or a server that says two things."""

    status = 6


class Unreachable(ClientError):
    """Mailbox or submission server cannot be used now."""

    status = 7


class KeyLocked(ClientError):
    """The private key cannot be opened."""

    status = 8


DOES_NOT_HOLD = 1
"""A scenario or a transcript that was checked and is wrong."""

FAULT = 70
INTERRUPTED = 130
