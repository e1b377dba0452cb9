"""What is checked in is the project's and nobody's machine's."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.services.requirements import REQUIREMENTS

ROOT = Path(__file__).resolve().parents[2]

SOMEBODY_S_FOLDER = re.compile(
    r"(?<![\w./<>{}~$-])/(?:home|root|work|workspace|Users|srv|mnt|opt)/"
)
PACKAGE_INDEX = re.compile(r"\b(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com)\b|--index-url")


def tracked() -> list[Path]:
    """Return all files under version control that are text."""
    # Whoever owns the clone: git is asked to read, not to run anything of it.
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files", "-z"]
    names = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    paths = [ROOT / name.decode() for name in names.split(b"\0") if name]
    return [p for p in paths if p.is_file() and b"\0" not in p.read_bytes()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in tracked():
        if path == Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    return found


def test_no_file_names_a_folder_of_somebody_s_machine() -> None:
    assert lines_with(SOMEBODY_S_FOLDER) == []


def test_no_file_names_a_package_index() -> None:
    assert lines_with(PACKAGE_INDEX) == []


def test_no_product_of_a_build_is_checked_in() -> None:
    products = {".mo", ".pyc", ".whl", ".db", ".sqlite3"}
    assert not [p for p in tracked() if p.suffix in products]


def test_ci_installs_the_packages_of_every_service() -> None:
    listed = re.search(r"^packages=\((.*?)\)", (ROOT / ".ci/run").read_text(), re.M | re.S)
    assert listed
    needed = {name for r in REQUIREMENTS.values() for name in r.packages.split()}
    assert needed <= set(listed[1].split())


@pytest.mark.parametrize("script", [".ci/run"])
def test_scripts_are_executable_and_parse(script: str) -> None:
    path = ROOT / script
    assert path.stat().st_mode & 0o111 == 0o111
    subprocess.run(["bash", "-n", str(path)], check=True)


@pytest.mark.parametrize(
    "target", ["demo", "test", "check", "texts", "bench", "soak", "fuzz", "format"]
)
def test_make_knows_its_targets(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_make_demo_hands_its_variables_on() -> None:
    command = ["make", "--dry-run", "demo", "GAME=tome", "LEAGUE=1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "-m sigilpost_server.demo --game tome --league" in done.stdout
