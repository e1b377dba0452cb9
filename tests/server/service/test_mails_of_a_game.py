"""Who gets which mail in a game, and what stands in it."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from sqlalchemy import select

from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.games import find
from sigilpost_engine.wire import chain, fair, payloads
from sigilpost_server.models import entries, games, seats
from tests.server.service.town import Received, Table, Town


def test_three_players_play_a_game_by_mail_to_its_end(any_town: Town) -> None:
    table = any_town.begin("alice", "bob", "carol")
    sent = table.play_to_end()
    assert sent >= 18
    finals = {mail.to: mail for mail in table.mails if mail.turn.status == "finished"}
    assert sorted(finals) == ["alice@player.test", "bob@player.test", "carol@player.test"]
    assert len({mail.turn.head for mail in finals.values()}) == 1
    with any_town.service.database.read() as db:
        game = db.execute(select(games)).one()
    for mail in finals.values():
        assert mail.turn.notice is not None
        assert fair.opens(bytes.fromhex(mail.turn.notice["secret"]), fair.commitment(game.secret))
        assert mail.turn.notice["winners"] == json.loads(game.result)["winners"]
        assert "harmony" in mail.words


def test_a_move_is_answered_once_and_mails_only_who_is_asked_next(table: Table) -> None:
    for _ in range(12):
        mover = table.asked
        assert table.play().reason == "ok"
        mails = table.read()
        receivers = Counter(mail.to for mail in mails)
        expected = {mover, table.asked}
        assert receivers == Counter(table.town.people[name].address for name in expected)


def test_the_subject_of_an_answer_says_if_something_is_asked_again(table: Table) -> None:
    for _ in range(8):
        mover = table.asked
        table.play()
        for mail in table.read():
            if mail.to == table.town.people[mover].address:
                asks = mail.turn.prompt is not None
                assert mail.subject.endswith("] Played: it is your turn" if asks else "] Played")


def test_over_all_mails_every_seat_is_told_every_event_once_and_in_order(table: Table) -> None:
    table.play_to_end()
    with table.town.service.database.read() as db:
        rows = db.execute(select(entries.c.events).order_by(entries.c.number)).all()
    events = [Event.from_json(raw) for row in rows for raw in json.loads(row.events)]
    for seat, name in enumerate(table.names):
        address = table.town.people[name].address
        mailed = [
            [id, dict(values)]
            for mail in table.mails
            if mail.to == address
            for id, values in mail.turn.events
        ]
        assert mailed == [Msg.to_json(message) for message in told(events, seat)]


def test_the_chain_in_the_mails_follows_from_what_was_signed(table: Table) -> None:
    table.play_to_end()
    with table.town.service.database.read() as db:
        game = db.execute(select(games)).one()
        players = db.execute(select(seats).order_by(seats.c.number)).all()
        links = db.execute(select(entries).order_by(entries.c.number)).all()
    roster = [{"name": seat.name, "key": seat.key} for seat in players]
    committed = fair.commitment(game.secret)
    head = chain.start(game.tag, "weaver", json.loads(game.options), roster, committed)
    heads = {0: head}
    nonces = [seat.nonce for seat in players]
    keys = [seat.key for seat in players]
    key = fair.game_key(game.secret, game.tag, json.loads(game.options), keys, nonces)
    for link in links[1:]:
        answer, events = json.loads(link.answer), json.loads(link.events)
        outcome = chain.outcome_digest(chain.salt(key, link.number), answer, events)
        head = chain.extend(head, link.seat, link.block.hex(), link.line, outcome)
        heads[head.number] = head
    for mail in table.mails:
        if mail.turn.head:
            assert mail.turn.head == heads[mail.turn.head.number]


def test_no_hidden_card_stands_in_any_byte_of_another_s_mail(table: Table) -> None:
    """What no seat may know of a mail's position is in no byte of it, the attachment decoded."""
    while table.status != "finished":
        table.play()
        for mail in table.read():
            if mail.turn.status == "finished":
                continue
            view = json.dumps(mail.turn.view) + json.dumps(list(mail.turn.events))
            known = {card for card in find("weaver").cards if f'"{card}"' in view}
            written = mail.attachment.decode() + mail.text + html(mail.raw)
            named = {card for card in find("weaver").cards if f'"{card}"' in written}
            assert named <= known


