"""Every text of the catalogues is said somewhere, and every id that is said has a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hatch_build

ROOT = Path(__file__).resolve().parents[2]
DOMAINS = "|".join(path.stem for path in hatch_build.catalogues(ROOT, hatch_build.MASTER))
OF_SETS = r"tome\.(set|spell|ruling|timing|property|note)\..+"
"""What a spell set of Tome brings is looked up by the set's own name."""


def ids() -> set[str]:
    """The ids of all messages; what only some read, ``.seen``, goes with the rest."""
    catalogues = map(hatch_build.read, hatch_build.catalogues(ROOT, hatch_build.MASTER))
    entries = (entry for catalogue in catalogues for entry in hatch_build.entries(catalogue))
    return {hatch_build.name(entry.id).removesuffix(".seen") for entry in entries}


def sources(suffix: str) -> Iterator[str]:
    for folder in ("engine", "client", "server", "templates"):
        for path in (ROOT / folder).rglob(f"*{suffix}"):
            yield path.read_text(encoding="utf-8")


@cache
def said() -> tuple[frozenset[str], frozenset[str]]:
    """The strings of programs and templates, and as patterns those with a value in them."""
    whole: set[str] = set()
    pieced: set[str] = set()
    for text in sources(".py"):
        nodes = list(ast.walk(ast.parse(text)))
        formatted = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        pieced.update("".join(map(piece, node.values)) for node in formatted)
        pieces = {id(part) for node in formatted for part in node.values}
        whole.update(
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in pieces
        )
    for text in sources(".j2"):
        whole.update(re.findall(r'"([^"]*)"', text))
    # Beginnings and ends, to which something is added.
    pieced |= {f"{re.escape(text)}.+" for text in whole if text.endswith((".", "-"))}
    pieced |= {f".+{re.escape(text)}" for text in whole if text.startswith((".", "-"))}
    return frozenset(whole), frozenset(pieced)


def piece(node: ast.expr) -> str:
    return re.escape(str(node.value)) if isinstance(node, ast.Constant) else ".*"


def test_every_text_is_said_somewhere() -> None:
    whole, pieced = said()
    # A pattern without a word of its own would fit everything.
    patterns = [each for each in pieced if re.search(r"[a-z]{3}", each)]
    fits = re.compile("|".join([*patterns, OF_SETS]))
    assert {each for each in ids() - whole if not fits.fullmatch(each)} == set()


def test_every_id_that_is_said_has_a_text() -> None:
    whole, _ = said()
    # Two words with a dot between them may be the name of a file or setting, too.
    like_one = re.compile(rf"(?!.*(-|\.j2)\Z)(client(\.[\w-]+)+|({DOMAINS})(\.[\w-]+){{2,}})")
    assert {text for text in whole if like_one.fullmatch(text)} - ids() == set()
