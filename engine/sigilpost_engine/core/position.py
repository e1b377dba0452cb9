"""Reading position documents: the checks that every game's setup needs, with the key's path.

Each reader takes the table, the key and the path of the table ("" at the root), and raises
BadSetup naming the key at fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sigilpost_engine.core.errors import BadSetup
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.messages import Value, say


def at(path: str, key: str) -> str:
    """The path of ``key`` in the table at ``path``."""
    return f"{path}.{key}" if path else key


def bad(path: str, id: str, **values: Value) -> BadSetup:
    """A refused setup: the key at fault and why."""
    return BadSetup(path, say(id, **values))


def conflict(path: str, others: Iterable[str], id: str, **values: Value) -> BadSetup:
    """A refused setup in which any of several keys can be called at fault."""
    return BadSetup(path, say(id, **values), tuple(others))


def only_keys(table: Document, known: Iterable[str], path: str = "") -> None:
    """Refuse keys that mean nothing here."""
    for key in table:
        if key not in known:
            raise bad(at(path, key), "core.setup.unknown-key", key=key)


def table_at(table: Document, key: str, path: str = "") -> Document:
    """A table; left out: empty."""
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise bad(at(path, key), "core.setup.not-table")
    return value


def list_at(table: Document, key: str, path: str = "") -> list[Any] | None:
    """A list; None if it is left out."""
    value = table.get(key)
    if value is not None and not isinstance(value, list):
        raise bad(at(path, key), "core.setup.not-list")
    return value


def flag_at(table: Document, key: str, path: str = "") -> bool:
    """A flag; left out: False."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise bad(at(path, key), "core.setup.not-flag")
    return value


def number_at(table: Document, key: str, default: int, path: str = "") -> int:
    """A whole number."""
    value = table.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise bad(at(path, key), "core.setup.not-number")
    return value


def seat_of(value: Any, seats: Sequence[str], path: str) -> int:
    """The number of the seat called ``value``."""
    for number, name in enumerate(seats):
        if isinstance(value, str) and name.casefold() == value.casefold():
            return number
    raise bad(path, "core.setup.no-seat", name=str(value))


def seat_tables(doc: Document, seats: Sequence[str], reserved: frozenset[str]) -> list[Document]:
    """The table of each seat, after refusing seats named like a key and keys that mean nothing."""
    for name in seats:
        if name in reserved:
            raise bad(name, "core.setup.seat-name", name=name)
    only_keys(doc, {*reserved, *seats})
    return [table_at(doc, name) for name in seats]
