"""The log on standard error: one line for each event, as text or as JSON.

What an event is about is given as ``extra`` fields. Mails, passwords and tokens are never among
them; what others can write into (reasons, addresses) is kept on its line.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any, Literal

from sigilpost_server.clock import moment

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def set_up(form: Literal["text", "json"] = "text", level: str = "info") -> None:
    """Send the log of the whole program to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json() if form == "json" else Text())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for chatty in ("mail.log", "imapclient", "asyncio", "alembic", "sqlalchemy"):
        # These would log addresses, commands and statements.
        logging.getLogger(chatty).setLevel(logging.WARNING)


def fields(record: logging.LogRecord) -> dict[str, Any]:
    """What a record says beside its words, the traceback included."""
    found = {key: value for key, value in vars(record).items() if key not in _STANDARD}
    if record.exc_info:
        found["traceback"] = logging.Formatter().formatException(record.exc_info)
    return found


class Json(logging.Formatter):
    """A JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        head = {
            "time": moment(int(record.created)).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        return json.dumps(head | fields(record), default=str)


class Text(logging.Formatter):
    """Words, and then ``key=value``."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, with a traceback below it if there is one."""
        said = fields(record)
        trace = said.pop("traceback", "")
        words = [
            moment(int(record.created)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            record.levelname.lower(),
            record.getMessage(),
            *(f"{key}={_word(value)}" for key, value in said.items()),
        ]
        return "\n".join([" ".join(words), *trace.splitlines()])


def _word(value: object) -> str:
    text = str(value)
    return text if text.isprintable() and " " not in text and text else json.dumps(text)
