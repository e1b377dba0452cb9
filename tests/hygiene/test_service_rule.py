"""A test whose service is missing is skipped with the package's name; under CI=true it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]

CONFTEST = """\
from tests.conftest import (
    pytest_collection_modifyitems, pytest_runtest_makereport, pytest_runtest_setup,
)
from tests.services.requirements import FIXTURES, REQUIREMENTS, Requirement
import pytest

REQUIREMENTS["ghost"] = Requirement("ghost-server", lambda: "no program `ghost`")
REQUIREMENTS["here"] = Requirement("here-server", lambda: None)
FIXTURES["ghost"] = "ghost"

@pytest.fixture
def ghost():
    raise AssertionError("started all the same")
"""
INI = """\
[pytest]
markers = service(name): as in the project
"""
MARKED = "import pytest\n@pytest.mark.service('ghost')\ndef test_it(): pass\n"
FIXTURE = "def test_it(ghost): pass\n"
SKIPS_ITSELF = (
    "import pytest\n@pytest.mark.service('here')\ndef test_it(): pytest.skip('not today')\n"
)
NO_SERVICE = "import pytest\ndef test_it(): pytest.skip('not today')\n"
EXPECTED_FAILURE = (
    "import pytest\n@pytest.mark.service('here')\n@pytest.mark.xfail\n"
    "def test_it(): raise ValueError\n"
)


def outcomes(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str, ci: str) -> str:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CI", ci)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makeini(INI)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test)
    result = pytester.runpytest_subprocess("-ra", "-p", "no:cacheprovider", "-p", "no:randomly")
    return result.stdout.str()


@pytest.mark.parametrize("test", [MARKED, FIXTURE])
def test_a_missing_service_skips_and_names_the_package(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    output = outcomes(pytester, monkeypatch, test, ci="")
    assert "1 skipped" in output
    assert "apt-get install ghost-server" in output


@pytest.mark.parametrize("test", [MARKED, FIXTURE, SKIPS_ITSELF])
def test_in_ci_a_skip_of_a_service_s_test_is_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    output = outcomes(pytester, monkeypatch, test, ci="true")
    assert "may not be skipped in CI" in output
    assert "1 failed" in output or "1 error" in output
    assert "1 skipped" not in output


@pytest.mark.parametrize(
    ("test", "outcome"), [(NO_SERVICE, "1 skipped"), (EXPECTED_FAILURE, "1 xfailed")]
)
def test_in_ci_other_tests_keep_their_outcome(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str, outcome: str
) -> None:
    assert outcome in outcomes(pytester, monkeypatch, test, ci="true")


def test_an_unknown_service_is_an_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = outcomes(pytester, monkeypatch, MARKED.replace("ghost", "gohst"), ci="")
    assert "unknown service 'gohst'" in output
