"""The pages: what is on them, what is not, and what a real browser makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sigilpost_engine.audit.verify import verify
from sigilpost_engine.games import find
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.season import results
from sigilpost_server.leagues.site import pages
from sigilpost_server.leagues.site.curves import (
    BEGINNING,
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Point,
    curve,
    histories,
    scale,
)
from sigilpost_server.leagues.site.pages import SeasonPage
from sigilpost_server.leagues.site.write import write
from sigilpost_server.leagues.state import How, Phase, Season, Status
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.models import games, seats
from tests.server.clocks.hours import STEADY
from tests.server.leagues import browser
from tests.server.leagues.town import FILE, LeagueTown
from tests.server.leagues.worlds import NOW, begun, entered, rules

NAMES = ("alice", "bob", "carol", "dan", "erin", "fay")
DIVIDED = FILE + '[divisions]\nsize = 3\nsmallest = 3\npromoted = 1\nnames = ["Gold", "Silver"]\n'


class Site(NamedTuple):
    """A town after a season and in the middle of the next, and its pages."""

    town: LeagueTown
    folder: Path

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    @property
    def pages(self) -> list[str]:
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*.html"))


@pytest.fixture(scope="module")
def site(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for all tests of this file: they only look at it."""
    folder = tmp_path_factory.mktemp("site")
    file = folder / "sigilpost.db"
    file.write_bytes(migrated_sqlite.read_bytes())
    with LeagueTown.on(f"sqlite:///{file}", clocks=STEADY) as town:
        assert isinstance(town, LeagueTown)
        town.prepare(*NAMES, file=DIVIDED)
        for name in NAMES:
            town.ask(name, "enter", "open")
        town.pass_days(2)
        town.play_season(1)
        town.pass_days(2)
        town.join_all()
        write(town.service, folder / "www")
        yield Site(town, folder / "www")


def test_there_is_a_page_for_each_season_and_each_finished_game(site: Site) -> None:
    over = [f"games/{f.game}.html" for f in site.town.season(1).fixtures]
    seasons = ["open/index.html", "open/season-1.html", "open/season-2.html"]
    assert site.pages == sorted([*over, *seasons, "index.html", "ratings.html"])
    assert len(over) == 6


def test_every_link_leads_to_a_page_that_is_there(site: Site) -> None:
    for name in site.pages:
        for link in re.findall(r'(?:href|src)="([^"#]+)"', site.text(name)):
            assert ((site.folder / name).parent / link).exists(), (name, link)


def test_the_season_s_page_has_table_cross_table_fixtures_and_curves(site: Site) -> None:
    page = site.text("open/season-1.html")
    for words in ("Division Gold", "Division Silver", "Cross-table", "Fixtures", "<svg"):
        assert words in page
    for name in NAMES:
        assert f'<th scope="row">{name}</th>' in page


def test_a_finished_game_is_shown_step_by_step_and_its_transcript_verifies(site: Site) -> None:
    tag = site.town.season(1).fixtures[0].game
    page = site.text(f"games/{tag}.html")
    report = verify((site.folder / f"games/{tag}.transcript.jsonl").read_bytes(), find)
    assert report.fault is None
    assert "Verified." in page
    assert page.count('<li id="s') > 10


def test_a_page_says_so_if_its_transcript_does_not_hold(site: Site) -> None:
    from sigilpost_server.leagues.site.replay import replay

    tag = site.town.season(1).fixtures[0].game
    data = (site.folder / f"games/{tag}.transcript.jsonl").read_bytes()
    assert replay(data).fault is None
    changed = re.sub(rb'"winners":\[[^]]*\]', rb'"winners":["nobody"]', data)
    assert changed != data
    assert replay(changed).fault is not None


def test_nothing_private_of_a_running_game_is_on_the_pages(site: Site) -> None:
    season = site.town.season(2)
    assert season.phase is Phase.PLAYING
    running = [f.game for f in season.fixtures if f.status is Status.RUNNING]
    assert running
    everything = "".join(site.text(name) for name in [*site.pages, "style.css"])
    for person in site.town.people.values():
        assert person.address not in everything
    with site.town.service.database.read() as db:
        for row in db.execute(games.select().where(games.c.tag.in_(running))):
            assert row.secret.hex() not in everything
            assert row.tag not in everything
            for seat in db.execute(seats.select().where(seats.c.game_id == row.id)):
                assert seat.nonce not in everything
    # Not one card is named where only running games are told of.
    cards = {word for card in find("weaver").cards for word in card.split() if word.isalpha()}
    page = site.text("open/season-2.html")
    assert not [card for card in cards if card in page]


def test_pages_of_finished_games_are_written_once(site: Site, tmp_path: Path) -> None:
    first = write(site.town.service, tmp_path / "www")
    again = write(site.town.service, tmp_path / "www")
    assert first.pages - again.pages == 6


def test_a_title_that_looks_like_markup_is_text(site: Site) -> None:
    assert "<script" not in "".join(site.text(name) for name in site.pages)


def test_curves_stay_within_their_picture(site: Site) -> None:
    from sigilpost_server.leagues import store

    with site.town.service.database.read() as db:
        pools = histories(store.results(db))
    (players,) = pools.values()
    assert len(players) == 6
    to = scale(players.values())
    for points in players.values():
        drawn = curve(points, to)
        for x, y in (pair.split(",") for pair in (drawn.line + " " + drawn.band).split()):
            assert LEFT <= float(x) <= RIGHT
            assert TOP <= float(y) <= BOTTOM


