"""``make soak``: the long runs, or those named: ``make soak ARGS="laws"``.

A long run is a module ``soak_<name>.py`` here with a function ``run() -> str`` that raises if
anything is wrong and returns its figures.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> None:
    """Run the long runs one after another."""
    known = sorted(file.stem.removeprefix("soak_") for file in HERE.glob("soak_*.py"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no such long run: {', '.join(unknown)} (there are: {', '.join(known)})")
    for name in names or known:
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        print(import_module(f"{__package__}.soak_{name}").run())
        print(f"   {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
