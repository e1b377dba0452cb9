"""What of a league's file may change while it runs, and from when on a change counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clock import moment
from sigilpost_server.leagues import durations
from sigilpost_server.leagues.file import BadLeague, Problem, line_of
from sigilpost_server.leagues.rules import LeagueRules


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
