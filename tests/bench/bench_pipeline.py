"""The pipeline: a signed move in a game of three, from its bytes to the committed answers.

The floors are what the machine itself needs for the same moves, each measured right after its
move, so that both find the machine and its caches alike: check the signature, write the same rows
in one transaction (``synchronous=FULL``), parse the mail once with ``compat32``, render the same
pages, write the same mails as MIME with the standard library. The sum of the same floors in a
loop of their own, where each finds its caches warm, is shown as well.
"""

from __future__ import annotations

import email
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sigilpost_engine.texts import Texts
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_server import db
from sigilpost_server.mail_out.compose import Composer
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.mail_out.page import Page, page
from sigilpost_server.service import Verdict
from tests.bench.history import fill
from tests.server.service.town import Person, Table, Town

from .rows import Row

PLAYERS = ("alice", "bob", "carol")
GAMES = 12
ADDED = ("mail", "block", "entry", "outgoing")
"""Tables to which a move adds rows."""
STORED_GAMES = 10_000
FIRST_MOVES = 4
"""Moves at each end of a game that are compared."""


class Written(NamedTuple):
    """A mail as it was composed: its letter, its words, both parts."""

    letter: Letter
    page: Page
    text: str
    html: str


class Taken(NamedTuple):
    """What something took: seconds by the clock, and of the processor."""

    wall: float
    cpu: float


class Move(NamedTuple):
    """One move through the pipeline: what it took, and what it consisted of.

    ``rows`` are those that it added, by table, and ``match`` is the game's new text.
    """

    taken: Taken
    raw: bytes
    signer: PublicKey
    block: Block
    rows: dict[str, list[tuple[Any, ...]]]
    match: str
    written: list[Written]


class Recorder(Composer):
    """A composer that can remember what it wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.letters: list[tuple[Letter, Texts]] = []

    def compose(self, letter: Letter, texts: Texts) -> bytes:
        """The whole mail."""
        self.letters.append((letter, texts))
        return super().compose(letter, texts)


def run() -> list[Row]:
    """Milliseconds a move, moves a second, and how the cost grows."""
    with tempfile.TemporaryDirectory(prefix="sigilpost-bench-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'empty.db'}"
        db.migrate(url)
        with town_of(folder, "fresh") as fresh, town_of(folder, "full") as full:
            play(fresh)
            floors = Floors(fresh, folder / "floor.db")
            play(full)
            fill(folder / "full.db", STORED_GAMES)
            full.forget_post()
            games = [(play(fresh, floors), play(full)) for _ in range(GAMES)]
        in_turns = floors.medians()
        floors.forget()
        for move in [move for game, _ in games for move in game]:
            floors.measure(move)
        warm = floors.medians()
        floors.close()
    return report(games, in_turns, warm)


@contextmanager
def town_of(folder: Path, name: str) -> Iterator[Town]:
    """A server on a database of its own, its players registered."""
    shutil.copyfile(folder / "empty.db", folder / f"{name}.db")
    with Town.on(f"sqlite:///{folder / name}.db") as town:
        town.service.composer = Recorder()
        town.register(*PLAYERS)
        yield town


def play(town: Town, floors: Floors | None = None) -> list[Move]:
    """A whole game by chance, but for its last move, which sends three mails."""
    table = town.again(*PLAYERS)
    moves = []
    while table.status != "finished":
        moves.append(one_move(town, table))
        if floors is not None and table.status != "finished":
            floors.measure(moves[-1])
        table.read()
    return moves[:-1]


def one_move(town: Town, table: Table) -> Move:
    """Send a move and take the time."""
    person: Person = town.people[table.asked]
    block = table.order(table.asked, table.line())
    raw = town.mail(table.asked, block)
    recorder = town.service.composer
    assert isinstance(recorder, Recorder)
    recorder.letters.clear()
    marks = {name: newest(town, name) for name in ADDED}
    verdicts: list[Verdict] = []
    taken = take(lambda: verdicts.append(town.deliver(raw)))
    assert verdicts[0].reason == "ok", verdicts
    written = [_written(recorder, letter, texts) for letter, texts in recorder.letters]
    rows = {name: _select(town, name, f"rowid > {mark}") for name, mark in marks.items()}
    ((match,),) = _select(town, "game", f"tag = '{table.tag}'", "match")
    return Move(taken, raw, person.key.public, block, rows, match, written)


def newest(town: Town, table: str) -> int:
    """The number of the newest row of a table."""
    ((number,),) = _select(town, table, "1 = 1", "coalesce(max(rowid), 0)")
    return int(number)


def _select(town: Town, table: str, where: str, what: str = "*") -> list[tuple[Any, ...]]:
    with town.service.database.read() as connection:
        rows = connection.exec_driver_sql(f'SELECT {what} FROM "{table}" WHERE {where}')
        return [tuple(row) for row in rows]


def _written(composer: Composer, letter: Letter, texts: Texts) -> Written:
    words = page(letter, texts)
    return Written(letter, words, composer.text(words), composer.html(words))


# --- floors ---------------------------------------------------------------------------------------


def take(work: Callable[[], object]) -> Taken:
    """Do some work, and take the time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - wall, time.process_time() - cpu)


