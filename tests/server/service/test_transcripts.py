"""The transcript of a finished game: mailed, refused while hands are hidden, and proved."""

from __future__ import annotations

import json

import pytest

from sigilpost_engine.audit.verify import Receipt, verify
from sigilpost_engine.games import find
from sigilpost_server import transcripts
from sigilpost_server.transaction.play import Play
from tests.audit.independent import Verifier
from tests.server.service.town import Table, Town


def transcript_of(table: Table) -> bytes:
    service = table.town.service
    with service.database.read() as db:
        play = Play.load(db, table.tag, lock=False)
        assert play is not None
        return transcripts.of_game(db, play, service.house)


def test_every_player_is_mailed_the_transcript_once_the_game_is_over(town: Town) -> None:
    table = town.begin("alice", "bob", "carol")
    table.play_to_end()
    town.post()
    town.service.tick(town.clock())
    town.service.tick(town.clock())
    mails = town.post()
    assert sorted(mail.to for mail in mails) == [
        f"{name}@player.test" for name in ("alice", "bob", "carol")
    ]
    for mail in mails:
        (part,) = [
            part
            for part in mail.mail.iter_attachments()
            if part.get_filename() == f"{table.tag}.transcript.jsonl"
        ]
        assert part.get_content() == transcript_of(table)
        assert "Your mail" not in mail.words


def test_a_game_played_by_mail_is_proved_with_the_receipts_of_its_mails(town: Town) -> None:
    table = town.begin("alice", "bob", "carol")
    table.play_to_end()
    heads = [mail.turn.head for mail in table.mails if mail.turn.head is not None]
    receipts = [Receipt(head.number, head.hash) for head in heads]
    assert len(receipts) > 20
    key = town.service.house.key.public.raw
    report = verify(transcript_of(table), find, receipts, [key])
    assert report.fault is None
    assert report.checked["receipts"] == len(receipts)
    heads_again = Verifier(transcript_of(table), find).heads
    assert all(heads_again[receipt.number] == receipt.hash for receipt in receipts)


def test_while_a_game_runs_there_is_no_transcript(town: Town) -> None:
    table = town.begin("alice", "bob")
    table.play()
    with pytest.raises(transcripts.NotOver):
        transcript_of(table)


def test_a_game_given_up_is_proved_too(town: Town) -> None:
    from sigilpost_engine.wire import payloads

    table = town.begin("alice", "bob", "carol")
    table.play()
    table.read()
    name = table.asked
    verdict = town.send(name, payloads.Resign, game=table.tag, seat=table.names.index(name) + 1)
    assert verdict.reason == "ok"
    data = transcript_of(table)
    report = verify(data, find)
    assert report.fault is None
    assert report.result["resigned"] == name
    lines = [json.loads(line) for line in data.splitlines()]
    assert lines[-3]["answer"] == ["resign", "", []]
