"""Compiles the message catalogues into the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Catalogues(BuildHookInterface[Any]):
    """Puts a ``.mo`` file beside every ``.po`` file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for po in Path(self.root).glob("harbour_set/locale/*/LC_MESSAGES/*.po"):
            with po.open("rb") as source, po.with_suffix(".mo").open("wb") as target:
                write_mo(target, read_po(source))
        build_data["artifacts"].append("harbour_set/locale/*/LC_MESSAGES/*.mo")