def middle(times: Iterable[Taken]) -> Taken:
    """The median of each."""
    walls, cpus = zip(*times, strict=True)
    return Taken(statistics.median(walls), statistics.median(cpus))


class Floors:
    """Takes the time of what nobody can leave out, for one move after another.

    Rows are written to a copy of a town's database, without what its moves added there.
    """

    def __init__(self, town: Town, path: Path) -> None:
        with sqlite3.connect(town.service.database.engine.url.database or "") as original:
            original.execute("VACUUM INTO ?", (str(path),))
        original.close()
        self._composer = Composer()
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._times: dict[str, list[Taken]] = {}
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        for table in ADDED:
            self._connection.execute(f"DELETE FROM {table}")
        self._times.clear()

    def measure(self, move: Move) -> None:
        """Every floor of one move."""
        works: dict[str, Callable[[Move], object]] = {
            "Ed25519 verify": _verify,
            "one transaction of these rows": partial(_transaction, self._connection),
            "one MIME parse": lambda move: email.message_from_bytes(move.raw),
            "template renders": partial(_render, self._composer),
            "MIME writes": lambda move: [_mime(each) for each in move.written],
        }
        for name, work in works.items():
            self._times.setdefault(name, []).append(take(partial(work, move)))

    def medians(self) -> dict[str, Taken]:
        """The median of each floor."""
        return {name: middle(times) for name, times in self._times.items()}

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


def _verify(move: Move) -> None:
    move.signer.verify(move.block.kind, move.block.payload, move.block.signature)


def _render(composer: Composer, move: Move) -> None:
    for each in move.written:
        composer.text(each.page)
        composer.html(each.page)


def _mime(written: Written) -> bytes:
    outer, inner = MIMEMultipart("mixed"), MIMEMultipart("alternative")
    envelope = written.letter.envelope
    outer["From"], outer["To"] = envelope.sender.mail, envelope.to.mail
    outer["Message-ID"], outer["Subject"] = envelope.message_id, written.page.subject
    inner.attach(MIMEText(written.text, "plain", "utf-8"))
    inner.attach(MIMEText(written.html, "html", "us-ascii"))
    outer.attach(inner)
    outer.attach(MIMEApplication(written.letter.turn or b"", "vnd.sigilpost.turn+json"))
    return outer.as_bytes()


def _transaction(connection: sqlite3.Connection, move: Move) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table, rows in move.rows.items():
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    connection.execute(
        "UPDATE game SET match = ?, head_number = head_number + 1 WHERE id = 1", (move.match,)
    )
    connection.executemany(
        "UPDATE seat SET told = told + 1, asked = ? WHERE game_id = 1 AND number = ?",
        [("12-3fa9c1d2", 0), ("", 1)],
    )
    connection.executemany(
        "INSERT INTO traffic VALUES (?, 1, 1) ON CONFLICT DO UPDATE SET mails = mails + 1",
        [("a alice@player.test",), ("g weaver-7k2q",)],
    )
    connection.execute("COMMIT")


# --- the table ------------------------------------------------------------------------------------

Games = list[tuple[list[Move], list[Move]]]


def report(games: Games, floors: dict[str, Taken], warm: dict[str, Taken]) -> list[Row]:
    """The figures beside their floors."""
    fresh = middle(move.taken for game, _ in games for move in game)
    full = middle(move.taken for _, game in games for move in game)
    both = [game for pair in games for game in pair]
    first = middle(move.taken for game in both for move in game[:FIRST_MOVES])
    last = middle(move.taken for game in both for move in game[-FIRST_MOVES:])
    wall, cpu = (sum(each) for each in zip(*floors.values(), strict=True))
    warm_cpu = sum(taken.cpu for taken in warm.values())
    return [
        *(Row(f"floor: {name}", taken.wall * 1e3, "ms") for name, taken in floors.items()),
        Row("a move through the pipeline", fresh.wall * 1e3, "ms", wall * 1e3, "<= 2 floors"),
        Row("the same, processor alone", fresh.cpu * 1e3, "ms", cpu * 1e3, "<= 2 floors"),
        Row("the same, floors in a loop of their own", fresh.cpu * 1e3, "ms", warm_cpu * 1e3),
        Row("moves a second of processor time", 1 / fresh.cpu, "1/s", goal=">= 150"),
        Row("moves a second", 1 / fresh.wall, "1/s", goal=">= 150"),
        _growth(f"a move with {STORED_GAMES} games stored", full.wall, fresh.wall),
        _growth("the same, processor alone", full.cpu, fresh.cpu),
        _growth("a move at the end of a game", last.wall, first.wall),
        _growth("the same, processor alone", last.cpu, first.cpu),
    ]


def _growth(name: str, later: float, sooner: float) -> Row:
    return Row(name, later * 1e3, "ms", sooner * 1e3, "<= 1.2")
