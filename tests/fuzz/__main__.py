"""``make fuzz``: coverage-guided fuzzing with atheris.

``make fuzz ARGS="mail --seconds 600"`` fuzzes one target; without a name each gets its turn.
Seeds are in ``corpus/<target>``; what is found anew collects in ``build/fuzz/<target>``. An
input that breaks something is written there as ``crash-…``: put it into the corpus, where the
ordinary tests replay it for ever.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
WORK = ROOT / "build" / "fuzz"
SECONDS = 60
SIZE_MAX = 16 * 1024
MEMORY_MB = 1024
INPUT_SECONDS = 5


def main() -> int:
    """Fuzz the targets named, or all; return how many broke."""
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", help="targets (all, if none is named)")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for each target")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        _fuzz(options.inside, options.seconds)
    known = sorted(each.name for each in CORPUS.iterdir())
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(
            f"no such target: {', '.join(sorted(unknown))} (there are: {', '.join(known)})"
        )
    return sum(map(bool, (_run(name, options.seconds) for name in options.names or known)))


def _run(name: str, seconds: int) -> int:
    # The fuzzer ends its process when it is done: each target needs one of its own.
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", "tests.fuzz", "--inside", name, "--seconds", str(seconds)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _fuzz(name: str, seconds: int) -> None:
    try:
        atheris: Any = import_module("atheris")
    except ImportError:
        sys.exit("atheris is not installed: it belongs to the extra `fuzz` of this project")
    with atheris.instrument_imports(include=["sigilpost_engine", "sigilpost_server", "email"]):
        targets = import_module("tests.fuzz.targets")
    work = WORK / name
    work.mkdir(parents=True, exist_ok=True)
    limits = [
        f"-max_total_time={seconds}",
        f"-max_len={SIZE_MAX}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-timeout={INPUT_SECONDS}",
        f"-artifact_prefix={work}/",
        "-print_final_stats=0",
        "-verbosity=1",
    ]
    atheris.Setup([name, *limits, str(work), str(CORPUS / name)], targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
