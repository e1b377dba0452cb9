"""Bad input: a clear answer (or none, to a machine), nothing lost, nothing changed."""

from __future__ import annotations

import json
from typing import Any

from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts
from sigilpost_engine.wire import canonical, payloads
from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server.service import Verdict
from tests.server.service.town import Person, Received, Table


def refused(table: Table, raw: bytes, verdict: str, reason: str) -> list[Received]:
    """Deliver a mail that must change nothing; the mails that came of it."""
    before = table.town.stored()
    found = table.town.deliver(raw)
    assert (found.verdict, found.reason) == (verdict, reason)
    after = table.town.stored()
    assert without_marks(after) == without_marks(before)
    return table.town.post()


def without_marks(stored: dict[str, Any]) -> dict[str, Any]:
    """What is stored, but for what seats were told."""
    return {**stored, "seat": [row[:-1] for row in stored["seat"]]}


def answered(table: Table, raw: bytes, reason: str, to: str) -> Received:
    """Deliver a mail that must be refused with one answer to somebody."""
    (answer,) = refused(table, raw, "rejected", reason)
    person = table.town.people.get(to)
    assert answer.to == (person.address if person else to)
    return answer


def has_no_game_in_it(table: Table, answer: Received) -> None:
    """The answer tells nothing of any game."""
    assert table.tag.encode() not in answer.raw
    cards = find("weaver").cards
    assert not [card for card in cards if card.encode() in answer.raw]


def test_a_bad_signature(table: Table) -> None:
    good = table.order(table.asked, table.line())
    bad = good._replace(signature=bytes(64))
    answer = answered(table, table.town.mail(table.asked, bad), "bad-signature", table.asked)
    assert "signature does not fit" in answer.words
    has_no_game_in_it(table, answer)


def test_a_payload_changed_after_it_was_signed(table: Table) -> None:
    good = table.order(table.asked, "hide ASHW 1")
    bad = good._replace(payload=good.payload.replace(b"ASHW 1", b"ASHW 2"))
    answered(table, table.town.mail(table.asked, bad), "bad-signature", table.asked)


def test_an_unknown_key_from_a_player_s_address_is_explained_without_any_game(table: Table) -> None:
    town, asked = table.town, table.asked
    town.people["mallory"] = Person.called("mallory", town.people[asked].address)
    block = town.block(
        "mallory",
        payloads.Orders,
        game=table.tag,
        seat=table.docs[asked].seat,
        prompt=table.docs[asked].prompt["id"],  # type: ignore[index]
        lines=(table.line(),),
    )
    answer = answered(table, town.mail("mallory", block), "unknown-key", asked)
    has_no_game_in_it(table, answer)


def test_an_unregistered_address_gets_help_and_no_game(table: Table) -> None:
    answer = answered(
        table, table.town.mail("zoe@else.test", "Hello?"), "unregistered", "zoe@else.test"
    )
    assert "sigil register" in answer.words
    has_no_game_in_it(table, answer)


def test_another_player_s_key_at_the_same_table(table: Table) -> None:
    asked, other = table.asked, table.idle
    doc = table.docs[asked]
    assert doc.prompt is not None
    block = table.order(other, table.line(), seat=doc.seat, prompt=doc.prompt["id"])
    answer = answered(table, table.town.mail(asked, block), "not-your-seat", other)
    assert "do not sit in the seat" in answer.words


def test_the_key_of_a_player_from_another_table(table: Table) -> None:
    table.town.register("dan")
    doc = table.docs[table.asked]
    assert doc.prompt is not None
    table.docs["dan"] = doc
    block = table.order("dan", table.line())
    answer = answered(table, table.town.mail(table.asked, block), "wrong-key", "dan")
    has_no_cards_in_it(answer)


def has_no_cards_in_it(answer: Received) -> None:
    """The answer names no card."""
    assert not [card for card in find("weaver").cards if card.encode() in answer.raw]


