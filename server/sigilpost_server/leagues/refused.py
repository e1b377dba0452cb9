"""Why something cannot be done in a league."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg


class Refused(Exception):
    """It cannot be done; ``message`` says why, and what to do instead."""

    def __init__(self, message: Msg) -> None:
        super().__init__(message.id)
        self.message = message
