"""Sentences: message ids and values into a player's language, through gettext catalogues.

One catalogue (domain) for each area, found by the first word of the id: ``weaver.event.drew``
is in ``weaver``. English is the master and the fallback. A message with a value ``n`` may have a
plural. Names of players, cards and spells are not translated: players type them.

Another package can bring the catalogues of a domain of its own: an entry point of the group
``sigilpost.locales``, called like the domain, leads to the package that holds ``locale/``.
"""

from __future__ import annotations

import gettext
import re
import string
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sigilpost_engine.core.messages import Msg, Value

MASTER = "en"
GROUP = "sigilpost.locales"
_HERE = Path(__file__).parent / "locale"
_DOMAIN = re.compile(r"[\w-]{1,60}")


class Texts:
    """The catalogues of one language (an IETF tag such as ``en`` or ``de-CH``)."""

    def __init__(self, language: str = MASTER) -> None:
        self.language = language
        self._languages = _fallbacks(language)
        self._fixed: dict[str, str] = {}  # texts of messages without values

    def __call__(self, id: str, /, **values: Value) -> str:
        """The text of ``id`` with ``values`` in it."""
        return self.render(Msg(id, values))

    def render(self, message: Msg) -> str:
        """The text of a message. An id that no catalogue knows is shown as it is."""
        if message.values:
            return self._render(message)
        text = self._fixed.get(message.id)
        if text is None:
            text = self._fixed[message.id] = self._render(message)
        return text

    def _render(self, message: Msg) -> str:
        words = {name: self._word(value) for name, value in message.values.items()}
        template = self._template(message)
        try:
            return _filled(template, words)
        except (KeyError, ValueError):
            return template

    def knows(self, id: str) -> bool:
        """Whether the master catalogue has this id."""
        return _lookup(MASTER, id, None) is not None

    def _template(self, message: Msg) -> str:
        n = message.values.get("n")
        count = n if isinstance(n, int) else None
        for language in self._languages:
            text = _lookup(language, message.id, count)
            if text is not None:
                return text
        return message.id

    def _word(self, value: Value) -> Any:
        if isinstance(value, Msg):
            return self.render(value)
        if isinstance(value, list | tuple):
            return self._list([self._word(item) for item in value])
        if value is None:
            return ""
        return value

    def _list(self, words: list[Any]) -> str:
        return ", ".join(map(str, words)) if words else self("core.list.empty")


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[tuple[str, str | None, str, str | None], ...]:
    """The literals and fields of a template. Raises ValueError for one that is malformed.

    Catalogues do not change while the program runs, so each template is taken apart once.
    """
    return tuple((text, name, spec or "", how) for text, name, spec, how in _FORMAT.parse(template))


def _filled(template: str, words: Mapping[str, Any]) -> str:
    """A template with its values. ``{name}`` only: a catalogue can read no attributes and no
    indexes of a value. Raises KeyError, ValueError."""
    found = []
    for text, name, spec, how in _pieces(template):
        found.append(text)
        if name is not None:
            value = words[name] if how is None else _FORMAT.convert_field(words[name], how)
            found.append(format(value, spec))
    return "".join(found)


_FORMAT = string.Formatter()


def _fallbacks(language: str) -> list[str]:
    short = language.replace("_", "-").split("-")[0].lower()
    return list(dict.fromkeys([language.replace("-", "_"), short, MASTER]))


@cache
def _catalogue(language: str, domain: str) -> gettext.NullTranslations:
    if not _DOMAIN.fullmatch(domain):
        return gettext.NullTranslations()  # ids come by mail, too: none leads to another file
    path = _folder(domain) / language / "LC_MESSAGES" / f"{domain}.mo"
    if not path.is_file():
        return gettext.NullTranslations()
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


@cache
def _folder(domain: str) -> Path:
    """Where the catalogues of a domain are: here, or in the package that brings it."""
    if (_HERE / MASTER / "LC_MESSAGES" / f"{domain}.mo").is_file():
        return _HERE
    from importlib.metadata import entry_points  # late: few need it, and it is slow to load

    for point in entry_points(group=GROUP, name=domain):
        try:
            package = point.load()
        except Exception:
            break  # a broken package costs its texts, not the mail
        return Path(str(package.__file__)).parent / "locale"
    return _HERE


def _lookup(language: str, id: str, n: int | None) -> str | None:
    catalogue = _catalogue(language, id.partition(".")[0])
    # Not every Python's gettext() finds a text with plural forms (3.11.2 of Debian 12 does not).
    text = catalogue.ngettext(id, id, 1 if n is None else n)
    if text == id:
        text = catalogue.gettext(id)
    return None if text == id else text
