"""The same mail again, by whatever route: one effect, one answer."""

from __future__ import annotations

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from tests.server.service.town import Table, Town


def test_equal_bytes_are_a_duplicate_without_an_answer(any_town: Town) -> None:
    table = any_town.begin("alice", "bob")
    raw = any_town.mail(table.asked, table.order(table.asked, table.line()))
    assert any_town.deliver(raw).verdict == "accepted"
    any_town.post()
    before = any_town.stored()
    for _ in range(3):
        again = any_town.deliver(raw)
        assert (again.verdict, again.reason) == ("duplicate", "duplicate")
    assert any_town.post() == []
    assert any_town.stored() == before
    assert [row.verdict for row in any_town.log()[-4:]] == ["accepted", *["duplicate"] * 3]


def test_equal_bytes_of_a_refused_mail_get_no_second_answer(table: Table) -> None:
    raw = table.town.mail("alice", "no block")
    table.town.deliver(raw)
    table.town.post()
    assert table.town.deliver(raw).verdict == "duplicate"
    assert table.town.post() == []


def test_an_mbox_line_before_the_mail_makes_no_other_mail(table: Table) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    table.town.deliver(raw)
    table.town.post()
    again = table.town.deliver(b"From alice Mon Jan  1 00:00:00 2024\n" + raw)
    assert again.verdict == "duplicate"


def test_the_copy_by_another_route_with_the_same_message_id_gets_no_answer(table: Table) -> None:
    block = table.order(table.asked, table.line())
    route = {"Message_ID": "<one@player.test>"}
    table.town.deliver(table.town.mail(table.asked, block, **route))
    table.town.post()
    copy = table.town.mail(table.asked, block, Received="by another.test", **route)
    assert table.town.deliver(copy).verdict == "duplicate"
    assert table.town.post() == []


def test_another_mail_with_the_same_message_id_counts_all_the_same(table: Table) -> None:
    """Some mailers give every mail the same one (hazard 13)."""
    for _ in range(3):
        assert table.play(Message_ID="<same@player.test>").reason == "ok"
        table.read()


def test_mails_without_a_message_id_are_not_each_other_s_copies(table: Table) -> None:
    for _ in range(2):
        assert table.play(Message_ID="-").reason == "ok"
        table.read()
    verdict = table.town.deliver(table.town.mail("alice", "no block", Message_ID="-"))
    assert verdict.reason == "no-block"


def test_a_seen_block_alone_gets_its_first_answer_again_three_times(any_town: Town) -> None:
    table = any_town.begin("alice", "bob", "carol")
    asked = table.asked
    block = table.order(asked, table.line())
    any_town.deliver(any_town.mail(asked, block))
    first = any_town.post_to(asked)
    before = any_town.stored()
    seen = set()
    for _ in range(3):
        verdict = any_town.deliver(any_town.mail(asked, block))
        assert (verdict.verdict, verdict.reason) == ("duplicate", "replayed")
        again = any_town.only()
        assert again.to == first.to
        assert again.subject == first.subject
        assert again.attachment == first.attachment
        assert first.words in again.words
        assert "nothing new was done" in again.words
        seen.add(str(again.mail["Message-ID"]))
    assert len(seen | {str(first.mail["Message-ID"])}) == 4
    verdict = any_town.deliver(any_town.mail(asked, block))
    assert (verdict.verdict, verdict.reason) == ("duplicate", "replayed-often")
    assert any_town.post() == []
    assert any_town.stored() == before


def test_a_repeated_answer_says_the_same_in_both_parts(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block))
    table.town.post()
    table.town.deliver(table.town.mail(asked, block, Message_ID="<again@player.test>"))
    again = table.town.only()
    body = again.mail.get_body(("html",))
    assert body is not None
    assert "nothing new was done" in " ".join(str(body.get_content()).split())
    assert again.mail["In-Reply-To"] == "<again@player.test>"


def test_a_refused_line_is_seen_too(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, "hide")
    assert table.town.deliver(table.town.mail(asked, block)).reason == "unparseable"
    assert table.town.deliver(table.town.mail(asked, block)).reason == "replayed"


def test_an_old_block_under_new_words_does_nothing_new(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block))
    table.town.post()
    raw = table.town.mail(asked, "claim A with ASHW 1 instead\n\n" + armour(block))
    assert table.town.deliver(raw).reason == "replayed"
    assert "new words above an old block do not count" in table.town.only().words


def test_somebody_else_who_forwards_a_seen_block_gets_nothing(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block))
    table.town.post()
    table.town.deliver(table.town.mail("Mallory <m@evil.test>", block))
    assert table.town.only().to == table.town.people[asked].address


def test_a_seen_block_with_another_signature_is_not_repeated(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block))
    table.town.post()
    forged = block._replace(signature=bytes(64))
    assert table.town.deliver(table.town.mail(asked, forged)).reason == "bad-signature"


def test_a_seen_block_quoted_below_a_fresh_one_does_no_harm(table: Table) -> None:
    first = table.asked
    old = table.order(first, table.line())
    table.town.deliver(table.town.mail(first, old))
    table.read()
    asked = table.asked
    quoted = "".join(f"> {line}\n" for line in armour(old).splitlines())
    raw = table.town.mail(asked, armour(table.order(asked, table.line())) + "\n" + quoted)
    assert table.town.deliver(raw).reason == "ok"


def test_a_registration_sent_again_gets_its_challenge_again(town: Town) -> None:
    person = town.people["alice"]
    block = town.block(
        "alice",
        payloads.Register,
        public=person.key.public.hex,
        name="alice",
        address=person.address,
        lang="en",
        zone="UTC",
    )
    town.deliver(town.mail("alice", block))
    first = town.only()
    assert town.deliver(town.mail("alice", block)).reason == "replayed"
    again = town.only()
    assert (again.to, again.turn.notice) == (first.to, first.turn.notice)


def test_an_answer_whose_bytes_are_no_longer_kept_is_not_repeated(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block))
    table.town.post()
    for mail in table.town.service.outbox.claim(100):
        table.town.service.outbox.sent(mail.id)
    table.town.clock.advance(61 * 86_400)
    table.town.service.tick()
    assert table.town.deliver(table.town.mail(asked, block)).reason == "replayed-often"
    assert table.town.post() == []
