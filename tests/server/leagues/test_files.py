"""League files: what is read, what is refused and where, and what may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from sigilpost_engine.texts import Texts
from sigilpost_server.leagues import file as files
from sigilpost_server.leagues.changes import When, applied, changes, refuse, when
from sigilpost_server.leagues.durations import seconds, shown
from sigilpost_server.leagues.file import BadLeague, parse
from sigilpost_server.leagues.rules import Kind, LeagueRules

GOOD = """\
# The club's league.
name = "open"
title = "The Open"
game = "weaver"
seats = 3

[options]
hidden_cards = "flat"

[play]
time = "3d per move"
at_once = 2

[format]
kind = "tables"
games = 6
points = [
  3,
  1,
  0,
]

[divisions]
size = 8
promoted = 2
names = ["Gold", "Silver"]

[season]
opens = 2026-12-01
entry = "14d"
"""


def problems(text: str) -> list[tuple[int, str, str]]:
    """Line, key and reason of everything that is wrong; every text is in the catalogue."""
    with pytest.raises(BadLeague) as fault:
        parse(text, "club.toml")
    words = Texts("en")
    for problem in fault.value.problems:
        for message in (problem.why, problem.remedy):
            assert words.knows(message.id), message.id
    return [(p.line, p.key, p.why.id.rpartition(".")[2]) for p in fault.value.problems]


def test_a_good_file_is_read() -> None:
    league = parse(GOOD)
    assert league.format.kind is Kind.TABLES
    assert league.points == (3, 1, 0)
    assert league.season.opens == 1_796_083_200
    assert league.season.entry == 14 * 86_400
    assert league.play.time == "3d per move"


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "why"),
    [
        ('at_once = 2', 'at_onec = 2', 12, "play.at_onec", "unknown-key"),
        ('at_once = 2', 'at_once = 0', 12, "play.at_once", "range"),
        ('at_once = 2', 'at_once = "two"', 12, "play.at_once", "type"),
        ('title = "The Open"\n', "", 0, "title", "missing"),
        ('name = "open"', 'name = "The Open"', 2, "name", "text"),
        ('game = "weaver"', 'game = "chess"', 4, "game", "game"),
        ("seats = 3", "seats = 9", 5, "seats", "seats"),
        ('hidden_cards = "flat"', 'hidden_cards = "round"', 8, "options.hidden_cards", "value"),
        ('hidden_cards = "flat"', 'hiden_cards = "flat"', 8, "options.hiden_cards", "unknown"),
        ('time = "3d per move"', 'time = "soon"', 11, "play.time", "time-control"),
        ('kind = "tables"', 'kind = "league"', 15, "format.kind", "word"),
        ('kind = "tables"', 'kind = "knockout"', 15, "format.kind", "two-sided"),
        ("games = 6", "games = 6\nrounds = 3", 17, "format.rounds", "not-this-format"),
        ("  0,\n", "  5,\n", 17, "format.points", "points"),
        ("size = 8", "size = 2", 24, "divisions.size", "division-size"),
        ("promoted = 2", "promoted = 5", 25, "divisions.promoted", "promoted"),
        ('entry = "14d"', 'entry = "a fortnight"', 30, "season.entry", "duration"),
        ('entry = "14d"', 'entry = "5s"', 30, "season.entry", "range"),
        ("opens = 2026-12-01", 'opens = "tomorrow"', 29, "season.opens", "date"),
        ("seats = 3", 'seats = 3\nteams = "fixed"', 6, "teams", "teams"),
        ('title = "The Open"', 'title = "The\\nOpen"', 3, "title", "one-line"),
        ('title = "The Open"', 'title = "\\u001b[31mOpen"', 3, "title", "one-line"),
        ('title = "The Open"', 'title = " "', 3, "title", "one-line"),
        ("at_once = 2", "at_once = 2.0", 12, "play.at_once", "type"),
        ("at_once = 2", "at_once = true", 12, "play.at_once", "type"),
        ("games = 6", "games = 100000000", 16, "format.games", "range"),
        ('entry = "14d"', "entry = 100000", 30, "season.entry", "duration"),
        ('entry = "14d"', 'entry = "14d"\npause = -5', 31, "season.pause", "duration"),
        ('entry = "14d"', 'entry = "14d"\nlength = "999999w"', 31, "season.length", "range"),
        ('entry = "14d"', 'entry = "14d"\nagain = 1', 31, "season.again", "type"),
        ('entry = "14d"', 'entry = "14d"\nagain = "yes"', 31, "season.again", "type"),
        ("opens = 2026-12-01", "opens = 9999-12-31", 29, "season.opens", "range"),
        ("opens = 2026-12-01", "opens = 1800000000", 29, "season.opens", "date"),
        ('"Gold", "Silver"', '"Gold", "Gold"', 26, "divisions.names", "twice"),
    ],
)  # fmt: skip
def test_a_bad_value_is_named_by_line_and_key(
    old: str, new: str, line: int, key: str, why: str
) -> None:
    assert old in GOOD
    assert (line, key, why) in problems(GOOD.replace(old, new))


def test_a_file_that_is_not_toml_is_named_by_line() -> None:
    assert problems(GOOD.replace("seats = 3", "seats = three")) == [(5, "", "syntax")]


def test_all_problems_are_told_at_once_first_line_first() -> None:
    bad = GOOD.replace("at_once = 2", "at_once = 0").replace('"14d"', '"x"')
    assert [line for line, _, _ in problems(bad)] == [12, 30]


def test_a_typing_error_gets_the_key_that_was_meant() -> None:
    with pytest.raises(BadLeague) as fault:
        parse(GOOD.replace("at_once", "at_onec"))
    assert fault.value.problems[0].remedy.values == {"key": "play.at_once"}


def test_a_key_that_is_like_no_other_gets_the_list_of_all() -> None:
    with pytest.raises(BadLeague) as fault:
        parse(GOOD.replace("seats = 3", "players = 3"))
    remedy = next(p.remedy for p in fault.value.problems if p.key == "players")
    assert "seats" in remedy.values["keys"]


@pytest.mark.parametrize(
    ("old", "new", "remedy"),
    [
        ('kind = "tables"', "", "Add kind = ..."),
        ('[format]\nkind = "tables"\ngames = 6', "[fromat]", "Write a table"),
    ],
)
def test_what_is_missing_is_told_as_it_is_to_be_written(old: str, new: str, remedy: str) -> None:
    with pytest.raises(BadLeague) as fault:
        parse(GOOD.replace(old, new))
    told = [Texts("en").render(p.remedy) for p in fault.value.problems if "miss" in p.why.id]
    assert [each for each in told if each.startswith(remedy)]


def test_a_file_in_another_encoding_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes('title = "Café"'.encode("latin-1"))
    with pytest.raises(BadLeague) as fault:
        files.read(tmp_path / "latin.toml")
    assert fault.value.problems[0].why.id == "league.file.not-utf-8"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ('game = "weaver"\nteams = "fixed"\n[format]\nkind = "swiss"\n', 4, "teams"),
        ('game = "tome"\nseats = 2\nteams = "changing"\n[format]\nkind = "tables"\n', 4, "whist"),
        ('game = "tome"\nseats = 4\n[format]\nkind = "tables"\n', 0, "partners"),
        ('game = "weaver"\n[format]\nkind = "swiss"\n[season]\nmaximum = 2\n', 7, "maximum"),
        (
            'game = "weaver"\n[format]\nkind = "swiss"\n[divisions]\nsize = 4\nsmallest = 5\n',
            8,
            "smallest",
        ),
        ('game = "weaver"\n[play]\ntimeout = "sulk"\n[format]\nkind = "swiss"\n', 5, "timeout"),
        ('game = "weaver"\n[format]\nkind = "swiss"\n[play]\nat_once = [1]\n', 7, "type"),
        ('game = "weaver"\n[format]\nkind = "tables"\npoints = 3\n', 6, "type"),
    ],
)
def test_what_does_not_go_together_is_named(text: str, line: int, why: str) -> None:
    found = problems('name = "l"\ntitle = "L"\n' + text)
    assert (line, why) in [(at, reason) for at, _, reason in found]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadLeague) as fault:
        files.read(tmp_path / "none.toml")
    assert fault.value.problems[0].why.id == "league.file.unreadable"


def test_a_ladder_needs_a_length_and_has_no_divisions() -> None:
    head = 'name = "l"\ntitle = "L"\ngame = "weaver"\n'
    text = head + '[format]\nkind = "ladder"\n[divisions]\nsize = 4\n'
    assert [why for _, _, why in problems(text)] == ["ladder-length", "ladder-divisions"]


# --- a running league -----------------------------------------------------------------------------


def every_key(model: type[LeagueRules]) -> list[str]:
    found = []
    for name, info in model.model_fields.items():
        inner = info.annotation
        if isinstance(inner, type) and hasattr(inner, "model_fields"):
            found += [f"{name}.{key}" for key in inner.model_fields]
        else:
            found.append(name)
    return found


def test_the_docs_say_of_every_key_when_a_change_of_it_counts() -> None:
    page = (Path(__file__).parents[3] / "docs/leagues.md").read_text(encoding="utf-8")
    words = {When.NOW: "now", When.NEXT: "next season", When.NEVER: "never"}
    for key in every_key(LeagueRules):
        rows = [row for row in page.splitlines() if row.startswith(f"| `{key}`")]
        assert len(rows) == 1, key
        assert rows[0].rstrip(" |").endswith(f"| {words[when(key)]}"), key


def test_a_change_is_told_with_the_moment_from_which_it_counts() -> None:
    old = parse(GOOD)
    new = parse(GOOD.replace("at_once = 2", "at_once = 3").replace("size = 8", "size = 10"))
    assert [(c.key, c.when, c.old, c.new) for c in changes(old, new)] == [
        ("play.at_once", When.NOW, 2, 3),
        ("divisions.size", When.NEXT, 8, 10),
    ]


def test_only_what_counts_now_reaches_the_running_season() -> None:
    old = parse(GOOD)
    new = parse(GOOD.replace("at_once = 2", "at_once = 3").replace("size = 8", "size = 10"))
    season = applied(old, new)
    assert (season.play.at_once, season.divisions.size) == (3, 8)


def test_a_running_league_keeps_its_game_and_format() -> None:
    other = GOOD.replace('hidden_cards = "flat"', 'space_match = "once"')
    other = other.replace("seats = 3", "seats = 4").replace("  0,\n", "  0,\n  0,\n")
    with pytest.raises(BadLeague) as fault:
        refuse(other, "club.toml", changes(parse(GOOD), parse(other)))
    keys = {problem.key: problem.line for problem in fault.value.problems}
    assert keys["seats"] == 5
    assert keys["options.space_match"] == 8


@pytest.mark.parametrize(
    ("text", "length"), [("14d", 1_209_600), ("1d 12h", 129_600), ("90s", 90), ("2w", 1_209_600)]
)
def test_lengths_of_time_are_read_and_written(text: str, length: int) -> None:
    assert seconds(text) == length
    assert seconds(shown(length)) == length
