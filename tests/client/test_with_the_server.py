"""The client and the real service, with mails between them: what one writes, the other reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sigilpost_server import db
from sigilpost_server.outbox import Outbox
from sigilpost_server.service import Service
from tests.client.conftest import Player
from tests.client.host import Host, drop
from tests.server.transport.host import ADDRESS
from tests.server.transport.host import Host as Server

NAMES = ("alice", "bob", "carol")


class Post:
    """Carries mail between players and the service until nothing moves any more."""

    def __init__(self, service: Service, players: dict[str, Player]) -> None:
        self.service = service
        self.outbox: Outbox = service.outbox
        self.players = players
        self._carried: dict[str, int] = {}

    def carry(self) -> None:
        """Take what the players sent to the service, and its mails to them."""
        for address, player in self.players.items():
            sent = player.sent
            for raw in sent[self._carried.get(address, 0) :]:
                self.service.handle(raw, source="test")
            self._carried[address] = len(sent)
        while mails := self.outbox.claim(50):
            for mail in mails:
                drop(self.players[mail.envelope_to].box, mail.raw)
                self.outbox.sent(mail.id)

    def round(self) -> None:
        """Carry, and let everybody read."""
        self.carry()
        for player in self.players.values():
            player.ok("sync")
        self.carry()


@pytest.fixture
def post(tmp_path: Path, new_player: Callable[[str], Player]) -> Iterator[Post]:
    """Three players, registered with a real service."""
    file = tmp_path / "empty.db"
    db.migrate(f"sqlite:///{file}")
    server = Server.listening(tmp_path / "server", file)
    players = {}
    for name in NAMES:
        player = new_player(name)
        player.ok(
            *("init", "--server", ADDRESS, "--address", player.address, "--name", name),
            *("--maildir", str(player.box), "--drop", str(player.sent_box), "--no-passphrase"),
        )
        player.ok("register")
        players[player.address] = player
    with server.service() as service:
        found = Post(service, players)
        for _ in range(2):
            found.round()
        for player in players.values():
            player.ok("sync")
        yield found


def begun(post: Post, *options: str) -> str:
    """A game of Weaver that the first proposes with some options and all join; its tag."""
    alice, *others = post.players.values()
    alice.ok("create", "weaver", *(player.address for player in others), *options)
    post.round()
    for player in post.players.values():
        if json.loads(player.ok("next", "--json"))["invited"]:
            player.ok("join")
    post.round()
    for player in post.players.values():
        player.ok("sync")
    (found,) = json.loads(alice.ok("games", "--json"))["games"]
    assert found["status"] == "running"
    tag: str = found["game"]
    return tag


@pytest.fixture
def game(post: Post) -> str:
    """A game of Weaver that all three have joined; its tag."""
    return begun(post)


def asked_player(post: Post) -> Player:
    (found,) = (
        player
        for player in post.players.values()
        if json.loads(player.ok("next", "--json"))["asked"]
    )
    return found


def question(player: Player) -> dict[str, object]:
    (found,) = json.loads(player.ok("next", "--json"))["asked"]
    assert isinstance(found, dict)
    return found


def first_line(player: Player, verb: str) -> str:
    menu = question(player)["menu"]
    assert isinstance(menu, list)
    return next(str(entry).partition(" / ")[0] for entry in menu if str(entry).startswith(verb))


def test_registration_pins_the_server_s_key(post: Post) -> None:
    keys = {
        json.loads(player.ok("key", "show", "--json"))["server"] for player in post.players.values()
    }
    assert len(keys) == 1
    assert "" not in keys


def test_whoever_is_not_asked_is_told_whom_the_game_waits_for(post: Post, game: str) -> None:
    player = asked_player(post)
    for other in post.players.values():
        if other is not player:
            assert f"waits for {player.name}" in other.ok("next")


def test_a_move_is_played_and_answered(post: Post, game: str) -> None:
    player = asked_player(post)
    line = first_line(player, "hide")
    player.ok("move", line)
    post.carry()
    report = json.loads(player.ok("sync", "--json"))
    assert f"“{line}” was played." in report["documents"][-1]["told"]
    assert json.loads(player.ok("next", "--json"))["asked"] == []


def test_the_words_that_the_client_itself_writes_are_no_words_of_the_player(
    post: Post, game: str
) -> None:
    """protocol.md: the answer speaks of words above the block only if they say something else."""
    player = asked_player(post)
    player.ok("move", first_line(player, "hide"))
    post.carry()
    answers = [file.read_bytes() for file in (player.box / "new").iterdir()]
    assert any(b"Your mail" in answer for answer in answers)
    assert not any(b"words above the signed block" in answer for answer in answers)


def test_the_second_line_is_refused_and_the_client_says_so(post: Post, game: str) -> None:
    player = asked_player(post)
    exchange = first_line(player, "exchange")
    player.ok("move", exchange, exchange)
    post.carry()
    told = json.loads(player.ok("sync", "--json"))["documents"][-1]["told"]
    assert told[0] == f"“{exchange}” was played."
    assert told[1].startswith(f"“{exchange}” was refused")
    player.ok("move", first_line(player, "hide"))


def test_an_answer_to_a_closed_question_is_refused_as_stale(post: Post, game: str) -> None:
    player = asked_player(post)
    line = first_line(player, "hide")
    player.ok("move", line)
    player.ok("move", "--again", line)
    post.carry()
    report = player.ok("sync")
    assert "closed" in report


def test_chat_reaches_the_others_and_their_client(post: Post, game: str) -> None:
    alice, bob, carol = post.players.values()
    alice.ok("chat", game, "Good luck, all!")
    post.carry()
    assert "alice says: Good luck, all!" in bob.ok("sync")
    alice.ok("chat", "--to", "carol", "psst")
    post.carry()
    assert "alice says to you alone: psst" in carol.ok("sync")
    assert "psst" not in bob.ok("sync")


def test_chat_leaves_the_open_question_open(post: Post, game: str) -> None:
    player = asked_player(post)
    other = next(each for each in post.players.values() if each is not player)
    before = question(player)["prompt"]
    other.ok("chat", game, "your turn")
    post.round()
    assert question(player)["prompt"] == before
    player.ok("show")
    player.ok("move", first_line(player, "hide"))


def test_decline_ends_the_invitation_for_all(post: Post) -> None:
    alice, bob, carol = post.players.values()
    alice.ok("create", "weaver", bob.address, carol.address)
    post.round()
    bob.ok("decline")
    post.round()
    for player in (alice, carol):
        player.ok("sync")
        (found,) = json.loads(player.ok("games", "--json"))["games"]
        assert found["status"] == "cancelled"
        assert json.loads(player.ok("next", "--json"))["invited"] == []


def test_resigning_ends_the_game(post: Post, game: str) -> None:
    alice = next(iter(post.players.values()))
    alice.ok("resign", game, "--yes")
    post.round()
    for player in post.players.values():
        player.ok("sync")
        (found,) = json.loads(player.ok("games", "--json"))["games"]
        assert found["status"] == "finished"


def test_bots_play_to_the_end_and_everybody_holds_the_same_receipt(post: Post, game: str) -> None:
    for _ in range(200):
        for player in post.players.values():
            player.ok("bot", "greedy")
        post.carry()
        states = [
            json.loads(each.ok("games", "--json"))["games"][0] for each in post.players.values()
        ]
        if all(state["status"] == "finished" for state in states):
            break
    assert {state["status"] for state in states} == {"finished"}
    assert len({json.dumps(state["head"]) for state in states}) == 1
    assert "Scores" in next(iter(post.players.values())).ok("show")


def test_an_impostor_s_mail_in_a_running_game_is_noticed(post: Post, game: str) -> None:
    player = asked_player(post)
    impostor = Host(seed=b"\x66" * 32)
    drop(player.box, impostor.mail(impostor.document(game=game, kind="weaver", status="finished")))
    assert player.sigil("sync").status == 6
    assert question(player)
