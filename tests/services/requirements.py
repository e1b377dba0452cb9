"""Which programs a test may need, and the Debian package that brings each.

A test says ``@pytest.mark.service("dovecot")`` or takes a fixture of that name. Where the program
is missing it is skipped with the package's name; under ``CI=true`` it fails instead, because
there every service is installed and a skip would hide a whole area.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def program(name: str) -> str | None:
    """Return the path of a program, looked up in PATH and in the sbin folders."""
    path = os.pathsep.join([os.environ.get("PATH", ""), *SBIN])
    return shutil.which(name, path=path)


def postgresql_bin() -> Path | None:
    """Return the folder of the newest PostgreSQL server programs (Debian keeps one a version)."""
    found = [p.parent for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda p: int(p.parent.name))
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def _missing_program(name: str) -> Callable[[], str | None]:
    return lambda: None if program(name) else f"no program `{name}`"


def _missing_dovecot() -> str | None:
    if not program("dovecot"):
        return "no program `dovecot`"
    for part in ("imap", "lmtp"):
        if not Path(f"/usr/lib/dovecot/{part}").exists():
            return f"no /usr/lib/dovecot/{part}"
    return None


def _missing_postgresql() -> str | None:
    return None if postgresql_bin() else "no `initdb`"


def _missing_postfix() -> str | None:
    if not program("postfix"):
        return "no program `postfix`"
    return None if os.geteuid() == 0 else "Postfix starts as root only"


AXE = Path(__file__).resolve().parents[2] / "build/axe-core/package/axe.min.js"
"""axe-core, as npm packs it; ``.ci/run`` fetches it."""


def _missing_chromium() -> str | None:
    if not program("chromium"):
        return "no program `chromium`"
    return None if AXE.exists() else f"no {AXE.name}: see .ci/run"


@dataclass(frozen=True)
class Requirement:
    """A service by the name tests use."""

    packages: str
    """Debian packages, as apt-get takes them."""
    missing: Callable[[], str | None]
    """Says what is not there; ``None`` if all is."""


REQUIREMENTS = {
    "dovecot": Requirement("dovecot-imapd dovecot-lmtpd", _missing_dovecot),
    "postgresql": Requirement("postgresql", _missing_postgresql),
    "postfix": Requirement("postfix", _missing_postfix),
    "mutt": Requirement("mutt", _missing_program("mutt")),
    "s-nail": Requirement("s-nail", _missing_program("s-nail")),
    "swaks": Requirement("swaks", _missing_program("swaks")),
    "chromium": Requirement("chromium", _missing_chromium),
}

FIXTURES = {
    "dovecot": "dovecot",
    "postgresql": "postgresql",
    "postgresql_url": "postgresql",
    "postfix": "postfix",
}
"""Fixtures that imply a service."""


def lacks(names: Iterator[str]) -> str | None:
    """Return why a test that needs these services cannot run here; ``None`` if it can."""
    for name in names:
        requirement = REQUIREMENTS[name]
        if problem := requirement.missing():
            return f"needs {name}: {problem} (Debian: apt-get install {requirement.packages})"
    return None


def in_ci() -> bool:
    """Tell whether a missing service is a failure."""
    return os.environ.get("CI", "").lower() in ("true", "1")
