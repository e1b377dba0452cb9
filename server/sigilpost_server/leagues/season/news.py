"""What happens in a season that its players are told."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Told(StrEnum):
    """Kinds of news."""

    OPENED = "opened"
    BEGUN = "begun"
    EXTENDED = "extended"
    ROUND_ENDED = "round-ended"
    ROUND_DRAWN = "round-drawn"
    ENDED = "ended"


class News(NamedTuple):
    """Something that the players of a division (None: of all) are told."""

    kind: Told
    division: int | None = None
    round: int = 0
