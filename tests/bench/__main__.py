"""``make bench``: every measurement, or those named: ``make bench ARGS="kernel door"``.

A measurement is a module ``bench_<name>.py`` here with a function ``run() -> list[Row]``.
"""

from __future__ import annotations

import platform
import sys
from importlib import import_module
from pathlib import Path

from .rows import table

HERE = Path(__file__).parent


def main(names: list[str]) -> None:
    """Run the measurements one after another and print each one's table as it is done."""
    known = sorted(file.stem.removeprefix("bench_") for file in HERE.glob("bench_*.py"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no such measurement: {', '.join(unknown)} (there are: {', '.join(known)})")
    print(f"Python {platform.python_version()} on {platform.machine()}, medians of several runs")
    for name in names or known:
        print(f"\n== {name}")
        print(table(import_module(f"{__package__}.bench_{name}").run()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
