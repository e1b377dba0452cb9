"""Reply codes (protocol.md): whoever has no client plays by answering mails."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from sigilpost_engine.audit.verify import verify
from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_server import transcripts
from sigilpost_server.models import entries, players, reply_codes, seats
from sigilpost_server.service import Verdict
from sigilpost_server.transaction.play import Play
from tests.audit.independent import Verifier
from tests.server.service.town import SERVER, Received, Table, Town

CODE = re.compile(r"Reply code: ([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})")


def code_in(mail: Received) -> str:
    """The reply code in a mail."""
    found = CODE.search(mail.words)
    assert found, mail.text
    return found[1]


def quoted(mail: Received) -> str:
    """A mail as a reply quotes it."""
    lines = "\n".join(f"> {line}" for line in mail.text.splitlines())
    return f"On Mon, 1 Jan 2024 at 10:00, Sigilpost <{SERVER}> wrote:\n{lines}\n"


class ByCode:
    """A game of three that takes replies: what everybody was mailed last."""

    def __init__(self, town: Town, tag: str, names: list[str]) -> None:
        self.town, self.tag, self.names = town, tag, names
        self.last: dict[str, Received] = {}

    def read(self) -> list[Received]:
        """Read the new mails."""
        fresh = self.town.post()
        for mail in fresh:
            name = next(n for n in self.names if self.town.people[n].address == mail.to)
            self.last[name] = mail
        return fresh

    @property
    def asked(self) -> str:
        """Who is asked, by the newest mails."""
        return next(n for n in self.names if n in self.last and self.last[n].turn.prompt)

    def line(self) -> str:
        """A legal line for whoever is asked."""
        table = Table(self.town, self.tag, self.names)
        table.docs = {name: mail.turn for name, mail in self.last.items()}
        return table.line()

    def signed(self, name: str, line: str) -> Block:
        """A line for a player's open question, as the client signs it."""
        doc = self.last[name].turn
        assert doc.prompt is not None
        return self.town.block(
            name,
            payloads.Orders,
            game=self.tag,
            seat=doc.seat,
            prompt=doc.prompt["id"],
            lines=(line,),
        )

    def answer(self, name: str, text: str, **headers: str) -> Verdict:
        """Somebody replies to their last mail, quoting it below."""
        mail = self.last[name]
        headers = {"In_Reply_To": str(mail.mail["Message-ID"]), **headers}
        return self.town.deliver(
            self.town.mail(name, f"{text}\n\n{quoted(mail)}", Subject="Re: x", **headers)
        )


def propose(town: Town, host: str, *opponents: str) -> str:
    """A game that takes reply codes; its tag."""
    rules = {"credentials": "code"}
    verdict = town.send(
        host, payloads.Create, game="weaver", options={}, opponents=opponents, rules=rules
    )
    assert verdict.reason == "ok", verdict
    return verdict.game


def begin(town: Town) -> ByCode:
    """Alice has the client; bob and carol have none and are not registered."""
    town.register("alice")
    guests = [town.people[name].address for name in ("bob", "carol")]
    table = ByCode(town, propose(town, "alice", *guests), ["alice", "bob", "carol"])
    table.read()
    assert town.send("alice", payloads.Join, game=table.tag).reason == "ok"
    for name in ("bob", "carol"):
        table.read()
        assert table.answer(name, f"join {name}").reason == "ok"
    table.read()
    return table


@pytest.fixture
def game(town: Town) -> ByCode:
    """A running game in which two play by replies."""
    return begin(town)


@pytest.fixture
def by_reply(game: ByCode) -> tuple[ByCode, str]:
    """The game when somebody is asked; that one answers by replies."""
    return game, game.asked


def stored(town: Town) -> list[tuple[str, bytes | None]]:
    """By what each entry of the log was given, and its block."""
    with town.service.database.read() as db:
        found = db.execute(select(entries.c.actor, entries.c.block).order_by(entries.c.number))
        return [(row.actor, row.block) for row in found]


# --- a whole game ---------------------------------------------------------------------------


def test_people_without_a_client_join_play_and_end_a_game(any_town: Town) -> None:
    game = begin(any_town)
    for _ in range(400):
        if any(mail.turn.status == "finished" for mail in game.last.values()):
            break
        verdict = game.answer(game.asked, game.line())
        assert verdict.reason == "ok", verdict
        game.read()
    assert {actor for actor, _ in stored(any_town)} == {"", "code"}
    with any_town.service.database.read() as db:
        play = Play.load(db, game.tag)
        assert play is not None
        data = transcripts.of_game(db, play, any_town.service.house)
    report = verify(data, find)
    assert report.fault is None, report.fault
    Verifier(data, find)
    assert report.checked["code"] > 10
    assert report.checked["joins"] == 1