def html(raw: bytes) -> str:
    """The HTML part of a mail."""
    body = Received(raw).mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def test_the_mails_of_a_game_thread_and_say_that_a_machine_wrote_them(table: Table) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    table.town.deliver(raw)
    thread = {str(mail.mail["References"]).split()[0] for mail in table.mails + table.town.post()}
    assert len(thread) == 1
    for mail in table.mails:
        assert str(mail.mail["Auto-Submitted"]) in ("auto-generated", "auto-replied")
        assert str(mail.mail["List-Id"]) == f"<{table.tag}.server.test>"
        assert mail.subject.startswith(f"[{table.tag}] ")


def test_an_answer_refers_to_the_mail_that_it_answers(table: Table) -> None:
    asked = table.asked
    table.play(Message_ID="<mine@player.test>")
    answer = table.town.post_to(asked)
    assert answer.mail["In-Reply-To"] == "<mine@player.test>"
    assert str(answer.mail["References"]).split()[-1] == "<mine@player.test>"


def test_message_ids_differ_and_follow_from_the_cause_alone(table: Table) -> None:
    asked = table.asked
    raw = table.town.mail(asked, table.order(asked, table.line()))
    house = table.town.service.house
    verdict = table.town.deliver(raw)
    mails = {mail.to: str(mail.mail["Message-ID"]) for mail in table.town.post()}
    address = table.town.people[asked].address
    assert mails[address] == house.message_id("answer", verdict.digest, address)
    assert len(set(mails.values())) == len(mails)


def test_everybody_is_mailed_in_their_own_language(town: Town) -> None:
    town.people["bob"].language = "ko"
    table = town.begin("alice", "bob")
    languages = {mail.to: str(mail.mail["Content-Language"]) for mail in table.mails}
    assert languages["alice@player.test"] == "en"
    assert languages["bob@player.test"] == "ko"


def test_a_resignation_ends_the_game_and_all_others_have_won(table: Table) -> None:
    seat = table.docs["bob"].seat
    verdict = table.town.send("bob", payloads.Resign, game=table.tag, seat=seat)
    assert (verdict.reason, verdict.game) == ("ok", table.tag)
    mails = table.read()
    assert len(mails) == 3
    for mail in mails:
        assert "bob has resigned" in mail.words
        assert "alice, carol" in mail.words
        # Only who gave up has written: to the others it is news.
        assert ("Your mail" in mail.words) == (mail.to == table.town.people["bob"].address)
        assert "sigil verify" in mail.words
        assert mail.turn.status == "finished"
        assert mail.turn.prompt is None
        assert mail.turn.notice is not None
        assert [message[0] for message in mail.turn.notice["messages"]] == [
            "mail.resigned.opening",
            "server.resigned.won",
        ]
        assert fair.commitment(bytes.fromhex(mail.turn.notice["secret"]))
    with table.town.service.database.read() as db:
        game = db.execute(select(games)).one()
        last = db.execute(select(entries).order_by(entries.c.number.desc())).first()
    assert json.loads(game.result) == {"resigned": "bob", "winners": ["alice", "carol"]}
    assert last is not None
    assert (last.seat, last.number) == (seat - 1, game.head_number)


def test_after_the_end_nothing_is_played_or_resigned(table: Table) -> None:
    order = table.order(table.asked, table.line())
    asked = table.asked
    seat = table.docs["alice"].seat
    table.town.send("alice", payloads.Resign, game=table.tag, seat=seat)
    assert table.town.deliver(table.town.mail(asked, order)).reason == "not-running"
    again = table.town.send("alice", payloads.Resign, game=table.tag, seat=seat)
    assert again.reason == "not-running"


def test_nobody_resigns_another_s_seat(table: Table) -> None:
    seat = table.docs["bob"].seat
    verdict = table.town.send("alice", payloads.Resign, game=table.tag, seat=seat)
    assert verdict.reason == "not-your-seat"


