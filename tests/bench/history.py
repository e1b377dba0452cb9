"""Thousands of stored games, made by copying the rows of a real one."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

TABLES: dict[str, Callable[[Row, int], Row]] = {
    "game": lambda row, n: {
        "id": row["id"] + n,
        "tag": f"{row['tag']}-{n}",
        "create_block": other(row["create_block"], n),
    },
    "seat": lambda row, n: {"game_id": row["game_id"] + n},
    "entry": lambda row, n: {
        "game_id": row["game_id"] + n,
        "block": row["block"] and other(row["block"], n),
    },
    "block": lambda row, n: {
        "game_id": row["game_id"] and row["game_id"] + n,
        "digest": other(row["digest"], n),
        "answer": f"<{n}.{row['answer'][1:]}",
    },
    "mail": lambda row, n: {
        "id": None,
        "digest": other(row["digest"], n),
        "message_id": f"<{n}.{row['message_id'][1:]}",
    },
    # The bytes of mails sent long ago are gone, as the service's own tidying leaves them.
    "outgoing": lambda row, n: {
        "id": None,
        "message_id": f"<{n}.{row['message_id'][1:]}",
        "raw": b"",
        "status": "sent",
    },
}
"""Each table, and what a copy of a row has of its own: keys as spread out as real ones."""


def other(digest: bytes, number: int) -> bytes:
    """Another digest for each number."""
    return hashlib.sha256(digest + number.to_bytes(4, "big")).digest()


def fill(path: Path, games: int) -> None:
    """Copy all rows of a database that holds one finished game ``games`` times."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    for table, own in TABLES.items():
        rows = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
        names = list(rows[0])
        marks = ", ".join(f":{name}" for name in names)
        statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
        connection.executemany(statement, copies(rows, own, games))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def copies(rows: list[Row], own: Callable[[Row, int], Row], games: int) -> Iterator[Row]:
    """The rows of all copies, game by game."""
    for number in range(1, games + 1):
        for row in rows:
            yield {**row, **own(row, number)}
