"""No key, secret, nonce or hidden card in a log, a traceback, or what the host is shown."""

from __future__ import annotations

import logging

import pytest
from sqlalchemy import select

from sigilpost_engine.games import find
from sigilpost_server.errors import MailFailed, TryLater
from sigilpost_server.models import failures, games, seats
from sigilpost_server.transaction.play import Play
from tests.server.service.test_faults import full
from tests.server.service.town import Table, Town


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