def test_a_stale_question_is_answered_with_the_one_now_open(table: Table) -> None:
    first = table.asked
    stale = table.order(first, table.line())
    while True:
        table.play()
        table.read()
        if table.asked == first:
            break
    answer = answered(table, table.town.mail(first, stale), "stale", first)
    assert answer.turn.prompt is not None
    assert answer.turn.notice is not None
    (line,) = answer.turn.notice["lines"]
    assert line["why"][0] == "core.refusal.stale"


def test_an_order_of_somebody_who_is_not_asked(table: Table) -> None:
    other = table.idle
    block = table.order(other, "hide ASHW 1")
    answered(table, table.town.mail(other, block), "stale", other)


def test_an_unknown_game(table: Table) -> None:
    block = table.order(table.asked, table.line(), game="weaver-none")
    answer = answered(table, table.town.mail(table.asked, block), "unknown-game", table.asked)
    assert "sigil games" in answer.words


def test_an_ambiguous_card_is_named_with_what_it_could_mean(table: Table) -> None:
    while True:
        ashw = {card.split()[1] for card in table.hand if card.startswith("ASHW")}
        air = {card.split()[1] for card in table.hand if card.startswith("UKELELE")}
        if both := sorted(ashw & air):
            break
        table = table.town.again("alice", "bob", "carol")
    block = table.order(table.asked, f"hide a{both[0]}")
    answer = answered(table, table.town.mail(table.asked, block), "ambiguous", table.asked)
    assert f"ASHW {both[0]}" in answer.words
    assert f"UKELELE {both[0]}" in answer.words
    assert answer.turn.prompt is not None


def test_an_illegal_claim_is_answered_with_what_is_legal(table: Table) -> None:
    missing = next(card for card in find("weaver").cards if card not in table.hand)
    block = table.order(table.asked, f"claim A with {missing}")
    answer = answered(table, table.town.mail(table.asked, block), "illegal", table.asked)
    assert "Possible now" in answer.words
    assert answer.turn.notice is not None
    (line,) = answer.turn.notice["lines"]
    assert line["accepted"] is False


def test_a_line_that_is_no_command(table: Table) -> None:
    block = table.order(table.asked, "please win")
    answered(table, table.town.mail(table.asked, block), "unparseable", table.asked)


def test_the_first_line_stands_when_the_second_is_illegal_and_the_answer_says_so(
    table: Table,
) -> None:
    asked = table.asked
    card = table.hand[0]
    block = table.order(asked, f"exchange {card}", f"hide {card}", "hide ASHW 1")
    verdict = table.town.deliver(table.town.mail(asked, block))
    assert (verdict.verdict, verdict.reason) == ("accepted", "partial")
    (answer,) = table.town.post()
    assert answer.turn.notice is not None
    lines = [line["accepted"] for line in answer.turn.notice["lines"]]
    assert lines == [True, False, None]
    assert answer.turn.prompt is not None
    assert answer.turn.prompt["topic"] == "finish-turn"
    assert "The first of your 3 lines was played" in answer.words


def test_a_block_of_another_server(table: Table) -> None:
    other = PrivateKey.from_seed(b"o" * 32).fingerprint
    block = table.order(table.asked, table.line(), server=other)
    answer = answered(table, table.town.mail(table.asked, block), "other-server", table.asked)
    has_no_game_in_it(table, answer)


def test_an_empty_mail(table: Table) -> None:
    answer = answered(table, table.town.mail("alice", "\n \n"), "empty", "alice")
    has_no_game_in_it(table, answer)


def test_no_bytes_at_all(table: Table) -> None:
    assert refused(table, b"", "rejected", "empty") == []


