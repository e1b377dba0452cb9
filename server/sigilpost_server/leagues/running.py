"""A league within a transaction: read and locked, moved on, written; games begun, mails posted.

Every step may be repeated: what was done before is found done. Whatever the next step waits for by
the clock is a timer of the kind ``league``; whatever it waits for from a game comes by a timer of
the kind ``ended``, which every game sets in the transaction in which it ends.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Grid, Sheet
from sigilpost_engine.games import find
from sigilpost_engine.wire import fair
from sigilpost_server.leagues import letters, ratings, reliability, store
from sigilpost_server.leagues import season as seasons
from sigilpost_server.leagues.file import applied
from sigilpost_server.leagues.outcome import Outcome
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams
from sigilpost_server.leagues.season import News, Refused, Told
from sigilpost_server.leagues.state import Entrant, Fixture, How, Phase, Season, Status
from sigilpost_server.leagues.store import Act, LeagueStatus, Person
from sigilpost_server.mail_out.letter import Address, Letter
from sigilpost_server.models import GameStatus, games, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import sealed_notice

LEAGUE = "league"
"""The kind of timer for a league's next step; the subject is its name."""

RETRY = 900
"""After so many seconds it is looked again whether somebody busy is free now."""

HOST = "host"
"""Who acts in a seat that was given up, as a game's chain notes it."""


