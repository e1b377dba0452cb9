"""A town whose people play in a league, by real mails alone."""

from __future__ import annotations

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.turn import TurnDoc
from sigilpost_server.leagues import store
from sigilpost_server.leagues.file import parse
from sigilpost_server.leagues.running import steps
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.state import Phase, Season
from sigilpost_server.service import Verdict
from tests.server.service.town import Person, Received, Table, Town

FILE = """\
name = "open"
title = "The Open"
game = "weaver"

[play]
at_once = 2
join = "3d"

[format]
kind = "round-robin"

[season]
entry = "2d"
seasons = 2
"""

DAY = 86_400
MANY = ("alice", "bob", "carol", "dan", "erin", "fay", "gus", "hal")


class LeagueTown(Town):
    """A town with a league, whose people can play all their games at once."""

    docs: dict[tuple[str, str], TurnDoc]
    mails: list[Received]

    def prepare(self, *names: str, file: str = FILE) -> None:
        """Register people, and make the league."""
        self.docs, self.mails = {}, []
        self.people |= {name: Person.called(name) for name in MANY}
        self.register(*names)
        self.make(file)

    def make(self, file: str) -> None:
        """Make a league."""
        with self.service.changing() as (db, post):
            league = Running.create(db, post, parse(file), file)
            steps.step(league)
            league.save()

    def ask(self, name: str, what: str, *args: str) -> Verdict:
        """Somebody signs and sends a request."""
        return self.send(name, payloads.Request, what=what, args=args)

    def pass_days(self, days: float) -> None:
        """Let time pass, and let the server look at what is due."""
        self.clock.advance(int(days * DAY))
        self.service.tick()
        self.read()

    def read(self) -> None:
        """Read all new mail."""
        fresh = self.post()
        self.mails += fresh
        for mail in fresh:
            name = next(n for n, p in self.people.items() if p.address == mail.to)
            if mail.turn.game:
                self.docs[name, mail.turn.game] = mail.turn

    def to(self, name: str) -> list[Received]:
        """All mail that somebody got."""
        return [mail for mail in self.mails if mail.to == self.people[name].address]

    def join_all(self, *but: str) -> None:
        """Everybody takes every invitation, some apart."""
        for (name, tag), doc in list(self.docs.items()):
            if doc.status == "proposed" and name not in but:
                self.send(name, payloads.Join, game=tag)
        self.read()

    def play_all(self, *but: str) -> None:
        """Everybody answers whatever they are asked, by chance, until nobody is asked any more."""
        while asked := [key for key, d in self.docs.items() if d.prompt and key[0] not in but]:
            for name, tag in asked:
                table = Table(self, tag, [name])
                table.docs = {name: self.docs[name, tag]}
                if self.docs[name, tag].prompt:
                    assert table.play().reason == "ok"
                    self.read()

    def season(self, number: int = 0) -> Season:
        """A season as it is stored; the running one by default."""
        with self.service.database.read() as db:
            row = store.find(db, "open", lock=False)
            assert row is not None
            found = store.season(db, row.id, number or row.season)
            assert found is not None
            return found[0]

    def play_season(self, number: int) -> None:
        """Play until a season is over."""
        for _ in range(40):
            self.join_all()
            self.play_all()
            self.pass_days(0.1)
            if self.season(number).phase is Phase.ENDED:
                return
        raise AssertionError("the season does not end")
