"""Sealed mail: providers and shared inboxes see public state only, the player's key the rest."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sqlalchemy import select

from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts, layout
from sigilpost_engine.wire import payloads, sealed
from sigilpost_engine.wire.sealed import SealKey
from sigilpost_engine.wire.turn import TurnDoc, open_turn
from sigilpost_server.models import outgoing
from sigilpost_server.service import Verdict
from sigilpost_server.transaction.play import Play
from tests.server.service.town import Received, Table, Town

KEY = SealKey.generate()


def seal(town: Town, name: str, key: SealKey | None = KEY) -> Verdict:
    """Somebody asks for sealed mail, or for open mail again."""
    return town.send(name, payloads.Seal, public=key.public.hex() if key else "")


def outside(mail: Received) -> str:
    """All that can be read of a mail without a key: headers, text, HTML, attachments."""
    parts = [str(value) for value in mail.mail.values()]
    for part in mail.mail.walk():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            parts.append(data.decode("utf-8", "replace"))
    return "\n".join(parts)


def opened(mail: Received, key: SealKey = KEY) -> TurnDoc:
    return open_turn(sealed.open_sealed(mail.attachment, [key]))


def spectators_view(town: Town, tag: str) -> Any:
    with town.service.database.read() as db:
        play = Play.load(db, tag, lock=False)
        assert play is not None
        return play.match.view(None)


def private_lines(doc: TurnDoc, town: Town, tag: str) -> set[str]:
    """The lines with figures of this seat's table that a spectator's has not."""
    rules, texts = find(doc.kind), Texts("en")
    assert doc.view is not None
    own = layout.sheet(rules.sheet(dict(doc.view)), texts)
    public = layout.sheet(rules.sheet(spectators_view(town, tag)), texts)
    known = {line.strip() for line in public.splitlines()}
    lines = {line.strip() for line in own.splitlines()} - known
    return {line for line in lines if len(line) > 8 and any(map(str.isdigit, line))}


def hidden(doc: TurnDoc, town: Town, tag: str) -> set[str]:
    """The cards that this seat knows and a spectator does not."""
    public = json.dumps(spectators_view(town, tag)) + json.dumps(_told(doc))
    own = json.dumps(doc.view)
    return {card for card in find(doc.kind).cards if _has(own, card) and not _has(public, card)}


def _told(doc: TurnDoc) -> list[Any]:
    return [values for id, values in doc.events if not id.endswith(".seen")]


def _has(text: str, card: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(card)}(?![\w-])", text) is not None


def sealed_game(town: Town, kind: str = "weaver", **options: str) -> Table:
    """Alice, whose mail is sealed, and Bob play; all mail of the start is read."""
    town.register("alice", "bob")
    assert seal(town, "alice").reason == "ok"
    town.post()
    verdict = town.send(
        "alice", payloads.Create, game=kind, options=options, opponents=("bob",), rules={}
    )
    assert verdict.reason == "ok", verdict
    for name in ("alice", "bob"):
        assert town.send(name, payloads.Join, game=verdict.game).reason == "ok"
    return SealedTable(town, verdict.game, ["alice", "bob"])


class SealedTable(Table):
    """A table whose sealed mails are opened as the client opens them."""

    def read(self) -> list[Received]:
        fresh = self.town.post()
        for mail in fresh:
            name = next(n for n in self.names if self.town.people[n].address == mail.to)
            is_sealed = sealed.is_sealed(mail.attachment)
            self.docs[name] = opened(mail) if is_sealed else mail.turn
        self.mails += fresh
        return fresh


def test_the_answer_to_the_wish_is_sealed_already(town: Town) -> None:
    town.register("alice")
    assert seal(town, "alice").reason == "ok"
    mail = town.only()
    assert sealed.is_sealed(mail.attachment)
    assert opened(mail).notice is not None
    assert "sigil sync" in mail.words


@pytest.mark.parametrize(
    ("kind", "options"), [("weaver", {}), ("wizards", {}), ("tome", {"mode": "duel"})]
)
def test_no_hidden_card_stands_outside_the_seal(
    town: Town, kind: str, options: dict[str, str]
) -> None:
    table = sealed_game(town, kind, **options)
    seen = 0
    for _ in range(12):
        for mail in table.read():
            if mail.to != town.people["alice"].address:
                continue
            assert sealed.is_sealed(mail.attachment)
            doc = table.docs["alice"]
            if doc.view is None:
                continue
            readable = outside(mail)
            secret = hidden(doc, town, table.tag)
            assert [card for card in secret if _has(readable, card)] == []
            lines = private_lines(doc, town, table.tag)
            assert [line for line in lines if line in readable] == []
            seen += len(lines) + len(secret)
        if table.status == "finished":
            break
        assert table.play().reason == "ok"
    assert seen > 4


def test_a_sealed_mail_shows_the_public_table_and_how_to_open_it(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    mail = next(m for m in reversed(table.mails) if m.to == town.people["alice"].address)
    assert "This mail is sealed" in mail.words
    assert "What follows is what everybody at the table sees." in mail.words
    assert "for alice alone" not in mail.words
    assert "bob" in mail.text
    assert "sigil move" not in mail.text


def test_the_document_inside_is_the_one_that_an_open_mail_would_have(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    doc = table.docs["alice"]
    assert doc.seats == ("alice", "bob")
    assert doc.view is not None
    assert doc.view["you"] == "alice"


def test_the_other_player_s_mail_is_open(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    bobs = [mail for mail in table.mails if mail.to == town.people["bob"].address]
    assert bobs
    assert not any(sealed.is_sealed(mail.attachment) for mail in bobs)


def test_an_answer_to_an_order_does_not_repeat_its_lines(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    while table.asked != "alice":
        table.play()
        table.read()
    doc = table.docs["alice"]
    assert doc.view is not None
    card = doc.view["alice"]["hand"][0]
    line = f"hide {card}"
    raw = town.mail("alice", table.order("alice", line))
    town.deliver(raw)
    answer = next(m for m in town.post() if m.to == town.people["alice"].address)
    assert line not in answer.words
    assert not _has(outside(answer), card)
    lines = opened(answer).notice
    assert lines is not None
    assert lines["lines"][0]["line"] == line


def test_whispered_words_are_inside_the_seal(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    town.send("bob", payloads.Chat, game=table.tag, to="alice", text="a word in private")
    mail = next(m for m in town.post() if m.to == town.people["alice"].address)
    assert "private" not in mail.words.replace("privately", "")
    notice = opened(mail).notice
    assert notice is not None
    assert notice["text"] == "a word in private"


def test_where_the_games_stand_is_mailed_at_once_to_a_new_key(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    before = table.docs["alice"]
    new = SealKey.generate()
    assert seal(town, "alice", new).reason == "ok"
    mails = town.post()
    assert {mail.to for mail in mails} == {town.people["alice"].address}
    docs = [opened(mail, new) for mail in mails]
    (again,) = [doc for doc in docs if doc.game == table.tag]
    assert (again.view, again.prompt) == (before.view, before.prompt)


def test_off_means_open_from_the_very_answer_on(town: Town) -> None:
    town.register("alice")
    seal(town, "alice")
    town.post()
    assert seal(town, "alice", None).reason == "ok"
    assert not sealed.is_sealed(town.only().attachment)


def test_a_key_that_nothing_can_be_sealed_to_is_refused(town: Town) -> None:
    town.register("alice")
    verdict = town.send("alice", payloads.Seal, public="00" * 32)
    assert verdict.reason == "bad-fields"
    assert not sealed.is_sealed(town.only().attachment)


def test_what_waits_in_the_outbox_is_sealed_too(town: Town) -> None:
    table = sealed_game(town)
    table.read()
    with town.service.database.read() as db:
        where = outgoing.c.recipient == town.people["alice"].address
        raws = db.execute(select(outgoing.c.raw).where(where)).scalars().all()
    doc = table.docs["alice"]
    secret = hidden(doc, town, table.tag)
    assert secret
    later = [Received(bytes(raw)) for raw in raws[-1:]]
    assert not any(_has(outside(mail), card) for mail in later for card in secret)
