"""``transcript``: the proof of a finished game, for anybody to check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sigilpost_server.tools import opened
from sigilpost_server.tools.terminal import Tag, fail
from sigilpost_server.words import text


def transcript(
    tag: Tag,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=text("host.help.output"))
    ] = None,
) -> None:
    """Write the transcript of a finished game."""
    from sigilpost_server import transcripts
    from sigilpost_server.transaction.play import Play

    with opened.service() as service, service.database.read() as db:
        play = Play.load(db, tag, lock=False)
        if play is None:
            fail(text("host.no-game", game=tag))
        try:
            data = transcripts.of_game(db, play, service.house)
        except transcripts.NotOver:
            fail(text("host.transcript.not-over", game=tag))
    if output is None:
        sys.stdout.buffer.write(data)
    else:
        output.write_bytes(data)
        typer.echo(text("host.transcript.done", file=str(output)))
