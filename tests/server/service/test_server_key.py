"""The server's key on disk: another one in its place, and a crash at any moment of that."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server import server_key
from sigilpost_server.errors import NotReady
from sigilpost_server.settings import Settings
from sigilpost_server.transaction.house import House

FIRST = PrivateKey.from_seed(b"s" * 32)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings beside a key file."""
    (tmp_path / "server.pem").write_bytes(FIRST.to_pem())
    return Settings.model_validate({"server": {"address": "a@b.test"}, "folder": tmp_path})


def test_a_rotation_keeps_what_message_ids_and_tokens_follow_from(settings: Settings) -> None:
    before = House.of(settings)
    server_key.rotate(settings, 1_800_000_000)
    after = House.of(settings)
    assert after.fingerprint != before.fingerprint
    assert after.message_id("thread", "weaver-7k2q") == before.message_id("thread", "weaver-7k2q")
    assert after.token("a", "b") == before.token("a", "b")
    server_key.rotate(settings, 1_900_000_000)
    assert House.of(settings).token("a", "b") == before.token("a", "b")


def test_blocks_for_every_key_that_the_server_had_count(settings: Settings) -> None:
    prints = {FIRST.fingerprint}
    for time in (1, 2):
        server_key.rotate(settings, time)
        prints.add(House.of(settings).fingerprint)
    assert House.of(settings).fingerprints == prints
    assert House.of(settings).handovers[0].old == FIRST.public.hex


def test_the_files_are_their_owner_s_alone_and_hold_no_old_key(settings: Settings) -> None:
    server_key.rotate(settings, 1)
    for path in (server_key.path(settings), server_key.past_path(settings)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = "".join(path.read_text() for path in settings.folder.iterdir())
    assert FIRST.to_pem().decode().splitlines()[1] not in kept
    assert sorted(path.name for path in settings.folder.iterdir()) == [
        "server.pem",
        "server.pem.past",
    ]


@pytest.mark.parametrize("writes", [0, 1])
def test_after_a_crash_in_the_middle_the_old_key_counts_and_can_be_rotated(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    write = server_key.write
    done: list[Any] = []

    def crash(*arguments: Any) -> None:
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(arguments)
        write(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(server_key, "write", crash)
        with pytest.raises(KeyboardInterrupt):
            server_key.rotate(settings, 1)
    house = House.of(settings)
    assert house.fingerprint == FIRST.fingerprint
    assert house.handovers == ()
    server_key.rotate(settings, 2)
    (step,) = House.of(settings).handovers
    assert (step.old, step.made) == (FIRST.public.hex, 2)


def test_a_house_notices_a_key_that_was_rotated_meanwhile(settings: Settings) -> None:
    house = House.of(settings)
    assert house.renewed() is None
    server_key.rotate(settings, 1)
    renewed = house.renewed()
    assert renewed is not None
    assert renewed.handovers
    assert renewed.renewed() is None


def test_a_past_that_leads_elsewhere_is_not_served(settings: Settings) -> None:
    server_key.rotate(settings, 1)
    server_key.path(settings).write_bytes(PrivateKey.generate().to_pem())
    with pytest.raises(NotReady, match="its past leads to"):
        House.of(settings)


@pytest.mark.parametrize("text", ["", "[]", '{"names":"zz","handovers":[]}', '{"names":"00"}'])
def test_a_damaged_past_is_not_served_and_not_printed(settings: Settings, text: str) -> None:
    server_key.past_path(settings).write_text(text)
    with pytest.raises(NotReady, match=r"server\.pem\.past"):
        House.of(settings)


def test_no_secret_shows_in_what_represents_it(settings: Settings) -> None:
    server_key.rotate(settings, 1)
    _, past = server_key.read(settings)
    assert past is not None
    assert past.names.hex() not in f"{past!r} {House.of(settings)!r}"