def test_the_proposal_of_any_other_credentials_is_refused(town: Town) -> None:
    town.register("alice", "bob")
    for credentials in ("none", "codes", ""):
        verdict = town.send(
            "alice",
            payloads.Create,
            game="weaver",
            options={},
            opponents=("bob", "carol@player.test"),
            rules={"credentials": credentials},
        )
        assert verdict.reason == "bad-option"


# --- the mails ------------------------------------------------------------------------------


def test_a_turn_mail_has_reply_to_code_and_the_line_to_reply_above(game: ByCode) -> None:
    mail = game.last[game.asked]
    code = code_in(mail)
    token = code.replace("-", "").lower()
    assert mail.mail["Reply-To"] == f"play+{token}@server.test"
    assert mail.text.splitlines()[0] == "--- Reply above this line ---"
    html = mail.mail.get_body(("html",))
    assert html is not None
    assert code in html.get_content()
    assert "Reply above this line" in html.get_content()


def test_hazard_27_the_code_is_in_no_header_but_reply_to_and_in_no_preview(game: ByCode) -> None:
    mail = game.last[game.asked]
    code = code_in(mail)
    for name, value in mail.mail.items():
        for form in (code, code.replace("-", "")):
            assert form.lower() not in value.lower() or name == "Reply-To"
    assert mail.text.index(code) > 300
    for part in mail.mail.walk():
        assert code.replace("-", "").lower() not in str(part.get_boundary() or "").lower()


def test_who_is_asked_nothing_gets_no_code(game: ByCode) -> None:
    idle = next(name for name in game.names if not game.last[name].turn.prompt)
    assert not CODE.search(game.last[idle].words)
    assert game.last[idle].mail["Reply-To"] is None


def test_a_signed_game_has_no_codes(town: Town) -> None:
    table = town.begin("alice", "bob", "carol")
    for mail in table.mails:
        assert not CODE.search(mail.words)
        assert mail.mail["Reply-To"] is None


NEVER = "words written in a reply are never played"
COUNTS = "In this game a reply counts"


NO_MOVE = "a reply to it is no move"


def test_no_mail_about_a_game_that_takes_replies_says_that_they_are_never_played(
    game: ByCode,
) -> None:
    """What was played, news, refusals: they too, though they ask nothing and have no code."""
    name, line, first = game.asked, game.line(), dict(game.last)
    assert game.answer(name, line).reason == "ok"
    mails = [*first.values(), *game.read()]
    game.last[name] = first[name]
    for text, headers in ((line, {}), ("", {}), ("pass", {"To": "x@server.test"})):
        game.answer(name, text, Message_ID=f"<{len(mails)}@player.test>", **headers)
        mails += game.town.post()
    assert len(mails) > 5
    for mail in mails:
        assert NEVER not in mail.words
        assert COUNTS in mail.words


def test_a_mail_about_a_signed_game_says_that_replies_are_never_played(town: Town) -> None:
    for mail in town.begin("alice", "bob").mails:
        assert NEVER in mail.words
        assert COUNTS not in mail.words


def test_codes_are_stored_as_keyed_hashes_only(game: ByCode) -> None:
    codes = {code_in(mail).encode() for mail in game.last.values() if CODE.search(mail.words)}
    with game.town.service.database.read() as db:
        rows = [str(tuple(row)).encode() for row in db.execute(select(reply_codes))]
    for code in codes:
        plain = code.replace(b"-", b"").lower()
        assert all(plain not in row.lower() and code not in row for row in rows)


def test_every_mail_about_one_question_has_the_same_code_and_the_next_another(
    game: ByCode,
) -> None:
    asked = game.asked
    first = code_in(game.last[asked])
    game.answer(asked, "nonsense")
    game.read()
    assert code_in(game.last[asked]) == first
    game.answer(asked, game.line())
    game.read()
    assert code_in(game.last[game.asked]) != first


# --- codes ----------------------------------------------------------------------------------


