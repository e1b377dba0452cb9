"""What the players send in each conversation.

A script is given a town and yields mails, each with its sender's name; it may look at what came
of the mails before (``says.newest``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_engine.wire.turn import TurnDoc
from tests.server.service.town import SERVER, Received, Table, Town

Mails = Iterator[tuple[str, bytes]]


@dataclass
class Says:
    """The town, and what its server has said so far: the newest mail of each address."""

    town: Town
    newest: dict[str, Received] = field(default_factory=dict)

    def hear(self, mails: list[Received]) -> None:
        """Take note of new mails."""
        self.newest |= {mail.to: mail for mail in mails}

    def doc(self, name: str) -> TurnDoc:
        """What somebody's newest mail says."""
        return self.newest[self.town.people[name].address].turn

    def mail(
        self, name: str, kind: type[payloads.Payload], /, **values: object
    ) -> tuple[str, bytes]:
        """A signed mail of somebody."""
        return name, self.town.mail(name, self.town.block(name, kind, **values))

    def register(self, *names: str) -> Mails:
        """Register some people."""
        for name in names:
            person = self.town.people[name]
            yield self.mail(
                name,
                payloads.Register,
                server="",
                public=person.key.public.hex,
                name=name,
                address=person.address,
                lang="en",
                zone="Europe/Berlin",
            )
            notice = self.doc(name).notice
            assert notice is not None
            yield self.mail(name, payloads.Confirm, token=notice["token"])

    def propose(self, host: str, *opponents: str, **options: object) -> Mails:
        """Propose a game of Weaver."""
        yield self.mail(
            host,
            payloads.Create,
            game="weaver",
            options=options,
            opponents=opponents,
            rules={},
        )

    def start(self, *names: str, **options: object) -> Mails:
        """Propose a game between registered players; all of them join."""
        yield from self.propose(names[0], *names[1:], **options)
        doc = self.doc(names[0])
        for name in names:
            invitation = self.doc(name)
            assert invitation.notice is not None
            told = {"seat": invitation.seat, "commitment": invitation.notice["commitment"]}
            yield self.mail(name, payloads.Join, game=doc.game, **told)

    def table(self, *names: str) -> Table:
        """The table at which these people sit, as their newest mails show it."""
        table = Table(self.town, self.doc(names[0]).game, list(names))
        table.docs = {name: self.doc(name) for name in names}
        return table


def a_game_from_the_registration_to_the_final_scores(says: Says) -> Mails:
    """Two players register, propose, join and play to the end, exchanging now and then."""
    yield from says.register("alice", "bob")
    yield from says.start("alice", "bob", hidden_cards="flat")
    while (table := says.table("alice", "bob")).status == "running":
        asked = table.asked
        yield asked, says.town.mail(asked, table.order(asked, table.line()))


def an_invitation_is_declined(says: Says) -> Mails:
    """One has joined when another declines; a third is not registered and never answers."""
    yield from says.register("alice", "bob", "carol")
    yield from says.propose("alice", "bob", "carol", "zoe@else.test")
    tag = says.doc("alice").game
    yield says.mail("carol", payloads.Join, game=tag)
    yield says.mail("bob", payloads.Decline, game=tag)
    yield says.mail("alice", payloads.Join, game=tag)


def a_player_resigns_among_three(says: Says) -> Mails:
    """Words at the table, then one gives up, which ends the game."""
    yield from says.register("alice", "bob", "carol")
    yield from says.start("alice", "bob", "carol")
    doc = says.doc("carol")
    words = "I am off to sea for a year.\n\nSorry!"
    yield says.mail("carol", payloads.Chat, game=doc.game, to="all", text=words)
    yield says.mail("alice", payloads.Chat, game=doc.game, to="carol", text="Farewell.")
    yield says.mail("carol", payloads.Resign, game=doc.game, seat=doc.seat)
    yield says.mail("bob", payloads.Request, what="games")


