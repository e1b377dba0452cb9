"""Who may import whom. Each contract is also shown to notice a breach."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine/sigilpost_engine", "client/sigilpost_client", "server/sigilpost_server")


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(root / package.split("/")[0]) for package in PACKAGES)
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--config", str(root / "pyproject.toml"), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", root)
    for package in PACKAGES:
        ignore = shutil.ignore_patterns("__pycache__", "locale", ".*")
        shutil.copytree(ROOT / package, root / package, ignore=ignore)
    for game in ("breach_one", "breach_two"):
        folder = root / "engine/sigilpost_engine/games" / game
        folder.mkdir()
        (folder / "__init__.py").touch()
    return root


def test_the_contracts_hold() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("client/sigilpost_client/x.py", "import sigilpost_server", "Client and server"),
        ("server/sigilpost_server/x.py", "import sigilpost_client", "Client and server"),
        ("engine/sigilpost_engine/x.py", "import sigilpost_client", "Client and server"),
        (
            "engine/sigilpost_engine/games/breach_one/x.py",
            "import sigilpost_engine.games.breach_two",
            "A game never imports another",
        ),
        (
            "engine/sigilpost_engine/core/x.py",
            "import sigilpost_engine.games.breach_one",
            "The core knows neither",
        ),
        ("engine/sigilpost_engine/core/x.py", "import sigilpost_engine.bots", "The core knows"),
        *(
            (f"engine/sigilpost_engine/{folder}x.py", f"import {name}", "The engine is determin")
            for folder, name in [
                ("", "random"),
                ("core/", "time"),
                ("games/breach_one/", "datetime"),
                ("wire/", "os"),
                ("bots/", "socket"),
                ("", "sqlite3"),
                ("", "sqlalchemy"),
                ("", "sqlmodel"),
            ]
        ),
        *(
            ("client/sigilpost_client/x.py", f"import {name}", "The client loads nothing")
            for name in ("sqlmodel", "sqlalchemy", "alembic", "jinja2")
        ),
    ],
)
def test_a_breach_is_noticed(copy: Path, module: str, line: str, contract: str) -> None:
    path = copy / module
    assert path.parent.is_dir()
    path.write_text(line + "\n")
    try:
        done = lint(copy)
    finally:
        path.unlink()
    broken = [text for text in done.stdout.splitlines() if text.endswith("BROKEN")]
    assert done.returncode == 1
    assert len(broken) == 1, done.stdout
    assert broken[0].startswith(contract)


def imports(path: Path) -> set[str]:
    """Return the top-level names of what a file imports absolutely."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_the_engine_needs_the_standard_library_only_and_wire_cryptography() -> None:
    engine = ROOT / PACKAGES[0]
    files = list(engine.rglob("*.py"))
    assert files
    for path in files:
        allowed = {*sys.stdlib_module_names, "sigilpost_engine"}
        if path.relative_to(engine).parts[0] == "wire":
            allowed.add("cryptography")
        assert imports(path) <= allowed, path
