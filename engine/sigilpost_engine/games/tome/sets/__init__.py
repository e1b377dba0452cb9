"""The spell sets that are installed: ours, and those of other packages.

Another package names its set in the entry point group ``sigilpost.tome_sets``:
``harbour = "harbour_set:SET"``, a :class:`~sigilpost_engine.games.tome.spells.SpellSet` whose
name is that of the entry point. See docs/your-own-set.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from typing import NamedTuple

from sigilpost_engine.core.errors import UnknownVersion
from sigilpost_engine.core.grammar import key
from sigilpost_engine.games.tome.spells import BadSet, Book, SpellSet

GROUP = "sigilpost.tome_sets"
OURS = ("light", "dusk")
"""The sets of this package: a module here with the name of the set, holding ``SET``."""


class Installed(NamedTuple):
    """A set that can be played, or an attempt at one: then ``fault`` says what is wrong."""

    name: str
    version: str
    origin: str  # the distribution it came with, and that one's version
    fault: str = ""


class UnknownSet(LookupError):
    """No set of this name is installed."""


def find(name: str) -> SpellSet:
    """The set called ``name``. Raises UnknownSet, or BadSet for one that cannot be played."""
    return _load(name)


def named(text: str) -> str:
    """The name of the installed set that ``text`` names, without case. Raises UnknownSet."""
    for name in names():
        if key(name) == key(text):
            return name
    raise UnknownSet(text)


def names() -> list[str]:
    """The names of all installed sets, ours first."""
    return [*OURS, *sorted(point.name for point in _points())]


def installed() -> list[Installed]:
    """All installed sets with version and origin, ours first; broken ones too, with the fault."""
    rows = [Installed(name, find(name).version, _own_origin()) for name in OURS]
    for point in sorted(_points(), key=lambda point: point.name):
        origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
        try:
            rows.append(Installed(point.name, find(point.name).version, origin))
        except BadSet as fault:
            rows.append(Installed(point.name, "", origin, str(fault)))
    return rows


def book(versions: Mapping[str, str]) -> Book:
    """The sets that a game was begun with. Raises UnknownVersion, naming both versions."""
    return _book(tuple(versions.items()))


def newest(chosen: Sequence[str]) -> dict[str, str]:
    """Name and installed version of each of these sets. Raises UnknownSet, BadSet."""
    return {name: find(name).version for name in chosen}


@cache
def _book(versions: tuple[tuple[str, str], ...]) -> Book:
    return Book(_of_version(name, version) for name, version in versions)


def _of_version(name: str, begun_with: str) -> SpellSet:
    try:
        found = find(name)
    except (UnknownSet, BadSet) as fault:
        raise UnknownVersion(
            f"the game was begun with the spell set {name} {begun_with}, "
            f"and no such set is installed ({fault})"
        ) from fault
    if found.version != begun_with:
        raise UnknownVersion(
            f"the game was begun with the spell set {name} {begun_with}, "
            f"but {name} {found.version} is installed"
        )
    return found


def _own_origin() -> str:
    try:
        return f"sigilpost {version('sigilpost')}"
    except PackageNotFoundError:
        return "sigilpost"


def _points() -> Sequence[EntryPoint]:
    return [point for point in entry_points(group=GROUP) if point.name not in OURS]


@cache
def _load(name: str) -> SpellSet:
    if name in OURS:
        return _checked(name, import_module(f"{__name__}.{name}").SET)
    for point in entry_points(group=GROUP, name=name):
        try:
            found = point.load()
        except Exception as fault:
            raise BadSet(f"{name}: {point.value} cannot be loaded: {fault}") from fault
        return _checked(name, found)
    raise UnknownSet(name)


def _checked(name: str, found: object) -> SpellSet:
    if not isinstance(found, SpellSet):
        raise BadSet(f"{name}: the entry point leads to no SpellSet")
    if found.name != name:
        raise BadSet(f"{name}: the set calls itself {found.name}")
    found.check()
    return found
