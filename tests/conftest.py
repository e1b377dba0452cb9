"""What all tests share: compiled catalogues, and the rule for tests that need a real peer."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import hatch_build
from tests.services.requirements import FIXTURES, REQUIREMENTS, in_ci, lacks

pytest_plugins = ["tests.services.plugin"]

# A law is right or wrong; how long one example took on a busy machine says nothing about it.
# (In CI hypothesis loads a profile of its own, without a deadline and repeatable.)
if not in_ci():
    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the message catalogues, so that no test reads an old one."""
    if not hasattr(config, "workerinput"):
        hatch_build.compile_all(Path(__file__).resolve().parent.parent)


def services(item: pytest.Item) -> Iterator[str]:
    """Yield the services that a test needs."""
    for mark in item.iter_markers("service"):
        for name in mark.args:
            if name not in REQUIREMENTS:
                raise pytest.UsageError(f"{item.nodeid}: unknown service {name!r}")
            yield name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that take a service's fixture."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in FIXTURES:
                item.add_marker(pytest.mark.service(FIXTURES[fixture]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose service is not installed, before any fixture starts."""
    if reason := lacks(services(item)):
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under ``CI=true``, turn the skip of a test that needs a service into a failure.

    It does not matter who skipped: a fixture or the test's own body would hide as much.
    """
    report = yield
    if report.skipped and in_ci() and not hasattr(report, "wasxfail") and any(services(item)):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} needs a service and may not be skipped in CI: {reason}"
    return report
