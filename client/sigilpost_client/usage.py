"""Typer's words about command lines, from the catalogue instead of its own English."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from sigilpost_client.spoken import Group
from sigilpost_client.words import text
from sigilpost_engine.core.messages import Msg, say

_EXTRA = re.compile(r"\(([^()]*)\)\Z")


def speak_help() -> None:
    """Give the fixed strings of Typer's help the words of the catalogue."""
    from typer import rich_utils

    rich_utils.OPTIONS_PANEL_TITLE = text("client.usage.options")
    rich_utils.ARGUMENTS_PANEL_TITLE = text("client.usage.arguments")
    rich_utils.COMMANDS_PANEL_TITLE = text("client.usage.commands")
    rich_utils.REQUIRED_LONG_STRING = text("client.usage.required")
    rich_utils.DEFAULT_STRING = text("client.usage.default", default="{}")


def no_command(word: str, known: Collection[str]) -> Msg:
    """There is no such command; perhaps another was meant."""
    near = get_close_matches(word, known)
    if near:
        return say("client.usage.no-command-near", name=word, near=near)
    return say("client.usage.no-command", name=word)


def explain(fault: Any) -> Msg:
    """What is wrong with a command line, for each kind of fault that Typer tells apart."""
    kind = type(fault).__name__
    if kind == "MissingParameter":
        return say("client.usage.missing", name=_name(fault.param))
    if kind == "BadParameter":
        return say("client.usage.value", name=_name(fault.param))
    if kind == "NoSuchOption":
        return say("client.usage.no-option", name=fault.option_name)
    if kind == "BadOptionUsage":
        return say("client.usage.option-value", name=fault.option_name)
    extra = _EXTRA.search(fault.format_message())
    return say("client.usage.too-many", words=extra[1] if extra else "")


def is_bare_group(fault: Any) -> bool:
    """Whether a group was called without one of its commands: then its help is the answer."""
    if type(fault).__name__ == "NoArgsIsHelpError":
        return True
    bare = type(fault).__name__ == "UsageError" and not _EXTRA.search(fault.format_message())
    return bare and isinstance(fault.ctx.command, Group)


def _name(parameter: Any) -> str:
    if parameter is None:
        return ""
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.human_readable_name)
