"""Mailboxes: only what is new is read, and nothing in them is changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sigilpost_client.config import Mailbox
from sigilpost_client.errors import Unreachable
from sigilpost_client.inbox.imap import ImapInbox
from sigilpost_client.inbox.maildir import MaildirInbox
from tests.client.conftest import Player
from tests.client.host import ADDRESS, Host, Table, drop
from tests.services.dovecot import Dovecot

NewPlayer = Callable[[str], Player]


# --- Maildir --------------------------------------------------------------------------------------


def read_maildir(box: Path, memory: object) -> tuple[list[bytes], object]:
    found = list(MaildirInbox(str(box)).new(memory))
    return [each.raw for each in found], found[-1].memory if found else memory


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "box"
    for part in ("tmp", "new", "cur"):
        (path / part).mkdir(parents=True)
    return path


def test_maildir_new_mail_is_read_once(box: Path) -> None:
    drop(box, b"one")
    first, memory = read_maildir(box, None)
    drop(box, b"two")
    second, memory = read_maildir(box, memory)
    assert (first, second) == ([b"one"], [b"two"])
    assert read_maildir(box, memory)[0] == []


def test_maildir_mail_that_a_reader_moved_and_flagged_is_not_new(box: Path) -> None:
    path = drop(box, b"one")
    _, memory = read_maildir(box, None)
    path.rename(box / "cur" / f"{path.name}:2,RS")
    assert read_maildir(box, memory)[0] == []


def test_maildir_mail_that_is_flagged_already_is_read(box: Path) -> None:
    path = drop(box, b"one")
    path.rename(box / "cur" / f"{path.name}:2,S")
    assert read_maildir(box, None)[0] == [b"one"]


def test_maildir_files_are_left_as_they_are(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    before = [(path, path.stat().st_mtime_ns) for path in sorted(alice.box.rglob("*"))]
    alice.ok("sync")
    assert [(path, path.stat().st_mtime_ns) for path in sorted(alice.box.rglob("*"))] == before


def test_maildir_drafts_and_dot_files_are_not_mail(box: Path) -> None:
    (box / "tmp" / "draft").write_bytes(b"half")
    (box / "new" / ".nfs01").write_bytes(b"gone")
    assert read_maildir(box, None)[0] == []


def test_maildir_a_deleted_mail_is_forgotten(box: Path) -> None:
    path = drop(box, b"one")
    _, memory = read_maildir(box, None)
    path.unlink()
    drop(box, b"two", name="1700000009.x.test")
    _, memory = read_maildir(box, memory)
    assert memory == ["1700000009.x.test"]


def test_maildir_in_the_order_of_delivery(box: Path) -> None:
    for seconds in ("1700000010", "999999999", "1700000002"):
        drop(box, seconds.encode(), name=f"{seconds}.a.test")
    assert read_maildir(box, None)[0] == [b"999999999", b"1700000002", b"1700000010"]


def test_maildir_in_the_order_of_writing_where_names_do_not_tell(box: Path) -> None:
    second = 1_700_000_000 * 10**9
    for name, after in (("c0ffee.sigilpost", 1), ("beef.sigilpost", 2), ("dead.sigilpost", 3)):
        (box / "new" / name).write_bytes(name.encode())
        os.utime(box / "new" / name, ns=(second, second + after))
    assert read_maildir(box, None)[0] == [b"c0ffee.sigilpost", b"beef.sigilpost", b"dead.sigilpost"]


def test_maildir_a_mail_that_cannot_be_opened_stays_new(box: Path) -> None:
    link = box / "new" / "1700000001.a.test"
    link.symlink_to(box / "nowhere")
    assert read_maildir(box, None) == ([], None)
    (box / "nowhere").write_bytes(b"late")
    assert read_maildir(box, None)[0] == [b"late"]


def test_a_maildir_that_is_not_there(alice: Player) -> None:
    os.rename(alice.box, alice.folder / "moved")
    done = alice.sigil("sync")
    assert done.status == 7
    assert str(alice.box) in done.err


def test_sync_reads_each_mail_once(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    assert json.loads(alice.ok("sync", "--json"))["mails"] == 1
    assert json.loads(alice.ok("sync", "--json"))["mails"] == 0


def test_without_a_mailbox_sync_says_how_else(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    alice.ok(
        *("init", "--server", ADDRESS, "--address", "a@b.test", "--name", "a"),
        *("--no-mailbox", "--eml", "--no-passphrase"),
    )
    done = alice.sigil("sync")
    assert done.status == 3
    assert "sigil read" in done.err


# --- IMAP, a real Dovecot -------------------------------------------------------------------------


def settings_of(dovecot: Dovecot, user: str, **more: object) -> Mailbox:
    values: dict[str, object] = {
        "kind": "imap",
        "host": "localhost",
        "port": dovecot.imap_port,
        "security": "none",
        "user": user,
        "password": dovecot.password,
        **more,
    }
    return Mailbox(**values)  # type: ignore[arg-type]


def read_imap(settings: Mailbox, memory: object = None) -> tuple[list[bytes], object]:
    found = list(ImapInbox(settings, ADDRESS).new(memory))
    return [each.raw for each in found if each.raw], found[-1].memory if found else memory


@pytest.fixture
def mail(host: Host, table: Table) -> bytes:
    return host.mail(table.document(0))


def test_imap_new_mail_is_read_once(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    settings = settings_of(dovecot, user)
    dovecot.deliver(user, mail)
    first, memory = read_imap(settings)
    assert len(first) == 1
    assert read_imap(settings, memory)[0] == []
    dovecot.deliver(user, mail)
    second, memory = read_imap(settings, memory)
    assert len(second) == 1
    assert read_imap(settings, memory)[0] == []


def test_imap_the_bytes_are_the_mail_s(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, mail)
    ((raw,), _) = read_imap(settings_of(dovecot, user))
    assert raw.replace(b"\r\n", b"\n") == mail.replace(b"\r\n", b"\n")


def test_imap_nothing_is_marked_as_read(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, mail)
    read_imap(settings_of(dovecot, user))
    (kept,) = (path for part in ("new", "cur") for path in (dovecot.maildir(user) / part).iterdir())
    assert "S" not in kept.name.partition(":2,")[2]


def test_imap_other_people_s_mail_is_not_fetched(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, b"From: mother@home.test\nSubject: dinner\n\nat seven\n")
    dovecot.deliver(user, mail)
    found, memory = read_imap(settings_of(dovecot, user))
    assert len(found) == 1
    dovecot.deliver(user, b"From: mother@home.test\nSubject: dinner\n\nat eight\n")
    found, memory = read_imap(settings_of(dovecot, user), memory)
    assert found == []
    assert isinstance(memory, dict)
    assert memory["INBOX"][1] == 4


def test_imap_every_folder_of_the_settings_is_read(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, mail)
    dovecot.deliver(user, mail, "Junk")
    settings = settings_of(dovecot, user, folders=["INBOX", "Junk"])
    found, memory = read_imap(settings)
    assert len(found) == 2
    assert read_imap(settings, memory)[0] == []


def test_imap_a_new_uidvalidity_reads_again_what_is_there(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    settings = settings_of(dovecot, user)
    dovecot.deliver(user, mail)
    _, memory = read_imap(settings)
    dovecot.change_uidvalidity(user)
    again, memory = read_imap(settings, memory)
    assert len(again) == 1
    assert read_imap(settings, memory)[0] == []


def test_imap_reading_all_again_changes_nothing(
    dovecot: Dovecot, new_player: NewPlayer, mail: bytes, host: Host
) -> None:
    user = dovecot.add_user()
    alice = imap_player(new_player("alice"), dovecot, user, host)
    dovecot.deliver(user, mail)
    alice.ok("sync")
    before = alice.ok("next", "--json")
    dovecot.change_uidvalidity(user)
    assert json.loads(alice.ok("sync", "--json"))["mails"] == 1
    assert alice.ok("next", "--json") == before


def imap_player(alice: Player, dovecot: Dovecot, user: str, host: Host, *more: str) -> Player:
    alice.ok(
        *("init", "--server", ADDRESS, "--address", user, "--name", "alice"),
        *("--imap", f"localhost:{dovecot.imap_port}", "--eml", "--no-passphrase"),
        *("--fingerprint", host.key.fingerprint),
        *("--password-command", f"echo {dovecot.password}", *more),
    )
    return alice


def test_imap_a_player_with_a_password_command(
    dovecot: Dovecot, new_player: NewPlayer, mail: bytes, host: Host, table: Table
) -> None:
    user = dovecot.add_user()
    alice = imap_player(new_player("alice"), dovecot, user, host)
    dovecot.deliver(user, mail)
    assert json.loads(alice.ok("sync", "--json"))["asked"] == [table.tag]
    assert dovecot.password not in (alice.home / "state.json").read_text()


def test_imap_a_wrong_password_is_said_and_asks_for_the_login(
    dovecot: Dovecot, new_player: NewPlayer, host: Host
) -> None:
    user = dovecot.add_user()
    alice = imap_player(new_player("alice"), dovecot, user, host)
    alice.ok(
        "init",
        "--again",
        "--imap",
        f"localhost:{dovecot.imap_port}",
        "--password-command",
        "echo wrong",
    )
    done = alice.sigil("sync")
    assert done.status == 7
    assert "localhost" in done.err
    assert "wrong" not in done.err


def test_imap_a_password_command_that_fails(
    dovecot: Dovecot, new_player: NewPlayer, host: Host
) -> None:
    alice = imap_player(new_player("alice"), dovecot, dovecot.add_user(), host)
    alice.ok(
        "init", "--again", "--imap", f"localhost:{dovecot.imap_port}", "--password-command", "false"
    )
    done = alice.sigil("sync")
    assert done.status == 7
    assert "false" in done.err


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_imap_over_tls(dovecot: Dovecot, mail: bytes, security: str) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, mail)
    port = dovecot.imaps_port if security == "tls" else dovecot.imap_port
    settings = settings_of(
        dovecot, user, port=port, security=security, ca_file=str(dovecot.tls.cert)
    )
    assert len(read_imap(settings)[0]) == 1


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_imap_a_certificate_that_nobody_vouches_for_is_refused(
    dovecot: Dovecot, security: str
) -> None:
    port = dovecot.imaps_port if security == "tls" else dovecot.imap_port
    with pytest.raises(Unreachable):
        read_imap(settings_of(dovecot, dovecot.add_user(), port=port, security=security))


def test_imap_with_an_access_token(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    dovecot.deliver(user, mail)
    token = dovecot.access_token(user)
    assert len(read_imap(settings_of(dovecot, user, login="xoauth2", password=token))[0]) == 1


def test_imap_a_server_that_is_away(dovecot: Dovecot, mail: bytes) -> None:
    user = dovecot.add_user()
    settings = settings_of(dovecot, user)
    dovecot.stop()
    with pytest.raises(Unreachable):
        read_imap(settings)
    dovecot.start()
    dovecot.deliver(user, mail)
    assert len(read_imap(settings)[0]) == 1
