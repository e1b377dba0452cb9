"""The mails of a league: news to all whom it concerns, and the director's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Grid, Sheet
from sigilpost_server.clock import moment as aware
from sigilpost_server.leagues import letters
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.state import Entrant
from sigilpost_server.mail_out.letter import Address, Letter
from sigilpost_server.transaction.post import Post
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


def tell_end(running: Running) -> None:
    """Write the final tables to everybody: the season was ended by the director."""
    _tell(running, News(Told.ENDED))


def _tell(running: Running, news: News) -> None:
    season, rules = running.season, running.rules
    sheet = _sheet(running, news)
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
        values = {"round": news.round, "division": name, "closes": date(season.closes)}
        _write(running, entrant, news.kind, number, own, **values)


def _sheet(running: Running, news: News) -> Sheet:
    if news.division is not None:
        return (letters.table(running.rules, running.season, news.division),)
    return letters.tables(running.rules, running.season)


def date(moment: int) -> str:
    """A moment as it stands in mails about leagues."""
    return f"{aware(moment):%Y-%m-%d %H:%M} UTC"


def _write(
    running: Running, entrant: Entrant, kind: str, number: int, sheet: Sheet, **values: Any
) -> None:
    for player in entrant.players:
        person = running.person(player)
        envelope = running.post.envelope(
            Address(person.address, person.name), f"league-{kind}", number, tag=running.thread
        )
        known = {"league": running.rules.title, "season": running.season.number, **values}
        turn = notice(
            running.post, running.row.name, say(f"league.{kind}.opening", **known), sheet=sheet
        )
        letter = letters.news(envelope, running.rules, running.season, kind, sheet, turn, **values)
        running.post.put(letter, person.language)


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
