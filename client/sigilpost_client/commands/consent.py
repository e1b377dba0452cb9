"""Asking before what cannot be undone."""

from __future__ import annotations

import sys

import typer

from sigilpost_client.errors import Unusable
from sigilpost_engine.core.messages import say


def be_sure(question: str, *, yes: bool) -> None:
    """Return if the player agrees; ``yes``: they have already. Raises Abort if they do not, and
    Unusable where nobody can answer."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Unusable(say("client.error.not-sure"), say("client.remedy.yes"))
    if not typer.confirm(question):
        raise typer.Abort