def replies_as_mailers_write_them(says: Says) -> Mails:
    """Old blocks in quotes, words that say something else, two blocks, the same block again."""
    yield from says.register("alice", "bob")
    yield from says.start("alice", "bob")
    table = says.table("alice", "bob")
    asked, town = table.asked, says.town
    wrong = table.order(asked, "claim Z with everything")
    yield asked, town.mail(asked, wrong)
    right = table.order(asked, f"hide {table.hand[0]}")
    yield asked, town.mail(asked, f"hide {table.hand[1]}\n\n{armour(right)}\n{quoted(wrong)}")
    yield asked, town.mail(asked, f"I meant the other one!\n\n{quoted(right)}")
    yield asked, town.mail(asked, "Hello? Why does nobody answer?")
    table = says.table("alice", "bob")
    asked = table.asked
    one, other = (table.order(asked, f"hide {card}") for card in table.hand[:2])
    yield asked, town.mail(asked, f"{armour(one)}\n{armour(other)}")
    yield asked, town.mail(asked, one, Auto_Submitted="auto-replied")
    yield asked, town.mail(asked, one, Precedence="list")
    yield asked, town.mail(asked, other)


def quoted(block: Block) -> str:
    """A block as it stands in a reply's quote."""
    return "On Monday somebody wrote:\n" + "".join(
        f"> {line}\n" for line in armour(block).splitlines()
    )


def a_player_without_the_client(says: Says) -> Mails:
    """One proposes a game that takes reply codes; the other answers its mails, and gives up."""
    town, bob = says.town, "bob@player.test"

    def reply(text: str, **headers: str) -> tuple[str, bytes]:
        mail = says.newest[bob]
        quote = "".join(f"> {line}\n" for line in mail.text.splitlines())
        more = {"To": str(mail.mail["Reply-To"] or SERVER), "Subject": f"Re: {mail.subject}"}
        body = f"{text}\n\nAm Montag schrieb Sigilpost 2023:\n{quote}"
        return "bob", town.mail("bob", body, **{**more, **headers})

    yield from says.register("alice")
    yield says.mail(
        "alice",
        payloads.Create,
        game="weaver",
        options={},
        opponents=(bob,),
        rules={"credentials": "code"},
    )
    tag = says.doc("alice").game
    yield reply("Gladly!")
    yield reply("join alice")
    yield reply("join bob\n\nSee you at the table!")
    yield says.mail("alice", payloads.Join, game=tag)
    for number in range(4):
        table = says.table("alice", "bob")
        if table.asked == "alice":
            yield "alice", town.mail("alice", table.order("alice", table.line()))
        elif number < 2:
            yield reply("hide the moon")
            yield reply(f"{table.line()}\n\nYour turn!\nBob")
        else:
            yield reply(table.line())
    if says.table("alice", "bob").asked == "alice":
        table = says.table("alice", "bob")
        yield "alice", town.mail("alice", table.order("alice", f"hide {table.hand[0]}"))
    yield reply("I am away.", Subject="Automatic reply: your turn")
    yield reply("resign")


def strangers_and_machines(says: Says) -> Mails:
    """What is not a player's order gets little or nothing."""
    town = says.town
    yield "zoe", town.mail("Zoe <zoe@else.test>", "What is this?")
    yield "zoe", town.mail("Zoe <zoe@else.test>", "Anybody there?")
    yield "zoe", town.mail("zoe@else.test <zed@evil.test>", "Hello")
    yield "daemon", town.mail("MAILER-DAEMON@relay.test", "Undeliverable", Return_Path="<>")
    yield "alice", town.mail("alice", "I am away.", Subject="Automatic reply: weaver")
    yield from says.register("alice")
    yield says.mail("alice", payloads.Request, what="games")
    yield says.mail("bob", payloads.Request, what="games")


Script = Callable[[Says], Mails]

SCRIPTS: tuple[Script, ...] = (
    a_game_from_the_registration_to_the_final_scores,
    an_invitation_is_declined,
    a_player_resigns_among_three,
    replies_as_mailers_write_them,
    a_player_without_the_client,
    strangers_and_machines,
)


def name_of(script: Script) -> str:
    """The name of a script's folder."""
    return script.__name__.replace("_", "-")
