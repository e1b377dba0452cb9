"""``sets``: the spell sets that are installed here, with version and origin."""

from __future__ import annotations

from sigilpost_client.commands import parameters as given
from sigilpost_client.screen import plain
from sigilpost_client.words import render, text
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.games.tome.sets import Installed, find, installed


def sets(json: given.Json = False) -> None:
    """The spell sets of Tome."""
    found = installed()
    if json:
        plain.dump({"sets": [one._asdict() for one in found]})
        return
    from sigilpost_client.screen.rich import print_table

    print_table(
        [
            text("client.sets.name"),
            text("client.sets.version"),
            text("client.sets.title"),
            text("client.sets.origin"),
        ],
        [(one.name, one.version or "–", _title(one), one.origin) for one in found],
    )


def _title(one: Installed) -> str:
    """What the set is called; of a broken one what is wrong with it."""
    if one.fault:
        return text("client.sets.broken", fault=one.fault)
    title: Msg = find(one.name).text("set", one.name)
    return render(title)
