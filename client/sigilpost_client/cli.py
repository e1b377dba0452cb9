"""``sigil``: the table of commands, and the frame around each of them.

A command is a function in ``commands/`` and one line in the table. Its module is imported when
the command is called, so that a start costs what this one command needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from sigilpost_client import home
from sigilpost_client.errors import FAULT, INTERRUPTED, ClientError
from sigilpost_client.words import speak, text

COMMANDS = {
    "init": "setup:init",
    "register": "setup:register",
    "confirm": "setup:confirm",
    "key": "key:app",
    "sync": "mail:sync",
    "read": "mail:read",
    "next": "look:next_",
    "games": "look:games",
    "show": "look:show",
    "move": "play:move",
    "chat": "play:chat",
    "resign": "play:resign",
    "create": "table:create",
    "join": "table:join",
    "decline": "table:decline",
    "card": "rules:card",
    "scenario": "rules:scenario",
    "bot": "bot:bot",
}
"""Each command's module in ``commands/`` and the function (or group) in it."""

DEBUG = "SIGIL_DEBUG"


class Commands(TyperGroup):
    """The commands of the table, each imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order in which a player meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        home.use(ctx.params.get("home") if ctx else None)
        speak(_language())
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(f"sigilpost_client.commands.{module}"), name)
        return typer.main.get_command(_described(found, cmd_name))


class _Group(NamedTuple):
    """What the callback of the whole program takes."""

    home: str | None
    version: bool


def _described(found: Any, name: str) -> typer.Typer:
    words = text(f"client.help.{name}")
    if isinstance(found, typer.Typer):
        found.info.help = words
        return found
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    function: Callable[..., Any] = found
    app.command(name, help=words)(function)
    return app


def _language() -> str:
    """The settings' language, without a word about settings that are missing or wrong."""
    from sigilpost_client import config

    try:
        return config.load().player.language
    except ClientError:
        return ""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sigil {version('sigilpost')}")
        raise typer.Exit


def _app() -> typer.Typer:
    app = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None)

    @app.callback(help=text("client.help"))
    def sigil(
        home: str = typer.Option(
            None, "--home", metavar=text("client.metavar.folder"), help=text("client.help.home")
        ),
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help=text("client.help.version")
        ),
    ) -> None:
        pass

    return app


def run(arguments: Sequence[str]) -> int:
    """Run ``sigil`` with these arguments; return the exit status (see ``errors``)."""
    try:
        result = typer.main.get_command(_app()).main(
            list(arguments), prog_name="sigil", standalone_mode=False
        )
        return result if isinstance(result, int) else 0
    except ClientError as fault:
        _complain(text("client.error", what=fault.what), fault.remedy)
        return fault.status
    except (typer.Abort, KeyboardInterrupt):
        _complain(text("client.interrupted"), None)
        return INTERRUPTED
    except typer.TyperException as fault:
        return _misuse(fault)
    except BrokenPipeError:
        # The reader of our output is gone; nothing more can be said, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as fault:
        return _fault(fault)


def _misuse(fault: typer.TyperException) -> int:
    """A command line that makes no sense."""
    context = getattr(fault, "ctx", None)
    if type(fault).__name__ == "NoArgsIsHelpError":
        typer.echo(fault.format_message())
        return 0
    command = context.command_path if context else "sigil"
    from sigilpost_client.usage import explain

    _complain(text("client.error", what=explain(fault)), None)
    _complain(text("client.remedy.help", command=command), None)
    return 2


def _complain(words: str, remedy: Any) -> None:
    from sigilpost_client.words import render

    print(words, file=sys.stderr)
    if remedy is not None:
        print(render(remedy), file=sys.stderr)


def _fault(fault: Exception) -> int:
    """Our own mistake: a short word for the player, the traceback in a file."""
    import traceback

    if os.environ.get(DEBUG):
        traceback.print_exception(fault)
        return FAULT
    from sigilpost_client import files

    path = home.folder() / "crash.log"
    trace = "".join(traceback.format_exception(fault))
    try:
        files.write(path, trace.encode("utf-8", "backslashreplace"))
    except OSError:
        path = None  # type: ignore[assignment]
    _complain(text("client.fault", fault=type(fault).__name__, path=str(path or "-")), None)
    return FAULT


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))
