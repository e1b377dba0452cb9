"""The table of the host's commands, and the frame around each of them.

A command is a function in ``tools/`` and one line in the table. Its module is imported when the
command is called.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sigilpost_server import config_file
from sigilpost_server.words import text

COMMANDS = {
    "init": "setup:init",
    "migrate": "setup:migrate",
    "key": "key:app",
    "doctor": "examine:doctor",
    "serve": "run:serve",
    "deliver": "run:deliver",
    "flush": "run:flush",
    "log": "look:log",
    "games": "look:games",
    "show": "look:show",
    "check": "look:check",
    "release": "look:release",
    "pause": "times:pause",
    "resume": "times:resume",
    "clocks": "times:clocks",
    "transcript": "proof:transcript",
    "mail": "look:mail",
    "league": "league:app",
    "site": "site:site",
}
"""Each command's module in ``tools/`` and the function (or group) in it."""

FAULT = 1
MISUSE = 2

DEBUG = "SIGILPOST_DEBUG"


class Commands(TyperGroup):
    """The commands of the table, each imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order in which a host meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(f"sigilpost_server.tools.{module}"), name)
        return typer.main.get_command(_described(found, cmd_name))


def _described(found: Any, name: str) -> typer.Typer:
    words = text(f"host.help.{name}")
    if isinstance(found, typer.Typer):
        found.info.help = words
        return found
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=words)(found)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sigilpost {version('sigilpost')}")
        raise typer.Exit


Config = Annotated[
    Path | None, typer.Option("--config", "-c", metavar="FILE", help=text("host.help.config"))
]
Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help=text("host.help.version")),
]


def _app() -> typer.Typer:
    app = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None)

    @app.callback(help=text("host.help"))
    def sigilpost(config: Config = None, version: Version = False) -> None:
        config_file.choose(config)

    return app


def run(arguments: Sequence[str]) -> int:
    """Run ``sigilpost`` with these arguments; return the exit status."""
    try:
        result = typer.main.get_command(_app()).main(
            list(arguments), prog_name="sigilpost", standalone_mode=False
        )
        return result if isinstance(result, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        return FAULT
    except typer.TyperException as fault:
        _complain(fault.format_message())
        return MISUSE
    except Exception as fault:
        return _explain(fault)


def _explain(fault: Exception) -> int:
    """One line for each kind of fault that a host can do something about; a bug's is its name."""
    from sigilpost_server.errors import MailFailed, NotReady, TryLater
    from sigilpost_server.settings import BadConfig
    from sigilpost_server.ways_out.base import NoWay

    if os.environ.get(DEBUG):
        raise fault
    if isinstance(fault, BadConfig):
        _complain(text("host.error.config", file=str(config_file.path())), *fault.problems)
    elif isinstance(fault, TryLater):
        _complain(text("host.error.later", why=str(fault)))
    elif isinstance(fault, NotReady | NoWay | MailFailed):
        _complain(str(fault))
    elif isinstance(fault, OSError) and fault.filename:
        why = fault.strerror or type(fault).__name__
        _complain(text("host.error.file", file=str(fault.filename), why=why))
    else:
        # Not its words: a fault in a game's rules may name a hidden card.
        _complain(
            text("host.error.bug", what=type(fault).__name__, where=_where(fault), debug=DEBUG)
        )
    return FAULT


def _where(fault: BaseException) -> str:
    """The place in the code that a fault came from: ``play:214``."""
    frames = traceback.extract_tb(fault.__traceback__)
    return f"{Path(frames[-1].filename).stem}:{frames[-1].lineno}" if frames else "?"


def _complain(*lines: str) -> None:
    with suppress(OSError):  # nobody may be listening
        for line in lines:
            print(f"sigilpost: {line}", file=sys.stderr, flush=True)
