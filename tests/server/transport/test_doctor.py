"""``sigilpost doctor`` and ``init``: each line says how things are and what to do."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from sigilpost_engine.texts import Texts
from sigilpost_server.clock import ManualClock, now
from sigilpost_server.db import Database, open_engine
from sigilpost_server.doctor import Finding, State, examine
from sigilpost_server.sources.maildir import make_maildir
from tests.server.transport.desk import Desk, letter
from tests.server.transport.host import SIGILPOST, Host
from tests.server.transport.relays import PASSWORD, relay_peer
from tests.server.transport.test_listener import open_listener
from tests.services.dovecot import Dovecot
from tests.services.postgresql import PostgreSQL
from tests.services.process import free_port


def findings(host: Host, clock: int | None = None) -> list[Finding]:
    """What the doctor finds."""
    return list(examine(host.config, ManualClock(clock or now())))


def said(found: list[Finding], state: State = State.BAD) -> str:
    """The texts of the findings of a state, each with its remedy."""
    texts = Texts()
    lines = []
    for each in found:
        if each.state is state:
            remedy = texts.render(each.remedy) if each.remedy else ""
            lines.append(f"{texts.render(each.what)} -> {remedy}")
    return "\n".join(lines)


def test_a_good_host_is_good_all_over(host: Host) -> None:
    host.config.chmod(0o600)
    (host.folder / "server.pem").chmod(0o600)
    (host.folder / "sigilpost.db").chmod(0o600)
    found = findings(host)
    assert {each.state for each in found} == {State.GOOD}
    checks = [each.what.id.split(".")[2] for each in found]
    assert checks == [
        "config",
        "key",
        "database",
        "clock",
        "outbox",
        "source",
        "postmaster",
        "way",
    ]


def test_every_finding_has_its_words_and_everything_bad_a_remedy(host: Host) -> None:
    texts = Texts()
    import sigilpost_server.doctor as doctor

    source = Path(doctor.__file__).read_text()
    for kind in ("bad", "care"):
        for part in source.split(f"yield _{kind}(")[1:]:
            topic = "host.doctor." + part.split('"')[1]
            assert texts.knows(topic), topic
            assert texts.knows(f"{topic}.remedy"), topic
    assert len(source.split("yield _bad(")) > 5


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[server", "not TOML"), ("[server]\nadress = 'x'", "server.adress: no such setting")],
)
def test_a_broken_configuration(host: Host, text: str, problem: str) -> None:
    host.config.write_text(text)
    (finding,) = findings(host)
    assert problem in said([finding])


def test_secrets_that_others_can_read(host: Host) -> None:
    host.config.chmod(0o644)
    (host.folder / "server.pem").chmod(0o640)
    (host.folder / "sigilpost.db").chmod(0o644)
    assert said(findings(host), State.CARE).count("chmod 600") == 3


@pytest.mark.parametrize(
    ("host_s", "state", "words"),
    [
        ("me@else.test", State.GOOD, "mail to the postmaster goes to me@else.test"),
        ("", State.GOOD, "mail to the postmaster is set aside (sigilpost mail list)"),
        ("Postmaster@play.test", State.CARE, "arrives here again"),
        ("Game+me@Play.test", State.CARE, "arrives here again"),
    ],
)
def test_rfc_5321_4_5_1_where_mail_to_the_postmaster_goes(
    host: Host, host_s: str, state: State, words: str
) -> None:
    config = host.config.read_text()
    listener = f"[[sources.listener]]\nport = {free_port()}\n"
    named = config.replace("[server]", f'[server]\nhost = "{host_s}"')
    host.config.write_text(f"{named}\n{listener}")
    assert words in said(findings(host), state)


def test_a_key_that_is_missing(host: Host) -> None:
    (host.folder / "server.pem").unlink()
    assert "server.pem" in said(findings(host))


def test_a_database_without_schema_one_that_is_broken_and_one_that_is_locked(
    tmp_path: Path, schema: Path
) -> None:
    host = Host.listening(tmp_path / "host", schema, database__busy_seconds=1)
    file = host.folder / "sigilpost.db"
    lock = sqlite3.connect(file)
    lock.execute("BEGIN IMMEDIATE")
    assert "locked" in said(findings(host))
    lock.close()
    file.unlink()
    missing = said(findings(host))
    assert "there is no such file" in missing
    assert "restore it from your backup" in missing
    file.touch()
    assert "sigilpost migrate" in said(findings(host))
    file.write_bytes(b"this is no database" * 1_000)
    assert "not a database" in said(findings(host))


def test_a_postgresql_that_is_down_and_no_password_in_the_words(
    tmp_path: Path, postgresql: PostgreSQL, migrated_postgresql: str
) -> None:
    url = migrated_postgresql.replace("@", ":hunter2@")
    host = Host.listening(tmp_path / "host", url)
    assert said(findings(host)) == ""
    postgresql.stop()
    words = said(findings(host))
    assert "refused" in words
    assert "hunter2" not in words
    postgresql.start()


def test_a_clock_that_went_back(host: Host) -> None:
    assert host.deliver(letter(1)) == 0
    assert "behind the newest mail" in said(findings(host, now() - 4_000))
    assert "years behind" in said(findings(host, 1_000_000_000))


def test_mail_that_waits_for_long(host: Host) -> None:
    with host.service() as service:
        from sigilpost_server.models import outgoing

        row = {"message_id": "<1@x>", "recipient": "a@b.test", "raw": b"", "due": now()}
        with service.database.write() as db:
            db.execute(outgoing.insert(), [row | {"created": now() - 8_000}])
    assert "for 2 h" in said(findings(host), State.CARE)


def test_nothing_configured(tmp_path: Path, schema: Path) -> None:
    words = said(findings(Host(tmp_path / "host", schema)), State.CARE)
    assert "[[sources." in words
    assert "[out.relay]" in words


def test_a_mailbox_that_refuses_and_one_that_is_fine(
    tmp_path: Path, schema: Path, dovecot: Dovecot
) -> None:
    settings = {
        "sources__imap__host": dovecot.host,
        "sources__imap__port": dovecot.imap_port,
        "sources__imap__tls": "none",
        "sources__imap__user": dovecot.add_user(),
    }
    good = Host(tmp_path / "a", schema, **settings, sources__imap__password=dovecot.password)
    assert said(findings(good)) == ""
    bad = Host(tmp_path / "b", schema, **settings, sources__imap__password="guessed-wrong")
    words = said(findings(bad))
    assert "refused the login" in words
    assert "guessed-wrong" not in words


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
def test_a_relay_that_refuses_the_login_and_one_that_is_fine(tmp_path: Path, schema: Path) -> None:
    with relay_peer(login=True) as peer:
        settings = {"out__relay__port": peer.port, "out__relay__user": "game"}
        good = Host(tmp_path / "a", schema, **settings, out__relay__password=PASSWORD)
        assert said(findings(good)) == ""
        bad = Host(tmp_path / "b", schema, **settings, out__relay__password="guessed-wrong")
        assert "535" in said(findings(bad))
    assert "refused" in said(findings(good)), "and one that is not there"


def test_a_port_of_our_own_daemon_is_fine_and_anybody_else_s_is_not(host: Host) -> None:
    with open_listener(Desk()) as port:
        host.config.write_text(host.config.read_text().replace(str(host.port), str(port)))
        assert said(findings(host)) == ""
    with relay_peer(port):
        assert "another program" in said(findings(host))


def test_a_maildir_that_is_not_there(tmp_path: Path, schema: Path) -> None:
    host = Host(tmp_path / "host", schema, sources__maildir__path="in")
    assert "No such file" in said(findings(host))
    make_maildir(host.folder / "in")
    assert said(findings(host)) == ""


def test_the_command_prints_lines_or_json_and_tells_by_its_status(host: Host) -> None:
    done = host.run("doctor")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[0] == f"ok   configuration {host.config}"
    (host.folder / "server.pem").unlink()
    done = host.run("doctor", "--json")
    assert done.returncode == 1
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["check"] for line in lines if line["state"] == "bad"] == ["host.doctor.key"]
    assert all(line["remedy"] for line in lines if line["state"] != "good")


# --- init


def init(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run ``sigilpost init``."""
    command = [*SIGILPOST, "init", str(folder), "--address", "game@play.test", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_init_makes_all_that_serve_needs_and_tells_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "host"
    done = init(folder, f"--set=sources.listener.port={free_port()}", "--set=out.maildir.path=mail")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {"config.toml", "server.pem", "sigilpost.db"}
    for name in ("config.toml", "server.pem", "sigilpost.db"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert "doctor" in done.stdout
    assert "serve" in done.stdout
    found = list(examine(folder / "config.toml", now))
    assert {each.state for each in found} == {State.GOOD}


def test_init_in_a_folder_that_others_can_enter_keeps_the_hands_to_its_owner(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    assert init(tmp_path).returncode == 0
    with Database(open_engine(f"sqlite:///{tmp_path / 'sigilpost.db'}")).write():
        # While somebody writes, the files beside the database hold the newest cards.
        files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(files) == 5
    assert set(files.values()) == {0o600}


def test_what_init_says_for_an_mta_works_in_any_folder(tmp_path: Path) -> None:
    command = [*SIGILPOST, "init", "host", "--address", "game@play.test"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert f'game: "|sigilpost -c {tmp_path}/host/config.toml deliver"' in done.stdout


def test_init_needs_no_more_than_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "host"
    command = [*SIGILPOST, "init", str(folder)]
    subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "sigil@localhost" in said(list(examine(folder / "config.toml", now)), State.CARE)


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    assert init(tmp_path / "host").returncode == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "host").iterdir()}
    assert init(tmp_path / "host").returncode == 1
    assert {p.name: p.read_bytes() for p in (tmp_path / "host").iterdir()} == before


def test_init_that_was_broken_off_can_be_run_again(tmp_path: Path) -> None:
    assert init(tmp_path / "host").returncode == 0
    key = (tmp_path / "host" / "server.pem").read_bytes()
    os.unlink(tmp_path / "host" / "config.toml")
    assert init(tmp_path / "host").returncode == 0
    assert (tmp_path / "host" / "server.pem").read_bytes() == key


@pytest.mark.parametrize(
    "wrong", [["--address", "nobody"], ["--set", "out.relay.prot=1"], ["--set", "server.name"]]
)
def test_init_with_nonsense_writes_nothing(tmp_path: Path, wrong: list[str]) -> None:
    done = init(tmp_path / "host", *wrong)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "host" / "config.toml").exists()
    assert not (tmp_path / "host" / "server.pem").exists()
