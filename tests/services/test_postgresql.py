"""The test cluster is a real PostgreSQL with a database for each test."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from tests.services.postgresql import PostgreSQL


def execute(url: str, *statements: str) -> object:
    engine = sa.create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements[:-1]:
            connection.execute(sa.text(statement))
        return connection.execute(sa.text(statements[-1])).scalar_one()


def test_sqlalchemy_reaches_the_database(postgresql_url: str) -> None:
    assert str(execute(postgresql_url, "SELECT version()")).startswith("PostgreSQL")


def test_databases_are_apart(postgresql: PostgreSQL) -> None:
    one, two = postgresql.create_database(), postgresql.create_database()
    execute(one, "CREATE TABLE t (x int)", "SELECT count(*) FROM t")
    assert execute(two, "SELECT to_regclass('t') IS NULL") is True


def test_a_template_is_filled_once_and_copied(postgresql: PostgreSQL) -> None:
    filled = []

    def prepare(url: str) -> None:
        filled.append(url)
        execute(url, "CREATE TABLE t (x int)", "INSERT INTO t VALUES (7) RETURNING x")

    for _ in range(2):
        url = postgresql.create_database(postgresql.template("sevens", prepare))
        assert execute(url, "SELECT x FROM t") == 7
    assert len(filled) == 1


def test_two_sessions_skip_each_others_locked_rows(postgresql_url: str) -> None:
    engine = sa.create_engine(postgresql_url)
    with engine.begin() as setup:
        setup.execute(sa.text("CREATE TABLE t (x int)"))
        setup.execute(sa.text("INSERT INTO t VALUES (1), (2)"))
    claim = sa.text("SELECT x FROM t ORDER BY x LIMIT 1 FOR UPDATE SKIP LOCKED")
    with engine.connect() as one, engine.connect() as two:
        assert (one.execute(claim).scalar_one(), two.execute(claim).scalar_one()) == (1, 2)
    engine.dispose()


def test_a_dropped_database_is_gone_even_with_a_client(postgresql: PostgreSQL) -> None:
    url = postgresql.create_database()
    engine = sa.create_engine(url)
    with engine.connect():
        postgresql.drop_database(url)
    engine.dispose()
    with pytest.raises(OperationalError, match="does not exist"):
        execute(url, "SELECT 1")


def test_a_restart_keeps_data_and_port(postgresql: PostgreSQL) -> None:
    url = postgresql.create_database()
    execute(url, "CREATE TABLE t (x int)", "INSERT INTO t VALUES (3) RETURNING x")
    postgresql.restart()
    assert execute(url, "SELECT x FROM t") == 3
