"""Reading a league file: its model, or what is wrong with it, by file, line, key and remedy."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues.faults import faults
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.section import Section


class Problem(NamedTuple):
    """Something wrong in a file. ``line`` counts from 1; 0 where the key is not there at all."""

    line: int
    key: str
    why: Msg
    remedy: Msg


class BadLeague(Exception):
    """A league file that cannot be used, with all its problems, first line first."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        super().__init__(
            f"{file}: " + "; ".join(f"{p.line}: {p.key}: {p.why.id}" for p in problems)
        )
        self.file = file
        self.problems = problems


def read(path: Path) -> tuple[LeagueRules, str]:
    """The model of a file, and its text. Raises BadLeague, also if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        why = say("league.file.not-utf-8")
        if isinstance(fault, OSError):
            why = say("league.file.unreadable", why=fault.strerror)
        problem = Problem(0, "", why, say("league.remedy.readable"))
        raise BadLeague(str(path), [problem]) from fault
    return parse(text, str(path)), text


def parse(text: str, file: str = "league.toml") -> LeagueRules:
    """The model of a text; ``file`` is what problems call it. Raises BadLeague."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise BadLeague(file, [_syntax(text, fault)]) from fault
    try:
        rules = LeagueRules.model_validate(raw)
    except ValidationError as fault:
        problems = [_problem(text, error) for error in fault.errors()]
        raise BadLeague(file, sorted(problems, key=lambda problem: problem.line)) from fault
    wrong = list(faults(rules))
    if wrong:
        problems = [Problem(line_of(text, key), key, why, remedy) for key, why, remedy in wrong]
        raise BadLeague(file, sorted(problems, key=lambda problem: problem.line))
    return rules


# --- where a key is -------------------------------------------------------------------------------


def line_of(text: str, key: str) -> int:
    """The line (from 1) on which the value of a dotted key begins; its table's, or 0, if absent.

    Found by the parser itself: the key is on the line with which it first is in what was read.
    """
    path = key.split(".") if key else []
    while path:
        found = _first_line(text, path)
        if found:
            return found
        path = path[:-1]
    return 0


def _first_line(text: str, path: list[str]) -> int:
    lines = text.splitlines()
    begun = 1  # the line after the last text that could be read
    for end in range(1, len(lines) + 1):
        try:
            raw = tomllib.loads("\n".join(lines[:end]) + "\n")
        except tomllib.TOMLDecodeError:
            continue
        if _has(raw, path):
            return _skip(lines, begun)
        begun = end + 1
    return 0


def _skip(lines: list[str], at: int) -> int:
    """The first line from ``at`` that is more than a comment."""
    while lines[at - 1].strip().startswith("#") or not lines[at - 1].strip():
        at += 1
    return at


def _has(raw: Any, path: list[str]) -> bool:
    for word in path:
        if not isinstance(raw, Mapping) or word not in raw:
            return False
        raw = raw[word]
    return True


def _syntax(text: str, fault: tomllib.TOMLDecodeError) -> Problem:
    line = 1
    # Python says "(at line 3, column 7)" or "(at end of document)".
    words = str(fault).rpartition("(at ")[2]
    if words.startswith("line "):
        line = int(words.removeprefix("line ").partition(",")[0])
    elif "end of document" in words:
        line = max(1, len(text.splitlines()))
    why = str(fault).partition(" (at ")[0]
    return Problem(line, "", say("league.file.syntax", why=why), say("league.remedy.syntax"))


# --- what is wrong with a value -------------------------------------------------------------------


def _problem(text: str, error: ErrorDetails) -> Problem:
    path = [str(part) for part in error["loc"]]
    shown = ".".join(part for part in path if not part.isdigit())
    why, remedy = _explained(path, error)
    return Problem(line_of(text, shown), shown, why, remedy)


def _explained(path: list[str], error: ErrorDetails) -> tuple[Msg, Msg]:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return say("league.file.unknown-key"), _did_you_mean(path)
    if kind == "missing":
        if path[-1] == "format":
            return say("league.file.missing"), say("league.remedy.type-model")
        return say("league.file.missing"), say("league.remedy.add", key=path[-1])
    if kind in ("enum", "literal_error"):
        words = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
        return say("league.file.word"), say("league.remedy.one-of", words=words)
    if kind == "value_error":
        word = str(context.get("error", ""))
        return say(f"league.file.{word}"), say(f"league.remedy.{word}")
    if kind in ("greater_than_equal", "less_than_equal"):
        limit = context.get("ge", context.get("le"))
        return say("league.file.range"), say(f"league.remedy.{kind.replace('_', '-')}", limit=limit)
    if kind == "string_pattern_mismatch":
        return say("league.file.text"), say("league.remedy.name")
    if kind == "string_too_long":
        longest = context.get("max_length")
        return say("league.file.text"), say("league.remedy.shorter", limit=longest)
    wanted = kind.split("_")[0]
    known = ("int", "string", "bool", "tuple", "mapping", "model")
    wanted = wanted if wanted in known else "value"
    return say("league.file.type"), say(f"league.remedy.type-{wanted}")


_NEAR = 0.75
"""So alike, of 1, is what was meant: not ``play`` to somebody who wrote ``players``."""


def _did_you_mean(path: list[str]) -> Msg:
    known = sorted(_section(path[:-1]).model_fields)
    near = difflib.get_close_matches(path[-1], known, 1, _NEAR)
    if near:
        return say("league.remedy.did-you-mean", key=".".join([*path[:-1], near[0]]))
    return say("league.remedy.known-keys", keys=known)


def _section(path: list[str]) -> type[Section]:
    section: type[Section] = LeagueRules
    for word in path:
        inner = section.model_fields[word].annotation
        assert isinstance(inner, type)
        assert issubclass(inner, Section)
        section = inner
    return section
