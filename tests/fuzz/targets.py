"""What is fuzzed: functions that take any bytes and must neither raise nor believe a forgery."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from sigilpost_engine.wire import blocks, canonical, payloads, turn
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.errors import NotCanonical, WireError
from sigilpost_server.mail_in import (
    addresses,
    bounces,
    charsets,
    door,
    extract,
    machine,
    markup,
    reply,
    tnef,
)
from sigilpost_server.mail_in.addresses import BadAddress
from sigilpost_server.mail_in.door import Refused
from sigilpost_server.mail_in.machine import Ours
from sigilpost_server.mail_in.reasons import REASONS
from tests.wire.samples import ALICE, SERVER

OURS = Ours.of(["games@games.example"], ["weaver-7k2q.games.example"])


def mail(data: bytes) -> None:
    """A whole mail: refused for a published reason, or read."""
    it = door.admit(data)
    said = it if isinstance(it, Refused) else extract.extract(it)
    if isinstance(said, Refused):
        assert said.reason in REASONS
        return
    assert not isinstance(it, Refused)
    machine.machine_made(it, OURS)
    with suppress(BadAddress):
        addresses.sender(it.headers("From"))
    addresses.clean_subject(it.header("Subject"))
    assert isinstance(said.words, tuple)
    for line in reply.commands(said):
        assert 0 < len(line.line) <= reply.LINE_MAX
    for code in reply.codes(reply.recipients(it), (text.text for text in said.texts)):
        assert reply.normal(reply.shown(code)) == code
    bounces.read(data)
    for candidate in said.blocks:
        said.words_above(candidate)
        if candidate.block:
            block(candidate.block)


def block(it: Block) -> None:
    """A block that was found: what verifies was signed by Alice, and reads back the same."""
    with suppress(WireError):
        payload = payloads.verify(it, ALICE.public)
        assert canonical.encode(payload.to_json()) == it.payload


def text(data: bytes) -> None:
    """A text: blocks are found in it, and found again in what is written from them."""
    found = blocks.find([data.decode("utf-8", "replace")])
    for candidate in found:
        if candidate.block:
            block(candidate.block)
            [again] = blocks.find([blocks.armour(candidate.block)])
            assert again.block == candidate.block


def payload(data: bytes) -> None:
    """A payload of every kind, rightly signed by Alice."""
    for kind in payloads.KINDS:
        block(Block(kind, data, ALICE.sign(kind, data)))


def json(data: bytes) -> None:
    """Bytes that are canonical, or not."""
    with suppress(NotCanonical):
        assert canonical.encode(canonical.decode(data)) == data


def document(data: bytes) -> None:
    """A turn document."""
    with suppress(WireError):
        it = turn.open_turn(data)
        assert turn.signer(data).fingerprint == it.server
        if it.server == SERVER.fingerprint:
            assert turn.seal(it, SERVER) == data


def html(data: bytes) -> None:
    """HTML."""
    source = data.decode("utf-8", "replace")
    assert len(markup.to_text(source)) <= 10 * len(source) + 10


def winmail(data: bytes) -> None:
    """TNEF, and RTF compressed and not."""
    tnef.texts(data)
    tnef.rtf_text(data)
    with suppress(tnef.Broken):
        tnef.decompress(data)


def address(data: bytes) -> None:
    """An address, a header's text."""
    value = data.decode("utf-8", "replace")
    with suppress(BadAddress):
        it = addresses.parse_address(value)
        assert addresses.parse_address(it.spelled).normal == it.normal
    cleaned = addresses.clean_subject(value)
    assert "\n" not in cleaned
    assert "=?" not in cleaned
    machine.absent(value)


def charset(data: bytes) -> None:
    """A label and a text."""
    label, _, rest = data.partition(b"\n")
    charsets.decode(rest, label.decode("latin-1"))


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each
    for each in (mail, text, payload, json, document, html, winmail, address, charset)
}
