"""Keys that change, on both sides, and sealed mail: the client with the real service."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sigilpost_engine.wire import sealed
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server import db
from tests.client.conftest import Player
from tests.client.host import Host, drop
from tests.client.test_with_the_server import NAMES, Post, asked_player, first_line
from tests.server.transport.host import ADDRESS
from tests.server.transport.host import Host as Server


class Town(Post):
    """Three registered players and their server, whose folder the host can work in."""

    server: Server

    def at_once(self) -> None:
        """What is due is done, and everybody reads of it."""
        self.service.tick()
        self.round()

    def player(self, name: str) -> Player:
        return next(each for each in self.players.values() if each.name == name)

    def play_on(self) -> None:
        """Everybody plays a turn."""
        for _ in range(2):
            for player in self.players.values():
                player.ok("bot", "greedy")
                self.carry()

    def play_and_end(self) -> None:
        """Everybody plays on, until one resigns."""
        self.play_on()
        self.player("carol").ok("resign", "--yes")
        self.round()


@pytest.fixture
def town(tmp_path: Path, new_player: Callable[[str], Player]) -> Iterator[Town]:
    """Three players, registered with a real service that waits for no lost key."""
    file = tmp_path / "empty.db"
    db.migrate(f"sqlite:///{file}")
    server = Server.listening(tmp_path / "server", file, keys__recovery_hours=0)
    players = {}
    for name in NAMES:
        player = new_player(name)
        player.ok(
            *("init", "--server", ADDRESS, "--address", player.address, "--name", name),
            *("--maildir", str(player.box), "--drop", str(player.sent_box), "--no-passphrase"),
        )
        player.ok("register")
        players[player.address] = player
    with server.service() as service:
        found = Town(service, players)
        found.server = server
        for _ in range(3):
            found.round()
        yield found


@pytest.fixture
def game(town: Town) -> str:
    """A game of Weaver between the three; its tag."""
    alice, *others = town.players.values()
    alice.ok("create", "weaver", *(player.address for player in others))
    town.round()
    for player in town.players.values():
        if json.loads(player.ok("next", "--json"))["invited"]:
            player.ok("join")
    town.round()
    town.round()
    tag: str = _game(alice)["game"]
    return tag


def _game(player: Player) -> dict[str, Any]:
    (found,) = json.loads(player.ok("games", "--json"))["games"]
    assert isinstance(found, dict)
    return found


def key_of(player: Player) -> str:
    return str(json.loads(player.ok("key", "show", "--json"))["key"])


def transcript_mail(player: Player) -> Path:
    """The saved mail that the transcript came with."""
    (found,) = (
        path for path in player.box.glob("*/*") if b".transcript.jsonl" in path.read_bytes()
    )
    return found


def proved(player: Player) -> dict[str, Any]:
    """What ``sigil verify`` says of the mail that the transcript came with."""
    found = json.loads(player.ok("verify", str(transcript_mail(player)), "--receipts", "--json"))
    assert found["proved"], found
    assert isinstance(found, dict)
    return found


# --- the player's key -----------------------------------------------------------------------------


def test_a_rotated_key_counts_once_the_server_says_so(town: Town, game: str) -> None:
    alice = town.player("alice")
    old = key_of(alice)
    alice.ok("key", "rotate")
    assert key_of(alice) == old
    town.carry()
    assert "is replaced by" in alice.ok("sync")
    new = key_of(alice)
    assert new != old
    assert not (alice.home / "key.next.pem").exists()
    (former,) = (alice.home / "former").iterdir()
    assert PrivateKey.from_pem(former.read_bytes()).fingerprint == old


def test_a_game_goes_on_across_a_rotation_and_is_proved(town: Town, game: str) -> None:
    player = asked_player(town)
    player.ok("move", first_line(player, "hide"))
    town.round()
    player.ok("key", "rotate")
    town.round()
    town.play_and_end()
    town.at_once()
    assert proved(player)["checked"]["rotations"] == 1


def test_a_rotation_with_a_passphrase_keeps_it(town: Town) -> None:
    alice = town.player("alice")
    copy = alice.folder / "copy.pem"
    alice.ok("key", "export", str(copy), SIGIL_PASSPHRASE="correct horse")
    (alice.home / "key.pem").write_bytes(copy.read_bytes())
    config = alice.home / "config.toml"
    config.write_text(
        config.read_text().replace('protection = "none"', 'protection = "passphrase"')
    )
    alice.ok("key", "rotate", SIGIL_PASSPHRASE="correct horse")
    town.carry()
    alice.ok("sync", SIGIL_PASSPHRASE="correct horse")
    data = (alice.home / "key.pem").read_bytes()
    assert b"ENCRYPTED" in data
    PrivateKey.from_pem(data, "correct horse")


def test_a_rotation_asked_for_twice_brings_one_new_key(town: Town) -> None:
    alice = town.player("alice")
    alice.ok("key", "rotate")
    alice.ok("key", "rotate")
    town.round()
    town.round()
    alice.ok("create", "weaver", "bob@player.test")
    town.carry()
    alice.ok("sync")
    assert _game(alice)["status"] == "proposed"


def test_a_lost_key_comes_back_with_a_new_one(town: Town, game: str) -> None:
    player = asked_player(town)
    old = key_of(player)
    player.ok("recover", "--new-key", "--no-passphrase")
    assert key_of(player) != old
    for _ in range(2):
        town.round()
    town.at_once()
    state = json.loads((player.home / "state.json").read_text())
    assert state["registration"]["state"] == "registered"
    town.play_and_end()
    town.at_once()
    notes = [note["what"] for note in proved(player)["notes"]]
    assert notes == ["recovered"]
    words = player.ok("verify", str(transcript_mail(player)))
    assert "Not proved" in words


def test_a_player_comes_back_on_a_new_machine_with_an_old_mailbox(
    town: Town, game: str, tmp_path: Path
) -> None:
    lost = asked_player(town)
    fresh = Player(tmp_path / "fresh", lost.name, lost.host)
    fresh.box = lost.box
    fresh.init()
    fresh.ok("recover")
    town.players[lost.address] = fresh
    town._carried[lost.address] = 0
    for _ in range(2):
        town.round()
    town.at_once()
    assert json.loads(fresh.ok("next", "--json"))["asked"][0]["game"] == game
    fresh.ok("move", first_line(fresh, "hide"))
    town.round()
    town.round()
    assert asked_player(town) is not fresh


def test_the_old_key_objects_to_a_recovery(
    town: Town, game: str, tmp_path: Path, new_player: Callable[[str], Player]
) -> None:
    player = asked_player(town)
    town.server.config.write_text(
        town.server.config.read_text().replace("recovery_hours = 0", "recovery_hours = 72")
    )
    thief = Player(tmp_path / "thief", player.name, player.host)
    shutil.copytree(player.home, thief.home)
    config = thief.home / "config.toml"
    config.write_text(config.read_text().replace(str(player.sent_box), str(thief.sent_box)))
    with town.server.service() as patient:
        thief.ok("recover", "--new-key", "--no-passphrase")
        for raw in thief.sent:
            patient.handle(raw, source="test")
        town.carry()
        thief.ok("sync")
        patient.handle(thief.sent[-1], source="test")
        town.carry()
        assert "unless the old key objects" in player.ok("sync")
        player.ok("recover", "--cancel")
        town.carry()
        assert "is cancelled" in player.ok("sync")
    player.ok("move", first_line(player, "hide"))
    town.round()
    assert asked_player(town) is not player


def test_a_revoked_key_moves_no_more(town: Town, game: str) -> None:
    player = asked_player(town)
    player.ok("key", "revoke", "--yes", "--reason", "seen by somebody")
    town.carry()
    assert "is revoked" in player.ok("sync")
    player.ok("move", first_line(player, "hide"))
    town.carry()
    assert "is not believed any more" in player.ok("sync")


def test_revoking_wants_to_be_sure(town: Town) -> None:
    alice = town.player("alice")
    assert alice.sigil("key", "revoke").status == 2
    assert len(alice.sent) == 2


def test_json_of_the_commands_about_keys_tells_none(town: Town) -> None:
    alice = town.player("alice")
    seen = [alice.ok("seal", "on", "--json"), alice.ok("key", "rotate", "--json")]
    files = [alice.home / name for name in ("key.pem", "key.next.pem", "seal.pem")]
    secrets = [line for path in files for line in path.read_text().splitlines()[1:-1]]
    town.round()
    seen += [alice.ok("sync", "--json"), alice.ok("key", "show", "--json")]
    seen += [alice.ok("recover", "--cancel", "--json"), alice.ok("key", "revoke", "-y", "--json")]
    assert len(secrets) == 3
    assert not [secret for secret in secrets if secret in "".join(seen)]


# --- the server's key -----------------------------------------------------------------------------


def rotate_server(town: Town) -> str:
    """The host rotates while the server runs; what the command said."""
    done = town.server.run("key", "rotate", "--yes")
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_the_server_s_new_key_is_announced_and_followed_without_alarm(
    town: Town, game: str
) -> None:
    alice = town.player("alice")
    old = json.loads(alice.ok("key", "show", "--json"))["server"]
    said = rotate_server(town)
    assert "3 players are told" in said
    town.service.tick()
    town.carry()
    report = json.loads(alice.ok("sync", "--json"))
    assert report["alarms"] == []
    told = " ".join(text for each in report["documents"] for text in each["told"])
    assert "has signed it" in told
    new = json.loads(alice.ok("key", "show", "--json"))["server"]
    assert new != old
    assert town.service.house.fingerprint == new
    shown = town.server.run("key", "show").stdout.decode()
    assert new in shown.replace(" ", "")
    assert old in shown.replace(" ", "")


def test_a_game_begun_under_the_old_server_key_is_proved_under_the_new(
    town: Town, game: str
) -> None:
    player = asked_player(town)
    player.ok("move", first_line(player, "hide"))
    town.carry()
    rotate_server(town)
    town.service.tick()
    town.round()
    rotate_server(town)
    town.service.tick()
    town.round()
    town.play_and_end()
    town.at_once()
    assert proved(player)["checked"]["handovers"] == 2


def test_orders_that_were_signed_for_the_old_server_key_still_count(town: Town, game: str) -> None:
    player = asked_player(town)
    rotate_server(town)
    town.service.tick()
    player.ok("move", first_line(player, "hide"))
    town.round()
    town.round()
    assert asked_player(town) is not player


def test_a_late_mail_by_the_old_key_gives_no_alarm(town: Town, game: str) -> None:
    alice = town.player("alice")
    early = next(path for path in sorted(alice.box.glob("new/*")) if b"weaver" in path.read_bytes())
    raw = early.read_bytes()
    rotate_server(town)
    town.service.tick()
    town.round()
    alice.ok("read", stdin=raw)


@pytest.mark.parametrize("made", [0, 1_600_000_000, 4_000_000_000])
def test_a_key_that_the_pinned_one_never_named_gives_an_alarm(town: Town, made: int) -> None:
    alice = town.player("alice")
    impostor = Host(seed=b"\x66" * 32)
    drop(alice.box, impostor.mail(impostor.document(made=made, notice={"type": "notice"})))
    assert alice.sigil("sync").status == 6


def test_a_handover_that_the_old_key_did_not_sign_gives_an_alarm(town: Town) -> None:
    alice = town.player("alice")
    impostor = Host(seed=b"\x66" * 32)
    pinned = town.service.house.key.public.hex
    own = Handover.sign(PrivateKey.from_seed(b"\x67" * 32), impostor.key, 1_700_000_000)
    forged = {**own.to_json(), "old": pinned}
    document = impostor.document(notice={"type": "notice"}, extra={"handovers": [forged]})
    drop(alice.box, impostor.mail(document))
    assert alice.sigil("sync").status == 6


def test_a_player_who_was_told_the_old_fingerprint_can_still_register(
    town: Town, new_player: Callable[[str], Player]
) -> None:
    old = town.service.house.fingerprint
    rotate_server(town)
    town.service.tick()
    dan = new_player("dan")
    dan.ok(
        *("init", "--server", ADDRESS, "--address", dan.address, "--name", "dan"),
        *("--maildir", str(dan.box), "--drop", str(dan.sent_box), "--no-passphrase"),
        *("--fingerprint", old),
    )
    dan.ok("register")
    town.players[dan.address] = dan
    town.round()
    town.round()
    assert json.loads(dan.ok("key", "show", "--json"))["server"] == town.service.house.fingerprint


# --- sealed mail ----------------------------------------------------------------------------------


def test_sealed_mail_is_opened_without_a_word(town: Town, game: str) -> None:
    for player in town.players.values():
        player.ok("seal", "on")
    town.round()
    town.play_and_end()
    sealed_mails = [
        path
        for player in town.players.values()
        for path in player.box.glob("*/*")
        if b"This mail is sealed" in path.read_bytes()
    ]
    assert len(sealed_mails) > 10
    for player in town.players.values():
        for path in player.home.glob("turns/*/*"):
            assert not sealed.is_sealed(path.read_bytes())
    town.at_once()
    assert proved(town.player("alice"))["checked"]["receipts"] > 3


def test_a_player_with_sealed_mail_sees_their_own_hand(town: Town, game: str) -> None:
    player = asked_player(town)
    before = player.ok("show")
    player.ok("seal", "on")
    town.round()
    other = next(each for each in town.players.values() if each is not player)
    other.ok("chat", game, "hello")
    town.round()
    assert player.ok("show") == before
    assert (player.home / "seal.pem").stat().st_mode & 0o777 == 0o600


def test_a_mail_sealed_to_a_key_that_is_gone_says_what_to_do(town: Town) -> None:
    alice = town.player("alice")
    alice.ok("seal", "on")
    town.carry()
    (alice.home / "seal.pem").unlink()
    assert "seal.pem" in alice.ok("sync")
    alice.ok("seal", "on")
    town.carry()
    assert "encrypted" in alice.ok("sync")


def test_off_is_off(town: Town) -> None:
    alice = town.player("alice")
    alice.ok("seal", "on")
    town.round()
    alice.ok("seal", "off")
    town.carry()
    assert "not encrypted" in alice.ok("sync")


def test_any_other_word_is_refused(alice: Player) -> None:
    done = alice.sigil("seal", "perhaps")
    assert done.status == 2
    assert "perhaps" in done.err
