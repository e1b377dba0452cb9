"""The commented configuration: ``config.example.toml``, and what ``sigilpost init`` writes.

Both are made from the settings' models: their defaults, and the docstrings below their fields.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

import tomli_w
from pydantic import SecretStr

from sigilpost_server.section import Section
from sigilpost_server.settings import BadConfig, Settings

Values = Mapping[str, Any]
"""Values other than the defaults, by dotted name: ``server.address``, ``out.relay.host``.

A table in which anything is set this way is written as it counts; so is one named by itself.
"""

_HEAD = """\
The configuration of sigilpost. Every setting is here; what has a # before it is at its default.
The tables of [sources] and [out] count only where their # is taken away.
"""

_SAMPLES: dict[str, Any] = {
    "sources.imap.host": "imap.example.org",
    "sources.imap.user": "game@example.org",
    "sources.maildir.path": "/var/mail/game",
    "sources.imap.ca_file": "ca.pem",
    "sources.listener.socket": "lmtp.socket",
    "sources.listener.tls_cert": "tls-cert.pem",
    "sources.listener.tls_key": "tls-key.pem",
    "out.relay.ca_file": "ca.pem",
    "daemon.keep_incoming": "incoming",
}
"""For settings without a default, or whose default is that there is none."""


def render(values: Values | None = None) -> str:
    """The text of a configuration with these values. Raises BadConfig for unknown names."""
    writer = _Writer(values or {})
    lines = [*_comment(_HEAD), *writer.table("", Settings)]
    if unknown := set(writer.values) - writer.used:
        raise BadConfig([f"{key}: no such setting" for key in sorted(unknown)])
    return "\n".join(lines).rstrip() + "\n"


class _Writer:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.used: set[str] = set()

    def table(self, path: str, model: type[Section]) -> Iterator[str]:
        """The settings of a table, then the tables in it."""
        inner: list[tuple[str, type[Section], bool]] = []
        for name, field in model.model_fields.items():
            key = f"{path}.{name}" if path else name
            if field.exclude:
                continue
            found = _section(field.annotation)
            if found is not None:
                inner.append((key, *found))
            else:
                yield from self._setting(key, model, name)
        for key, section, optional in inner:
            yield from self._inner(key, section, optional)

    def _inner(self, key: str, model: type[Section], optional: bool) -> Iterator[str]:
        about = inspect.cleandoc(model.__doc__ or "").partition(": ")[2]
        lines = ["", *_comment(about[:1].upper() + about[1:])]
        counts = not optional or self._is_set(key)
        many = optional and key.startswith("sources.")
        has_own = any(not _section(field.annotation) for field in model.model_fields.values())
        if has_own or not optional:
            header = f"[[{key}]]" if many else f"[{key}]"
            lines.append(header if counts else f"# {header}")
        yield from lines
        if optional and not counts:
            yield from (self._out(line) for line in self.table(key, model))
        else:
            yield from self.table(key, model)

    def _is_set(self, key: str) -> bool:
        if key in self.values:
            self.used.add(key)
        return any(name == key or name.startswith(f"{key}.") for name in self.values)

    def _setting(self, key: str, model: type[Section], name: str) -> Iterator[str]:
        yield from _comment(_docs(model).get(name, ""))
        if key in self.values:
            self.used.add(key)
            yield _toml(name, self.values[key])
            return
        field = model.model_fields[name]
        if key in _SAMPLES and field.default is None:
            yield f"# {_toml(name, _SAMPLES[key])}"
        elif field.is_required():
            yield _toml(name, _SAMPLES[key])
        else:
            yield f"# {_toml(name, field.default)}"

    @staticmethod
    def _out(line: str) -> str:
        return line if line.startswith("#") or not line else f"# {line}"


def _section(annotation: Any) -> tuple[type[Section], bool] | None:
    """The model of a table, and whether it may be missing; None for a plain setting."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation, False
    for part in get_args(annotation):
        if isinstance(part, type) and issubclass(part, Section):
            return part, True
    return None


def _toml(name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if not isinstance(value, str | bool | int | float | list | tuple):
        value = str(value)
    return tomli_w.dumps({name: list(value) if isinstance(value, tuple) else value}).strip()


def _comment(text: str) -> list[str]:
    text = text.replace("``", "")
    return [f"# {line}" for part in text.splitlines() for line in textwrap.wrap(part, 96)]


@cache
def _docs(model: type[Section]) -> dict[str, str]:
    """The docstring below each field of a model, on one line."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs = {}
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=doc)):
                docs[name] = " ".join(str(doc).split())
    return docs


if __name__ == "__main__":
    print(render(), end="")
