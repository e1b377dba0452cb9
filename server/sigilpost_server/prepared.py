"""Statements that are compiled once and run by the driver itself.

SQLAlchemy writes the SQL, in the dialect of the database; what it would do around each execution
costs a move more than the database does. Values must be what the driver takes as they are: text,
numbers, bytes, None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ClauseElement, Connection
from sqlalchemy.sql.compiler import SQLCompiler

Values = Mapping[str, Any]


class _Text(NamedTuple):
    """The SQL for one dialect. ``places`` are the names of the values in their order, for drivers
    that number them; ``fixed`` are the values that the statement itself holds."""

    sql: str
    places: tuple[str, ...] | None
    fixed: dict[str, Any]

    def values(self, values: Values) -> Any:
        known = {**self.fixed, **values} if self.fixed else values
        if self.places is None:
            return known
        return [known[name] for name in self.places]


class Prepared:
    """One statement with named values."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._texts: dict[str, _Text] = {}

    def all(self, db: Connection, values: Values) -> list[Any]:
        """All rows that the statement finds, as tuples."""
        text = self._text(db)
        cursor = db.connection.cursor()
        cursor.execute(text.sql, text.values(values))
        found = cursor.fetchall()
        cursor.close()
        return list(found)

    def first(self, db: Connection, values: Values) -> Any:
        """The first row, or None."""
        return next(iter(self.all(db, values)), None)

    def run(self, db: Connection, values: Values) -> int:
        """The number of rows changed."""
        text = self._text(db)
        cursor = db.connection.cursor()
        cursor.execute(text.sql, text.values(values))
        count = cursor.rowcount
        cursor.close()
        return count

    def run_each(self, db: Connection, each: Sequence[Values]) -> None:
        """Run once for each of these values."""
        text = self._text(db)
        cursor = db.connection.cursor()
        cursor.executemany(text.sql, [text.values(values) for values in each])
        cursor.close()

    def _text(self, db: Connection) -> _Text:
        text = self._texts.get(db.dialect.name)
        if text is None:
            text = _compiled(self._statement, db)
            self._texts[db.dialect.name] = text
        return text


def _compiled(statement: ClauseElement, db: Connection) -> _Text:
    compiled = statement.compile(dialect=db.dialect)
    assert isinstance(compiled, SQLCompiler)
    fixed = {name: value for name, value in compiled.params.items() if value is not None}
    places = compiled.positiontup
    return _Text(str(compiled), None if places is None else tuple(places), fixed)