def test_chat_to_all_reaches_everybody_else(table: Table) -> None:
    words = "Well played!\nSee you."
    verdict = table.town.send("alice", payloads.Chat, game=table.tag, to="all", text=words)
    assert verdict.reason == "ok"
    mails = {mail.to: mail for mail in table.town.post()}
    for name in ("bob", "carol"):
        assert "> Well played!" in mails[f"{name}@player.test"].text
        assert mails[f"{name}@player.test"].subject == f"[{table.tag}] alice writes to the table"
    assert "Well played" not in mails["alice@player.test"].text


def test_chat_to_one_reaches_that_one_alone(table: Table) -> None:
    table.town.send("alice", payloads.Chat, game=table.tag, to="BOB", text="Psst")
    mails = {mail.to: mail for mail in table.town.post()}
    assert sorted(mails) == ["alice@player.test", "bob@player.test"]
    assert "to you alone" in mails["bob@player.test"].words


@pytest.mark.parametrize("to", ["dan", "alice"])
def test_chat_to_nobody_at_the_table_is_refused(table: Table, to: str) -> None:
    verdict = table.town.send("alice", payloads.Chat, game=table.tag, to=to, text="Hi")
    assert verdict.reason == "unknown-player"


def test_only_who_sits_at_a_table_writes_to_it(table: Table) -> None:
    table.town.register("dan")
    verdict = table.town.send("dan", payloads.Chat, game=table.tag, to="all", text="Hi")
    assert verdict.reason == "unknown-game"
    assert table.town.only().to == "dan@player.test"


def test_so_much_chat_a_day_and_no_more(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"chats_per_day": 2}) as town:
        table = town.begin("alice", "bob")
        found = [
            town.send("alice", payloads.Chat, game=table.tag, to="all", text="Hi").reason
            for _ in range(3)
        ]
        assert found == ["ok", "ok", "rate-limited"]


def test_show_mails_the_open_question_once_more(table: Table) -> None:
    asked = table.asked
    table.town.send(asked, payloads.Request, what="show", args=(table.tag,))
    again = table.town.only()
    assert again.to == table.town.people[asked].address
    assert again.turn.prompt == table.docs[asked].prompt
    assert again.turn.events == table.docs[asked].events
    table.docs[asked] = again.turn
    assert table.play().reason == "ok"


def test_show_tells_what_happened_since_one_s_own_last_move(table: Table) -> None:
    first = table.asked
    while True:
        table.play()
        table.read()
        if table.asked == first:
            break
    since = [event for event in table.docs[first].events if event[1].get("seat") != first]
    assert since
    table.town.send(first, payloads.Request, what="show", args=(table.tag,))
    assert list(table.town.only().turn.events) == since


def test_show_of_a_proposed_game_is_its_invitation(town: Town) -> None:
    town.register("alice", "bob")
    tag = town.propose("alice", "bob")
    (first,) = [mail for mail in town.post() if mail.to == "bob@player.test"]
    town.send("bob", payloads.Request, what="show", args=(tag,))
    assert town.only().turn.notice == first.turn.notice


def test_games_lists_one_s_own_games(table: Table) -> None:
    tag = table.town.propose("alice", "bob")
    table.town.post()
    table.town.send("alice", payloads.Request, what="games")
    words = table.town.only().words
    assert f"{table.tag}, with bob, carol: running. To act: {table.asked}" in words
    assert f"{tag}, with bob: proposed. Not joined yet: alice, bob" in words


def test_games_of_somebody_who_has_none(town: Town) -> None:
    town.register("dan")
    town.send("dan", payloads.Request, what="games")
    assert "You sit at no game" in town.only().words


def test_another_s_game_is_not_shown(table: Table) -> None:
    table.town.register("dan")
    verdict = table.town.send("dan", payloads.Request, what="show", args=(table.tag,))
    assert verdict.reason == "unknown-game"


def test_an_unknown_request_is_answered_with_those_known(table: Table) -> None:
    verdict = table.town.send("alice", payloads.Request, what="dance")
    assert verdict.reason == "unparseable"
    words = table.town.only().words
    assert "dance" in words
    assert "games" in words
