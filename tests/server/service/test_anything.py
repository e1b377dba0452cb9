"""Whatever comes gets a verdict: no mail makes the service fail, or keeps it from the next one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_engine.wire.errors import BadFields
from sigilpost_server.mail_in.reasons import REASONS
from tests.server.service.town import Table

ANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
TEXT = st.text(max_size=60)
HEADER = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=80)
ADDRESS = st.one_of(
    HEADER,
    st.builds("{}@{}".format, TEXT, TEXT),
    st.builds("{} <{}@{}.test>".format, TEXT, TEXT, TEXT),
    st.just("alice <alice@player.test>"),
)


@pytest.fixture
def place(table: Table) -> Iterator[Table]:
    """A running game, and the mail of its server read."""
    table.town.post()
    yield table
    for mail in table.town.post():
        assert mail.text
        assert mail.to


def judged(table: Table, raw: bytes) -> None:
    """The mail gets a verdict of the published list."""
    assert table.town.deliver(raw).reason in REASONS


@ANY
@given(st.binary(max_size=400))
def test_any_bytes(place: Table, raw: bytes) -> None:
    judged(place, raw)


@ANY
@given(sender=ADDRESS, subject=HEADER, id=HEADER, other=HEADER, body=TEXT, signed=st.booleans())
def test_any_headers(
    place: Table, sender: str, subject: str, id: str, other: str, body: str, signed: bool
) -> None:
    """Headers of any characters; half of the mails carry a good block."""
    line = "".join(filter(str.isalnum, body)) or "hide"
    text = armour(place.order(place.asked, line)) if signed else body
    headers = {"From": sender, "Subject": subject, "Message-ID": id, "References": other}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    raw = "\r\n".join([*lines, "", text]).encode("utf-8", "surrogateescape")
    judged(place, raw)


@ANY
@given(values=st.data())
def test_any_payload(place: Table, values: st.DataObject) -> None:
    """Signed blocks of every kind, with whatever their fields may hold."""
    kind, fields = values.draw(PAYLOADS)
    if fields.get("game") == HERE:
        fields["game"] = place.tag
    try:
        block = place.town.block("alice", kind, **fields)
    except (BadFields, ValueError):
        return
    judged(place, place.town.mail("alice", block))


@ANY
@given(name=TEXT, address=ADDRESS, sender=ADDRESS)
def test_any_registration(place: Table, name: str, address: str, sender: str) -> None:
    """Somebody with a good key and a strange name or address."""
    key = place.town.people["erin"].key
    wish = {"public": key.public.hex, "lang": "en", "zone": "UTC", "name": name}
    try:
        block = place.town.block("erin", payloads.Register, address=address, **wish)
    except BadFields:
        return
    judged(place, place.town.mail("erin", block, From=sender))
    judged(place, place.town.mail("erin", block, From=address))


NAME = st.one_of(st.sampled_from(["alice", "bob", "all", "weaver", "games", "show"]), TEXT)
HERE = "this-game"
TAG = st.one_of(st.just(HERE), st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){1,2}", fullmatch=True))
OPTIONS = st.dictionaries(
    st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True),
    st.one_of(st.booleans(), st.integers(-5, 5), TEXT, st.lists(TEXT, max_size=3)),
    max_size=3,
)


def _of(kind: type[payloads.Payload], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(kind), st.fixed_dictionaries(dict(fields)))


PAYLOADS = st.one_of(
    _of(
        payloads.Create,
        game=st.sampled_from(["weaver", "wizards", "tome", "chess"]),
        options=OPTIONS,
        rules=OPTIONS,
        opponents=st.lists(st.one_of(NAME, ADDRESS), max_size=4).map(tuple),
    ),
    _of(payloads.Join, game=TAG),
    _of(payloads.Decline, game=TAG),
    _of(payloads.Resign, game=TAG, seat=st.integers(1, 16)),
    _of(payloads.Chat, game=TAG, to=NAME, text=TEXT),
    _of(payloads.Request, what=NAME, args=st.lists(NAME, max_size=3).map(tuple)),
    _of(
        payloads.Orders,
        game=TAG,
        seat=st.integers(1, 16),
        prompt=st.just("1-00000000"),
        lines=st.lists(TEXT, min_size=1, max_size=3).map(tuple),
    ),
    _of(payloads.Confirm, token=st.from_regex(r"[A-Za-z0-9_-]{8,40}", fullmatch=True)),
)
