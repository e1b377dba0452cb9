"""Message catalogues: compiled when the project is built, kept in step by ``make texts``.

The English catalogues are the master: their message ids are symbols (``refusal.stale``), their
texts the English sentences. Every other language has the same ids. ``.mo`` files are build
products and never checked in.

As a program: ``python hatch_build.py compile|update|check``.
"""

from __future__ import annotations

import io
import os
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MASTER = "en"
LOCALES = Path("engine/sigilpost_engine/texts/locale")
ENGLISH = "English: "


class CatalogueHook(BuildHookInterface[Any]):
    """Adds to the wheel what no Python package holds: catalogues, templates, the config."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before files are collected; ``version`` is ``standard`` or ``editable``."""
        root = Path(self.root)
        compile_all(root)
        build_data["artifacts"].append(f"/{LOCALES}/*/LC_MESSAGES/*.mo")
        if version == "standard":
            # An editable install finds them in the repository; a copy would only grow stale.
            for name in ("templates", "config.example.toml"):
                if (root / name).exists():
                    build_data["force_include"][str(root / name)] = f"sigilpost_server/{name}"


def catalogues(root: Path, language: str = "*") -> list[Path]:
    """Return the ``.po`` files under ``root``, of one language or of all, in a stable order."""
    return sorted((root / LOCALES).glob(f"{language}/LC_MESSAGES/*.po"))


def language_of(path: Path) -> str:
    """Return the language a catalogue's folder names."""
    return path.parent.parent.name


def read(path: Path) -> Catalog:
    """Read one ``.po`` file; raise ``PoFileError`` for a syntax error or a doubled id."""
    text = path.read_text(encoding="utf-8")
    catalog = read_po(io.StringIO(text), locale=language_of(path), abort_invalid=True)
    ids = [line for line in text.splitlines() if line.startswith("msgid ")]
    for line in ids:
        if ids.count(line) > 1 and line != 'msgid ""':
            raise PoFileError(f"{line} occurs twice", catalog, line, 0)
    return catalog


def compile_all(root: Path) -> None:
    """Bring every ``.mo`` in step with its ``.po``; files already right are not touched."""
    for path in catalogues(root):
        buffer = io.BytesIO()
        write_mo(buffer, read(path))
        replace(path.with_suffix(".mo"), buffer.getvalue())


def replace(path: Path, data: bytes) -> None:
    """Write ``data`` in one step, so that a program reading meanwhile sees old or new."""
    if path.exists() and path.read_bytes() == data:
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(path)


def update_all(root: Path) -> None:
    """Bring the ids of every other language in step with the English master.

    New ids come in without a text, ids that the master dropped go, and each message carries its
    English text as a comment for the translator.
    """
    others = sorted({language_of(p) for p in catalogues(root)} - {MASTER})
    for master in catalogues(root, MASTER):
        template = template_of(read(master))
        for language in others:
            path = root / LOCALES / language / "LC_MESSAGES" / master.name
            catalog = read(path) if path.exists() else Catalog(locale=language)
            catalog.update(template, no_fuzzy_matching=True, update_header_comment=False)
            catalog.obsolete.clear()
            buffer = io.BytesIO()
            write_po(buffer, catalog, width=100, omit_header=False, ignore_obsolete=True)
            replace(path, buffer.getvalue())


def template_of(master: Catalog) -> Catalog:
    """Return the master's ids without texts; the English text becomes a comment."""
    template = Catalog(header_comment=master.header_comment)
    for message in entries(master):
        english = texts(message)[-1]
        template.add(
            message.id,
            context=message.context,
            auto_comments=[*message.auto_comments, *f"{ENGLISH}{english}".splitlines()],
        )
    return template


def entries(catalog: Catalog) -> Iterator[Message]:
    """Yield the messages of a catalogue without its header."""
    return (message for message in catalog if message.id)


def problems(root: Path) -> list[str]:
    """Return what is wrong with the catalogues, a line each."""
    found = []
    for path in catalogues(root):
        where = path.relative_to(root / LOCALES)
        try:
            catalog = read(path)
        except PoFileError as error:
            found.append(f"{where}: {error}")
            continue
        master_path = root / LOCALES / MASTER / "LC_MESSAGES" / path.name
        if not master_path.exists():
            found.append(f"{where}: English has no such catalogue")
            continue
        found += [f"{where}: {problem}" for problem in compare(catalog, read(master_path))]
    return found


def compare(catalog: Catalog, master: Catalog) -> Iterator[str]:
    """Yield where a language strays from the English master (which is compared with itself)."""
    wanted = {message.id: message for message in entries(master)}
    present = {message.id for message in entries(catalog)}
    yield from (f"{name(key)}: missing; run `make texts`" for key in wanted if key not in present)
    for message in entries(catalog):
        if message.id not in wanted:
            yield f"{name(message.id)}: English has no such message; run `make texts`"
        elif message.fuzzy:
            yield f"{name(message.id)}: marked fuzzy"
        elif not all(texts(message)):
            yield f"{name(message.id)}: no text"
        else:
            allowed = set().union(*map(fields, texts(wanted[message.id])))
            for text in texts(message):
                if strange := fields(text) - allowed:
                    yield f"{name(message.id)}: unknown field {', '.join(sorted(strange))}"


def name(key: str | tuple[str, ...] | list[str]) -> str:
    """Return a message's id; one with plural forms has it twice."""
    return key if isinstance(key, str) else key[0]


def texts(message: Message) -> list[str]:
    """Return the text of a message, or its plural forms."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def fields(text: str) -> set[str]:
    """Return the names between braces; a text with a lone brace has the field ``{``."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return {"{"}


def main(command: str) -> int:
    """Run ``compile``, ``update`` or ``check``; return the exit status."""
    root = Path(__file__).resolve().parent
    if command == "update":
        update_all(root)
    if command in ("update", "compile"):
        compile_all(root)
    found = problems(root)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found and command == "check" else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("compile", "update", "check"):
        sys.exit("usage: python hatch_build.py compile|update|check")
    sys.exit(main(sys.argv[1]))
