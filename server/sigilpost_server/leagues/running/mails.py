"""The mails of a league: news to all whom it concerns, and the director's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Grid, Section, Sheet
from sigilpost_server.leagues import letters
from sigilpost_server.leagues.rules import Kind
from sigilpost_server.leagues.running import outlook
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import entry
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.state import Entrant, Phase
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.mail_out.letter import Address, Letter
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import sealed_notice


def tell(running: Running, news: Sequence[News]) -> None:
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
        _tell(running, each)


def tell_end(running: Running, why: str) -> None:
    """The season was ended by the director: its final tables, or that it will not be, to all."""
    _tell(running, News(Told.ENDED), why)


def _tell(running: Running, news: News, why: str = "") -> None:
    season = running.season
    cancelled = news.kind is Told.ENDED and not season.started
    kind = "cancelled" if cancelled else news.kind
    concerned = season.entrants if news.kind is Told.ENDED else season.active(news.division)
    number = season.number * 1_000 + news.round
    if news.kind is Told.EXTENDED:
        number = season.closes
    sheets, next_season = Sheets(running), outlook.Outlook(running)
    for entrant in concerned:
        sheet = () if cancelled else sheets.of(news.kind, entrant)
        for player in entrant.players:
            zone = running.person(player).zone
            notices: tuple[Msg, ...] = ()
            if news.kind is Told.ENDED:
                notices = (*reason(why), *next_season.notices(entrant, zone))
            values: dict[str, Any] = {"round": news.round, "closes": when(zone, season.closes)}
            event = f"league-{kind}"
            write(running, player, event, number, kind, sheet=sheet, notices=notices, **values)


class Sheets:
    """The tables of a season for everybody whom a mail goes to: each is worked out once."""

    def __init__(self, running: Running) -> None:
        self.rules, self.season = running.rules, running.season
        self._tables: dict[int, Section] = {}

    def of(self, kind: Told, entrant: Entrant) -> Sheet:
        """What an entrant is shown with news of a kind."""
        return self.own(entrant) if kind in (Told.BEGUN, Told.ROUND_ENDED) else self.all

    @cached_property
    def all(self) -> Sheet:
        """All tables; before the draw, who has entered."""
        return letters.tables(self.rules, self.season)

    def own(self, entrant: Entrant) -> Sheet:
        """The table of an entrant's division, and its fixtures."""
        at = entrant.division
        if at not in self._tables:
            self._tables[at] = letters.table(self.rules, self.season, at)
        return self._tables[at], letters.fixtures_of(self.rules, self.season, entrant.number)


def reason(why: str) -> tuple[Msg, ...]:
    """The director's reason, if there is one."""
    return (say("league.decision.why", why=why),) if why else ()


def write(
    running: Running,
    player: int,
    event: str,
    number: int,
    kind: str,
    *,
    sheet: Sheet = (),
    notices: Sequence[Msg] = (),
    **values: Any,
) -> None:
    """News of a ``kind`` to one player; ``event`` and ``number`` tell its mail from all others."""
    person = running.person(player)
    envelope = running.post.envelope(
        Address(person.address, person.name), event, number, tag=running.thread
    )
    known = {"league": running.rules.title, "season": running.season.number, **values}
    said = (say(f"league.{kind}.opening", **known), *notices)
    turn = notice(running.post, running.row.name, *said, sheet=sheet)
    letter = letters.news(
        envelope,
        running.rules,
        running.season,
        kind,
        sheet,
        turn,
        may_leave=_may_leave(running, player, kind),
        notices=notices,
        **values,
    )
    running.post.put(letter, person.language)


def _may_leave(running: Running, player: int, kind: str) -> bool:
    """Whether there is something for a player to leave: this season, or the next one."""
    season, rules = running.season, running.rules
    if running.row.status is LeagueStatus.ENDED or season.entrant_of(player) is None:
        return False
    if kind == Told.ENDED:
        return rules.season.again and not entry.is_last(season, rules)
    return rules.format.kind is not Kind.KNOCKOUT or season.phase is Phase.ENTRY


def write_table(
    running: Running, play: Play, kind: str, *, notices: Sequence[Msg] = (), **values: Any
) -> None:
    """News of a ``kind`` to everybody who sits in a game that it has ended: their clients learn
    that it is over."""
    teller = Teller(play, running.post)
    rules, season = running.rules, running.season
    known = {"league": rules.title, "season": season.number, **values}
    said = [say(f"league.{kind}.opening", **known), *notices]
    for seat in play.seats:
        turn = teller.document(seat, type="cancelled", messages=[each.to_json() for each in said])
        envelope = teller.envelope(seat, f"league-{kind} {running.row.seq}")
        letter = letters.news(envelope, rules, season, kind, (), turn, notices=notices, **values)
        teller.put(seat, replace(letter, game=teller.game))


def announce(running: Running, words: str, who: str) -> int:
    """The director's words to everybody who is in; how many got them."""
    number = 0
    for entrant in running.season.active():
        for player in entrant.players:
            person = running.person(player)
            address = Address(person.address, person.name)
            event = f"league-announcement-{running.row.seq}"
            envelope = running.post.envelope(address, event, running.post.now, tag=running.thread)
            turn = notice(
                running.post,
                running.row.name,
                say("league.announcement.opening", league=running.rules.title),
                say("league.announcement.words", words=words),
            )
            letter: Letter = letters.announcement(envelope, running.rules, words, who, turn)
            running.post.put(letter, person.language)
            number += 1
    return number


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
