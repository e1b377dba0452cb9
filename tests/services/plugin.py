"""Pytest fixtures: the real peers, started on first use and ended with the test run."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from tests.services.dovecot import Dovecot
from tests.services.postfix import Postfix
from tests.services.postgresql import PostgreSQL
from tests.services.process import service_folder
from tests.services.proxy import TcpProxy
from tests.services.tls import TlsFiles, make_certificate

LOG_LINES = 40
"""So many lines of a peer's log are shown with the failure of a test that used it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the peers of a failed test had to say: a rare failure is seen only once."""
    report = yield
    if report.failed:
        for name, peer in getattr(item, "funcargs", {}).items():
            if isinstance(peer, Dovecot | Postfix) and not name.startswith("_"):
                lines = peer.log().splitlines()[-LOG_LINES:]
                report.sections.append((f"log of {name}", "\n".join(lines)))
    return report


@pytest.fixture(scope="session")
def _dovecot_server() -> Iterator[Dovecot]:
    with service_folder("dovecot") as folder:
        server = Dovecot(folder)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def dovecot(_dovecot_server: Dovecot) -> Dovecot:
    """A running Dovecot; make users with ``add_user()``. One server serves the whole run."""
    _dovecot_server.ensure_running()
    return _dovecot_server


@pytest.fixture(scope="session")
def _postgresql_cluster() -> Iterator[PostgreSQL]:
    with service_folder("postgres") as folder:
        cluster = PostgreSQL(folder)
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture
def postgresql(_postgresql_cluster: PostgreSQL) -> PostgreSQL:
    """A running PostgreSQL cluster; one serves the whole run."""
    _postgresql_cluster.ensure_running()
    return _postgresql_cluster


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> Iterator[str]:
    """SQLAlchemy's URL of an empty database, dropped after the test."""
    url = postgresql.create_database()
    yield url
    postgresql.ensure_running()
    postgresql.drop_database(url)


@pytest.fixture(scope="session")
def _postfix_server() -> Iterator[Postfix]:
    with service_folder("postfix") as folder:
        server = Postfix(folder)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def postfix(_postfix_server: Postfix) -> Iterator[Postfix]:
    """A running Postfix without routes; one serves the whole run."""
    _postfix_server.ensure_running()
    yield _postfix_server
    _postfix_server.reset()


@pytest.fixture
def tcp_proxy() -> Iterator[TcpProxy]:
    """A proxy on the loopback that can freeze or cut its connections; aim it with ``target``."""
    with TcpProxy() as proxy:
        yield proxy


@pytest.fixture(scope="session")
def tls_files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    """A certificate for ``localhost`` and 127.0.0.1, its own authority."""
    return make_certificate(tmp_path_factory.mktemp("tls"))
