"""Mails from files and pipes: whatever a gateway did to the envelope, the document is found."""

from __future__ import annotations

import email
import io
import json
import mailbox
from email.message import EmailMessage, Message
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_client.inbox.eml import read_letter
from sigilpost_engine.wire import canonical
from tests.client.conftest import Player
from tests.client.host import Host, Table


@pytest.fixture
def raw(host: Host, table: Table) -> bytes:
    """A turn mail."""
    return host.mail(table.document(0))


def test_a_saved_mail_is_read_and_shown(alice: Player, table: Table, raw: bytes) -> None:
    path = alice.folder / "saved.eml"
    path.write_bytes(raw)
    out = alice.ok("read", str(path))
    assert table.tag in out
    assert "Your turn" in out
    assert json.loads(alice.ok("next", "--json"))["asked"][0]["game"] == table.tag


def test_a_mail_is_read_from_a_pipe(alice: Player, table: Table, raw: bytes) -> None:
    done = alice.process("read", stdin=raw)
    assert done.status == 0
    assert table.tag in done.out


def test_read_json_is_that_of_sync(alice: Player, table: Table, raw: bytes) -> None:
    found = json.loads(alice.ok("read", "--json", stdin=raw))
    assert found["mails"] == 1
    (document,) = found["documents"]
    assert (document["what"], document["game"], document["number"]) == ("new", table.tag, 1)
    assert document["happened"]


def test_a_mail_without_a_document_is_answered_with_the_remedy(alice: Player) -> None:
    done = alice.sigil("read", stdin=b"From: a@b\n\nhello\n")
    assert done.status == 2
    assert "turn.sigil" in done.err


def test_a_file_that_is_not_there(alice: Player) -> None:
    done = alice.sigil("read", "nowhere.eml")
    assert done.status == 2
    assert "nowhere.eml" in done.err


def parsed(raw: bytes) -> Message:
    return email.message_from_bytes(raw)


def with_mbox_line(raw: bytes) -> bytes:
    return b"From play@server.test Sat Jan  1 00:00:00 2028\n" + raw


def with_crlf(raw: bytes) -> bytes:
    return raw.replace(b"\n", b"\r\n")


def as_octet_stream(raw: bytes) -> bytes:
    return raw.replace(b"application/vnd.sigilpost.turn+json", b"application/octet-stream")


def without_file_name(raw: bytes) -> bytes:
    return raw.replace(b'; filename="turn.sigil"', b"").replace(b"filename=", b"x=")


def in_upper_case(raw: bytes) -> bytes:
    return raw.replace(
        b"application/vnd.sigilpost.turn+json", b"Application/VND.Sigilpost.Turn+JSON"
    )


def forwarded(raw: bytes) -> bytes:
    outer = EmailMessage()
    outer["From"] = "bob@player.test"
    outer.set_content("see below")
    outer.add_attachment(email.message_from_bytes(raw, policy=outer.policy))
    return outer.as_bytes()


def as_quoted_printable(raw: bytes) -> bytes:
    import quopri

    mail = parsed(raw)
    for part in mail.walk():
        if part.get_filename():
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "quoted-printable"
            part.set_payload(quopri.encodestring(data).decode("ascii"))
    return mail.as_bytes()


def the_attachment_alone(raw: bytes) -> bytes:
    (document,) = read_letter(raw).documents
    return document + b"\n"


@pytest.mark.parametrize(
    "mangled",
    [
        with_mbox_line,
        with_crlf,
        as_octet_stream,
        without_file_name,
        in_upper_case,
        forwarded,
        as_quoted_printable,
        the_attachment_alone,
    ],
)
def test_the_document_survives(raw: bytes, mangled: object) -> None:
    assert callable(mangled)
    assert read_letter(mangled(raw)).documents == read_letter(raw).documents != ()


