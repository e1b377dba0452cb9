"""``python -m tests.balance``: play and write docs/tome-dusk-balance.md again.

With a number, that many games are played for each table, and nothing is written but printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .play import Table
from .report import report

PAGE = Path(__file__).parents[2] / "docs" / "tome-dusk-balance.md"

TABLES = {
    Table(("dusk",), "team", "greedy"): 2500,
    Table(("dusk",), "duel", "greedy"): 2000,
    Table(("dusk",), "team", "random"): 3000,
    Table(("light", "dusk"), "team", "greedy"): 2500,
}
"""What is played, and how many games of it."""


def main(words: list[str]) -> None:
    """Write the page, or print a quick one."""
    if words:
        print(report({table: int(words[0]) for table in TABLES}))
    else:
        PAGE.write_text(report(TABLES), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
