"""The command line of the demo, and what it shows."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from sigilpost_engine import games
from sigilpost_server.demo.ending import find
from sigilpost_server.demo.party import GAME_ADDRESS, DemoFailed, Party, mails_in
from sigilpost_server.demo.proof import prove
from sigilpost_server.words import text

NAMES = ("alice", "bob", "carol", "dave", "erin")


def main() -> int:
    """Play, show, and return the exit status."""
    given = _arguments()
    console = Console()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if given.league:
        from sigilpost_server.demo import league

        return league.play(given.folder or _new_folder("league"), given.bot, console)
    party = Party(given.folder or _new_folder(given.game))
    party.folder.mkdir(parents=True)
    began = time.monotonic()
    try:
        names = NAMES[: seats(given.game)]
        with console.status(text("host.demo.setup", names=list(names))):
            party.set_up(names)
        _watch(party, party.play(given.game, given.bot), given.game, console)
        _finish(party, console, round(time.monotonic() - began))
    except (DemoFailed, KeyboardInterrupt) as fault:
        console.print(str(fault), style="bold red")
        return 1
    finally:
        party.stop()
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo", description=text("host.demo.help"))
    add = parser.add_argument
    add("--game", choices=games.names(), default="weaver", help=text("host.demo.help.game"))
    add("--bot", default="greedy", help=text("host.demo.help.bot"))
    add("--league", action="store_true", help=text("league.help.demo"))
    add("--folder", type=Path, help=text("host.demo.help.folder"))
    return parser.parse_args()


def _new_folder(game: str) -> Path:
    number = 1
    while (folder := Path(f"demo-{game}-{number}").absolute()).exists():
        number += 1
    return folder


def seats(kind: str) -> int:
    """For how many players a game is shown: three if it can be."""
    game = games.find(kind)
    counts = game.seat_counts(game.read_options({}))
    return 3 if 3 in counts else max(counts)


def _watch(party: Party, bots: list[threading.Thread], kind: str, console: Console) -> None:
    """Show moves and mails until the bots have ended."""
    began = time.monotonic()

    def shown() -> Table:
        return _board(party, kind, round(time.monotonic() - began))

    with Live(shown(), console=console, auto_refresh=False) as live:
        while any(bot.is_alive() for bot in bots):
            time.sleep(0.2)
            live.update(shown(), refresh=True)


def _board(party: Party, kind: str, seconds: int) -> Table:
    moves = sum(player.moves for player in party.players)
    title = text(
        "host.demo.title", kind=kind, moves=moves, mails=sum(_mails(party)), seconds=seconds
    )
    board = Table(title=title, title_justify="left", min_width=60)
    board.add_column(text("host.demo.player"))
    board.add_column(text("host.demo.moves"), justify="right")
    board.add_column(text("host.demo.got"), justify="right")
    board.add_column(text("host.demo.last"), min_width=30)
    for player in party.players:
        board.add_row(player.address, str(player.moves), str(player.mails), player.last)
    return board


def _mails(party: Party) -> tuple[int, int]:
    """How many mails went to the server and to the players."""
    to_players = sum(player.mails for player in party.players)
    return len(mails_in(party.mail / GAME_ADDRESS)), to_players


def _finish(party: Party, console: Console, seconds: int) -> None:
    """Show the final mail, and where all mails are. Raises DemoFailed."""
    endings = [find(player.mailbox) for player in party.players]
    first = endings[0]
    if first is None or any(each is None or each.winners != first.winners for each in endings):
        raise DemoFailed(text("host.demo.differ", folder=str(party.folder)))
    reader = party.players[0]
    console.print(text("host.demo.over", name=reader.address), style="bold")
    console.print(first.text, markup=False, highlight=False)
    console.print(text("host.demo.proof"), style="bold")
    console.print(prove(party), markup=False, highlight=False)
    to_server, to_players = _mails(party)
    done = text(
        "host.demo.done",
        moves=sum(player.moves for player in party.players),
        seconds=seconds,
        to_server=to_server,
        to_players=to_players,
        folder=str(party.mail),
        address=reader.address,
    )
    console.print(done, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
