"""Writing the pages: each file whole or not at all, and those of finished games once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import Connection, select

from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts
from sigilpost_engine.texts.layout import cell
from sigilpost_server import transcripts
from sigilpost_server.leagues import ratings, store
from sigilpost_server.leagues.models import league_games
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.site import curves, pages
from sigilpost_server.leagues.site.pages import CurvePage, PoolPage
from sigilpost_server.leagues.site.replay import replay
from sigilpost_server.leagues.state import Season
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.models import GameStatus, games, players
from sigilpost_server.service import Service
from sigilpost_server.transaction.play import Play

_PACKAGE = Path(__file__).resolve().parents[2]
STYLE = "style.css"


class Written(NamedTuple):
    """How many pages were written, and the first to look at."""

    pages: int
    first: Path


def write(service: Service, folder: Path, *, again: bool = False) -> Written:
    """Write all pages into a folder. Pages of finished games stay, unless ``again``."""
    site = _Site(service, folder, again)
    with service.database.read() as db:
        site.write(db)
    return Written(site.written, folder / "index.html")


class _Site:
    def __init__(self, service: Service, folder: Path, again: bool) -> None:
        self.house, self.folder, self.again = service.house, folder, again
        self.now = service.clock()
        self.texts = Texts(service.house.settings.server.language)
        self.written = 0
        places = [_PACKAGE / "templates" / "site", _PACKAGE.parents[1] / "templates" / "site"]
        self.jinja = Environment(
            loader=FileSystemLoader(places),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.jinja.globals |= {"text": self._text, "language": self.texts.language}
        self.jinja.filters |= {"say": self.texts.render, "cell": self._cell}

    def _text(self, id: str, **values: Any) -> str:
        return self.texts(id, **values)

    def _cell(self, value: Any) -> str:
        return cell(value, self.texts)

    # --- all of it ----------------------------------------------------------------------------

    def write(self, db: Connection) -> None:
        """Every page."""
        names: dict[int, str] = {
            row.id: row.name for row in db.execute(select(players.c.id, players.c.name))
        }
        known = {key: ratings.now(r, self.now) for key, r in store.all_ratings(db).items()}
        history = curves.histories(store.results(db))
        finished = self._games(db)
        leagues = store.every(db)
        shown = []
        for row in leagues:
            shown.append(self._league(db, row, finished, names, known, history))
        pools = [
            PoolPage(pool, pages.rating_pages(points, _of_pool(known, pool), names))
            for pool, points in sorted(history.items())
        ]
        self._page("ratings.html", "ratings.html.j2", root="", pools=pools)
        self._page("index.html", "index.html.j2", root="", leagues=shown, pools=pools)
        self._file(STYLE, self._style())

    def _style(self) -> str:
        assert self.jinja.loader is not None
        return self.jinja.loader.get_source(self.jinja, STYLE)[0]

    # --- leagues ------------------------------------------------------------------------------

    def _league(
        self,
        db: Connection,
        row: store.Row,
        finished: Mapping[str, str],
        names: Mapping[int, str],
        known: ratings.Ratings,
        history: Mapping[str, Mapping[int, list[curves.Point]]],
    ) -> pages.SeasonPage:
        numbers = list(range(1, row.season + 1))
        newest = None
        for number in numbers:
            found = store.season(db, row.id, number)
            if found is None:
                continue
            season, rules = found
            rules = rules.model_copy(update={"title": row.rules.title})
            rated = self._curves(rules, season, names, known, history)
            others = [each for each in numbers if each != number]
            status = row.status if number == row.season else LeagueStatus.RUNNING
            newest = pages.season_page(
                rules, season, finished, rated, others, status=status, now=self.now
            )
            name = f"{row.name}/season-{number}.html"
            self._page(name, "season.html.j2", root="../", page=newest)
        assert newest is not None
        self._page(f"{row.name}/index.html", "season.html.j2", root="../", page=newest)
        return newest

    def _curves(
        self,
        rules: LeagueRules,
        season: Season,
        names: Mapping[int, str],
        known: ratings.Ratings,
        history: Mapping[str, Mapping[int, list[curves.Point]]],
    ) -> tuple[CurvePage, ...]:
        pool = ratings.pool_of(rules.game, find(rules.game).read_options(rules.options))
        inside = {player for entrant in season.entrants for player in entrant.players}
        points = {p: curve for p, curve in history.get(pool, {}).items() if p in inside}
        return pages.rating_pages(points, _of_pool(known, pool), names)

    # --- games --------------------------------------------------------------------------------

    def _games(self, db: Connection) -> dict[str, str]:
        """Write the pages of the leagues' finished games; their paths by tag."""
        statement = (
            select(games.c.tag)
            .select_from(games.join(league_games))
            .where(games.c.status == GameStatus.FINISHED, games.c.match.is_not(None))
            .order_by(games.c.id)
        )
        found = {}
        for (tag,) in db.execute(statement).all():
            found[tag] = f"games/{tag}.html"
            if self.again or not (self.folder / found[tag]).exists():
                self._game(db, tag, found[tag])
        return found

    def _game(self, db: Connection, tag: str, name: str) -> None:
        play = Play.load(db, tag, lock=False)
        assert play is not None
        data = transcripts.of_game(db, play, self.house)
        fixed = store.fixture_of(db, play.row.id)
        file = transcripts.file_name(tag)
        self._bytes(f"games/{file}", data)
        self._page(
            name,
            "game.html.j2",
            root="../",
            game=replay(data),
            league=fixed,
            file=file,
            digest=hashlib.sha256(data).hexdigest(),
        )

    # --- files --------------------------------------------------------------------------------

    def _page(self, name: str, template: str, **values: Any) -> None:
        self._file(name, self.jinja.get_template(template).render(here=name, **values))
        self.written += 1

    def _file(self, name: str, text: str) -> None:
        self._bytes(name, text.encode("utf-8"))

    def _bytes(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_bytes(data)
        draft.replace(path)


def _of_pool(known: ratings.Ratings, pool: str) -> dict[int, ratings.Rating]:
    return {player: rating for (name, player), rating in known.items() if name == pool}
