"""Words for a command line that makes no sense, instead of the parser's own English."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from sigilpost_client import cli
from sigilpost_engine.core.messages import Msg, say


def explain(fault: Any) -> Msg:
    """What is wrong, for each kind of fault that Typer tells apart."""
    kind = type(fault).__name__
    parameter = getattr(fault, "param", None)
    name = _name(parameter)
    if kind == "MissingParameter":
        return say("client.usage.missing", name=name)
    if kind == "NoSuchOption":
        return say("client.usage.no-option", name=fault.option_name)
    if kind == "BadOptionUsage":
        return say("client.usage.option-value", name=fault.option_name)
    if kind == "BadParameter":
        return say("client.usage.value", name=name, why=str(fault))
    return _command(fault)


def _command(fault: Any) -> Msg:
    """An unknown command, or too many words after a known one."""
    context = fault.ctx
    words = [*getattr(context, "_protected_args", ()), *context.args] if context else []
    if context is None or context.parent is not None or not words:
        return say("client.usage.other", why=fault.format_message())
    near = get_close_matches(words[0], cli.COMMANDS)
    if near:
        return say("client.usage.no-command-near", name=words[0], near=near)
    return say("client.usage.no-command", name=words[0])


def _name(parameter: Any) -> str:
    if parameter is None:
        return ""
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.human_readable_name)
