"""The log: a line for each event, whatever others wrote into what it is about."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from sigilpost_server.logs import Json, Text


def record(words: str, level: int = logging.INFO, **fields: object) -> logging.LogRecord:
    """An event as the logging module makes it."""
    made = logging.makeLogRecord({"msg": words, "levelno": level, "created": 1_790_000_000.5})
    made.levelname = logging.getLevelName(level)
    vars(made).update(fields)
    return made


def test_text_is_words_and_then_fields() -> None:
    line = Text().format(record("mail sent", by="smtp:relay:25", attempt=2))
    assert line == "2026-09-21T14:13:20Z info mail sent by=smtp:relay:25 attempt=2"


@pytest.mark.parametrize(
    "said", ["two\nlines", "a \x1b[31mred\x1b[0m word", "", 'say "no"', "\u202eabc"]
)
def test_nothing_that_others_wrote_breaks_out_of_its_line(said: str) -> None:
    line = Text().format(record("refused", why=said))
    assert "\n" not in line
    assert line.isprintable()
    assert json.loads(line.partition("why=")[2]) == said


def test_json_is_one_object_a_line() -> None:
    line = Json().format(record("refused", logging.WARNING, why="two\nlines", uid=7))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-09-21T14:13:20+00:00",
        "level": "warning",
        "event": "refused",
        "why": "two\nlines",
        "uid": 7,
    }


def test_a_traceback_is_there_in_both() -> None:
    try:
        raise ValueError("a fault")
    except ValueError:
        made = record("failed", logging.ERROR, exc_info=sys.exc_info())
    assert "ValueError: a fault" in Text().format(made)
    assert "ValueError: a fault" in json.loads(Json().format(made))["traceback"]
