"""Reading a league file: its model, or what is wrong with it, by file, line, key and remedy."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sigilpost_engine import games
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clock import moment
from sigilpost_server.leagues import durations
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams
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
    faults = list(_faults(rules))
    if faults:
        problems = [Problem(line_of(text, key), key, why, remedy) for key, why, remedy in faults]
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


Fault = tuple[str, Msg, Msg]


def _faults(rules: LeagueRules) -> Iterator[Fault]:
    """What does not go together, as key, reason and remedy."""
    yield from _game_faults(rules)
    yield from _format_faults(rules)
    yield from _points_faults(rules)
    yield from _division_faults(rules)
    season = rules.season
    if season.maximum and season.maximum < rules.minimum:
        yield (
            "season.maximum",
            say("league.file.maximum"),
            say("league.remedy.at-least", limit=rules.minimum),
        )


def _game_faults(rules: LeagueRules) -> Iterator[Fault]:
    if rules.game not in games.names():
        remedy = say("league.remedy.one-of", words=", ".join(games.names()))
        yield "game", say("league.file.game"), remedy
        return
    game = games.find(rules.game)
    try:
        options = game.read_options(rules.options)
    except BadOption as fault:
        key = f"options.{fault.path}"
        known = [option.name for option in game.options]
        yield key, fault.message, say("league.remedy.options", options=known)
        return
    counts = list(game.seat_counts(options))
    if rules.seats not in counts:
        words = ", ".join(map(str, counts))
        yield "seats", say("league.file.seats"), say("league.remedy.one-of", words=words)
    elif rules.teams is not Teams.NONE and not has_partners(rules):
        yield "teams", say("league.file.teams"), say("league.remedy.teams")
    elif rules.teams is Teams.NONE and has_partners(rules):
        yield "teams", say("league.file.partners"), say("league.remedy.partners")


def has_partners(rules: LeagueRules) -> bool:
    """Whether the game is played by two sides of partners, seated in turn."""
    game = games.find(rules.game)
    sides = game.sides(rules.seats, game.read_options(rules.options))
    return len(sides) == 2 and len(sides[0]) > 1


_ONLY = {
    "double": (Kind.ROUND_ROBIN,),
    "rounds": (Kind.SWISS,),
    "games": (Kind.TABLES,),
    "reach": (Kind.LADDER,),
    "rest": (Kind.LADDER,),
    "challenges": (Kind.LADDER,),
    "replays": (Kind.KNOCKOUT,),
}


def _format_faults(rules: LeagueRules) -> Iterator[Fault]:
    kind = rules.format.kind
    for key, kinds in _ONLY.items():
        if key in rules.format.model_fields_set and kind not in kinds:
            remedy = say("league.remedy.only-for", formats=", ".join(kinds))
            yield f"format.{key}", say("league.file.not-this-format", format=kind), remedy
    if kind is not Kind.TABLES and rules.entrants_a_game != 2:
        yield "format.kind", say("league.file.two-sided", format=kind), say("league.remedy.tables")
    if kind is Kind.LADDER and not rules.season.length:
        yield "season.length", say("league.file.ladder-length"), say("league.remedy.ladder-length")
    if kind is Kind.LADDER and rules.divisions.size:
        yield (
            "divisions.size",
            say("league.file.ladder-divisions"),
            say("league.remedy.no-divisions"),
        )
    if kind is Kind.TABLES and rules.teams is Teams.CHANGING and rules.seats != 4:
        yield "seats", say("league.file.whist"), say("league.remedy.one-of", words="4")


def _points_faults(rules: LeagueRules) -> Iterator[Fault]:
    points = rules.format.points
    if points and (len(points) != rules.places or list(points) != sorted(points, reverse=True)):
        remedy = say("league.remedy.points", n=rules.places)
        yield "format.points", say("league.file.points"), remedy
    for key, words in (
        ("format.tiebreaks", rules.format.tiebreaks),
        ("divisions.names", rules.divisions.names),
    ):
        if len(set(words)) != len(words):
            yield key, say("league.file.twice"), say("league.remedy.once")


def _division_faults(rules: LeagueRules) -> Iterator[Fault]:
    divisions = rules.divisions
    least = max(rules.entrants_a_game, 3 if rules.format.kind is Kind.SWISS else 2)
    if divisions.size and divisions.size < least:
        remedy = say("league.remedy.at-least", limit=least)
        yield "divisions.size", say("league.file.division-size"), remedy
    elif divisions.size and divisions.smallest > divisions.size:
        remedy = say("league.remedy.at-most", limit=divisions.size)
        yield "divisions.smallest", say("league.file.smallest"), remedy
    elif divisions.size and 2 * divisions.promoted > divisions.size:
        remedy = say("league.remedy.at-most", limit=divisions.size // 2)
        yield "divisions.promoted", say("league.file.promoted"), remedy


# --- what may change while it runs ----------------------------------------------------------------


class When(StrEnum):
    """From when on a change counts."""

    NOW = "now"
    NEXT = "next-season"
    NEVER = "never"


_NEVER = {"name", "game", "seats", "teams", "options", "format.kind"}
_NOW = {
    "title",
    "play.time",
    "play.timeout",
    "play.at_once",
    "play.join",
    "season.length",
    "season.pause",
    "season.seasons",
}


class Change(NamedTuple):
    """A key that differs between two files."""

    key: str
    when: When
    old: Any
    new: Any


_LENGTHS = {"play.join", "format.rest", "season.entry", "season.length", "season.pause"}


def shown(key: str, value: Any) -> str:
    """A value as a file has it."""
    if key in _LENGTHS and value:
        return f'"{durations.shown(value)}"'
    if key == "season.opens" and value:
        return f"{moment(value):%Y-%m-%dT%H:%M:%SZ}"
    return json.dumps(value, ensure_ascii=False)


def when(key: str) -> When:
    """From when on a change of this key counts, while the league runs."""
    if key in _NEVER or key.partition(".")[0] in _NEVER:
        return When.NEVER
    return When.NOW if key in _NOW else When.NEXT


def changes(old: LeagueRules, new: LeagueRules) -> list[Change]:
    """What differs, key by key, in the file's order."""
    before, after = _flat(old.model_dump(mode="json")), _flat(new.model_dump(mode="json"))
    keys = dict.fromkeys([*before, *after])
    return [
        Change(key, when(key), before.get(key), after.get(key))
        for key in keys
        if before.get(key) != after.get(key)
    ]


def applied(season: LeagueRules, new: LeagueRules) -> LeagueRules:
    """The rules of a running season once ``new`` is the league's file: what counts now."""
    raw = season.model_dump(mode="json")
    fresh = new.model_dump(mode="json")
    for key in _NOW:
        table, _, word = key.rpartition(".")
        (raw[table] if table else raw)[word] = (fresh[table] if table else fresh)[word]
    return LeagueRules.model_validate_json(json.dumps(raw))


def refuse(text: str, file: str, found: list[Change]) -> None:
    """Raise BadLeague, naming every change that a running league does not allow."""
    problems = [
        Problem(line_of(text, change.key), change.key, say("league.file.fixed"), _back(change))
        for change in found
        if change.when is When.NEVER
    ]
    if problems:
        raise BadLeague(file, sorted(problems, key=lambda problem: problem.line))


def _back(change: Change) -> Msg:
    return say("league.remedy.fixed", value=shown(change.key, change.old))


def _flat(raw: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in raw.items():
        if isinstance(value, Mapping) and value:
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found
