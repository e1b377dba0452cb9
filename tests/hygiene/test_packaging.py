"""The wheel holds all that the two programs need, and nothing else."""

from __future__ import annotations

import email.parser
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"sigilpost_engine", "sigilpost_client", "sigilpost_server"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip builds it, with the build tools of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--no-index", "--disable-pip-version-check", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, cwd=folder)
    (path,) = folder.glob("sigilpost-*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_nothing_generic_lands_in_site_packages(names: set[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_all_packages_are_marked_as_typed(names: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= names


def test_every_catalogue_is_in_the_wheel_compiled(wheel: Path, names: set[str]) -> None:
    catalogues = hatch_build.catalogues(ROOT)
    assert catalogues
    with zipfile.ZipFile(wheel) as archive:
        for po in catalogues:
            mo = po.with_suffix(".mo")
            name = str(mo.relative_to(ROOT / "engine"))
            assert name in names
            assert archive.read(name) == mo.read_bytes()


def test_every_template_is_in_the_wheel(names: set[str]) -> None:
    templates = [p for p in (ROOT / "templates").rglob("*") if p.is_file()]
    wanted = {f"sigilpost_server/templates/{p.relative_to(ROOT / 'templates')}" for p in templates}
    assert wanted
    assert wanted <= names


def test_the_example_configuration_is_in_the_wheel(names: set[str]) -> None:
    assert "sigilpost_server/config.example.toml" in names


def test_no_cache_and_no_test_is_in_the_wheel(names: set[str]) -> None:
    assert not [name for name in names if "__pycache__" in name or "test" in Path(name).parts]


def test_a_plain_install_brings_no_server_machinery(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = email.parser.Parser().parsestr(archive.read(name).decode())
    plain = [r for r in metadata.get_all("Requires-Dist", []) if "extra ==" not in r]
    for heavy in ("sqlmodel", "sqlalchemy", "alembic", "jinja2", "aiosmtpd", "psycopg", "pydantic"):
        assert not [r for r in plain if r.lower().startswith(heavy)]


@pytest.mark.parametrize("program", ["sigil", "sigilpost"])
def test_the_programs_run_from_the_unpacked_wheel(
    wheel: Path, tmp_path: Path, program: str
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/entry_points.txt")]
        lines = archive.read(name).decode().splitlines()
    (target,) = [line.split(" = ")[1] for line in lines if line.startswith(f"{program} = ")]
    module, function = target.split(":")
    code = f"import sys, {module} as m; sys.argv = [{program!r}, '--help']; print(m.__file__)\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}m.{function}()"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "site"))
    assert program in done.stdout


def test_the_example_configuration_is_toml() -> None:
    assert tomllib.loads((ROOT / "config.example.toml").read_text(encoding="utf-8"))
