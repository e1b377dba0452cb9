"""``sigilpost deliver``: the exit status that an MTA is told, 0 or 75 and nothing else."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sigilpost_server.cli import is_deliver
from sigilpost_server.commands import COMMANDS, command
from sigilpost_server.errors import TryLater
from sigilpost_server.sources.pipe import read_mail
from tests.server.transport.desk import letter
from tests.server.transport.host import SIGILPOST, Host
from tests.services.postfix import Postfix
from tests.services.postgresql import PostgreSQL
from tests.services.process import free_port, wait_until


def logged(host: Host) -> list[tuple[str, str]]:
    """Verdict and source of every mail in the database."""
    from sqlalchemy import select

    from sigilpost_server.models import mails

    with host.service() as service, service.database.read() as db:
        return [tuple(row) for row in db.execute(select(mails.c.verdict, mails.c.source))]


def silent(host: Host, mail: bytes) -> int:
    """Deliver; there may be a line for the MTA's log, but never a traceback."""
    done = host.run("deliver", mail=mail)
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 3
    assert done.stdout == b""
    return done.returncode


def test_a_mail_that_is_dealt_with_is_0(host: Host) -> None:
    assert silent(host, letter(1)) == 0
    assert [source for _, source in logged(host)] == ["pipe"]


HOSTILE = {
    "empty": b"",
    "no header": b"\n\nhello\n",
    "no mail at all": bytes(range(256)) * 40,
    "nested": b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(2_000)
    ),
    "one long header": b"Subject: =?utf-8?q?" + b"=61" * 60_000 + b"?=\n\nx\n",
    "NULs": b"From: a@b.test\nSubject: \0\n\n\0\0\0",
    "huge": b"From: a@b.test\n\n" + b"x" * (21 * 1024 * 1024),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_mail_is_0(host: Host, kind: str) -> None:
    assert silent(host, HOSTILE[kind]) == 0


def test_rfc_4155_a_leading_from_line_is_tolerated(host: Host) -> None:
    assert silent(host, b"From alice@mail.test  Mon Nov 30 09:00:00 2026\n" + letter(1)) == 0
    assert silent(host, letter(1)) == 0
    verdicts = [verdict for verdict, _ in logged(host)]
    assert verdicts[1:] == ["duplicate"], "the same mail without that line is the same mail"


def test_only_the_first_from_line_is_dropped() -> None:
    import io

    mail = b"From a@b Mon\nFrom: a@b.test\n\nFrom here on it is text\n"
    assert read_mail(io.BytesIO(mail), 1_000) == mail.partition(b"\n")[2]


# --- what could be wrong at home: 75


def test_no_configuration_is_75(tmp_path: Path, schema: Path) -> None:
    host = Host(tmp_path / "host", schema)
    host.config.unlink()
    assert silent(host, letter(1)) == 75


@pytest.mark.parametrize("text", ["[server", "[server]\nadress = 'x'", "\xff", "[database]\nurl=1"])
def test_a_broken_configuration_is_75(host: Host, text: str) -> None:
    host.config.write_bytes(text.encode("latin-1"))
    assert silent(host, letter(1)) == 75


def test_a_closed_standard_input_is_75_and_called_so(host: Host) -> None:
    command = [*SIGILPOST, "--config", str(host.config), "deliver"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, check=False
    )
    assert done.returncode == 75
    assert b"standard input is closed" in done.stderr


def test_a_missing_or_broken_key_is_75(host: Host) -> None:
    (host.folder / "server.pem").write_text("no key")
    assert silent(host, letter(1)) == 75
    (host.folder / "server.pem").unlink()
    assert silent(host, letter(1)) == 75


def test_no_schema_and_a_broken_database_are_75(host: Host) -> None:
    database = host.folder / "sigilpost.db"
    database.unlink()
    assert silent(host, letter(1)) == 75
    database.write_bytes(b"this is no database" * 1_000)
    assert silent(host, letter(1)) == 75


def test_an_unknown_kind_of_database_is_75(tmp_path: Path) -> None:
    assert silent(Host(tmp_path / "a", "nonsense://x"), letter(1)) == 75
    assert silent(Host(tmp_path / "b", "rubbish"), letter(1)) == 75
    unreachable = f"postgresql+psycopg://x@127.0.0.1:{free_port()}/x"
    assert silent(Host(tmp_path / "c", unreachable), letter(1)) == 75


def test_a_locked_database_is_75(tmp_path: Path, schema: Path) -> None:
    import sqlite3

    host = Host(tmp_path / "host", schema, database__busy_seconds=1)
    lock = sqlite3.connect(host.folder / "sigilpost.db")
    lock.execute("BEGIN IMMEDIATE")
    assert silent(host, letter(1)) == 75
    lock.rollback()
    lock.close()
    assert silent(host, letter(1)) == 0


