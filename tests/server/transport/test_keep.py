"""A source that fails is tried again: more and more slowly, reported once, and never given up."""

from __future__ import annotations

import logging
import time

import pytest

from sigilpost_server.errors import TryLater
from sigilpost_server.sources.base import Handle, LoginFailed, SourceError, Stop
from sigilpost_server.sources.keep import keep
from tests.server.transport.desk import Desk, kept
from tests.services.process import wait_until


class Moody:
    """A source that does in each round what the next of ``moods`` says: raise it, or work."""

    name = "moody"

    def __init__(self, *moods: Exception | None) -> None:
        self.moods = list(moods)
        self.rounds: list[float] = []
        self.closed = 0

    def round(self, handle: Handle, stop: Stop) -> int:
        self.rounds.append(time.monotonic())
        mood = self.moods.pop(0) if self.moods else None
        if mood is not None:
            raise mood
        return 0

    def wait(self, stop: Stop) -> None:
        stop.wait(0.01)

    def probe(self) -> None: ...

    def close(self) -> None:
        self.closed += 1


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged."""
    return [record.getMessage() for record in caplog.records]


def test_the_pauses_grow(caplog: pytest.LogCaptureFixture) -> None:
    source = Moody(*[SourceError("nobody there")] * 6)
    with caplog.at_level(logging.INFO), kept(source, Desk(), first=0.01):
        wait_until(lambda: len(source.rounds) > 7, "well again")
    pauses = [b - a for a, b in zip(source.rounds, source.rounds[1:7], strict=False)]
    assert pauses[5] > 8 * pauses[0]
    assert events(caplog) == ["source does not work", "source works again"], "once, not six times"


def test_another_trouble_is_another_report(caplog: pytest.LogCaptureFixture) -> None:
    source = Moody(SourceError("one"), SourceError("one"), SourceError("two"), OSError("three"))
    with caplog.at_level(logging.INFO), kept(source, Desk(), first=0.001):
        wait_until(lambda: len(source.rounds) > 5, "well again")
    assert events(caplog).count("source does not work") == 3


def test_hazard_14_after_a_refused_login_it_waits_much_longer() -> None:
    source = Moody(LoginFailed("wrong password"))
    with kept(source, Desk(), first=0.01):
        wait_until(lambda: len(source.rounds) > 1, "a second try")
    assert source.rounds[1] - source.rounds[0] > 0.4


def test_a_connection_is_given_up_for_its_own_faults_only() -> None:
    source = Moody(TryLater("disk full"))
    with kept(source, Desk(), first=0.01):
        wait_until(lambda: len(source.rounds) > 2, "well again")
    assert source.closed == 1, "at the end"
    source = Moody(SourceError("connection lost"))
    with kept(source, Desk(), first=0.01):
        wait_until(lambda: len(source.rounds) > 2, "well again")
    assert source.closed == 2


def test_even_a_fault_of_ours_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    source = Moody(ZeroDivisionError("ours"), RecursionError("ours too"))
    with kept(source, Desk(), first=0.001):
        wait_until(lambda: len(source.rounds) > 3, "well again")
    assert all(record.exc_info for record in caplog.records if record.levelno >= logging.WARNING)


def test_the_end_is_not_waited_for() -> None:
    stop = Stop()
    stop.set()
    source = Moody()
    keep(source, Desk(), stop)
    assert (source.rounds, source.closed) == ([], 1)