def test_a_code_is_used_once(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    old, line = game.last[name], game.line()
    assert game.answer(name, line).reason == "ok"
    game.read()
    game.last[name] = old
    before = game.town.stored()
    assert game.answer(name, line).reason == "used-code"
    assert game.town.stored()["entry"] == before["entry"]


def test_a_refused_line_does_not_use_the_code_up(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    line, code = game.line(), code_in(game.last[name])
    assert game.answer(name, "hide nothing at all").verdict == "rejected"
    answer = game.town.only()
    assert answer.to == game.town.people[name].address
    assert "Refused" in answer.words
    game.last[name] = answer
    assert code_in(answer) == code
    assert game.answer(name, line).reason == "ok"


@pytest.mark.parametrize(
    "change", [str.lower, lambda code: code.replace("-", "—").replace("0", "o")]
)
def test_hazard_06_a_code_counts_in_any_case_with_any_dashes(
    by_reply: tuple[ByCode, str], change: object
) -> None:
    game, name = by_reply
    code = change(code_in(game.last[name]))  # type: ignore[operator]
    mail = game.town.mail(name, f"{game.line()}\n\n> {code}\n")
    assert game.town.deliver(mail).reason == "ok"


def test_hazard_06_the_token_of_the_address_is_enough_in_any_case(
    by_reply: tuple[ByCode, str],
) -> None:
    game, name = by_reply
    to = str(game.last[name].mail["Reply-To"])
    for address in (to.upper(), f"Sigilpost <{to}>"):
        game.answer(name, "", To=address)
    mail = game.town.mail(name, game.line(), To=f'"Game" <{to.upper()}>')
    assert game.town.deliver(mail).reason == "ok"


def test_a_code_counts_only_from_the_address_that_it_was_mailed_to(
    by_reply: tuple[ByCode, str],
) -> None:
    game, name = by_reply
    other = next(each for each in game.names if each != name)
    line, code = game.line(), code_in(game.last[name])
    game.read()
    for sender in (other, "eve@else.test"):
        mail = game.town.mail(sender, f"{line}\n\n> Reply code: {code}\n")
        assert game.town.deliver(mail).reason == "bad-code"
        answer = game.town.only()
        assert answer.to != game.town.people[name].address
        assert game.tag not in answer.raw.decode()
        assert "Your hand" not in answer.words


def test_from_twice_or_read_in_two_ways_never_counts(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    address = game.town.people[name].address
    verdict = game.answer(name, game.line(), From=f"{address} <eve@else.test>")
    assert verdict.reason == "bad-from"
    assert game.town.post() == []


def test_a_wrong_code_is_explained_without_any_game(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    mail = game.town.mail(name, f"{game.line()}\n\n> Reply code: 1111-2222-3333\n")
    assert game.town.deliver(mail).reason == "bad-code"
    assert game.tag not in game.town.only().raw.decode()


def test_who_plays_by_replies_and_lost_the_code_is_told_where_it_is(
    by_reply: tuple[ByCode, str],
) -> None:
    game, name = by_reply
    assert game.town.deliver(game.town.mail(name, game.line())).reason == "no-block"
    answer = game.town.only()
    assert "leave its code in your reply" in answer.words
    assert game.tag not in answer.raw.decode()
    game.town.register("dan")
    assert game.town.deliver(game.town.mail("dan", "pass")).reason == "no-block"
    assert "leave its code" not in game.town.only().words


def test_a_mail_about_no_game_tells_who_plays_by_replies_that_a_reply_to_it_is_no_move(
    game: ByCode,
) -> None:
    """A wrong code, none, a challenge, a welcome, and what a reply to that brings."""
    town, mails = game.town, []
    town.deliver(town.mail("bob", f"{game.line()}\n> 1111-2222-3333\n"))
    mails.append(town.only())
    town.deliver(town.mail("bob", "no code"))
    mails.append(town.only())
    town.ask_to_register("bob")
    mails.append(town.only())
    town.send("bob", payloads.Confirm, token=mails[-1].turn.notice["token"])  # type: ignore[index]
    mails.append(town.only())
    town.deliver(town.mail("bob", f"{game.line()}\n\n{quoted(mails[-1])}"))
    mails.append(town.only())
    for mail in mails:
        assert NO_MOVE in mail.words
        assert NEVER not in mail.words
        assert COUNTS not in mail.words
    town.ask_to_register("dan")
    assert NO_MOVE not in town.only().words


def test_a_code_of_a_closed_question_brings_the_one_that_counts(game: ByCode) -> None:
    name = game.asked
    first = game.last[name]
    for _ in range(30):
        assert game.answer(game.asked, game.line()).reason == "ok"
        game.read()
        if game.asked == name and code_in(game.last[name]) != code_in(first):
            break
    newest, game.last[name] = game.last[name], first
    assert game.answer(name, "pass").reason == "used-code"
    answer = game.town.only()
    assert answer.to == game.town.people[name].address
    assert code_in(answer) == code_in(newest)


def test_the_old_code_of_somebody_else_brings_nobody_game_content(game: ByCode) -> None:
    name = game.asked
    first = game.last[name]
    assert game.answer(name, game.line()).reason == "ok"
    game.read()
    mail = game.town.mail("eve@else.test", f"pass\n> {code_in(first)}\n")
    assert game.town.deliver(mail).reason == "bad-code"
    answer = game.town.only()
    assert answer.to == "eve@else.test"
    assert game.tag not in answer.raw.decode()


def test_hazard_27_a_code_counts_no_more_when_the_seat_has_changed_hands(
    by_reply: tuple[ByCode, str],
) -> None:
    game, name = by_reply
    game.town.register("erin")
    with game.town.service.database.write() as db:
        ids = {row.name: row.id for row in db.execute(select(players))}
        seat = seats.c.player_id == ids[name]
        db.execute(seats.update().where(seat).values(player_id=ids["erin"]))
    before = game.town.stored()
    assert game.answer(name, game.line()).reason == "bad-code"
    answer = game.town.only()
    assert answer.to == game.town.people[name].address
    assert game.tag not in answer.raw.decode()
    assert game.town.stored() == before


def test_no_codes_count_in_a_signed_game(town: Town) -> None:
    table = town.begin("alice", "bob", "carol")
    subject = f"Re: [{table.tag}] Your turn"
    mail = town.mail(table.asked, f"{table.line()}\n\n> 1111-2222-3333\n", Subject=subject)
    before = town.stored()
    assert town.deliver(mail).reason == "no-codes"
    assert town.stored() == before


def test_text_outside_a_block_is_never_a_command_in_a_signed_game(town: Town) -> None:
    table = town.begin("alice", "bob", "carol")
    before = town.stored()
    quote = "\n".join(f"> {line}" for line in table.mails[-1].text.splitlines())
    mail = town.mail(table.asked, f"{table.line()}\n\n{quote}\n")
    assert town.deliver(mail).reason == "no-block"
    assert town.stored() == before


def test_a_signed_block_counts_in_a_game_that_takes_codes(game: ByCode) -> None:
    for _ in range(40):
        if game.asked == "alice":
            break
        game.answer(game.asked, game.line())
        game.read()
    block = game.signed("alice", game.line())
    mail = game.town.mail("alice", block)
    assert game.town.deliver(mail).reason == "ok"
    assert stored(game.town)[-1] == ("", block.digest)


def test_an_answer_repeated_to_who_signs_can_still_be_replied_to(game: ByCode) -> None:
    while game.asked != "alice":
        assert game.answer(game.asked, game.line()).reason == "ok"
        game.read()
    block = game.signed("alice", "hide nothing at all")
    assert game.town.deliver(game.town.mail("alice", block)).verdict == "rejected"
    first = game.town.only()
    assert game.town.deliver(game.town.mail("alice", block)).reason == "replayed"
    again = game.town.only()
    assert first.mail["Reply-To"] is not None
    assert again.mail["Reply-To"] == first.mail["Reply-To"]
    assert again.text.splitlines()[0] == "--- Reply above this line ---"
    assert "nothing new was done" in again.words
    page = again.mail.get_body(("html",))
    assert page is not None
    shown = str(page.get_content())
    assert 0 < shown.index("Reply above this line") < shown.index("nothing new was done")
    game.last["alice"] = again
    assert game.answer("alice", game.line()).reason == "ok"


def test_the_copy_by_another_route_gets_no_second_answer(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    for text in ("hide nothing at all", game.line()):
        headers = {"Message_ID": f"<{len(text)}@player.test>"}
        assert game.answer(name, text, **headers).reason != "duplicate"
        game.town.post()
        again = game.answer(name, text, Received="by the other way", **headers)
        assert again.reason == "duplicate"
        assert game.town.post() == []


def test_another_reply_with_the_same_message_id_counts(by_reply: tuple[ByCode, str]) -> None:
    """Hazard 13: some mailers give two mails one Message-ID."""
    game, name = by_reply
    line, headers = game.line(), {"Message_ID": "<same@player.test>"}
    assert game.answer(name, "hide nothing at all", **headers).verdict == "rejected"
    assert game.answer(name, line, **headers).reason == "ok"


# --- machines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"Subject": "Out of office: x"},
        {"Return_Path": "<>"},
    ],
)
def test_hazard_07_a_robot_that_quotes_the_code_does_nothing(
    by_reply: tuple[ByCode, str], headers: dict[str, str]
) -> None:
    game, name = by_reply
    mail = game.last[name]
    before = game.town.stored()
    raw = game.town.mail(name, f"{game.line()}\n\n{quoted(mail)}", **headers)
    assert game.town.deliver(raw).verdict == "ignored"
    assert game.town.post() == []
    assert game.town.stored() == before


# --- lines ----------------------------------------------------------------------------------


def test_several_lines_are_taken_in_order_and_the_refused_one_ends_them(game: ByCode) -> None:
    name, line = game.asked, game.line()
    assert game.answer(name, f"{line}\nhide nothing at all\npass").reason == "partial"
    answer = next(mail for mail in game.read() if mail.to == game.town.people[name].address)
    assert "Not looked at" in answer.words


@pytest.mark.parametrize(
    "below", ["Sent from my phone", "Have fun!\nBob", "-- \nBob", "—\nBob", "end\npass", "END."]
)
def test_hazard_18_what_stands_below_the_lines_is_no_command(game: ByCode, below: str) -> None:
    name = game.asked
    assert game.answer(name, f"{game.line()}\n\n{below}").reason == "ok"


@pytest.mark.parametrize("below", ["Sent from my phone", "Thanks!\nBob"])
def test_what_stands_below_a_refused_line_is_no_line_that_was_left_out(
    game: ByCode, below: str
) -> None:
    name = game.asked
    assert (
        game.answer(name, f"hide nothing at all\n\nhide nothing\n\n{below}").verdict == "rejected"
    )
    answer = next(mail for mail in game.read() if mail.to == game.town.people[name].address)
    told = [each["line"] for each in answer.turn.notice["lines"]]  # type: ignore[index]
    assert told == ["hide nothing at all", "hide nothing"]


def test_a_new_mail_that_has_the_code_and_a_line_counts(by_reply: tuple[ByCode, str]) -> None:
    """Where addresses carry no code, this is how a player without the quote answers."""
    game, name = by_reply
    code = code_in(game.last[name])
    mail = game.town.mail(name, f"Hello,\n\nReply code: {code}\n“{game.line()}.”\n\nHave fun!\n")
    assert game.town.deliver(mail).reason == "ok"


@pytest.mark.parametrize("salutation", ["Hi,", "Hi!", "Hello Sigilpost,", "Bonjour,"])
def test_a_salutation_above_the_lines_is_no_command(game: ByCode, salutation: str) -> None:
    name, line = game.asked, game.line()
    assert game.answer(name, f"{salutation}\n\n{line}\n\nThanks,\n{name}").reason == "ok"
    answer = next(mail for mail in game.read() if mail.to == game.town.people[name].address)
    assert [each["line"] for each in answer.turn.notice["lines"]] == [line]  # type: ignore[index]


def test_a_salutation_above_nothing_uses_no_code_up(game: ByCode) -> None:
    name, line, code = game.asked, game.line(), code_in(game.last[game.asked])
    new = game.town.mail(name, f"Hello Sigilpost,\n\n{code}\n")
    assert game.town.deliver(new).verdict == "rejected"
    assert game.answer(name, line).reason == "ok"


def test_of_two_lines_that_are_no_command_neither_is_taken_for_a_salutation(game: ByCode) -> None:
    """The mistyped one may be the first: it is told, too."""
    name = game.asked
    assert game.answer(name, "hied nothing!\n\nBob").reason == "unparseable"
    answer = next(mail for mail in game.read() if mail.to == game.town.people[name].address)
    told = [each["line"] for each in answer.turn.notice["lines"]]  # type: ignore[index]
    assert told == ["hied nothing", "Bob"]


def test_who_gives_up_below_a_salutation_does(game: ByCode) -> None:
    assert game.answer(game.asked, "Hi all,\n\nresign\n\nBob").reason == "ok"
    assert {mail.turn.status for mail in game.read()} == {"finished"}


def test_who_is_not_registered_is_told_that_the_reply_does_it(town: Town) -> None:
    town.register("alice")
    propose(town, "alice", "zoe@elsewhere.test")
    invited = next(mail for mail in town.post() if mail.to == "zoe@elsewhere.test")
    assert "your reply with join does that" in " ".join(invited.words.split())


def test_an_invitation_answered_by_a_salutation_alone_is_asked_again(town: Town) -> None:
    town.register("alice")
    game = ByCode(town, propose(town, "alice", town.people["bob"].address), ["alice", "bob"])
    game.read()
    code = code_in(game.last["bob"])
    assert town.deliver(town.mail("bob", f"Hello,\n\n{code}\n")).reason == "unparseable"
    game.read()
    assert game.answer("bob", "join").reason == "ok"


def test_a_command_that_looks_like_a_salutation_is_one(game: ByCode) -> None:
    """Whatever stands below it answers the next question, not this one."""
    assert game.answer(game.asked, "resign,\n\nThanks").reason == "ok"
    assert {mail.turn.status for mail in game.read()} == {"finished"}


def test_a_join_below_a_salutation_counts(town: Town) -> None:
    town.register("alice")
    guests = [town.people[name].address for name in ("bob", "carol")]
    game = ByCode(town, propose(town, "alice", *guests), ["alice", "bob", "carol"])
    game.read()
    assert game.answer("bob", "Dear host,\n\njoin Bert\n\nRegards").reason == "ok"
    assert game.answer("carol", "Decline,\n\nno time, sorry").reason == "ok"
    with town.service.database.read() as db:
        assert "Bert" in set(db.execute(select(players.c.name)).scalars())


def test_a_reply_without_a_line_is_told_so(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    before = game.town.stored()
    assert game.answer(name, "").reason == "no-line"
    game.read()
    assert game.town.stored()["entry"] == before["entry"]
    assert game.answer(name, game.line()).reason == "ok"


def test_resign_by_reply_ends_the_game(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    assert game.answer(name, "resign").reason == "ok"
    assert {mail.turn.status for mail in game.read()} == {"finished"}
    assert stored(game.town)[-1] == ("code", None)


# --- invitations ----------------------------------------------------------------------------


def test_a_join_by_code_registers_and_a_client_can_bring_a_key_later(town: Town) -> None:
    game = begin(town)
    assert game.tag
    with town.service.database.read() as db:
        names = set(db.execute(select(players.c.name)).scalars())
    assert names == {"alice", "bob", "carol"}
    town.register("bob")
    assert town.send("bob", payloads.Request, what="games").reason == "ok"
    assert game.tag in town.only().words


def test_decline_by_reply_withdraws_the_invitation(town: Town) -> None:
    town.register("alice")
    guests = [town.people[name].address for name in ("bob", "carol")]
    game = ByCode(town, propose(town, "alice", *guests), ["alice", "bob", "carol"])
    game.read()
    assert game.answer("bob", "decline").reason == "ok"
    assert {mail.to for mail in game.read()} == {"bob@player.test", "alice@player.test"}
    assert game.answer("carol", "join").reason == "not-invited"


def test_a_name_that_is_taken_is_refused_and_another_one_taken(town: Town) -> None:
    town.register("alice")
    game = ByCode(
        town,
        propose(town, "alice", "bob@player.test", "carol@player.test"),
        ["alice", "bob", "carol"],
    )
    game.read()
    assert game.answer("bob", "join alice").reason == "name-taken"
    assert "join anna" in town.only().words
    assert game.answer("bob", "join as bert").reason == "ok"
    with town.service.database.read() as db:
        assert "bert" in set(db.execute(select(players.c.name)).scalars())


def test_anything_but_join_and_decline_is_told_the_form(town: Town) -> None:
    town.register("alice")
    game = ByCode(
        town,
        propose(town, "alice", "bob@player.test", "carol@player.test"),
        ["alice", "bob", "carol"],
    )
    game.read()
    for text, reason in (
        ("Yes please!", "unparseable"),
        ("", "no-line"),
        ("join alice", "name-taken"),
    ):
        assert game.answer("bob", text).reason == reason
        game.read()
    assert game.answer("bob", "Join.").reason == "ok", "the answer to a mistake can be answered"


def test_the_codes_of_games_long_over_are_forgotten(by_reply: tuple[ByCode, str]) -> None:
    game, name = by_reply
    assert game.answer(name, "resign").reason == "ok"
    for days, kept in ((59, True), (2, False)):
        game.town.clock.advance(days * 86_400)
        game.town.service.tick()
        with game.town.service.database.read() as db:
            assert bool(db.execute(select(reply_codes)).all()) is kept
