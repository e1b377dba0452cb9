"""Typer's commands with their fixed words from the catalogue instead of Typer's own English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from sigilpost_client.errors import Unusable
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

if TYPE_CHECKING:
    from typer.core import TyperCommand as _Base
else:
    _Base = object


class _Spoken(_Base):
    def get_help_option(self, ctx: Any) -> Any:
        """``--help``, explained in the player's language."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = text("client.usage.help")
        return option

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """The usage line."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=f"{text('client.usage.title')} ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The whole help, with Rich."""
        from sigilpost_client import usage

        usage.speak_help()
        super().format_help(ctx, formatter)


class Command(_Spoken, TyperCommand):
    """A command."""


class Group(_Spoken, TyperGroup):
    """A group of commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names. Raises Unusable."""
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing:
            from sigilpost_client.usage import no_command

            raise Unusable(
                no_command(args[0], known), say("client.remedy.help", command=ctx.command_path)
            )
        return super().resolve_command(ctx, args)
