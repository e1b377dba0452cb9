"""``sigilpost league`` as typed: what it prints, its exit statuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.leagues.town import FILE

SIGILPOST = Path(sys.executable).with_name("sigilpost")


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A server's folder, and a league file beside it."""
    folder = tmp_path / "host"
    done = _run(tmp_path, "init", str(folder), "--address", "play@server.test")
    assert done.returncode == 0, done.stderr
    (folder / "club.toml").write_text(FILE)
    return folder


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(SIGILPOST), *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


def league(host: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run(host, "--config", "config.toml", "league", *arguments)


def test_a_league_is_made_shown_and_its_log_says_who_and_why(host: Path) -> None:
    assert league(host, "create", "club.toml", "--by", "ann", "--why", "spring").returncode == 0
    shown = json.loads(league(host, "show", "open", "--json").stdout)
    assert (shown["title"], shown["phase"], shown["season"]) == ("The Open", "entry", 1)
    (line,) = league(host, "log", "open").stdout.splitlines()
    assert line.endswith("ann  create  club.toml  spring")


def test_a_bad_file_is_refused_with_file_line_key_and_remedy(host: Path) -> None:
    (host / "club.toml").write_text(FILE.replace("at_once = 2", "at_onec = 2"))
    done = league(host, "create", "club.toml")
    assert done.returncode == 1
    assert done.stderr.strip() == (
        "club.toml, line 6, play.at_onec: there is no such key. Did you mean play.at_once?"
    )


def test_a_change_of_a_running_league_says_when_it_counts(host: Path) -> None:
    league(host, "create", "club.toml")
    changed = FILE.replace('join = "3d"', 'join = "5d"').replace('entry = "2d"', 'entry = "4d"')
    (host / "club.toml").write_text(changed)
    assert league(host, "create", "club.toml").stdout.splitlines() == [
        'play.join: "3d" becomes "5d" now.',
        'season.entry: "2d" becomes "4d" with the next season that begins.',
    ]


def test_what_cannot_be_done_is_said_and_ends_with_1(host: Path) -> None:
    league(host, "create", "club.toml")
    done = league(host, "pair", "open")
    assert done.returncode == 1
    assert "2 entrants are needed; there are 0" in done.stderr
    done = league(host, "show", "close")
    assert done.returncode == 1
    assert 'There is no league "close". Leagues: open.' in done.stderr


def test_an_act_without_a_reason_is_not_done(host: Path) -> None:
    league(host, "create", "club.toml")
    assert league(host, "end", "open").returncode != 0
    assert json.loads(league(host, "show", "open", "--json").stdout)["status"] == "running"


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("alice",),
        ("--points", "2"),
        ("--fixture", "1", "--points", "2", "--places", "1,2"),
        ("alice", "--fixture", "1", "--points", "2"),
    ],
)
def test_adjust_needs_either_an_entrant_with_points_or_a_fixture(
    host: Path, given: tuple[str, ...]
) -> None:
    league(host, "create", "club.toml")
    done = league(host, "adjust", "open", *given, "--why", "x")
    assert done.returncode != 0
    assert "Name an entrant and --points, or --fixture and --places." in done.stderr
    assert len(league(host, "log", "open").stdout.splitlines()) == 1


def test_the_host_sees_where_a_league_stands(host: Path) -> None:
    league(host, "create", "club.toml")
    for command in (("list",), ("show", "open")):
        assert "Season 1: open for entry until 20" in league(host, *command).stdout
    league(host, "pause", "open", "--why", "summer")
    assert "paused by the director" in league(host, "show", "open").stdout
    league(host, "end", "open", "--why", "winter")
    assert "the league is over" in league(host, "list").stdout