def points(*ratings: int) -> list[Point]:
    return [Point(1_700_000_000, rating, 700) for rating in ratings]


@pytest.mark.parametrize("games", [1, 2, 3, 40])
def test_a_curve_marks_the_beginning_and_every_game_however_short_the_season(games: int) -> None:
    history = points(*(1500 + 10 * n for n in range(1, games + 1)))
    drawn = curve(history, scale([history]))
    assert [dot.games for dot in drawn.dots] == list(range(games + 1))
    assert (drawn.dots[0].point, drawn.dots[0].y) == (BEGINNING, drawn.base)
    # From rim to rim, evenly, though all games ended at the same moment.
    xs = [float(dot.x) for dot in drawn.dots]
    assert (xs[0], xs[-1]) == (LEFT, RIGHT)
    assert max(b - a for a, b in pairwise(xs)) - min(b - a for a, b in pairwise(xs)) < 0.2
    # A line of at least a game, not a dot alone.
    assert drawn.line.count(",") == games + 1


@pytest.mark.parametrize(("low", "high"), [(1500, 1500), (1480, 1520), (1100, 1900), (300, 2900)])
def test_the_rating_axis_has_a_few_round_labels_within_the_picture(low: int, high: int) -> None:
    history = points(low, high)
    to = scale([history])
    labels = curve(history, to).ratings
    assert 2 <= len(labels) <= 6
    assert all(label.value % 50 == 0 for label in labels)
    assert all(TOP <= float(label.at) <= BOTTOM for label in labels)
    for rating in (low, high):
        assert TOP + 2 < to.y(rating) < BOTTOM - 2


@pytest.mark.parametrize(("games", "labels"), [(1, [0, 1]), (5, [0, 1, 2, 3, 4, 5])])
def test_the_axis_of_games_counts_from_none(games: int, labels: list[int]) -> None:
    history = points(*[1510] * games)
    assert [tick.value for tick in curve(history, scale([history])).games] == labels


def test_the_pages_show_the_beginning_and_name_both_axes(site: Site) -> None:
    page = site.text("ratings.html")
    assert page.count('class="begin"') == len(NAMES)
    for words in (">Rating</text>", ">Games</text>", ">0</text>", "the open dot"):
        assert words in page
    assert '<td class="n">0</td><td>-</td><td class="n">1500</td>' in page


def season_page(league: LeagueRules, season: Season, **values: Any) -> SeasonPage:
    known = {"status": LeagueStatus.RUNNING, "now": NOW, **values}
    return pages.season_page(league, season, {}, (), (), **known)


@pytest.mark.parametrize(
    ("kind", "points"), [("swiss", ["2-0", "1-1", "2"]), ("knockout", ["1-0", "½-½", ""])]
)
def test_a_fixture_s_points_are_shown_where_they_rank_else_how_it_came_off(
    kind: str, points: list[str]
) -> None:
    league = rules("[season]\nminimum = 5\n", kind=kind)
    season = begun(league, 5 if kind == "swiss" else 6)
    games = [f for f in season.fixtures if len(f.entrants) == 2]
    for fixture, places in zip(games, [(1, 2), (1, 1)], strict=True):
        results.finish(season, league, fixture.number, places, How.SHARED, NOW)
    (division,) = season_page(league, season).divisions
    assert sorted({row.points for row in division.fixtures}) == sorted(points)
    assert bool(division.cross[0].points) is (kind == "swiss")


def test_how_to_enter_is_shown_while_one_can() -> None:
    league, ladder = rules(), rules('[season]\nlength = "60d"\n', kind="ladder")
    assert season_page(league, entered(league, 3)).enter
    assert season_page(ladder, begun(ladder, 3)).enter
    assert not season_page(league, begun(league, 3)).enter
    assert not season_page(league, entered(league, 3, NOW + 1)).enter
    assert not season_page(ladder, begun(ladder, 3), status=LeagueStatus.ENDED).enter


# --- in a real browser ----------------------------------------------------------------------------


@pytest.mark.service("chromium")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_at_phone_and_desk_width(site: Site, dark: bool) -> None:
    tag = site.town.season(1).fixtures[0].game
    paths = ["index.html", "ratings.html", "open/season-1.html", "open/season-2.html"]
    seen = browser.look(site.folder, [*paths, f"games/{tag}.html"], dark=dark)
    assert len(seen) == 10
    for each in seen:
        assert each.violations == [], (each.path, each.width, each.violations)
        assert each.passes > 10
        assert each.overflow <= 0, (each.path, each.width, "wider than the screen")
        assert each.scripts == 0
        assert each.outside == []
        assert each.dark is dark
    assert len({each.ground for each in seen}) == 1
    assert (seen[0].ground == "rgb(22, 20, 15)") is dark


@pytest.mark.service("chromium")
def test_axe_would_find_something(site: Site, tmp_path: Path) -> None:
    bad = site.text("open/season-1.html").replace('lang="en"', "").replace("Fixtures", "")
    (tmp_path / "bad.html").write_text(bad)
    seen = browser.look(tmp_path, ["bad.html"], dark=False)
    assert "html-has-lang" in {found[0] for found in seen[0].violations}


@pytest.mark.service("chromium")
def test_a_page_can_be_printed_and_seen(site: Site, tmp_path: Path) -> None:
    pdf = browser.printed(site.folder, "open/season-1.html", tmp_path / "page.pdf")
    assert pdf.startswith(b"%PDF-")
    picture = browser.picture(
        site.folder, "open/season-1.html", tmp_path / "page.png", width=browser.PHONE
    )
    assert len(picture) > 10_000