def test_a_postgresql_that_is_down_is_75_and_up_again_0(
    tmp_path: Path, postgresql: PostgreSQL, migrated_postgresql: str
) -> None:
    host = Host(tmp_path / "host", migrated_postgresql)
    postgresql.stop()
    assert silent(host, letter(1)) == 75
    postgresql.start()
    assert silent(host, letter(1)) == 0


def test_misuse_is_75(host: Host) -> None:
    done = host.run("deliver", "--nonsense", mail=letter(1))
    assert done.returncode == 75
    assert host.run("deliver", "one", "two", mail=letter(1)).returncode == 75


def test_a_half_installed_program_is_75(host: Host, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ImportError('half an upgrade')")
    done = host.run("deliver", mail=letter(1), env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 75


LATE = ("leagues.store", "clockwork", "transcripts", "commands.create", "commands.request")
DELIVERED = """
import sys
from sigilpost_server import program
assert not program.run(sys.argv[1:])
print(*sys.modules)
"""


def test_a_mail_by_the_pipe_does_not_wait_for_what_it_does_not_need(host: Host) -> None:
    """Leagues, timers, the readers of reports: most of the time is that of the imports."""
    command = [sys.executable, "-c", DELIVERED, "-c", str(host.config), "deliver"]
    done = subprocess.run(command, input=letter(1), capture_output=True, check=True, timeout=60)
    loaded = set(done.stdout.decode().split())
    assert "sigilpost_server.service" in loaded
    assert not loaded & {f"sigilpost_server.{name}" for name in LATE}
    assert not loaded & {"flufl.bounce", "openskill", "networkx", "alembic", "aiosmtpd"}


LOADED = """
import sys
from pathlib import Path
from sigilpost_server import config_file, service
config_file.choose(Path(sys.argv[1]))
service.Service.open(config_file.load()).load()
before = set(sys.modules)
from sigilpost_engine import games
from sigilpost_server.mail_in import bounces
list(map(games.find, games.names()))
bounces.read(b"")
print(*(set(sys.modules) - before))
"""


def test_a_process_that_stays_has_imported_all_that_a_mail_may_need(host: Host) -> None:
    """Else an upgrade under it could mix two versions of the rules."""
    command = [sys.executable, "-c", LOADED, str(host.config)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert done.stdout.split() == []


def test_a_command_that_is_half_installed_puts_the_mail_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(COMMANDS, "CREATE", "not_there_yet")
    with pytest.raises(TryLater, match="not complete"):
        command("CREATE")


def test_every_kind_of_block_that_players_sign_has_its_command() -> None:
    assert all(callable(command(kind)) for kind in COMMANDS)


def test_an_end_by_signal_is_75(host: Host) -> None:
    command = [*SIGILPOST, "-c", str(host.config), "deliver"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(letter(1))
        child.stdin.flush()
        waits_on = Path(f"/proc/{child.pid}/wchan")
        wait_until(lambda: "pipe_read" in waits_on.read_text(), "it reads the rest of the mail")
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 75
    assert logged(host) == []


def test_closed_streams_change_nothing(host: Host, tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    mail.write_bytes(letter(1))
    command = " ".join([*SIGILPOST, "-c", str(host.config), "deliver"])
    for streams in (">&- 2>&-", ">/dev/full 2>/dev/full"):
        done = subprocess.run(["sh", "-c", f"{command} <{mail} {streams}"], check=False)
        assert done.returncode == 0
    host.config.unlink()
    for streams in (">&- 2>&-", ">/dev/full 2>/dev/full", "<&-"):
        done = subprocess.run(["sh", "-c", f"{command} <{mail} {streams}"], check=False)
        assert done.returncode == 75


def test_the_word_deliver_is_found_behind_options() -> None:
    assert is_deliver(["-c", "x", "deliver"])
    assert is_deliver(["--config", "deliver", "deliver", "--x"])
    assert not is_deliver(["--config", "deliver", "log"])
    assert not is_deliver(["show", "deliver"])


# --- behind Postfix


def test_postfix_alias_pipe(postfix: Postfix, host: Host) -> None:
    address = postfix.pipe("game", [*SIGILPOST, "-c", host.config, "deliver"])
    postfix.send("alice@mail.test", address, letter(1))
    (done,) = postfix.wait_runs("game")
    postfix.wait_empty()
    assert done.returncode == 0
    assert [source for _, source in logged(host)] == ["pipe"]


def test_postfix_keeps_the_mail_while_there_is_no_database(postfix: Postfix, host: Host) -> None:
    database = host.folder / "sigilpost.db"
    kept = shutil.move(database, host.folder / "kept")
    address = postfix.pipe("game", [*SIGILPOST, "-c", host.config, "deliver"])
    postfix.send("alice@mail.test", address, letter(1))
    assert postfix.wait_runs("game")[0].returncode == 75
    database.unlink(missing_ok=True)
    shutil.move(kept, database)
    postfix.flush()
    postfix.wait_empty()
    assert len(logged(host)) == 1
