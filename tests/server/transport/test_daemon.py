"""The daemon as a whole: any mix of sources, a way out, faults around it, a clean end."""

from __future__ import annotations

import json
import mailbox
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlmodel import SQLModel

from sigilpost_server.daemon import Daemon
from sigilpost_server.db import Database
from sigilpost_server.errors import TryLater
from sigilpost_server.models import mails, outgoing
from sigilpost_server.sources import build as sources
from sigilpost_server.sources.maildir import make_maildir
from sigilpost_server.ways_out import build as ways_out
from sigilpost_server.ways_out.drain import Tally
from tests.server.transport.circle import Player, by_smtp, message_id, told
from tests.server.transport.host import SIGILPOST, Host
from tests.server.transport.relays import relay_peer
from tests.server.transport.test_kill import begun, final_state, received, undisturbed, waiting
from tests.services.dovecot import Dovecot
from tests.services.process import free_port, is_listening, wait_until


def registration(host: Host, name: str) -> bytes:
    """A mail that is answered with a challenge."""
    from sigilpost_engine.wire import payloads

    with host.service() as service:
        player = Player(name, service.house.fingerprint)
    values = {"public": player.key.public.hex, "name": name, "address": player.address}
    return player.mail(payloads.Register, "register", **values, lang="en", zone="UTC")


def verdicts(host: Host) -> Counter[tuple[str, str]]:
    """How often which source brought mail with which verdict."""
    with host.service() as service, service.database.read() as db:
        rows = db.execute(select(mails.c.source, mails.c.verdict))
        return Counter((row.source.partition(":")[0], row.verdict) for row in rows)


# --- one iteration


def test_once_takes_what_waits_and_sends_the_answers(tmp_path: Path, schema: Path) -> None:
    host = Host(tmp_path / "host", schema, sources__maildir__path="in", out__maildir__path="mail")
    make_maildir(host.folder / "in")
    for name in ("alice", "bob"):
        mailbox.Maildir(host.folder / "in").add(registration(host, name))
    settings = host.settings
    with host.service() as service:
        daemon = Daemon(service, settings, sources.build(settings), ways_out.build(settings))
        assert daemon.once() == Tally(sent=2)
        assert daemon.once() == Tally()
    assert [doc.notice["type"] for doc in map(told, host.mails("bob@mail.test"))] == ["challenge"]  # type: ignore[index]


def test_once_without_a_way_out_leaves_mail_in_the_outbox(tmp_path: Path, schema: Path) -> None:
    host = Host(tmp_path / "host", schema, sources__maildir__path="in")
    make_maildir(host.folder / "in")
    mailbox.Maildir(host.folder / "in").add(registration(host, "alice"))
    settings = host.settings
    with host.service() as service:
        Daemon(service, settings, sources.build(settings), None).once()
        assert waiting(service) == 1


def test_a_read_only_database_leaves_the_mail_at_its_source(tmp_path: Path, schema: Path) -> None:
    host = Host(tmp_path / "host", schema, sources__maildir__path="in")
    make_maildir(host.folder / "in")
    mailbox.Maildir(host.folder / "in").add(registration(host, "alice"))
    file = host.folder / "sigilpost.db"
    read_only = Host(tmp_path / "ro", f"sqlite:///file:{file}?mode=ro&uri=true")
    with host.service() as service:
        assert read_only.deliver(registration(host, "bob")) == 75
        daemon = Daemon(service, host.settings, sources.build(host.settings), None)
        with service.database.read() as db:
            db.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(TryLater, match="readonly"):
            daemon.once()
        with service.database.read() as db:
            db.exec_driver_sql("PRAGMA query_only = OFF")
        daemon.once()
    assert verdicts(host) == {("maildir", "accepted"): 1}


# --- the process


