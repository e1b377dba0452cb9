"""``config.example.toml`` and the settings say the same."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sigilpost_server.example import render
from sigilpost_server.section import Section
from sigilpost_server.settings import BadConfig, Settings, parse
from sigilpost_server.sources.settings import ImapSettings, ListenerSettings, MaildirSettings
from sigilpost_server.ways_out.settings import MaildirOutSettings, RelaySettings

EXAMPLE = Path(__file__).resolve().parents[3] / "config.example.toml"
SWITCHED_OFF = re.compile(r"^# (?=\[|\w+ = )", re.MULTILINE)

OPTIONAL: dict[str, type[Section]] = {
    "sources.imap": ImapSettings,
    "sources.listener": ListenerSettings,
    "sources.maildir": MaildirSettings,
    "out.relay": RelaySettings,
    "out.maildir": MaildirOutSettings,
}


def everything() -> dict[str, Any]:
    """The example with all that is switched off in it switched on."""
    return tomllib.loads(SWITCHED_OFF.sub("", EXAMPLE.read_text()))


def table(path: str) -> dict[str, Any]:
    """A table of the example."""
    found: Any = everything()
    for name in path.split("."):
        found = found[name]
    return found[0] if isinstance(found, list) else found  # type: ignore[no-any-return]


def plain(value: object) -> object:
    """A default as TOML has it."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def compare(model: type[Section], found: dict[str, Any], inner: set[str]) -> None:
    """Every setting of the model is in the table, with its default, and nothing else is."""
    fields = {name: each for name, each in model.model_fields.items() if not each.exclude}
    assert set(found) == set(fields)
    for name, field in fields.items():
        if name not in inner and not field.is_required() and field.default is not None:
            assert found[name] == plain(field.default), name


def test_the_example_is_a_configuration_and_changes_nothing() -> None:
    assert parse(EXAMPLE.read_text()) == Settings()


def test_every_table_has_every_setting_with_its_default() -> None:
    sections = {name for name, field in Settings.model_fields.items() if not field.exclude}
    assert set(everything()) == sections
    for name in sections:
        model = Settings.model_fields[name].annotation
        assert isinstance(model, type)
        assert issubclass(model, Section)
        inner = {path.partition(".")[2] for path in OPTIONAL if path.startswith(f"{name}.")}
        compare(model, table(name), inner)


@pytest.mark.parametrize("path", OPTIONAL)
def test_every_optional_table_has_every_setting_with_its_default(path: str) -> None:
    compare(OPTIONAL[path], table(path), set())


def test_every_setting_has_its_line_of_comment() -> None:
    lines = EXAMPLE.read_text().splitlines()
    for before, line in pairwise(lines):
        if re.match(r"(# )?\w+ = ", line):
            assert before.startswith("# "), line
            assert not re.match(r"# (\w+ = |\[)", before), line


def test_the_example_is_what_init_would_write() -> None:
    assert EXAMPLE.read_text() == render(), (
        "python -m sigilpost_server.example > config.example.toml"
    )


def test_what_is_set_counts_and_the_rest_stays_at_its_default() -> None:
    written = render(
        {"server.address": "g@h.test", "out.relay.port": 2525, "sources.imap.user": "g"}
    )
    settings = parse(written)
    assert settings.server.address == "g@h.test"
    assert settings.out.relay == RelaySettings(port=2525)
    assert [each.user for each in settings.sources.imap] == ["g"]
    assert settings.sources.listener == ()
    with pytest.raises(BadConfig, match=r"out\.relay\.prot"):
        render({"out.relay.prot": 2525})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[server]\nadress = 'x'", "server.adress: no such setting"),
        ("[[sources.imap]]\nhost = 'h'", "sources.imap.0.user"),
        ("[out.relay]\n[out.maildir]", "either relay or maildir"),
        ("[[sources.listener]]\ntls_cert = 'c'", "tls_cert and tls_key go together"),
        ("[[sources.listener]]\nport = 70000", "sources.listener.0.port"),
        ("[out.relay]\npassword = 5", "out.relay.password"),
        ("[server", "not TOML"),
    ],
)
def test_a_wrong_setting_is_named(text: str, problem: str) -> None:
    with pytest.raises(BadConfig) as refused:
        parse(text)
    assert problem in str(refused.value)


def test_a_password_is_not_repeated_in_a_complaint_or_a_repr() -> None:
    with pytest.raises(BadConfig) as refused:
        parse("[out.relay]\npassword = ['hunter2']")
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in repr(parse("[out.relay]\npassword = 'hunter2'"))
