"""``verify``: prove a finished game from its transcript, without the server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sigilpost_client import files
from sigilpost_client.commands import parameters as given
from sigilpost_client.errors import DOES_NOT_HOLD, Unusable
from sigilpost_client.inbox.eml import read_transcript
from sigilpost_client.screen import plain
from sigilpost_client.words import render, text
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.keys import grouped

if TYPE_CHECKING:
    from sigilpost_engine.audit.verify import Report

PROVED, WRONG = 0, DOES_NOT_HOLD
LONG = 2_000
"""Lines from which on a check is worth a progress display."""
MOST = 128 * 1024 * 1024
"""Bytes that are looked at: a whole mail, whose transcript may be half of that."""

OF_THE_RULES = frozenset(
    f"audit.fault.{what}"
    for what in (
        "after-result",
        "deck",
        "events",
        "held",
        "illegal",
        "left-out",
        "no-such-line",
        "not-over",
        "options",
        "other-answer",
        "result",
        "stale",
        "standing-unfit",
    )
)
"""What may look wrong to other rules than those of the game."""


def verify(
    file: Annotated[
        str,
        typer.Argument(metavar=text("client.metavar.file"), help=text("client.help.verify.file")),
    ],
    receipts: Annotated[
        bool, typer.Option("--receipts", help=text("client.help.verify.receipts"))
    ] = False,
    json: given.Json = False,
) -> None:
    """Check everything that a transcript says."""
    from sigilpost_engine.audit.transcript import Unreadable

    data = _read(file)
    try:
        report = _check(data, receipts)
    except Unreadable as fault:
        why = say("client.verify.at", line=fault.line, why=fault.message)
        newer = fault.message.id == "audit.unreadable.newer-rules"
        raise Unusable(why, None if newer else say("client.remedy.transcript")) from fault
    with plain.to_the_end():  # the status is the answer, even where nobody reads the words
        if json:
            plain.dump(_as_json(report))
        else:
            _tell(report, compared=receipts)
    raise typer.Exit(WRONG if report.fault else PROVED)


def _read(file: str) -> bytes:
    """The transcript: the file itself, or what is attached to it if it is a saved mail."""
    if file == "-":
        return read_transcript(sys.stdin.buffer.read(MOST))
    try:
        with files.named(file).open("rb") as opened:
            return read_transcript(opened.read(MOST))
    except OSError as fault:
        raise Unusable(say("client.error.file", path=file, why=fault.strerror or "")) from fault


def _check(data: bytes, receipts: bool) -> Report:
    from sigilpost_engine import games
    from sigilpost_engine.audit import transcript
    from sigilpost_engine.audit.verify import Receipt, verify

    lines = transcript.read(data)
    told: list[Receipt] = []
    servers: list[bytes] = []
    if receipts:
        told, servers = _receipts(lines[0]["game"])
    try:
        with _progress(len(lines)) as progress:
            return verify(data, games.find, told, servers, progress)
    except (games.UnknownGame, ImportError):
        raise Unusable(say("client.error.kind-unknown", kind=lines[0]["kind"])) from None


def _receipts(tag: str) -> tuple[list[Any], list[bytes]]:
    """The heads that this player was mailed, and the keys that the server is known by.

    Raises Unusable where no receipts of the game are kept.
    """
    from sigilpost_client import store
    from sigilpost_engine.audit.verify import Receipt

    state = store.read()
    game = state.games.get(tag)
    if game is None or not game.heads:
        raise Unusable(say("client.error.no-receipts", game=tag), say("client.remedy.no-receipts"))
    heads = sorted((int(number), hash_) for number, hash_ in game.heads.items())
    return [Receipt(*head) for head in heads], list(map(bytes.fromhex, state.server.known))


@contextmanager
def _progress(lines: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, for transcripts that take a while."""
    if lines < LONG or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text("client.verify.checking"), total=lines)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _tell(report: Report, *, compared: bool) -> None:
    for what, times in sorted(report.checked.items()):
        plain.out(text(f"client.verify.checked.{what}", n=times))
    for note in report.notes:
        words = text("client.verify.note", line=note.line, what=render(note.message))
        plain.paragraph(words)
    if report.fault is not None:
        plain.out()
        fault = report.fault
        words = text("client.verify.wrong", line=fault.line, why=render(fault.message))
        plain.paragraph(words, style="alarm")
        if report.program != _own_version() and fault.message.id in OF_THE_RULES:
            other = text("client.verify.other", played=report.program, here=_own_version())
            plain.paragraph(other)
        return
    if not compared:
        plain.paragraph(text("client.verify.believed", key=grouped(report.server)))
    plain.out()
    _tell_result(report)


def _tell_result(report: Report) -> None:
    winners = report.result.get("winners", [])
    if "stopped" in report.result:
        plain.say("client.verify.stopped", game=report.game, style="good")
    elif not winners:
        plain.say("client.verify.proved-nobody", game=report.game, style="good")
    else:
        plain.say("client.verify.proved", game=report.game, winners=winners, style="good")


def _own_version() -> str:
    from importlib.metadata import version

    return version("sigilpost")


def _as_json(report: Report) -> dict[str, Any]:
    """``{"game", "kind", "program", "server", "proved", "checked": {…}, "notes": [{"line", "what",
    "text"}, …], "fault": {"line", "what", "text"}|null, "result"}``; ``server`` is the fingerprint
    of the key that sealed it."""
    fault = report.fault
    return {
        "game": report.game,
        "kind": report.kind,
        "program": report.program,
        "server": report.server,
        "proved": fault is None,
        "checked": dict(sorted(report.checked.items())),
        "notes": [
            {
                "line": note.line,
                "what": note.message.id.removeprefix("audit.note."),
                "text": render(note.message),
            }
            for note in report.notes
        ],
        "fault": None
        if fault is None
        else {
            "line": fault.line,
            "what": fault.message.id.removeprefix("audit.fault."),
            "text": render(fault.message),
        },
        "result": dict(report.result),
    }