def test_all_sources_at_once_and_one_that_fails(
    tmp_path: Path, schema: Path, dovecot: Dovecot
) -> None:
    user = dovecot.add_user()
    port = free_port()
    host = Host(
        tmp_path / "host",
        schema,
        sources__imap__host=dovecot.host,
        sources__imap__port=dovecot.imap_port,
        sources__imap__tls="none",
        sources__imap__user=user,
        sources__imap__password=dovecot.password,
        sources__listener__port=port,
        sources__maildir__path="in",
        sources__maildir__poll_seconds=0.1,
        out__maildir__path="mail",
        out__poll_seconds=0.2,
    )
    host.port = port
    # A second mailbox on a port where nobody is.
    more = f'[[sources.imap]]\nhost = "127.0.0.1"\nport = {free_port()}\ntls = "none"\nuser = "x"\n'
    host.config.write_text(host.config.read_text() + more)
    make_maildir(host.folder / "in")
    with host.serving():
        dovecot.deliver(user, registration(host, "alice"))
        mailbox.Maildir(host.folder / "in").add(registration(host, "bob"))
        assert by_smtp(port)("carol@mail.test", registration(host, "carol"))
        assert host.deliver(registration(host, "dave")) == 0
        for name in ("alice", "bob", "carol", "dave"):
            wait_until(lambda to=f"{name}@mail.test": bool(host.mails(to)), f"mail to {name}")  # type: ignore[misc]
        assert host.log_has("source does not work")
        dovecot.restart()
        dovecot.deliver(user, registration(host, "erin"))
        wait_until(lambda: bool(host.mails("erin@mail.test")), "mail to erin")
    assert verdicts(host) == {
        ("imap", "accepted"): 2,
        ("maildir", "accepted"): 1,
        ("smtp", "accepted"): 1,
        ("pipe", "accepted"): 1,
    }


def test_while_the_relay_is_down_mail_waits_and_then_goes_out(tmp_path: Path, schema: Path) -> None:
    port, relay = free_port(), free_port()
    host = Host(tmp_path / "host", schema, sources__listener__port=port, out__relay__port=relay)
    host.port = port
    with host.serving():
        for name in ("alice", "bob", "carol"):
            assert by_smtp(port)(f"{name}@mail.test", registration(host, name))
        wait_until(lambda: host.log_has("mail waits in the outbox"), "a word about it")
        with host.service() as service:
            assert waiting(service) == 3
        with relay_peer(relay) as peer:
            wait_until(lambda: len(peer.taken) >= 3, "three mails")
            time.sleep(0.2)
            assert len({message_id(mail.raw) for mail in peer.taken}) == len(peer.taken) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_end_is_quick_and_leaves_nothing_claimed(
    host: Host, number: signal.Signals
) -> None:
    with host.serving() as daemon:
        assert by_smtp(host.port)("alice@mail.test", registration(host, "alice"))
        began = time.monotonic()
        daemon.process.send_signal(number)
        assert daemon.process.wait(10) == 0
        assert time.monotonic() - began < 5
    assert not is_listening(host.port)
    with host.service() as service, service.database.read() as db:
        assert set(db.execute(select(outgoing.c.claimed_by)).scalars()) == {""}


def test_a_mail_put_in_by_deliver_is_sent_by_serve(host: Host) -> None:
    with host.serving():
        assert host.deliver(registration(host, "alice")) == 0
        wait_until(lambda: bool(host.mails("alice@mail.test")), "the answer")


def test_flush_sends_once_what_is_due(host: Host) -> None:
    for name in ("alice", "bob"):
        assert host.deliver(registration(host, name)) == 0
    done = host.run("flush")
    assert (done.returncode, done.stdout) == (0, b"Sent 2, put off 0, bounced 0.\n")
    assert host.run("flush").stdout == b"Sent 0, put off 0, bounced 0.\n"
    assert len(host.mails("alice@mail.test")) == 1


