"""The schema and its history, on SQLite and PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text
from sqlmodel import SQLModel

from sigilpost_server import db
from sigilpost_server.db import Database, SomebodyWasQuicker, check_schema, open_engine
from sigilpost_server.errors import NotReady
from sigilpost_server.models import correspondents, games
from sigilpost_server.transaction import rows
from tests.server.service.town import Town


def test_the_migrations_make_exactly_the_tables_of_the_models(database_url: str) -> None:
    engine = open_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


def test_the_program_s_schema_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(db.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [db.HEAD]


def test_migrating_twice_is_as_good_as_once(database_url: str) -> None:
    db.migrate(database_url)
    check_schema(Database(open_engine(database_url)))


def test_a_database_that_is_missing_is_told_and_none_is_made_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "not-mounted" / "sigilpost.db"
    file.parent.mkdir()
    with pytest.raises(NotReady, match=r"no database .*sigilpost\.db.* restore"):
        check_schema(Database(open_engine(f"sqlite:///{file}")))
    assert not list(file.parent.iterdir())


def test_an_empty_database_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    database = Database(open_engine(f"sqlite:///{tmp_path / 'new.db'}"))
    with pytest.raises(NotReady, match="sigilpost init"):
        check_schema(database)


def test_an_older_schema_is_not_served(sqlite_url: str) -> None:
    database = Database(open_engine(sqlite_url))
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(NotReady, match="sigilpost migrate"):
        check_schema(database)


def test_sqlite_keeps_a_log_ahead_and_waits_for_the_disk(sqlite_url: str) -> None:
    with open_engine(sqlite_url).connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_who_writes_a_game_must_have_read_its_last_change(any_town: Town) -> None:
    table = any_town.begin("alice", "bob")
    with any_town.service.database.read() as connection:
        old = rows.game(connection, table.tag, lock=False)
    assert old is not None
    table.play()
    with pytest.raises(SomebodyWasQuicker), any_town.service.database.write() as connection:
        rows.save_game(connection, old, {"why": "overwritten"})
    with any_town.service.database.read() as connection:
        assert connection.execute(select(games.c.why)).scalar_one() == ""


def test_a_day_s_budget_is_counted_for_each_thing_apart(any_town: Town) -> None:
    database = any_town.service.database

    def spend(what: str, today: int) -> bool:
        with database.write() as connection:
            return rows.spend_daily(connection, "a@b.test", what, 2, today)

    assert [spend("helps", 1) for _ in range(3)] == [True, True, False]
    assert spend("chats", 1)
    assert [spend("helps", 2) for _ in range(3)] == [True, True, False]
    with database.read() as connection:
        row = connection.execute(select(correspondents)).one()
    assert (row.day, row.helps, row.chats) == (2, 2, 0)


def test_a_budget_of_nothing_is_never_spent(any_town: Town) -> None:
    with any_town.service.database.write() as connection:
        assert not rows.spend_daily(connection, "a@b.test", "helps", 0, 1)


@pytest.mark.parametrize("table", ["mail", "outgoing", "block", "entry", "seat", "game"])
def test_no_statement_of_a_move_reads_a_whole_table(town: Town, table: str) -> None:
    """The cost of a move must not grow with what is stored: every look-up has its index."""
    from sigilpost_server import outbox
    from sigilpost_server.prepared import Prepared

    statements = [each for each in vars(rows).values() if isinstance(each, Prepared)]
    scans = []
    with town.service.database.read() as connection:
        for statement in statements:
            found = statement._text(connection)
            if found.sql.startswith("INSERT"):
                continue
            plan = connection.exec_driver_sql(
                f"EXPLAIN QUERY PLAN {found.sql}", (None,) * len(found.places or ())
            ).all()
            scans += [str(row[-1]) for row in plan if str(row[-1]).startswith(f"SCAN {table}")]
    assert scans == []
    assert statements
    assert outbox.CLAIM_SECONDS