def test_a_mail_of_20_mb(table: Table) -> None:
    line = "x" * 70 + "\n"
    raw = table.town.mail("alice", line * (20 * 1024 * 1024 // 71))
    answer = answered(table, raw, "too-big", "alice")
    has_no_game_in_it(table, answer)


def test_a_mail_of_20_mb_from_a_machine_is_not_answered(table: Table) -> None:
    raw = table.town.mail("alice", "x\n" * (10 * 1024 * 1024), Auto_Submitted="auto-replied")
    assert refused(table, raw, "ignored", "auto-submitted") == []


def test_a_payload_that_is_not_canonical(table: Table) -> None:
    asked = table.asked
    values = json.loads(table.order(asked, table.line()).payload)
    loose = json.dumps(values).encode()
    assert loose != canonical.encode(values)
    key = table.town.people[asked].key
    block = Block("ORDERS", loose, key.sign("ORDERS", loose))
    answer = answered(table, table.town.mail(asked, block), "not-canonical", asked)
    has_no_game_in_it(table, answer)


def test_a_block_of_a_kind_that_is_unknown(table: Table) -> None:
    data = canonical.encode({"v": 1})
    block = Block("BRIBE", data, table.town.people["alice"].key.sign("BRIBE", data))
    answered(table, table.town.mail("alice", block), "unknown-kind", "alice")


def test_a_block_cut_on_its_way(table: Table) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    lines = raw.split(b"\r\n")
    cut = b"\r\n".join(lines[:12] + lines[14:])
    answered(table, cut, "damaged-block", table.asked)


def test_two_different_fresh_blocks_are_both_refused_and_neither_is_used_up(table: Table) -> None:
    asked, town = table.asked, table.town
    one, other = table.order(asked, table.line()), table.order(asked, "hide ASHW 1")
    raw = town.mail(asked, armour(one) + "\nor\n\n" + armour(other))
    answer = answered(table, raw, "conflicting-blocks", asked)
    has_no_cards_in_it(answer)
    assert town.deliver(town.mail(asked, one)).reason == "ok"


def test_a_damaged_and_a_stale_block_beside_a_fresh_one_are_ignored(table: Table) -> None:
    asked, town = table.asked, table.town
    fresh = table.order(asked, table.line())
    stale = table.order(asked, "hide ASHW 1", prompt="1-00000000")
    damaged = armour(table.order(asked, "hide ASHW 2")).replace("A", "", 3)
    raw = town.mail(asked, damaged + "\n" + armour(stale) + "\n" + armour(fresh))
    assert town.deliver(raw).reason == "ok"


def test_a_player_s_mail_without_a_block_gets_an_answer_without_any_game(table: Table) -> None:
    answer = answered(table, table.town.mail("bob", "I claim A with ASHW 3"), "no-block", "bob")
    has_no_game_in_it(table, answer)


def test_an_address_that_two_readers_read_in_two_ways_is_not_answered(table: Table) -> None:
    raw = table.town.mail("alice@player.test <bob@evil.test>", "Hello")
    assert refused(table, raw, "rejected", "bad-from") == []


def test_an_order_is_answered_at_the_registered_address_wherever_it_came_from(
    table: Table,
) -> None:
    asked, town = table.asked, table.town
    raw = town.mail("Somebody <else@where.test>", table.order(asked, table.line()))
    assert town.deliver(raw).reason == "ok"
    assert {mail.to for mail in town.post()} <= {p.address for p in town.people.values()}


def test_words_above_the_block_that_say_something_else_are_said_not_to_count(
    table: Table,
) -> None:
    asked, town = table.asked, table.town
    block = table.order(asked, table.line())
    town.deliver(town.mail(asked, "claim Z with everything\n\n" + armour(block)))
    answer = town.post_to(asked)
    assert "words above the signed block were not used" in answer.words


def test_words_above_the_block_that_the_client_writes_need_no_remark(table: Table) -> None:
    asked, town = table.asked, table.town
    line = table.line()
    words = f"{Texts()('client.mail.orders', game=table.tag)}\n\n    {line}\n\n"
    town.deliver(town.mail(asked, words + armour(table.order(asked, line))))
    assert "words above" not in town.post_to(asked).words


def test_every_mail_has_a_line_in_the_log(table: Table) -> None:
    table.town.deliver(b"")
    table.town.deliver(table.town.mail("alice", "no block"))
    verdict: Verdict = table.play()
    log = table.town.log()[-3:]
    assert [(row.verdict, row.reason) for row in log] == [
        ("rejected", "empty"),
        ("rejected", "no-block"),
        ("accepted", "ok"),
    ]
    assert (log[-1].game, log[-1].seq) == (table.tag, verdict.seq)
    assert log[-1].digest.hex() == verdict.digest
