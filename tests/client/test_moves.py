"""Moves: judged by the engine before they are signed, sent once, threaded, and never guessed."""

from __future__ import annotations

import email
import json

import pytest

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_engine.wire.payloads import Chat, Create, Decline, Join, Orders, Resign
from tests.client.conftest import Player
from tests.client.host import Host, Table, blocks_of, payload_of


@pytest.fixture
def asked(alice: Player, table: Table) -> Player:
    """Alice, after the mail that asks her for her first turn."""
    alice.receive(table.document(0))
    alice.ok("sync")
    return alice


def hide(table: Table, place: int = 0) -> str:
    """A line that hides a card of the hand of the seat that is asked."""
    seat = table.turn
    return f"hide {table.match.view(seat)[table.seats[seat]]['hand'][place]}"


def orders(raw: bytes) -> Orders:
    sent = payload_of(raw)
    assert isinstance(sent, Orders)
    return sent


def test_a_legal_line_is_signed_and_sent(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    (mail,) = asked.sent
    sent = orders(mail)
    assert sent.lines == (hide(table),)
    assert (sent.game, sent.seat) == (table.tag, 1)
    assert sent.prompt == table.match.prompt_id(0)


def test_the_signature_is_the_player_s(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    (block,) = blocks_of(asked.sent[0])
    public = PublicKey.from_hex(json.loads(asked.ok("key", "show", "--json"))["public"])
    assert isinstance(block, Block)
    assert payloads.verify(block, public) == payload_of(asked.sent[0])


def test_the_host_s_game_takes_what_was_sent(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    sent = orders(asked.sent[0])
    table.match.submit(sent.seat - 1, sent.lines[0], sent.prompt)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("dance", "not understood"),
        ("hide", "not understood"),
        ("claim Z with {card}", "not understood"),
        ("hide the ace", "not understood"),
        ("hide {other}", "not possible"),
    ],
)
def test_what_the_question_does_not_allow_is_not_sent(
    asked: Player, table: Table, line: str, kind: str
) -> None:
    hand = table.match.view(0)["alice"]["hand"]
    other = next(card for card in table.match.game.cards if card not in hand)
    done = asked.sigil("move", line.format(card=hand[0], other=other))
    assert done.status == 4
    assert kind in done.err
    assert "sigil next" in done.err
    assert asked.sent == []
    assert json.loads(asked.ok("next", "--json"))["asked"]


def test_an_ambiguous_card_is_answered_with_what_it_could_be(asked: Player, table: Table) -> None:
    hand = table.match.view(0)["alice"]["hand"]
    colours = [card.split()[0] for card in hand]
    double = next(colour for colour in colours if colours.count(colour) > 1)
    done = asked.sigil("move", f"hide {double}")
    assert done.status == 4
    for card in hand:
        assert (card in done.err) == card.startswith(double)


def test_the_lines_after_the_first_are_checked_for_their_form(asked: Player, table: Table) -> None:
    done = asked.sigil("move", "--dry-run", hide(table), "dance")
    assert done.status == 4
    assert "2" in done.err
    asked.ok("move", f"exchange {hide(table).removeprefix('hide ')}", hide(table, 1))
    assert len(orders(asked.sent[0]).lines) == 2


def test_words_without_quotation_marks_are_one_line(asked: Player, table: Table) -> None:
    asked.ok("move", *hide(table).split(" "))
    assert orders(asked.sent[0]).lines == (hide(table),)


def test_names_are_sent_as_typed(asked: Player, table: Table) -> None:
    typed = hide(table).upper().replace(" ", "  ")
    asked.ok("move", typed)
    assert orders(asked.sent[0]).lines == (" ".join(typed.split()),)


def test_one_question_is_answered_once(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    done = asked.sigil("move", hide(table, 1))
    assert done.status == 5
    assert "--again" in done.err
    assert len(asked.sent) == 1
    asked.ok("move", "--again", hide(table, 1))
    assert len(asked.sent) == 2


def test_after_a_refusal_by_the_server_the_question_is_open_again(
    asked: Player, table: Table, host: Host
) -> None:
    asked.ok("move", hide(table))
    order = email.message_from_bytes(asked.sent[0])["Message-ID"]
    notice = {
        "type": "answer",
        "lines": [
            {
                "line": hide(table),
                "accepted": False,
                "why": ["core.refusal.not-held", {"text": "it"}],
            }
        ],
    }
    asked.receive(table.document(0, notice=notice), answers=order)
    out = asked.ok("sync")
    assert "was refused: You do not hold “it”." in out
    asked.ok("move", hide(table, 1))


def test_another_mail_does_not_open_an_answered_question_again(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    asked.receive(table.document(0))
    asked.ok("sync")
    assert asked.sigil("move", hide(table)).status == 5


def test_an_older_mail_that_comes_late_changes_nothing(asked: Player, table: Table) -> None:
    late = table.document(0, events=())
    for _ in range(3):
        table.play(hide(table))
    asked.receive(table.document(0))
    asked.ok("sync")
    asked.receive(late)
    assert "older" in asked.ok("sync")
    asked.ok("move", hide(table))
    assert orders(asked.sent[0]).prompt == table.match.prompt_id(0)


def test_the_move_answers_the_newest_mail_of_the_game(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    mail = email.message_from_bytes(asked.sent[0])
    received = email.message_from_bytes(next((asked.box / "new").iterdir()).read_bytes())
    assert mail["In-Reply-To"] == received["Message-ID"]
    assert received["Message-ID"] in mail["References"]
    assert mail["Subject"].startswith(f"[{table.tag}]")


def test_the_mail_is_a_person_s_and_says_the_move_in_clear(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    mail = email.message_from_bytes(asked.sent[0])
    assert mail["Auto-Submitted"] is None
    assert mail["Precedence"] is None
    assert hide(table) in mail.get_payload()
    assert mail["From"] == '"alice" <alice@player.test>'


def test_the_subject_tells_no_card(asked: Player, table: Table) -> None:
    asked.ok("move", hide(table))
    card = hide(table).removeprefix("hide ")
    assert card not in email.message_from_bytes(asked.sent[0])["Subject"]


def test_eml_prints_the_mail_and_sends_nothing(asked: Player, table: Table) -> None:
    done = asked.sigil("move", "--eml", hide(table))
    assert done.status == 0
    assert orders(done.out.encode()).lines == (hide(table),)
    assert asked.sent == []
    assert table.tag not in [
        game["game"] for game in json.loads(asked.ok("next", "--json"))["asked"]
    ]


def test_a_dry_run_changes_nothing(asked: Player, table: Table) -> None:
    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in asked.home.rglob("*") if path.is_file()}

    before = files()
    asked.ok("move", "--dry-run", hide(table))
    assert files() == before
    assert asked.sent == []


def test_json_says_what_was_sent(asked: Player, table: Table) -> None:
    found = json.loads(asked.ok("move", "--json", hide(table)))
    mail = email.message_from_bytes(asked.sent[0])
    assert found == {
        "game": table.tag,
        "lines": [hide(table)],
        "prompt": table.match.prompt_id(0),
        "to": "play@server.test",
        "message_id": mail["Message-ID"],
        "sent": True,
    }


def test_a_question_that_is_not_open_cannot_be_answered(alice: Player, table: Table) -> None:
    table.play(hide(table))
    alice.receive(table.document(0))
    alice.ok("sync")
    done = alice.sigil("move", table.tag, "hide a1")
    assert done.status == 5
    assert table.seats[table.turn] in done.err


# --- which game -----------------------------------------------------------------------------------


@pytest.fixture
def two(alice: Player, host: Host, table: Table) -> tuple[Player, Table, Table]:
    """Alice, asked in two games."""
    other = next(
        found
        for number in range(100)
        if (found := Table(host, "weaver-7m3x", key=bytes([9, number]))).turn == 0
    )
    alice.receive(table.document(0))
    alice.receive(other.document(0))
    alice.ok("sync")
    return alice, table, other


def test_with_two_games_waiting_the_game_must_be_named(two: tuple[Player, Table, Table]) -> None:
    alice, table, other = two
    done = alice.sigil("move", hide(table))
    assert done.status == 5
    assert table.tag in done.err
    assert other.tag in done.err


@pytest.mark.parametrize("given", ["weaver-7m3x", "weaver-7m", "WEAVER-7M3X", "[weaver-7m3x]"])
def test_a_tag_may_be_shortened_to_what_fits_one_game(
    two: tuple[Player, Table, Table], given: str
) -> None:
    alice, _, other = two
    alice.ok("move", given, hide(other))
    assert orders(alice.sent[0]).game == other.tag


def test_a_mistyped_tag_is_called_an_unknown_game_and_no_command(
    two: tuple[Player, Table, Table],
) -> None:
    alice, table, _ = two
    done = alice.sigil("move", f"{table.tag}x", table.some_line())
    assert "Traceback" not in done.err
    assert f"{table.tag}x" in done.err.splitlines()[0]
    assert "game" in done.err.splitlines()[0]
    assert not alice.sent


def test_the_option_takes_even_shorter_tags(two: tuple[Player, Table, Table]) -> None:
    alice, _, other = two
    alice.ok("move", "--game", "7m", hide(other))
    assert orders(alice.sent[0]).game == other.tag


def test_a_beginning_that_fits_two_games_is_refused(two: tuple[Player, Table, Table]) -> None:
    alice, table, _ = two
    done = alice.sigil("move", "weaver-7", hide(table))
    assert done.status == 5
    assert "weaver-7k2q" in done.err


def test_with_one_game_answered_the_other_is_meant(two: tuple[Player, Table, Table]) -> None:
    alice, table, other = two
    alice.ok("move", table.tag, hide(table))
    alice.ok("move", hide(other))
    assert orders(alice.sent[1]).game == other.tag


def test_the_name_of_a_kind_is_a_game_where_no_line_could_begin_with_it(
    two: tuple[Player, Table, Table],
) -> None:
    alice, table, other = two
    done = alice.sigil("move", "weaver", hide(table))
    assert done.status == 5
    assert table.tag in done.err
    assert other.tag in done.err


def test_a_kind_of_which_there_is_one_game_says_which(asked: Player, table: Table) -> None:
    asked.ok("move", "weaver", hide(table))
    assert orders(asked.sent[0]).game == table.tag


@pytest.mark.parametrize("typed", [["chat", "psst"], ["resign", "--yes"], ["back"]])
def test_hazard_the_game_that_asks_is_not_taken_for_the_one_that_others_are_told_of(
    two: tuple[Player, Table, Table], typed: list[str]
) -> None:
    """What others heard cannot be unsaid: with two games going on the game must be named."""
    alice, table, other = two
    alice.ok("move", table.tag, hide(table))
    done = alice.sigil(*typed)
    assert done.status == 5
    assert table.tag in done.err
    assert other.tag in done.err
    assert len(alice.sent) == 1


# --- the other blocks -----------------------------------------------------------------------------


def invite(player: Player, host: Host, tag: str = "weaver-7k2q") -> None:
    player.receive(
        host.document(
            game=tag,
            kind="weaver",
            seats=("alice", "bob", "carol"),
            status="proposed",
            notice={"type": "invitation", "commitment": "ab" * 32},
        )
    )
    player.ok("sync")


def test_an_invitation_says_who_invites_to_what_and_how_to_reply(alice: Player, host: Host) -> None:
    alice.receive(
        host.document(
            game="weaver-7k2q",
            kind="weaver",
            title="Tome Weaver",
            seats=("alice", "bob"),
            status="proposed",
            notice={"type": "invitation", "commitment": "ab" * 32, "host": "bob"},
        )
    )
    told = alice.ok("sync")
    assert "bob invites to a game of Tome Weaver (alice, bob)." in told
    assert "sigil join weaver-7k2q" in told


def test_a_rematch_asks_for_no_rule_that_a_server_has_thought_up(alice: Player, host: Host) -> None:
    rules = {"clock": "3d per move", "open": "3", "anything": "else"}
    known = {"game": "weaver-7k2q", "kind": "weaver", "seats": ("alice", "bob"), "seat": 1}
    alice.receive(host.document(**known, status="finished", extra={"rules": rules}))
    alice.ok("sync")
    alice.ok("rematch")
    sent = payload_of(alice.sent[0])
    assert isinstance(sent, Create)
    assert (sent.opponents, sent.rules) == (("bob",), {"clock": "3d per move"})


def test_join_repeats_the_commitment_and_brings_a_nonce(alice: Player, host: Host) -> None:
    invite(alice, host)
    alice.ok("join")
    sent = payload_of(alice.sent[0])
    assert isinstance(sent, Join)
    assert sent.commitment == "ab" * 32
    assert len(sent.nonce) == 32
    state = json.loads((alice.home / "state.json").read_text())
    assert state["games"]["weaver-7k2q"]["nonce"] == sent.nonce


@pytest.mark.parametrize("typed", ["weaver-8bbb", "WEAVER-8BBB", "[weaver-8bbb]"])
@pytest.mark.parametrize("command", ["join", "decline", "accept"])
def test_a_whole_tag_counts_where_its_mail_was_not_read(
    alice: Player, command: str, typed: str
) -> None:
    alice.ok(command, typed)
    sent = payload_of(alice.sent[0])
    assert isinstance(sent, Join | Decline)
    assert sent.game == "weaver-8bbb"


@pytest.mark.parametrize("command", ["join", "decline", "accept"])
def test_what_cannot_be_a_tag_is_called_an_unknown_game(alice: Player, command: str) -> None:
    done = alice.sigil(command, "weaver")
    assert done.status == 5
    assert "weaver" in done.err
    assert alice.sent == []


def test_decline(alice: Player, host: Host) -> None:
    invite(alice, host)
    assert "sigil decline" in alice.ok("next")
    alice.ok("decline", "weaver-7k2q")
    assert isinstance(payload_of(alice.sent[0]), Decline)
    assert json.loads(alice.ok("next", "--json"))["invited"] == []


def test_two_invitations_must_be_told_apart(alice: Player, host: Host) -> None:
    invite(alice, host)
    invite(alice, host, "weaver-8aaa")
    assert alice.sigil("join").status == 5
    alice.ok("join", "weaver-8")
    assert json.loads(alice.ok("next", "--json"))["invited"][0]["game"] == "weaver-7k2q"


def test_a_game_that_has_begun_cannot_be_joined(asked: Player, table: Table) -> None:
    assert asked.sigil("join", table.tag).status == 5


def test_chat_to_the_table_and_to_one(asked: Player, table: Table) -> None:
    asked.ok("chat", table.tag, "Good luck, all!")
    asked.ok("chat", "--to", "bob", "psst")
    told = [payload_of(mail) for mail in asked.sent]
    assert [(each.to, each.text) for each in told if isinstance(each, Chat)] == [
        ("all", "Good luck, all!"),
        ("bob", "psst"),
    ]


def test_a_chat_that_is_too_long_is_refused_before_it_is_signed(asked: Player) -> None:
    done = asked.sigil("chat", "x" * 2001)
    assert done.status == 2
    assert "2000" in done.err
    assert asked.sent == []


def test_resign_asks_first(asked: Player, table: Table) -> None:
    done = asked.sigil("resign", table.tag)
    assert done.status == 2
    assert "--yes" in done.err
    assert asked.sent == []
    asked.ok("resign", table.tag, "--yes")
    assert isinstance(payload_of(asked.sent[0]), Resign)


def test_create_checks_game_options_and_seats_first(alice: Player) -> None:
    bad = [
        ("chess", "bob@player.test"),
        ("weaver",),
        ("weaver", "bob@player.test", "--option", "hidden_cards=maybe"),
        ("weaver", "bob@player.test", "--option", "trump=fire"),
        ("weaver", "bob@player.test", "--option", "hidden_cards"),
    ]
    for arguments in bad:
        assert alice.sigil("create", *arguments).status == 2, arguments
    assert alice.sent == []


def test_create_sends_opponents_and_options(alice: Player) -> None:
    alice.ok(
        *("create", "weaver", "bob@player.test", "carol@player.test"),
        *("--option", "hidden_cards=FLAT", "--rule", "credentials=signed"),
    )
    sent = payload_of(alice.sent[0])
    assert isinstance(sent, payloads.Create)
    assert sent.game == "weaver"
    assert sent.opponents == ("bob@player.test", "carol@player.test")
    assert sent.options == {"hidden_cards": "flat"}
    assert sent.rules == {"credentials": "signed"}


def test_create_for_players_without_the_client(alice: Player) -> None:
    alice.ok("create", "weaver", "bob@player.test", "--credentials", "code")
    sent = payload_of(alice.sent[0])
    assert isinstance(sent, payloads.Create)
    assert sent.rules == {"credentials": "code"}
    refused = alice.sigil("create", "weaver", "bob@player.test", "--credentials", "none")
    assert refused.status == 2
    assert "signed, code" in " ".join(refused.err.split())
