"""``pause``, ``resume`` and ``clocks``: what a host does about time."""

from __future__ import annotations

import json as jsons

import typer

from sigilpost_server.tools import opened
from sigilpost_server.tools.terminal import Json, Tag, fail, when
from sigilpost_server.words import text


def pause(tag: Tag) -> None:
    """Let the clocks of a game stand still."""
    from sigilpost_server.clocks import desk

    with opened.service() as service:
        if not desk.pause(service, tag):
            fail(text("host.pause.not", game=tag))
    typer.echo(text("host.pause.done", game=tag))


def resume(tag: Tag) -> None:
    """Let the clocks of a game run again."""
    from sigilpost_server.clocks import desk

    with opened.service() as service:
        if not desk.resume(service, tag):
            fail(text("host.resume.not", game=tag))
    typer.echo(text("host.resume.done", game=tag))


def clocks(tag: Tag, json: Json = False) -> None:
    """The terms of a game and the clock of each seat."""
    from sigilpost_server.clocks import desk
    from sigilpost_server.clocks.control import duration

    with opened.service() as service:
        found = desk.clocks(service, tag)
    if found is None:
        fail(text("host.clocks.unknown", game=tag))
    if json:
        seats = [seat._asdict() for seat in found.seats]
        typer.echo(jsons.dumps({"rules": found.rules, "paused": found.paused, "seats": seats}))
        return
    for name, line in found.rules.items():
        typer.echo(f"{name}: {line}")
    for kind in found.paused:
        typer.echo(text("host.clocks.paused", kind=kind))
    for seat in found.seats:
        typer.echo(
            text(
                "host.clocks.seat",
                number=seat.number,
                name=seat.name,
                asked=when(seat.asked),
                deadline=when(seat.deadline),
                bank="-" if seat.left is None else duration(seat.left),
                misses=seat.misses,
                reminders=len(seat.reminded),
                state=seat.stage or (f"bot {seat.acting}" if seat.acting else "-"),
            )
        )
