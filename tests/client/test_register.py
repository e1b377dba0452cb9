"""First contact: the challenge is answered once, the server's key is pinned, and then held to."""

from __future__ import annotations

import json
from collections.abc import Callable

from sigilpost_engine.wire.keys import grouped
from sigilpost_engine.wire.payloads import Confirm, Join, Register
from tests.client.conftest import Player
from tests.client.host import Host, Table, drop, payload_of

NewPlayer = Callable[[str], Player]


def fresh(new_player: NewPlayer) -> Player:
    """A player who knows nothing of the server's key."""
    player = new_player("alice")
    player.init()
    return player


def test_register_sends_name_address_and_key_signed_by_that_key(new_player: NewPlayer) -> None:
    alice = fresh(new_player)
    alice.ok("register")
    (mail,) = alice.sent
    sent = payload_of(mail)
    assert isinstance(sent, Register)
    key = json.loads(alice.ok("key", "show", "--json"))
    assert (sent.name, sent.address, sent.public) == ("alice", alice.address, key["public"])
    assert sent.server == ""


def test_the_challenge_is_answered_by_sync_alone(new_player: NewPlayer, host: Host) -> None:
    alice = fresh(new_player)
    alice.ok("register")
    alice.receive(host.challenge("token-of-alice"))
    assert grouped(host.key.fingerprint) in alice.ok("sync")
    answer = payload_of(alice.sent[1])
    assert isinstance(answer, Confirm)
    assert answer.token == "token-of-alice"
    assert answer.server == host.key.fingerprint


def test_the_same_challenge_again_gets_no_second_answer(new_player: NewPlayer, host: Host) -> None:
    alice = fresh(new_player)
    alice.ok("register")
    for _ in range(2):
        alice.receive(host.challenge("token-of-alice"))
        alice.ok("sync")
    assert len(alice.sent) == 2


def test_a_challenge_that_nobody_asked_for_is_not_answered(
    new_player: NewPlayer, host: Host
) -> None:
    alice = fresh(new_player)
    alice.receive(host.challenge())
    out = alice.ok("sync")
    assert "nothing was done" in out
    assert alice.sent == []
    assert "not known" in alice.ok("key", "show")


def test_a_pinned_server_s_challenge_is_not_answered_without_registering(
    alice: Player, host: Host
) -> None:
    alice.receive(host.challenge())
    alice.ok("sync")
    assert alice.sent == []


def test_orders_name_the_pinned_server(new_player: NewPlayer, host: Host) -> None:
    alice = fresh(new_player)
    alice.ok("register")
    alice.receive(host.challenge())
    alice.ok("sync")
    alice.ok("join", "weaver-7k2q")
    sent = payload_of(alice.sent[-1])
    assert isinstance(sent, Join)
    assert sent.server == host.key.fingerprint


def test_before_registration_nothing_can_be_joined(new_player: NewPlayer) -> None:
    alice = fresh(new_player)
    done = alice.sigil("join", "weaver-7k2q")
    assert done.status == 3
    assert "sigil register" in done.err
    assert alice.sent == []


def test_another_server_key_is_refused_loudly_and_changes_nothing(
    alice: Player, host: Host, table: Table
) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    before = alice.ok("show")
    impostor = Host(seed=b"\x66" * 32)
    forged = Table(impostor, table.tag, key=b"\x07")
    forged.play(forged.some_line())
    drop(alice.box, impostor.mail(forged.document(0)))
    done = alice.sigil("sync")
    assert done.status == 6
    assert "WARNING" in done.err
    assert grouped(host.key.fingerprint) in done.err
    assert grouped(impostor.key.fingerprint) in done.err
    assert alice.ok("show") == before


def test_a_fingerprint_given_beforehand_keeps_an_impostor_from_being_pinned(
    new_player: NewPlayer, host: Host
) -> None:
    alice = new_player("alice")
    alice.init("--fingerprint", grouped(host.key.fingerprint).lower())
    alice.ok("register")
    impostor = Host(seed=b"\x66" * 32)
    drop(alice.box, impostor.mail(impostor.challenge()))
    assert alice.sigil("sync").status == 6
    assert len(alice.sent) == 1
    alice.receive(host.challenge())
    alice.ok("sync")
    assert isinstance(payload_of(alice.sent[1]), Confirm)


