"""Maildirs as a source and as a way out."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest

from sigilpost_server.errors import TryLater
from sigilpost_server.sources.base import SourceError, Stop
from sigilpost_server.sources.maildir import MaildirSource, make_maildir
from sigilpost_server.sources.settings import MaildirSettings
from sigilpost_server.ways_out.base import NoWay, Post
from sigilpost_server.ways_out.maildir import MaildirOut, mailbox_name
from tests.server.transport.desk import Desk, kept, letter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty Maildir."""
    make_maildir(tmp_path / "in")
    return tmp_path / "in"


def source(folder: Path, **settings: object) -> MaildirSource:
    """The source of the Maildir."""
    given = MaildirSettings.model_validate({"path": folder, "poll_seconds": 0.1} | settings)
    return MaildirSource(given, folder, given.done_path, limit=1_000)


def deliver(folder: Path, raw: bytes) -> str:
    """Deliver as an MTA does; the standard library's own Maildir knows how."""
    return mailbox.Maildir(folder).add(raw)


# --- source


def test_new_mail_is_handed_over_in_order_and_marked_as_seen(folder: Path) -> None:
    for n in range(3):
        deliver(folder, letter(n))
    desk = Desk()
    assert source(folder).round(desk, Stop()) == 3
    assert source(folder).round(desk, Stop()) == 0
    assert desk.mails == [letter(n) for n in range(3)]
    assert [m.get_flags() for m in mailbox.Maildir(folder)] == ["S"] * 3


def test_mails_of_one_second_come_in_the_order_of_delivery(folder: Path) -> None:
    """Microseconds in names are not padded: sorted as text, the later mail would be first."""
    for name, n in (("1700000000.M99999P7.host", 0), ("1700000000.M100000P7.host", 1)):
        (folder / "new" / name).write_bytes(letter(n))
    desk = Desk()
    source(folder).round(desk, Stop())
    assert desk.mails == [letter(0), letter(1)]


def test_mail_that_a_reader_moved_to_cur_unread_is_not_lost(folder: Path) -> None:
    key = deliver(folder, letter(1))
    (folder / "new" / key).rename(folder / "cur" / f"{key}:2,F")
    desk = Desk()
    assert source(folder).round(desk, Stop()) == 1
    assert (folder / "cur" / f"{key}:2,FS").exists()


def test_mail_not_yet_delivered_is_let_be(folder: Path) -> None:
    (folder / "tmp" / "half").write_bytes(b"From: ")
    (folder / "new" / ".nfs000").write_bytes(b"x")
    assert source(folder).round(Desk(), Stop()) == 0


def test_nothing_is_marked_before_the_commit(folder: Path) -> None:
    deliver(folder, letter(1))
    with pytest.raises(TryLater):
        source(folder).round(Desk(TryLater("disk full")), Stop())
    assert source(folder).round(Desk(), Stop()) == 1


def test_a_bad_mail_does_not_stop_those_behind_it(folder: Path) -> None:
    for n in range(3):
        deliver(folder, letter(n))
    desk = Desk(ValueError("a fault of ours"), on=b"Subject: 1")
    assert source(folder).round(desk, Stop()) == 2
    desk.fault = None
    assert source(folder).round(desk, Stop()) == 1


def test_done_mail_can_be_moved(folder: Path, tmp_path: Path) -> None:
    deliver(folder, letter(1))
    source(folder, done="move", done_path=tmp_path / "done").round(Desk(), Stop())
    assert len(mailbox.Maildir(folder)) == 0
    assert [m.as_bytes() for m in mailbox.Maildir(tmp_path / "done")]


def test_of_a_huge_mail_no_more_is_read_than_shows_its_size(folder: Path) -> None:
    deliver(folder, letter(1, "x" * 5_000))
    desk = Desk()
    source(folder).round(desk, Stop())
    assert [len(mail) for mail in desk.mails] == [1_001]


def test_a_maildir_that_is_not_there_is_waited_for(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        source(tmp_path / "later").round(Desk(), Stop())
    desk = Desk()
    with kept(source(tmp_path / "later"), desk):
        make_maildir(tmp_path / "later")
        deliver(tmp_path / "later", letter(1))
        desk.wait(1)


# --- way out


def post(number: int, recipient: str = "alice@mail.test") -> Post:
    """A mail of ours."""
    return Post(f"<{number}@play.test>", "game@play.test", recipient, letter(number))


def test_each_recipient_has_a_maildir_that_mail_readers_read(tmp_path: Path) -> None:
    way = MaildirOut(tmp_path)
    way.send(post(1))
    way.send(post(2, "Bob@Mail.Test"))
    assert [m["Subject"] for m in mailbox.Maildir(tmp_path / "alice@mail.test")] == ["1"]
    assert [m["Subject"] for m in mailbox.Maildir(tmp_path / "bob@mail.test")] == ["2"]


def test_what_is_sent_again_after_a_crash_is_there_once(tmp_path: Path) -> None:
    way = MaildirOut(tmp_path)
    way.send(post(1))
    way.send(post(1))
    box = mailbox.Maildir(tmp_path / "alice@mail.test")
    assert len(box) == 1
    (name,) = (tmp_path / "alice@mail.test" / "new").iterdir()
    name.rename(name.parent.parent / "cur" / f"{name.name}:2,S")  # read in between
    way.send(post(1))
    assert len(mailbox.Maildir(tmp_path / "alice@mail.test")) == 1


def test_an_address_longer_than_a_file_name_has_a_mailbox_of_its_own(tmp_path: Path) -> None:
    for end in "ab":
        MaildirOut(tmp_path).send(post(1, "é" * 100 + f"@{end}.test"))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("address", ["../x@a.test", "a/../../b@c.test", "..", "/etc/passwd", ""])
def test_no_address_leads_out_of_the_folder(tmp_path: Path, address: str) -> None:
    folder = tmp_path / "out"
    MaildirOut(folder).send(post(1, address))
    assert [p for p in tmp_path.rglob("*.sigilpost") if folder not in p.parents] == []
    assert mailbox_name(address) not in ("", ".", "..")


def test_a_full_or_read_only_disk_is_no_bounce(tmp_path: Path) -> None:
    (tmp_path / "alice@mail.test").write_text("in the way")
    with pytest.raises(NoWay):
        MaildirOut(tmp_path).send(post(1))
