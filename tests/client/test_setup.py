"""Beginning: settings and a key, private, written once, never lost."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sigilpost_client.accounts import host_and_port, usual_security
from sigilpost_client.errors import Unusable
from sigilpost_engine.wire.keys import PrivateKey
from tests.client.conftest import Player

NewPlayer = Callable[[str], Player]
IDENTITY = ("--server", "play@server.test", "--address", "alice@player.test", "--name", "alice")


def settings(player: Player) -> dict[str, Any]:
    return tomllib.loads((player.home / "config.toml").read_text(encoding="utf-8"))


def test_settings_and_key_are_readable_by_their_owner_alone(alice: Player) -> None:
    for name in ("config.toml", "key.pem"):
        assert (alice.home / name).stat().st_mode & 0o777 == 0o600
    assert alice.home.stat().st_mode & 0o777 == 0o700


def test_settings_say_what_was_given(alice: Player) -> None:
    found = settings(alice)
    assert found["player"] == {
        "name": "alice",
        "address": "alice@player.test",
        "language": "en",
    } | {key: value for key, value in found["player"].items() if key == "zone"}
    assert found["mailbox"]["path"] == str(alice.box)
    assert found["submission"] == {"kind": "maildir", "path": str(alice.sent_box)}


def test_a_second_init_changes_nothing_unless_asked_to(alice: Player) -> None:
    before = (alice.home / "config.toml").read_bytes(), (alice.home / "key.pem").read_bytes()
    done = alice.sigil("init", *IDENTITY, "--no-mailbox", "--eml", "--no-passphrase")
    assert done.status == 2
    assert "--again" in done.err
    after = (alice.home / "config.toml").read_bytes(), (alice.home / "key.pem").read_bytes()
    assert after == before


def test_init_again_changes_settings_and_keeps_the_key(alice: Player) -> None:
    key = (alice.home / "key.pem").read_bytes()
    alice.ok("init", "--again", "--name", "alicia")
    assert settings(alice)["player"]["name"] == "alicia"
    assert settings(alice)["mailbox"]["path"] == str(alice.box)
    assert (alice.home / "key.pem").read_bytes() == key


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ((), "--server"),
        (IDENTITY[:2], "--address"),
        (IDENTITY[:4], "--name"),
        (IDENTITY, "--imap"),
        ((*IDENTITY, "--no-mailbox"), "--smtp"),
        ((*IDENTITY, "--no-mailbox", "--eml"), "--no-passphrase"),
    ],
)
def test_without_a_terminal_the_missing_option_is_named(
    new_player: NewPlayer, given: tuple[str, ...], missing: str
) -> None:
    player = new_player("alice")
    done = player.sigil("init", *given)
    assert done.status == 2
    assert missing in done.err
    assert not (player.home / "config.toml").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--address", "alice"),
        ("--server", "play at home"),
        ("--name", "x" * 41),
        ("--name", "a\x1b[31m"),
        ("--language", "klingon please"),
        ("--zone", "Middle Earth"),
    ],
)
def test_what_the_server_could_not_take_is_refused_at_once(
    new_player: NewPlayer, option: str, value: str
) -> None:
    player = new_player("alice")
    given = dict(zip(IDENTITY[::2], IDENTITY[1::2], strict=True)) | {option: value}
    done = player.sigil(
        "init",
        *(part for pair in given.items() for part in pair),
        "--no-mailbox",
        "--eml",
        "--no-passphrase",
    )
    assert done.status == 2
    assert not player.home.exists()


@pytest.mark.parametrize(
    "clash", [("--maildir", "x", "--imap", "y"), ("--smtp", "x", "--eml"), ("--drop", "x", "--eml")]
)
def test_one_mailbox_and_one_way_out(new_player: NewPlayer, clash: tuple[str, ...]) -> None:
    done = new_player("alice").sigil(
        "init",
        *IDENTITY,
        *clash,
        "--no-passphrase",
        *([] if "--imap" in clash else ["--no-mailbox"]),
    )
    assert done.status == 2
    assert clash[0] in done.err


def test_a_passphrase_encrypts_the_key(new_player: NewPlayer) -> None:
    player = new_player("alice")
    player.ok("init", *IDENTITY, "--no-mailbox", "--eml", SIGIL_PASSPHRASE="correct horse battery")
    pem = (player.home / "key.pem").read_bytes()
    assert b"ENCRYPTED" in pem
    assert PrivateKey.from_pem(pem, "correct horse battery")
    assert player.ok("key", "show", SIGIL_PASSPHRASE="correct horse battery")


@pytest.mark.parametrize("environment", [{}, {"SIGIL_PASSPHRASE": "wrong"}])
def test_a_locked_key_has_an_exit_status_of_its_own(
    new_player: NewPlayer, environment: dict[str, str]
) -> None:
    player = new_player("alice")
    player.ok("init", *IDENTITY, "--no-mailbox", "--eml", SIGIL_PASSPHRASE="right")
    done = player.sigil("register", **environment)
    assert done.status == 8
    assert "passphrase" in done.err
    assert "Traceback" not in done.err


def test_a_key_from_another_machine_can_be_taken_along(
    alice: Player, new_player: NewPlayer
) -> None:
    alice.ok("key", "export", "copy.pem", "--no-passphrase")
    copy = alice.folder / "copy.pem"
    assert copy.stat().st_mode & 0o777 == 0o600
    other = new_player("alice-at-work")
    other.init("--key", str(copy))
    mine = json.loads(alice.ok("key", "show", "--json"))
    assert json.loads(other.ok("key", "show", "--json"))["key"] == mine["key"]


def test_a_copy_without_a_passphrase_may_be_made_of_a_key_that_has_one(
    new_player: NewPlayer,
) -> None:
    player = new_player("alice")
    player.ok("init", *IDENTITY, "--no-mailbox", "--eml", SIGIL_PASSPHRASE="right")
    player.ok("key", "export", "open.pem", "--no-passphrase", SIGIL_PASSPHRASE="right")
    assert PrivateKey.from_pem((player.folder / "open.pem").read_bytes())


def test_a_keyring_that_is_not_installed_is_named(
    new_player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "keyring", None)  # as if it were not installed
    player = new_player("alice")
    done = player.sigil("init", *IDENTITY, "--no-mailbox", "--eml", "--keyring")
    assert done.status == 8
    assert "pip install" in done.err
    assert not player.home.exists() or not (player.home / "key.pem").exists()


def test_export_never_overwrites(alice: Player) -> None:
    (alice.folder / "there").write_text("precious")
    assert alice.sigil("key", "export", "there", "--no-passphrase").status == 2
    assert (alice.folder / "there").read_text() == "precious"


def test_key_show_tells_no_secret(alice: Player) -> None:
    secret = (alice.home / "key.pem").read_text().splitlines()[1]
    for arguments in (("key", "show"), ("key", "show", "--json")):
        assert secret not in alice.ok(*arguments)


def test_a_fingerprint_with_a_typing_error_is_refused_at_once(new_player: NewPlayer) -> None:
    done = new_player("alice").sigil(
        *("init", *IDENTITY, "--no-mailbox", "--eml", "--no-passphrase", "--fingerprint", "ABCD 1")
    )
    assert done.status == 2
    assert "24" in done.err


def test_sigil_home_names_the_folder_and_the_option_wins(alice: Player, tmp_path: Path) -> None:
    import subprocess

    from tests.client.conftest import SIGIL

    environment = {"SIGIL_HOME": str(alice.home), "PATH": "/usr/bin"}
    found = subprocess.run(
        [SIGIL, "key", "show"], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == alice.ok("key", "show")
    assert alice.sigil("key", "show", SIGIL_HOME=str(tmp_path / "elsewhere")).status == 0


def test_without_either_the_platform_s_data_folder_is_used(new_player: NewPlayer) -> None:
    import subprocess

    from tests.client.conftest import SIGIL

    player = new_player("alice")
    subprocess.run(
        [SIGIL, "init", *IDENTITY, "--no-mailbox", "--eml", "--no-passphrase"],
        env={"XDG_DATA_HOME": str(player.folder / "data"), "PATH": "/usr/bin"},
        capture_output=True,
        check=True,
    )
    assert (player.folder / "data" / "sigilpost" / "key.pem").exists()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[player]\nname = 3\n", "player.name"),
        ("[player]\nnmae = 'x'\n", "player.nmae"),
        ("[mailbox]\nkind = 'pop3'\n", "mailbox.kind"),
        ("[player]\nname = 'x'\naddress = 'y@z'\n", "server.address"),
        ("[mailbox]\nfolders = 'INBOX'\n", "mailbox.folders"),
        ("[player\n", "config.toml"),
    ],
)
def test_a_wrong_setting_is_named_with_its_key(alice: Player, text: str, key: str) -> None:
    (alice.home / "config.toml").write_text(text)
    done = alice.sigil("sync")
    assert done.status == 2
    assert key in done.err


@pytest.mark.parametrize(
    "command", [("sync",), ("move", "hide a1"), ("register",), ("next",), ("games",)]
)
def test_before_init_every_command_says_what_to_begin_with(
    new_player: NewPlayer, command: tuple[str, ...]
) -> None:
    done = new_player("alice").sigil(*command)
    assert done.status == 3
    assert "sigil init" in done.err


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("mail.example.org", ("mail.example.org", 0)),
        ("mail.example.org:993", ("mail.example.org", 993)),
        ("127.0.0.1:2525", ("127.0.0.1", 2525)),
        ("[::1]:2525", ("::1", 2525)),
        ("::1", ("::1", 0)),
        ("[2001:db8::7]", ("2001:db8::7", 0)),
    ],
)
def test_hosts_with_and_without_ports(given: str, host: tuple[str, int]) -> None:
    assert host_and_port(given) == host


@pytest.mark.parametrize("given", ["host:", "host:0", "host:65536", "host:imap", "host:²"])
def test_what_is_no_port(given: str) -> None:
    with pytest.raises(Unusable):
        host_and_port(given)


@pytest.mark.parametrize(
    ("host", "port", "security"),
    [
        ("mail.example.org", 0, "tls"),
        ("mail.example.org", 993, "tls"),
        ("mail.example.org", 465, "tls"),
        ("mail.example.org", 143, "starttls"),
        ("mail.example.org", 587, "starttls"),
        ("mail.example.org", 2525, "starttls"),
        ("127.0.0.1", 2525, "none"),
        ("localhost", 993, "tls"),
        ("localhost", 587, "starttls"),
    ],
)
def test_connections_are_protected_unless_they_stay_on_this_machine(
    host: str, port: int, security: str
) -> None:
    assert usual_security(host, port) == security