def test_a_mail_saved_from_an_mbox(raw: bytes, tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    box.add(raw)
    box.flush()
    stored = (tmp_path / "box").read_bytes()
    assert read_letter(stored).documents == read_letter(raw).documents


def test_a_document_changed_by_one_letter_is_not_believed(
    alice: Player, raw: bytes, host: Host
) -> None:
    (document,) = read_letter(raw).documents
    changed = document.replace(b'"status":"running"', b'"status":"runnjng"')
    assert changed != document
    report = json.loads(alice.ok("read", "--json", stdin=host.mail(changed)))
    assert [each["what"] for each in report["documents"]] == ["unreadable"]
    assert json.loads(alice.ok("games", "--json")) == {"games": []}


def test_a_good_signature_over_nonsense_stops_nothing(
    alice: Player, host: Host, table: Table
) -> None:
    document = host.document(
        kind="weaver", game="weaver-9zzz", status="running", view={}, prompt={"id": "1-abcdef01"}
    )
    alice.receive(document)
    alice.receive(table.document(0))
    report = json.loads(alice.ok("sync", "--json"))
    assert [each["what"] for each in report["documents"]] == ["unreadable", "new"]
    assert [game["game"] for game in json.loads(alice.ok("games", "--json"))["games"]] == [
        table.tag
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"game": "../../elsewhere"},
        {"game": "{folder}/elsewhere"},
        {"address": "play@server.test\r\nBcc: eve@evil.test"},
        {"events": [["x" * 300 + ".y", {}]]},
    ],
)
def test_a_server_steers_neither_a_path_nor_a_header_nor_the_program(
    alice: Player, host: Host, table: Table, values: dict[str, Any]
) -> None:
    """Signed by the pinned key, and still no more than words to be shown."""
    before = set(alice.folder.rglob("*")) - set(alice.home.rglob("*"))
    values = json.loads(json.dumps(values).replace("{folder}", str(alice.folder)))
    known = json.loads(table.document(0))["signed"]
    signed = canonical.encode({**known, **values})
    signature = host.key.sign("turn", signed).hex()
    document = {"key": host.key.public.hex, "signature": signature, "signed": json.loads(signed)}
    alice.ok("read", stdin=canonical.encode(document))
    assert set(alice.folder.rglob("*")) - set(alice.home.rglob("*")) == before
    if "events" not in values:
        assert json.loads(alice.ok("games", "--json")) == {"games": []}


def test_a_game_that_this_version_does_not_know_is_filed_all_the_same(
    alice: Player, host: Host
) -> None:
    alice.receive(host.document(kind="bridge", game="bridge-9zzz", status="running", view={"a": 1}))
    alice.ok("sync")
    assert json.loads(alice.ok("games", "--json"))["games"][0]["kind"] == "bridge"
    done = alice.sigil("show", "bridge-9zzz")
    assert done.status == 2
    assert "Update" in done.err


@given(st.binary(max_size=400))
def test_no_bytes_make_reading_fail(noise: bytes) -> None:
    read_letter(b"Content-Type: multipart/mixed; boundary=x\n\n--x\nturn.sigil" + noise)
    read_letter(noise)


@given(st.data())
def test_no_damage_to_a_real_mail_makes_reading_fail(data: st.DataObject) -> None:
    raw = RAW
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw = (
            raw[:at] + data.draw(st.binary(max_size=30)) + raw[at + data.draw(st.integers(0, 9)) :]
        )
    read_letter(raw)


RAW = Host().mail(Table(Host()).document(0))


def test_a_mail_nested_without_end_has_no_document() -> None:
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth)
        for depth in range(3000)
    )
    assert read_letter(head + b"turn.sigil").documents == ()


def test_a_huge_mail_is_not_parsed() -> None:
    huge = io.BytesIO()
    huge.write(b"Subject: turn.sigil\n\n")
    huge.write(b"x" * (12 * 1024 * 1024))
    assert read_letter(huge.getvalue()).documents == ()
