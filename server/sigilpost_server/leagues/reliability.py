"""Reliability: whether somebody's games go on. It says nothing about skill.

A miss is a deadline that passed, or a game or season given up by absence. Misses that lie
together are one outage, and an outage counts once: a broken computer is not ten bad habits. What
it costs halves with time and with every few games that were played to their end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

OUTAGE = 7 * 86_400
"""Misses up to so long after an outage's first one belong to it."""

COST = 0.25
"""The part of the score that a fresh outage takes."""

HALF_LIFE = 60 * 86_400
HALF_GAMES = 5
"""An outage's cost halves in this time, and again with so many games finished since."""


class What(StrEnum):
    """What is remembered of a player."""

    MISSED = "missed"
    FINISHED = "finished"


class Mark(NamedTuple):
    """Something that a player did, and when."""

    moment: int
    what: What


def outages(marks: Iterable[Mark]) -> list[int]:
    """The moments at which outages began."""
    found: list[int] = []
    for moment in sorted(mark.moment for mark in marks if mark.what is What.MISSED):
        if not found or moment - found[-1] > OUTAGE:
            found.append(moment)
    return found


def score(marks: Sequence[Mark], now: int) -> int:
    """0 to 100; 100 for somebody who never missed anything."""
    kept = 1.0
    for begin in outages(marks):
        if begin > now:
            continue
        since = sum(m.what is What.FINISHED and begin < m.moment <= now for m in marks)
        kept *= 1 - COST * 0.5 ** ((now - begin) / HALF_LIFE + since / HALF_GAMES)
    return round(100 * kept)