@dataclass
class Running:
    """A league and its running season, as read; :meth:`save` writes them.

    ``rules`` are those that the season is played by: before the draw the league's own.
    """

    db: Connection
    post: Post
    row: store.Row
    season: Season
    rules: LeagueRules
    _people: dict[int, Person] = field(default_factory=dict)

    @classmethod
    def load(cls, db: Connection, post: Post, name: str, *, lock: bool = True) -> Running | None:
        """A league by its name; None if there is none."""
        row = store.find(db, name, lock=lock)
        if row is None:
            return None
        found = store.season(db, row.id, row.season)
        assert found is not None
        season, rules = found
        return cls(db, post, row, season, row.rules if season.phase is Phase.ENTRY else rules)

    @classmethod
    def create(cls, db: Connection, post: Post, rules: LeagueRules, text: str) -> Running:
        """A new league, entry to its first season open."""
        row = store.add(db, rules, text, secrets.token_hex(16), post.now)
        season = seasons.opened(rules, post.now, row.lots)
        return cls(db, post, row, season, rules)

    def change(self, rules: LeagueRules, text: str) -> None:
        """Another file: what may change now does, the rest with the next season."""
        self.row.rules, self.row.file = rules, text
        if self.season.phase is not Phase.ENTRY:
            self.rules = applied(self.rules, rules)
            return
        self.rules = rules
        seasons.reopen(self.season, rules, self.row.created, self.post.now)

    def save(self) -> None:
        """Write all, and set the timer for what is next. Raises SomebodyWasQuicker."""
        store.save_season(self.db, self.row.id, self.season, self.rules)
        store.save(self.db, self.row)
        due = self._due()
        if due is None:
            rows.clear_timer(self.db, LEAGUE, self.row.name)
        else:
            rows.set_timer(self.db, LEAGUE, self.row.name, due)

    def _due(self) -> int | None:
        season, rules = self.season, self.rules
        if self.row.status is not LeagueStatus.RUNNING:
            return None
        if season.phase is Phase.ENTRY:
            return season.closes if season.announced else season.opened
        moments = []
        if rules.season.length:
            moments.append(season.started + rules.season.length)
        if any(f.status is Status.WAITING for f in season.fixtures):
            moments.append(self.post.now + RETRY)
        if rules.format.kind is Kind.LADDER:
            moments.append(self.post.now + min(max(rules.format.rest, 60), 86_400))
        return min(moments, default=None)

    def audit(self, who: str, act: str, why: str = "", detail: str = "") -> None:
        """Note who did what, and why."""
        store.audit(self.db, self.row.id, Act(self.post.now, who, act, why, detail))

    # --- steps --------------------------------------------------------------------------------

    def step(self) -> None:
        """Do all that is due. A paused league does nothing."""
        while self.row.status is LeagueStatus.RUNNING:
            if not (self._entry() or self._advance()):
                break
        if self.row.status is LeagueStatus.RUNNING:
            self._start_games()

    def _entry(self) -> bool:
        """See to the entry; False if there was nothing to do."""
        if self.season.phase is not Phase.ENTRY:
            return False
        previous, rating = self._previous(), self._rating()
        now = self.post.now
        news = seasons.close_entry(self.season, self.rules, now, previous, rating)
        self.tell(news)
        return bool(news)

    def draw(self) -> list[News]:
        """Close entry now. Raises Refused."""
        return seasons.begin(
            self.season, self.rules, self.post.now, self._previous(), self._rating()
        )

    def _previous(self) -> Season | None:
        found = store.season(self.db, self.row.id, self.row.season - 1)
        return found[0] if found else None

    def _rating(self) -> Callable[[Entrant], float]:
        """What seeds an entrant: the careful rating of its players, summed."""
        players = [player for entrant in self.season.active() for player in entrant.players]
        known = store.ratings(self.db, self.pool, players)
        newcomer = ratings.Rating()
        return lambda e: sum(known.get(player, newcomer).careful for player in e.players)

    @property
    def pool(self) -> str:
        """The pool in which the league's games are rated."""
        return ratings.pool_of(self.rules.game, self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the league's games, complete."""
        return find(self.rules.game).read_options(self.rules.options)

    def _advance(self) -> bool:
        """See to rounds and the season's end; False if there was nothing to do."""
        news = seasons.advance(self.season, self.rules, self.post.now)
        self.tell(news)
        if self.season.phase is Phase.ENDED:
            self.call_off()
            return self._next_season()
        return bool(news)

    def _next_season(self) -> bool:
        """After the end there is a next season to enter, or the league is over: False."""
        store.save_season(self.db, self.row.id, self.season, self.rules)
        following = seasons.following(self.season, self.row.rules)
        if following is None:
            self.row.status = LeagueStatus.ENDED
            return False
        self.season, self.rules = following, self.row.rules
        self.row.season = following.number
        return True

    # --- games --------------------------------------------------------------------------------

    def _start_games(self) -> None:
        season = self.season
        players = [player for entrant in season.active() for player in entrant.players]
        busy = store.games_of_players(self.db, players)
        limit = self.post.house.settings.limits.running_games
        for fixture in seasons.startable(season, self.rules, busy, limit):
            tag = self._make(fixture)
            seasons.start(season, fixture.number, tag, self.post.now)

    def _make(self, fixture: Fixture) -> str:
        """Propose a fixture's game to its players; its tag."""
        players = [self.person(p) for p in seasons.players_of(self.season, fixture)]
        tag = self._new_tag()
        values = {
            "tag": tag,
            "kind": self.rules.game,
            "options": store.dumps(self.options),
            "rules": store.dumps(self._terms(fixture)),
            "status": GameStatus.PROPOSED,
            "seq": 0,
            "secret": secrets.token_bytes(fair.SECRET_SIZE),
            # Nobody proposed it: there is no CREATE block. The first seat stands for it.
            "creator_id": players[0].id,
            "create_block": b"",
            "created": self.post.now,
            "head_number": 0,
            "head_hash": "",
            "why": "",
        }
        insert = games.insert().values(values).returning(games.c.id)
        game_id = self.db.execute(insert).scalar_one()
        self.db.execute(seats.insert(), [_seat(game_id, n, p) for n, p in enumerate(players)])
        store.add_game(self.db, game_id, self.row.id, self.season.number, fixture.number)
        rows.set_timer(self.db, rows.INVITATION, tag, self.post.now + self.rules.play.join)
        self._invite(tag, fixture)
        return tag

    def _terms(self, fixture: Fixture) -> dict[str, str]:
        """The rules of the game: what a player's CREATE would say, and where it belongs."""
        play = self.rules.play
        terms = {"credentials": play.credentials, "league": self.row.name}
        if play.time:
            terms["clock"] = play.time
        if play.timeout:
            terms["timeout"] = play.timeout
        return terms | {"season": str(self.season.number), "fixture": str(fixture.number)}

    def _new_tag(self) -> str:
        from sigilpost_server.commands.create import TAG_LENGTH, TAG_LETTERS

        length = TAG_LENGTH
        while True:
            letters_ = "".join(secrets.choice(TAG_LETTERS) for _ in range(length))
            tag = f"{self.rules.game}-{letters_}"
            if rows.game(self.db, tag, lock=False) is None:
                return tag
            length += 1

    def _invite(self, tag: str, fixture: Fixture) -> None:
        play = Play.load(self.db, tag)
        assert play is not None
        teller = Teller(play, self.post)
        due = say(
            "league.invitation.due",
            league=self.rules.title,
            season=self.season.number,
            round=fixture.round,
            until=self.date(self.post.now + self.rules.play.join),
        )
        for seat in play.seats:
            envelope = teller.envelope(seat, "invitation")
            letter = teller.invitation(seat, envelope, self.rules.title)
            teller.put(seat, replace(letter, closing=(due, *letter.closing)))

    def game_over(self, fixture: int, outcome: Outcome) -> None:
        """A fixture's game has ended with this outcome of its sides."""
        entrants = self.season.fixture(fixture).entrants
        places = [outcome.places[side] for side in self._sides(entrants)]
        how = How.PLAYED if outcome.gave_up is None else How.FORFEITED
        alone = self.rules.teams is Teams.NONE
        scores = outcome.scores if alone else ()
        now = self.post.now
        seasons.finish(self.season, self.rules, fixture, places, how, now, scores)

    def _sides(self, entrants: Sequence[int]) -> list[int]:
        """For each entrant of a game, the number of its side."""
        sides = find(self.rules.game).sides(self.rules.seats, self.options)
        side_of = {seat: at for at, side in enumerate(sides) for seat in side}
        return [side_of[seat] for seat in range(len(entrants))]

    def never_came(self, fixture: int, players: Sequence[int], game_id: int) -> None:
        """A fixture's game did not begin, because these players did not join it."""
        entrants = self.season.fixture(fixture).entrants
        absent = [e for e in entrants if set(players) & set(self.season.entrant(e).players)]
        seasons.never_came(self.season, self.rules, fixture, absent, self.post.now)
        for player in players:
            what = reliability.What.MISSED
            store.mark(self.db, player, what, self.post.now, game_id)

    # --- who comes and goes -------------------------------------------------------------------

    def enter(self, player: int, team: Sequence[int]) -> Entrant | None:
        """A player enters, with the others of a team if there are teams. Raises Refused.

        None: the others have to say the same before the team is in.
        """
        members = sorted({player, *team})
        for each in members:
            self._check_entry(each)
        name = " & ".join(self.person(each).name for each in members)
        if self.rules.team_size == 1:
            return seasons.enter(self.season, self.rules, name, members, self.post.now)
        return seasons.wish(self.season, self.rules, player, members, name, self.post.now)

    def _check_entry(self, player: int) -> None:
        needed = self.rules.entry
        if self.row.status is LeagueStatus.ENDED:
            raise Refused(say("league.refused.over"))
        if needed.rating:
            known = store.ratings(self.db, self.pool, [player]).get(player, ratings.Rating())
            if known.provisional or known.shown < needed.rating:
                raise Refused(say("league.refused.rating", needed=needed.rating))
        if needed.reliability:
            marks = store.marks(self.db, [player])[player]
            if reliability.score(marks, self.post.now) < needed.reliability:
                raise Refused(say("league.refused.reliability", needed=needed.reliability))

    def withdraw(self, entrant: Entrant) -> None:
        """An entrant leaves; its running games are given up for it."""
        if self.season.phase is Phase.PLAYING:
            self._missed(entrant)
        running = seasons.withdraw(self.season, self.rules, entrant.number, self.post.now)
        for fixture in running:
            self.give_up(fixture, entrant)

    def _missed(self, entrant: Entrant) -> None:
        """Whoever leaves games that were still to be played, once some have begun, misses them."""
        mine = [f for f in self.season.fixtures if entrant.number in f.entrants]
        begun = [f.game for f in mine if f.game]
        game = rows.game(self.db, begun[-1], lock=False) if begun else None
        if game is not None and any(f.open for f in mine):
            what = reliability.What.MISSED
            for player in entrant.players:
                store.mark(self.db, player, what, self.post.now, game.id)

    def give_up(self, fixture: Fixture, entrant: Entrant) -> None:
        """End a fixture's game for an entrant who has left."""
        play = Play.load(self.db, fixture.game)
        if play is None:
            return
        seat = next((s for s in play.seats if s.player_id in entrant.players), None)
        if seat is None:
            return
        if play.status == GameStatus.PROPOSED:
            self.never_came(fixture.number, entrant.players, play.row.id)
            _cancel(play, self.post, say("league.left.why", player=entrant.name))
        elif play.status == GameStatus.RUNNING:
            # A game that cannot be read is the host's matter: it is held, and its clocks stand.
            with suppress(Held):
                play.forfeit(seat.number, HOST, self.post.now)
                play.save()
                self._tell_given_up(play, seat.shown)

    def _tell_given_up(self, play: Play, player: str) -> None:
        teller = Teller(play, self.post)
        for seat in play.seats:
            envelope = teller.envelope(seat, "resigned")
            teller.put(seat, teller.resigned(seat, envelope, player))
        play.save_marks()

    def take_back(self, number: int) -> None:
        """Call off an entrant's games that have not begun, to be made anew for who plays now."""
        for fixture in self.season.fixtures:
            theirs = number in fixture.entrants and fixture.status is Status.RUNNING
            if theirs and self.stop(fixture, say("league.substituted.why")):
                seasons.take_back(fixture)

    def call_off(self) -> None:
        """The season is over: games that have not begun will not be played."""
        for fixture in self.season.fixtures:
            if fixture.how is How.SHARED or fixture.status is Status.VOID:
                self.stop(fixture, say("league.season-over.why"))

    def stop(self, fixture: Fixture, why: Msg) -> bool:
        """Call a fixture's game off if it has not begun; False if it has, or if there is none."""
        play = Play.load(self.db, fixture.game) if fixture.game else None
        if play is None or play.status != GameStatus.PROPOSED:
            return False
        rows.clear_timer(self.db, rows.INVITATION, fixture.game)
        _cancel(play, self.post, why)
        return True

    # --- mails --------------------------------------------------------------------------------

    def person(self, player: int) -> Person:
        """A player."""
        if player not in self._people:
            self._people |= store.people(self.db, [player])
        return self._people[player]

    def tell(self, news: Sequence[News]) -> None:
        """Write to everybody whom news concerns.

        Of rounds that end at once only the last is told; the last of all with the season's end.
        """
        ended = any(each.kind is Told.ENDED for each in news)
        last = {each.division: each for each in news if each.kind is Told.ROUND_ENDED}
        for each in news:
            if each.kind is Told.ROUND_DRAWN:
                continue
            if each.kind is Told.ROUND_ENDED and (ended or each != last[each.division]):
                continue
            self._tell(each)

    def tell_end(self) -> None:
        """Write the final tables to everybody: the season was ended by the director."""
        self._tell(News(Told.ENDED))

    def _tell(self, news: News) -> None:
        season, rules = self.season, self.rules
        sheet = self._sheet(news)
        concerned = season.entrants if news.kind is Told.ENDED else season.active(news.division)
        number = season.number * 1_000 + news.round
        if news.kind is Told.EXTENDED:
            number = season.closes
        name = letters.heading(season, news.division) if news.division is not None else ""
        for entrant in concerned:
            own = sheet
            if news.kind is Told.BEGUN:
                at = entrant.division
                own = (
                    letters.table(rules, season, at),
                    letters.fixtures_of(season, entrant.number),
                )
            values = {"round": news.round, "division": name, "closes": self.date(season.closes)}
            self._write(entrant, news.kind, number, own, **values)

    def _sheet(self, news: News) -> Sheet:
        if news.division is not None:
            return (letters.table(self.rules, self.season, news.division),)
        return letters.tables(self.rules, self.season)

    @staticmethod
    def date(moment: int) -> str:
        """A moment as it stands in mails about leagues."""
        from sigilpost_server.clock import moment as aware

        return f"{aware(moment):%Y-%m-%d %H:%M} UTC"

    def _write(self, entrant: Entrant, kind: str, number: int, sheet: Sheet, **values: Any) -> None:
        for player in entrant.players:
            person = self.person(player)
            envelope = self.post.envelope(
                Address(person.address, person.name), f"league-{kind}", number, tag=self.thread
            )
            known = {"league": self.rules.title, "season": self.season.number, **values}
            turn = self.notice(say(f"league.{kind}.opening", **known), sheet=sheet)
            letter = letters.news(envelope, self.rules, self.season, kind, sheet, turn, **values)
            self.post.put(letter, person.language)

    def announce(self, words: str, who: str) -> int:
        """The director's words to everybody who is in; how many got them."""
        number = 0
        for entrant in self.season.active():
            for player in entrant.players:
                person = self.person(player)
                address = Address(person.address, person.name)
                event = f"league-announcement-{self.row.seq}"
                envelope = self.post.envelope(address, event, self.post.now, tag=self.thread)
                turn = self.notice(
                    say("league.announcement.opening", league=self.rules.title),
                    say("league.announcement.words", words=words),
                )
                letter: Letter = letters.announcement(envelope, self.rules, words, who, turn)
                self.post.put(letter, person.language)
                number += 1
        return number

    @property
    def thread(self) -> str:
        """What all mails of a league have in common."""
        return f"league-{self.row.name}"

    def notice(self, *messages: Msg, sheet: Sheet = ()) -> bytes:
        """The attachment of a league's mail: its messages, and its tables for a terminal."""
        return notice(self.post, self.row.name, *messages, sheet=sheet)


def _cancel(play: Play, post: Post, why: Msg) -> None:
    from sigilpost_server.commands.decline import cancel  # the commands ask leagues themselves

    cancel(play, post, why)


def notice(post: Post, league: str, *messages: Msg, sheet: Sheet = ()) -> bytes:
    """A signed document about a league."""
    return sealed_notice(
        post.house, post.now, *messages, type="league", league=league, sheet=plain(sheet)
    )


def plain(sheet: Sheet) -> list[Any]:
    """A sheet of grids as JSON: ``[heading, [[column heading, right], …], rows]`` for each."""

    def cell(value: object) -> object:
        return {"msg": value.to_json()} if isinstance(value, Msg) else value

    found = []
    for section in sheet:
        for part in section.body:
            if not isinstance(part, Grid):
                continue
            columns = [[cell(column.heading), column.right] for column in part.columns]
            lines = [[cell(value) for value in row] for row in part.rows]
            found.append([cell(section.heading), columns, lines])
    return found


def _seat(game_id: int, number: int, player: Person) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "number": number,
        "player_id": player.id,
        "address": player.address,
        "address_key": player.address_key,
        "name": "",
        "key": "",
        "nonce": "",
        "join_block": None,
        "asked": "",
        "told": -1,
    }