def test_a_mail_with_another_key_does_not_keep_the_next_mail_from_being_read(
    alice: Player, host: Host, table: Table
) -> None:
    impostor = Host(seed=b"\x66" * 32)
    drop(alice.box, impostor.mail(impostor.challenge()))
    alice.receive(table.document(0))
    report = json.loads(alice.sigil("sync", "--json").out)
    assert [each["what"] for each in report["documents"]] == ["untrusted", "new"]
    assert report["asked"] == [table.tag]
    assert len(report["alarms"]) == 1


def test_a_challenge_waits_for_a_key_that_is_locked(new_player: NewPlayer, host: Host) -> None:
    alice = new_player("alice")
    alice.ok(
        *("init", "--server", "play@server.test", "--address", alice.address, "--name", "alice"),
        *("--maildir", str(alice.box), "--drop", str(alice.sent_box)),
        SIGIL_PASSPHRASE="secret",
    )
    alice.ok("register", SIGIL_PASSPHRASE="secret")
    alice.receive(host.challenge("the-token"))
    assert "before your key is opened" in alice.ok("sync")
    assert len(alice.sent) == 1
    alice.ok("sync", SIGIL_PASSPHRASE="secret")
    answer = payload_of(alice.sent[1])
    assert isinstance(answer, Confirm)
    assert answer.token == "the-token"


def test_a_token_can_be_typed_where_the_attachment_was_lost(
    new_player: NewPlayer, host: Host
) -> None:
    alice = new_player("alice")
    alice.init("--fingerprint", host.key.fingerprint)
    alice.ok("register")
    alice.ok("confirm", "the-token")
    answer = payload_of(alice.sent[1])
    assert isinstance(answer, Confirm)
    assert answer.token == "the-token"


def test_two_histories_of_one_game_are_an_alarm(alice: Player, table: Table) -> None:
    table.play(table.some_line())
    alice.receive(table.document(0))
    alice.ok("sync")
    table.head = table.head._replace(hash="f" * 64)
    alice.receive(table.document(0))
    done = alice.sigil("sync")
    assert done.status == 6
    assert table.tag in done.err


def test_a_mail_to_another_seat_of_the_same_game_is_not_taken_for_the_own(
    alice: Player, table: Table
) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    before = alice.ok("show")
    table.play(table.some_line())
    alice.receive(table.document(1))
    done = alice.sigil("sync")
    assert "was written to bob" in done.out + done.err
    assert alice.ok("show") == before


def test_a_new_server_key_is_trusted_only_when_its_fingerprint_is_typed(
    alice: Player, host: Host, table: Table
) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    moved = Host(seed=b"\x55" * 32)
    table.host = moved
    table.play(f"hide {table.match.view(0)['alice']['hand'][0]}")
    document = table.document(0)
    drop(alice.box, moved.mail(document))
    assert alice.sigil("sync").status == 6
    alice.ok("init", "--again", "--fingerprint", grouped(moved.key.fingerprint))
    assert "question 1" in alice.ok("show")  # filed under the old key, and still good
    drop(alice.box, moved.mail(document))
    alice.ok("sync")
    assert "question 2" in alice.ok("show")
    drop(alice.box, host.mail(host.challenge()))
    assert alice.sigil("sync").status == 6


def test_a_filed_document_that_was_changed_is_not_shown(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    (path,) = (alice.home / "turns" / table.tag).iterdir()
    path.write_bytes(path.read_bytes().replace(b'"number":1', b'"number":7'))
    done = alice.sigil("show")
    assert done.status == 6
    assert "Traceback" not in done.err


def test_once_registered_no_challenge_is_answered_any_more(
    new_player: NewPlayer, host: Host
) -> None:
    alice = fresh(new_player)
    alice.ok("register")
    alice.receive(host.challenge("one-token"))
    alice.ok("sync")
    alice.receive(host.document(notice={"type": "registered", "name": "alice"}))
    assert "You are registered" in alice.ok("sync")
    alice.receive(host.challenge("another-token"))
    assert "did not ask" in alice.ok("sync")
    assert len(alice.sent) == 2


def test_every_signed_document_is_kept_as_a_receipt(alice: Player, table: Table) -> None:
    documents = [table.document(0)]
    table.play(table.some_line())
    documents.append(table.document(0))
    for document in documents:
        alice.receive(document)
    alice.ok("sync")
    kept = {path.read_bytes() for path in (alice.home / "turns" / table.tag).iterdir()}
    assert kept == set(documents)