def test_flush_says_why_it_could_not(tmp_path: Path, schema: Path) -> None:
    nowhere = Host(tmp_path / "a", schema)
    assert nowhere.run("flush").returncode == 1
    down = Host(tmp_path / "b", schema, out__relay__port=free_port())
    down.deliver(registration(down, "alice"))
    done = down.run("flush")
    assert done.returncode == 1
    assert b"refused" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_full_disk_is_tried_later(host: Host) -> None:
    # SQLite meets the limit as it meets a full disk: a write comes back short.
    limited = f"ulimit -f 8; exec {' '.join(SIGILPOST)} -c {host.config} deliver"
    mail = registration(host, "alice")
    done = subprocess.run(["bash", "-c", limited], input=mail, capture_output=True, check=False)
    assert done.returncode == 75, done.stderr
    assert host.deliver(mail) == 0
    assert verdicts(host) == {("pipe", "accepted"): 1}


def test_a_broken_configuration_ends_with_words_and_no_traceback(host: Host) -> None:
    host.config.write_text("[sources]\nimpa = 1\n")
    done = host.run("serve")
    assert done.returncode == 1
    assert b"sources.impa: no such setting" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_log_has_no_secret(tmp_path: Path, schema: Path, dovecot: Dovecot) -> None:
    user = dovecot.add_user()
    host = Host(
        tmp_path / "host",
        schema,
        daemon__log="json",
        daemon__level="debug",
        sources__imap__host=dovecot.host,
        sources__imap__port=dovecot.imap_port,
        sources__imap__tls="none",
        sources__imap__user=user,
        sources__imap__password=dovecot.password,
        out__maildir__path="mail",
    )
    with host.serving():
        dovecot.deliver(user, registration(host, "alice"))
        wait_until(lambda: bool(host.mails("alice@mail.test")), "the answer")
    log = (host.folder / "serve.log").read_text()
    token = told(host.mails("alice@mail.test")[0]).notice["token"]  # type: ignore[index]
    for secret in (dovecot.password, token, "BEGIN SIGIL", "alice@mail.test"):
        assert secret not in log
    for line in log.splitlines():
        assert {"time", "level", "event"} <= set(json.loads(line))


def test_copies_of_incoming_mail_are_kept_if_wanted(tmp_path: Path, schema: Path) -> None:
    host = Host.listening(tmp_path / "host", schema, daemon__keep_incoming="kept")
    mail = registration(host, "alice")
    with host.serving():
        for _ in range(2):
            assert by_smtp(host.port)("alice@mail.test", mail)
    (kept,) = mailbox.Maildir(host.folder / "kept" / "game@play.test")
    assert kept["Message-ID"] == message_id(mail)


# --- several processes


def test_two_daemons_on_one_postgresql_do_nothing_twice(
    tmp_path: Path, schema: Path, migrated_postgresql: str
) -> None:
    copy = Host(tmp_path / "copy", schema)
    circle = begun(copy)
    one = Host.listening(tmp_path / "one", migrated_postgresql)
    two = Host.listening(tmp_path / "two", migrated_postgresql, out__maildir__path=str(one.mail))
    with copy.service() as here, one.service() as there:
        copy_rows(here.database, there.database)
    with one.serving(), two.serving():
        # Every mail goes to both.
        threads = circle.play_by_mail(one, [by_smtp(one.port), by_smtp(two.port)])
        for thread in threads:
            thread.join(90)
        assert circle.over
        with one.service() as service:
            service.tick()
            wait_until(lambda: not waiting(service), "an empty outbox", 60)
    expected = undisturbed(circle, copy)
    with one.service() as service:
        assert final_state(service) == expected
    assert received(one) == expected["mails"]
    assert one.log_has("mail sent")
    assert two.log_has("mail sent")


def copy_rows(source: Database, target: Database) -> None:
    """Copy all that is in one database into another, which has the schema and nothing else."""
    with source.read() as here, target.write() as there:
        for table in SQLModel.metadata.sorted_tables:
            if rows := [dict(row) for row in here.execute(table.select()).mappings()]:
                there.execute(table.insert(), rows)
            if "id" in table.c:
                counter = func.pg_get_serial_sequence(table.name, "id")
                highest = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
                there.execute(select(func.setval(counter, highest, False)))
