"""What the service raises to those who bring it mail."""

from __future__ import annotations


class TryLater(Exception):
    """The database or the disk cannot take mail now: it stays at its source.

    The text says why, for the host's log, and holds nothing of any mail.
    """


class NotReady(Exception):
    """The server cannot start like this; the text says what is missing and names the remedy."""


class NoDatabase(NotReady):
    """The database's file is not where the settings say."""


class MailFailed(Exception):
    """This mail failed by our own fault, and stays at its source to be tried again.

    Others are not concerned. After ``limits.failures`` such failures the mail is set aside.
    """
