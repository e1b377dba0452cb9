"""Reading the server's mail: ``sync`` and ``read``."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from sigilpost_client import config, files, store, syncing
from sigilpost_client.commands import parameters as given
from sigilpost_client.errors import Untrusted, Unusable
from sigilpost_client.receive import NEW, UNREADABLE, Received
from sigilpost_client.screen import plain
from sigilpost_client.syncing import Report
from sigilpost_client.words import render, text
from sigilpost_engine.core.messages import say


def sync(json: given.Json = False) -> None:
    """Fetch new mail, take it in, send what waits."""
    report = syncing.sync(config.load())
    if json:
        plain.dump(as_json(report))
    else:
        tell(report)
    _end(report)


def read(
    files: Annotated[
        list[str],
        typer.Argument(metavar=text("client.metavar.file"), help=text("client.help.read.files")),
    ] = [],  # noqa: B006  # Typer copies it
    json: given.Json = False,
) -> None:
    """Take in mails from files, or one from standard input."""
    settings = config.load()
    report = syncing.read(settings, [_bytes(name) for name in files or ["-"]])
    if json:
        plain.dump(as_json(report))
        _end(report)
        return
    if not report.received:
        raise Unusable(say("client.error.no-document"), say("client.remedy.no-document"))
    tell(report)
    shown = {each.game for each in report.received if each.game and each.what != UNREADABLE}
    for tag in sorted(shown):
        from sigilpost_client.screen.position import show_game

        show_game(store.read().games[tag])
    _end(report)


def _bytes(name: str) -> bytes:
    if name == "-" and sys.stdin.isatty():
        raise Unusable(say("client.error.no-input"), say("client.remedy.no-input"))
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return files.named(name).read_bytes()
    except OSError as fault:
        raise Unusable(
            say("client.error.file", path=name, why=fault.strerror or str(fault)),
            say("client.remedy.file"),
        ) from fault


def tell(report: Report) -> None:
    """Say what one round brought."""
    for each in report.received:
        _tell_one(each)
    if report.received:
        plain.say("client.done.sync", n=len(report.received))
    else:
        plain.say("client.done.sync.none")
    if report.sent:
        plain.say("client.done.sent-waiting", n=report.sent)
    asked = store.read().asked()
    if asked:
        plain.say("client.done.asked", n=len(asked), games=[game.id for game in asked])


def _tell_one(each: Received) -> None:
    style = "alarm" if each.alarm else ""
    stream = plain.aside if each.alarm else plain.out
    if each.game and each.what != UNREADABLE:
        title = text(f"client.told.{each.what}", game=each.game)
        plain.out(title, "bold")
    for message in (*each.told, *(each.happened if each.what == NEW else ())):
        indent = "  " if each.game else ""
        for line in plain.wrapped(render(message), indent, indent):
            stream(line, style)
    if each.tables:
        from sigilpost_client.screen import tables

        tables.show(each.tables)


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON: ``mails``, ``documents`` (a list), ``sent``, ``asked`` (tags), …

    ``alarms`` repeats what must not be overlooked; ``fault`` says what is left for next time.
    """
    return {
        "mails": report.mails,
        "documents": [_document(each) for each in report.received],
        "sent": report.sent,
        "asked": [game.id for game in store.read().asked()],
        "alarms": [render(message) for each in report.alarms for message in each.told],
        "fault": render(report.fault.what) if report.fault else None,
    }


def _document(each: Received) -> dict[str, Any]:
    document = each.document
    return {
        "what": each.what,
        "game": each.game,
        "number": document.number if document else 0,
        "notice": str((document.notice or {}).get("type", "")) if document else "",
        "told": [render(message) for message in each.told],
        "happened": [render(message) for message in each.happened],
    }


def _end(report: Report) -> None:
    if report.fault:
        raise report.fault
    if report.alarms:
        raise typer.Exit(Untrusted.status)
