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

from sigilpost_client import home
from sigilpost_client.errors import FAULT, INTERRUPTED, ClientError
from sigilpost_client.screen import plain
from sigilpost_client.spoken import Command, Group
from sigilpost_client.words import speak, text


class Row(NamedTuple):
    """Where a command is: module in ``commands/``, function or group in it, and help panel."""

    module: str
    name: str
    panel: str


COMMANDS = {
    "init": Row("setup", "init", "begin"),
    "register": Row("register", "register", "begin"),
    "confirm": Row("register", "confirm", "begin"),
    "key": Row("key", "app", "begin"),
    "recover": Row("recover", "recover", "begin"),
    "seal": Row("seal", "seal", "begin"),
    "sync": Row("mail", "sync", "mail"),
    "read": Row("mail", "read", "mail"),
    "next": Row("look", "next_", "play"),
    "games": Row("look", "games", "play"),
    "show": Row("look", "show", "play"),
    "move": Row("play", "move", "play"),
    "chat": Row("play", "chat", "play"),
    "resign": Row("play", "resign", "play"),
    "standing": Row("standing", "app", "play"),
    "facts": Row("standing", "facts", "play"),
    "create": Row("table", "create", "table"),
    "join": Row("table", "join", "table"),
    "decline": Row("table", "decline", "table"),
    "rematch": Row("league", "rematch", "table"),
    "offers": Row("league", "offers", "table"),
    "accept": Row("league", "accept", "table"),
    "leagues": Row("league", "leagues", "table"),
    "enter": Row("league", "enter", "table"),
    "withdraw": Row("league", "withdraw", "table"),
    "standings": Row("league", "standings", "table"),
    "challenge": Row("league", "challenge", "table"),
    "ratings": Row("league", "ratings", "table"),
    "vacation": Row("times", "vacation", "time"),
    "pause": Row("times", "pause", "time"),
    "resume": Row("times", "resume", "time"),
    "claim": Row("times", "claim", "time"),
    "back": Row("times", "back", "time"),
    "substitute": Row("times", "substitute", "time"),
    "card": Row("rules", "card", "rules"),
    "sets": Row("sets", "sets", "rules"),
    "scenario": Row("rules", "scenario", "rules"),
    "verify": Row("verify", "verify", "rules"),
    "bot": Row("bot", "bot", "rules"),
}

DEBUG = "SIGIL_DEBUG"


class Commands(Group):
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
        row = COMMANDS[cmd_name]
        found = getattr(import_module(f"sigilpost_client.commands.{row.module}"), row.name)
        return typer.main.get_command(_described(found, cmd_name, row.panel))


def _described(found: Any, name: str, panel: str) -> typer.Typer:
    """A command (or a group) as an app of its own, with its help."""
    about: dict[str, Any] = {
        "help": text(f"client.help.{name}"),
        "options_metavar": text("client.usage.some-options"),
        "rich_help_panel": text(f"client.panel.{panel}"),
    }
    app = typer.Typer(add_completion=False)
    if isinstance(found, typer.Typer):
        found.info.name = name
        found.info.subcommand_metavar = text("client.usage.a-command")
        found.info.options_metavar = about["options_metavar"]
        found.info.help = about["help"]
        found.info.rich_help_panel = about["rich_help_panel"]
        return found
    function: Callable[..., Any] = found
    app.command(name, cls=Command, **about)(function)
    return app


def _language() -> str:
    """The settings' language, without a word about settings that are missing or wrong.

    Not through ``config``, which most commands need and the quickest ones do not.
    """
    import tomllib

    try:
        settings = tomllib.loads((home.folder() / home.SETTINGS).read_text(encoding="utf-8"))
        return str(settings["player"]["language"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sigil {version('sigilpost')}")
        raise typer.Exit


def _app() -> typer.Typer:
    app = typer.Typer(
        cls=Commands,
        no_args_is_help=True,
        epilog=text("client.help.statuses"),
        options_metavar=text("client.usage.some-options"),
        subcommand_metavar=text("client.usage.a-command"),
    )

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
        program = typer.main.get_command(_app())
        for option in program.params:
            if str(option.name).endswith("_completion"):
                option.help = text(f"client.help.{option.name}")  # type: ignore[attr-defined]
        result = program.main(list(arguments), prog_name="sigil", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except ClientError as fault:
        _complain(text("client.error", what=fault.what), fault.remedy)
        return fault.status
    except (typer.Abort, KeyboardInterrupt):
        _complain(text("client.interrupted"), None)
        return INTERRUPTED
    except typer.TyperException as fault:
        return _misuse(fault)
    except SystemExit as end:
        # Typer makes a status of 1 of a broken pipe, which here means something else.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        plain.nobody_reads()
        return 0
    except Exception as fault:
        return _fault(fault)


def _misuse(fault: typer.TyperException) -> int:
    """A command line that makes no sense."""
    from sigilpost_client.usage import explain, is_bare_group

    context = getattr(fault, "ctx", None)
    if context is not None and is_bare_group(fault):
        typer.echo(context.get_help(), nl=False)
        return 0
    command = context.command_path if context else "sigil"
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
    status = run(sys.argv[1:])
    with plain.to_the_end():
        pass  # what is still to be written
    sys.exit(status)
