"""No key, secret, nonce or hidden card in a log, a traceback, or what the host is shown."""

from __future__ import annotations

import base64
import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_engine.wire.sealed import SealKey
from sigilpost_server import logs
from sigilpost_server.errors import MailFailed, TryLater
from sigilpost_server.models import failures, games, outgoing, seats
from sigilpost_server.program import run
from sigilpost_server.transaction.play import Play
from tests.server.service.test_faults import full
from tests.server.service.town import Received, Table, Town


def canaries(town: Town) -> list[str]:
    """All that must not be written down: as the database and the players know it."""
    with town.service.database.read() as db:
        secrets = [secret.hex() for secret in db.execute(select(games.c.secret)).scalars()]
        nonces = list(db.execute(select(seats.c.nonce)).scalars())
    keys = [person.key.to_pem().decode().splitlines()[1] for person in town.people.values()]
    keys.append(town.service.house.key.to_pem().decode().splitlines()[1])
    return [each for each in (*secrets, *nonces, *keys, *find("weaver").cards) if each]


def found(text: str, words: list[str]) -> list[str]:
    """Those of the words that stand in a text."""
    return [word for word in words if word in text]


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """All that was logged, with every field."""
    return "\n".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)


def test_a_whole_game_and_many_faults_log_no_secret(
    town: Town, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("sqlalchemy").setLevel(logging.WARNING)  # as the daemon sets it
    table: Table = town.begin("alice", "bob", "carol")
    table.play("hide nothing at all")
    raw = town.mail(table.asked, table.order(table.asked, table.line()))
    with full(town), pytest.raises(TryLater) as later:
        town.deliver(raw)
    submit = Play.submit

    def fail(play: Play, *arguments: object) -> None:
        submit(play, *arguments)  # type: ignore[arg-type]
        raise ValueError(f"the hands are {play.match.dump()}")

    with monkeypatch.context() as patch:
        patch.setattr(Play, "submit", fail)
        with pytest.raises(MailFailed) as failed:
            town.deliver(raw)
    table.read()
    table.play_to_end()
    words = canaries(town)
    assert len(words) > 36
    assert found(logged(caplog), words) == []
    assert found(f"{later.value} {failed.value}", words) == []
    with town.service.database.read() as db:
        trace = db.execute(select(failures.c.traceback)).scalar_one()
    assert found(trace, words) == []


def test_why_a_game_is_held_names_no_card(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    table = town.begin("alice", "bob")

    def stumble(*_: object) -> None:
        raise KeyError("ASHW 3")

    monkeypatch.setattr("sigilpost_engine.games.weaver.rules.atoms.hide", stumble)
    verdict = table.play(f"hide {table.hand[0]}")
    assert (verdict.verdict, verdict.reason) == ("failed", "diverged")
    with town.service.database.read() as db:
        why = db.execute(select(games.c.why)).scalar_one()
    assert why == "Held: KeyError in the rules"
    assert found(why, canaries(town)) == []


def test_nothing_that_is_printed_shows_a_secret(town: Town) -> None:
    town.begin("alice", "bob")
    words = canaries(town)
    house = town.service.house
    assert found(f"{house!r} {town.service!r} {vars(house.settings)!r}", words) == []
    assert house._secret.hex() not in repr(house)


# --- everything that the server writes ------------------------------------------------------------

SEAL_KEY = SealKey.generate()


@contextmanager
def written_log() -> Iterator[dict[str, io.StringIO]]:
    """What the program logs meanwhile, from the lowest level on, in both of its formats."""
    root, sheets = logging.getLogger(), {"text": io.StringIO(), "json": io.StringIO()}
    handlers = []
    for form, formatter in (("text", logs.Text()), ("json", logs.Json())):
        handler = logging.StreamHandler(sheets[form])
        handler.setFormatter(formatter)
        handlers.append(handler)
        root.addHandler(handler)
    level = root.level
    root.setLevel(logging.DEBUG)
    logging.getLogger("sqlalchemy").setLevel(logging.WARNING)  # as the daemon sets it
    try:
        yield sheets
    finally:
        root.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)


@pytest.fixture
def sigilpost(
    town: Town, sqlite_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Runs a command of the host on the town's database: output and errors."""
    (tmp_path / "server.pem").write_bytes(town.service.house.key.to_pem())
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\naddress = "play@server.test"\n[database]\nurl = "{sqlite_url}"\n')

    def call(*arguments: str) -> tuple[str, str]:
        capsys.readouterr()
        run(["--config", str(config), *arguments])
        return capsys.readouterr()

    return call


def keys_of(town: Town) -> list[str]:
    """Every private key there is, as anybody might write it down."""
    pems = [person.key.to_pem() for person in town.people.values()]
    pems += [town.service.house.key.to_pem(), SEAL_KEY.to_pem()]
    bodies = [base64.b64decode(b"".join(pem.splitlines()[1:-1])) for pem in pems]
    seeds = [body[-32:] for body in bodies]
    shown = [pem.decode().splitlines()[1] for pem in pems]
    return [*shown, *(seed.hex() for seed in seeds), *(repr(seed)[2:-1] for seed in seeds)]


def secrets_of(town: Town) -> list[str]:
    """What must stand nowhere: keys, the games' secrets and keys, nonces, tokens' secret."""
    house = town.service.house
    with town.service.database.read() as db:
        secrets = [bytes(secret) for secret in db.execute(select(games.c.secret)).scalars()]
        nonces = [nonce for nonce in db.execute(select(seats.c.nonce)).scalars() if nonce]
        tags = db.execute(select(games.c.tag)).scalars().all()
        running = [Play.load(db, tag, lock=False) for tag in tags]
    game_keys = [play._key.hex() for play in running if play and play.row.match]
    forms = [form for secret in secrets for form in (secret.hex(), repr(secret)[2:-1])]
    return [*keys_of(town), *forms, *game_keys, *nonces, house._secret.hex()]


def eventful(town: Town, monkeypatch: pytest.MonkeyPatch) -> tuple[Table, str]:
    """A game with faults of every kind, standing orders and changed keys; and a mail's digest."""
    table = town.begin("alice", "bob", "carol")
    town.send("carol", payloads.Seal, public=SEAL_KEY.public.hex())
    town.post()
    name = table.idle
    seat = table.names.index(name) + 1
    add = tuple(f"do hide {card}" for card in find("weaver").cards[:20])
    town.send(name, payloads.Standing, game=table.tag, seat=seat, add=add)
    table.play("hide nothing at all")
    raw = town.mail(table.asked, table.order(table.asked, table.line()))
    with full(town), pytest.raises(TryLater):
        town.deliver(raw)
    forged = table.order(table.asked, table.line())
    town.deliver(town.mail(table.asked, forged._replace(signature=bytes(64))))
    town.deliver(town.mail("stranger@elsewhere.test", "let me in"))
    town.deliver(town.mail(table.asked, armour(forged)[:200]))
    submit = Play.submit

    def fail(play: Play, *arguments: object) -> None:
        submit(play, *arguments)  # type: ignore[arg-type]
        raise ValueError(f"{play.match.dump()} {play.row.secret!r} {play._key.hex()} {play.seats}")

    with monkeypatch.context() as patch:
        patch.setattr(Play, "submit", fail)
        for _ in range(town.service.house.settings.limits.failures - 1):
            with pytest.raises(MailFailed):
                town.deliver(raw)
        digest = town.deliver(raw).digest
    town.post()
    return table, digest


def test_nothing_that_the_server_writes_tells_a_secret(
    town: Town,
    sigilpost: Callable[..., tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with written_log() as sheets:
        table, digest = eventful(town, monkeypatch)
        secrets, cards = secrets_of(town), list(find("weaver").cards)
        assert len(secrets) > 25
        outputs = {
            " ".join(words): "".join(sigilpost(*words))
            for words in (
                *(["log"], ["log", "--json"], ["games"], ["games", "--json"], ["check"]),
                *(["show", table.tag], ["show", table.tag, "--json"], ["doctor"]),
                *(["mail", "list"], ["mail", "list", "--json"], ["key", "show"]),
                *(["transcript", table.tag], ["mail", "replay", "--dry-run", digest[:12]]),
            )
        }
        # The mail itself is what a host wants to see; where it failed names nothing of it.
        outputs["mail show"] = sigilpost("mail", "show", digest[:12])[1]
    assert "a mail failed" in sheets["text"].getvalue()
    assert json.loads(sheets["json"].getvalue().splitlines()[0])
    for form, sheet in sheets.items():
        assert found(sheet.getvalue(), [*secrets, *cards]) == [], form
    for command, output in outputs.items():
        assert output, command
        assert found(output, [*secrets, *cards]) == [], command
    with town.service.database.read() as db:
        for text in db.execute(select(failures.c.traceback)).scalars():
            assert found(text, [*secrets, *cards]) == []
    for path in tmp_path.rglob("*"):
        if path.is_file() and not path.name.startswith(("sigilpost.db", "server.pem")):
            assert found(path.read_bytes().decode("latin-1"), [*secrets, *cards]) == [], path


def test_no_mail_of_a_running_game_tells_a_secret(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = eventful(town, monkeypatch)
    secrets = secrets_of(town)
    with town.service.database.read() as db:
        sent = [Received(bytes(raw)) for raw in db.execute(select(outgoing.c.raw)).scalars()]
        status = db.execute(select(games.c.status).where(games.c.tag == table.tag)).scalar_one()
    assert status == "running"
    assert len(sent) > 10
    for mail in sent:
        assert found(everything(mail), secrets) == [], mail.subject


def everything(mail: Received) -> str:
    """Headers and all parts of a mail, decoded."""
    parts = [f"{name}: {value}" for name, value in mail.mail.items()]
    for part in mail.mail.walk():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            parts.append(data.decode("utf-8", "replace"))
    return "\n".join(parts)


def test_mails_about_errors_name_no_card(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer without a valid block has no game content, whatever the fault was."""
    eventful(town, monkeypatch)
    with town.service.database.read() as db:
        sent = [Received(bytes(raw)) for raw in db.execute(select(outgoing.c.raw)).scalars()]
    slugs = ("bad-signature", "damaged-block")
    errors = [mail for mail in sent if any(slug in mail.text for slug in slugs)]
    strangers = [mail for mail in sent if mail.to == "stranger@elsewhere.test"]
    assert (len(errors), len(strangers)) == (2, 1)
    for mail in [*errors, *strangers]:
        assert found(everything(mail), list(find("weaver").cards)) == [], mail.subject
