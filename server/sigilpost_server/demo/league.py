"""A season of a league by real mail: eight bots, two divisions, two games each at once.

One of them loses heart in the middle and leaves. The end shows the tables, and where the pages are.
"""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from sigilpost_server import db
from sigilpost_server.db import Database
from sigilpost_server.demo.party import DemoFailed, Party, Player, mails_in
from sigilpost_server.leagues import standings, store
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.state import Phase, Season, Status
from sigilpost_server.words import text

NAMES = ("alice", "bob", "carol", "dave", "erin", "fay", "gus", "hal")
LEAVES = "hal"
LEAVES_AFTER = 8
"""Moves after which one of them has had enough."""

NAME = "club"
FILE = f"""\
name = "{NAME}"
title = "The Demo League"
game = "weaver"
seats = 2

[play]
time = "1d per move"
at_once = 2

[format]
kind = "round-robin"

[divisions]
size = 4
promoted = 1
names = ["Gold", "Silver"]

[season]
entry = "1h"
maximum = {len(NAMES)}
seasons = 1
"""

PAUSE = 0.25
"""Seconds between two looks of a bot into its mailbox: eight of them share the machine."""

PATIENCE = 600.0


@dataclass
class LeagueParty(Party):
    """The programs of the demo, in fast time: the server looks at its clocks all the time."""

    def _init(self) -> list[str]:
        return [*super()._init(), "--set=daemon.tick_seconds=0.3"]


def play(folder: Path, bot: str, console: Console) -> int:
    """Play the season, show it, and return the exit status."""
    party = LeagueParty(folder)
    party.folder.mkdir(parents=True)
    began = time.monotonic()
    try:
        with console.status(text("host.demo.setup", names=list(NAMES))):
            party.set_up(NAMES)
            _open_league(party)
        watcher = _Watcher(party, bot)
        watcher.begin()
        _watch(watcher, console)
        _finish(party, console, round(time.monotonic() - began))
    except (DemoFailed, KeyboardInterrupt) as fault:
        console.print(str(fault), style="bold red")
        return 1
    finally:
        party.stop()
    return 0


def _open_league(party: Party) -> None:
    """Make the league, and have everybody enter it by mail."""
    file = party.folder / f"{NAME}.toml"
    file.write_text(FILE, encoding="utf-8")
    party.run(party.sigilpost("league", "create", str(file), "--by", "demo"))
    party.run(*(player.sigil("enter", NAME) for player in party.players))


class _Watcher:
    """Starts the bots, has one of them leave, and knows how the season stands."""

    def __init__(self, party: Party, bot: str) -> None:
        self.party, self.bot = party, bot
        self.left = False
        self._bots: dict[str, subprocess.Popen[str]] = {}
        file = party.folder / "server" / "sigilpost.db"
        self._database = Database(db.open_engine(f"sqlite:///{file}"))

    def begin(self) -> None:
        """A bot at every player's mailbox."""
        for player in self.party.players:
            command = player.sigil(
                *("bot", self.bot, "--watch", "--join", "--json"),
                *("--games", "999", "--pause", str(PAUSE)),
            )
            child = self.party.start(command, f"{player.name}.log")
            self._bots[player.name] = child
            threading.Thread(target=player.follow, args=(child,), daemon=True).start()

    def step(self) -> tuple[Season, LeagueRules]:
        """See to the one who leaves; the season as it stands."""
        player = next(each for each in self.party.players if each.name == LEAVES)
        if not self.left and player.moves >= LEAVES_AFTER:
            self.left = True
            self._leave(player)
        with self._database.read() as connection:
            row = store.find(connection, NAME, lock=False)
            found = row and store.season(connection, row.id, row.season)
        if not found:
            raise DemoFailed(text("host.demo.late", what=NAME, folder=str(self.party.folder)))
        return found

    def _leave(self, player: Player) -> None:
        child = self._bots[player.name]
        child.terminate()
        child.wait(20)
        self.party.run(player.sigil("withdraw", NAME, "--yes"))


def _watch(watcher: _Watcher, console: Console) -> None:
    """Show tables and games until the season is over. Raises DemoFailed."""
    began = time.monotonic()
    with Live(console=console, auto_refresh=False) as live:
        while True:
            season, rules = watcher.step()
            live.update(_board(watcher, season, rules, round(time.monotonic() - began)))
            live.refresh()
            if season.phase is Phase.ENDED:
                return
            if time.monotonic() - began > PATIENCE:
                folder = str(watcher.party.folder)
                raise DemoFailed(text("host.demo.late", what=NAME, folder=folder))
            time.sleep(0.5)


def _board(watcher: _Watcher, season: Season, rules: LeagueRules, seconds: int) -> Table:
    party = watcher.party
    games = [fixture for fixture in season.fixtures if len(fixture.entrants) > 1]
    values = {
        "games": sum(fixture.status is Status.DONE for fixture in games),
        "running": sum(fixture.status is Status.RUNNING for fixture in games),
        "of": len(games),
        "moves": sum(player.moves for player in party.players),
        "mails": sum(player.mails for player in party.players),
        "seconds": seconds,
    }
    title = text("league.demo.title", **values)
    board = Table(title=title, title_justify="left", min_width=60)
    board.add_column(text("league.column.division"))
    board.add_column(text("league.column.name"), min_width=20)
    board.add_column(text("league.column.played"), justify="right")
    board.add_column(text("league.column.points"), justify="right")
    for at, division in enumerate(season.divisions):
        for row in standings.ranking(rules, season, at):
            gone = not row.entrant.active
            name = row.entrant.name
            shown = text("league.cell.gone", name=name) if gone else name
            board.add_row(division.name, shown, str(row.played), standings.shown(row.points))
    return board


def _finish(party: Party, console: Console, seconds: int) -> None:
    """Show the final tables as the host's program prints them, and write the pages."""
    pages = party.folder / "site"
    party.run(party.sigilpost("site", str(pages)))
    shown = party.sigilpost("league", "show", NAME)
    tables = subprocess.run(shown, capture_output=True, text=True, check=True)  # noqa: S603
    console.print(tables.stdout, markup=False, highlight=False, soft_wrap=True)
    reader = party.players[0]
    done = text(
        "league.demo.done",
        seconds=seconds,
        left=LEAVES,
        moves=sum(player.moves for player in party.players),
        mails=sum(len(mails_in(folder)) for folder in party.mail.iterdir()),
        folder=str(party.mail),
        address=reader.address,
        page=str(pages / "index.html"),
    )
    console.print(done, markup=False, highlight=False, soft_wrap=True)
