"""Letters about a game: what one seat may know of it, and who gets a mail when.

Whoever is asked something new gets a mail with all that happened since their last one, and
everybody gets one when the game begins, stops and ends. Whoever is not asked gets none for the
moves of others.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sigilpost_engine.core.events import told
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.wire import fair
from sigilpost_engine.wire.turn import REPEATED_RULES, TurnDoc
from sigilpost_server.clocks import shown, standing
from sigilpost_server.mail_out import clock_letters, letters
from sigilpost_server.mail_out.letter import (
    Address,
    Command,
    Envelope,
    Fact,
    GameTag,
    Letter,
    Line,
    Position,
    Public,
    Reply,
)
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import codes, rows
from sigilpost_server.transaction.house import House, texts
from sigilpost_server.transaction.play import CODE, CREDENTIALS, SIGNED, Play
from sigilpost_server.transaction.post import Post


class Page(NamedTuple):
    """What a seat may know: for people, for the client (``turn``), and what happened."""

    position: Position
    happened: list[Msg]
    turn: bytes


class Teller:
    """Writes the letters of one game in one transaction."""

    def __init__(self, play: Play, post: Post) -> None:
        self.play = play
        self.post = post
        self.game = GameTag(play.row.tag, play.row.kind, play.credentials == CODE)

    # --- to one seat --------------------------------------------------------------------------

    def envelope(self, seat: rows.Seat, event: str) -> Envelope:
        """The envelope of a mail to a seat about what happened at the game's head.

        Its hash tells it from a mail about another head of this number, which was sent before the
        host went back to an older copy of the database: many mailboxes drop what they take for the
        second copy of a mail.
        """
        head = self.play.head
        event = f"{event} {head.hash}"
        return self.post.envelope(address(seat), event, head.number, tag=self.play.row.tag)

    def answer_envelope(self, seat: rows.Seat) -> Envelope:
        """The envelope of the answer to the mail that came in, to a seat's registered address."""
        return self.post.answer_envelope(address(seat), tag=self.play.row.tag)

    def page(self, seat: rows.Seat, since: int | None = None, **notice: Any) -> Page:
        """What a seat may know now, and what happened since its last mail (or since an entry).

        ``notice`` is what else its client should hear of.
        """
        play = self.play
        after = play.told[seat.number] if since is None else since
        events = play.events_since(after)
        happened = told(events, seat.number)
        play.told[seat.number] = play.head.number
        view = play.match.view(seat.number)
        prompt = self._prompt(seat)
        turn = self._document(seat, view=view, prompt=prompt, happened=happened, **notice)
        position = self._position(seat, view, prompt)
        if seat.seal is not None:
            sheet = play.rules.sheet(play.match.view(None))
            position = replace(position, public=Public(sheet, tuple(told(events, None))))
        return Page(position, happened, turn)

    def document(self, seat: rows.Seat, **notice: Any) -> bytes:
        """The attachment for a game that shows no table: proposed, cancelled."""
        return self._document(seat, **notice)

    def _prompt(self, seat: rows.Seat) -> Prompt | None:
        return self.play.match.prompt(seat.number) if self.play.asked(seat.number) else None

    def _position(self, seat: rows.Seat, view: Any, prompt: Prompt | None) -> Position:
        play = self.play
        question = None
        menu: tuple[str, ...] = ()
        if prompt is not None:
            topic = prompt.topic.replace(" ", "-")
            question = Msg(f"{play.row.kind}.ask.{topic}", prompt.values)
            menu = tuple(play.rules.menu(prompt))
        return Position(
            seat.shown,
            tuple(play.names),
            play.rules.sheet(view),
            question,
            menu,
            tuple(play.waiting()),
            deadline=None if prompt is None else self._deadline(seat),
            head=play.head,
            reply=None if prompt is None else self.reply(seat, play.asked(seat.number)),
            exemplary=prompt is not None and prompt.exemplary,
        )

    def reply(self, seat: rows.Seat, question: str) -> Reply | None:
        """The code for a question, where the game takes replies."""
        play, post = self.play, self.post
        if play.credentials != CODE:
            return None
        key = seat.mail_key
        return codes.issue(play.db, post.house, play.row, seat.number, question, key, post.now)

    def _deadline(self, seat: rows.Seat) -> Msg | None:
        """When a seat's open question is due, in its player's zone; None without time control."""
        clocks = self.play.clocks(self.post.now)
        if not clocks.timed:
            return None
        due = clocks.due(seat.number)
        if due is None:
            return say("clock.deadline.paused")
        return shown.deadline(due.deadline, self.post.now, shown.zone_of(seat.zone or "UTC"))

    def _extra(self, seat: rows.Seat, prompt: Prompt | None) -> dict[str, Any]:
        """What a client is told besides: who is waited for, until when, the seat's own standing
        orders; of a game that is over, how it was played."""
        play = self.play
        found: dict[str, Any] = {"waiting": play.waiting(), "standing": []}
        if play.status == GameStatus.FINISHED:
            agreed = json.loads(play.row.rules)
            found["rules"] = {name: agreed[name] for name in REPEATED_RULES if name in agreed}
        if prompt is not None:
            due = play.clocks(self.post.now).due(seat.number)
            found["deadline"] = due.deadline if due else None
        if seat.standing:
            kept = standing.of_seat(play.db, play.row.id, seat.number)
            found["standing"] = [order.to_json() for order in kept]
        return found

    def _document(
        self,
        seat: rows.Seat,
        *,
        view: Any = None,
        prompt: Prompt | None = None,
        happened: Sequence[Msg] = (),
        **notice: Any,
    ) -> bytes:
        play, house = self.play, self.post.house
        begun = play.row.match is not None or play.status == GameStatus.RUNNING
        document = TurnDoc(
            server=house.fingerprint,
            address=house.sender.mail,
            made=self.post.now,
            kind=play.row.kind,
            game=play.row.tag,
            title=texts(language(seat, house))(f"{play.row.kind}.title"),
            seat=seat.number + 1,
            seats=tuple(play.names),
            number=play.match.number if view is not None else 0,
            status=play.status,
            view=view,
            prompt=prompt and {**prompt.to_json(), "id": play.asked(seat.number)},
            events=tuple((id, values) for id, values in map(Msg.to_json, happened)),
            head=play.head if begun else None,
            options=play.options,
            notice=notice or None,
            extra=self._extra(seat, prompt),
        )
        return house.seal(document)

    # --- letters ------------------------------------------------------------------------------

    def answer(self, seat: rows.Seat, lines: Sequence[Line], notices: Sequence[Msg]) -> Letter:
        """The answer to an order: its lines with their results, and what is asked next."""
        envelope = self.answer_envelope(seat)
        notice = {"type": "answer", **self._ending(), **self._messages(notices)}
        page = self.page(seat, lines=_lines(lines), **notice)
        if self.play.status == GameStatus.FINISHED:
            return self._over(envelope, page, transcript=lines, notices=notices)
        return letters.answer(
            envelope,
            self.game,
            page.position,
            transcript=lines,
            notices=notices,
            happened=page.happened,
            turn=page.turn,
        )

    def now(
        self,
        seat: rows.Seat,
        envelope: Envelope,
        since: int | None = None,
        notices: Sequence[Msg] = (),
        commands: Sequence[Command] = (),
    ) -> Letter:
        """Where the game stands, for a seat: its turn, or what there is to see.

        ``notices`` are said first; they tell no secret. ``commands`` go with them.
        """
        page = self.page(seat, since, **self._ending(), **self._messages(notices))
        if self.play.status == GameStatus.FINISHED:
            letter = self._over(envelope, page)
        else:
            write = letters.your_turn if page.position.question else letters.news
            letter = write(
                envelope, self.game, page.position, happened=page.happened, turn=page.turn
            )
        if not notices:
            return letter
        opening = (*letter.opening, *notices)
        return replace(letter, opening=opening, commands=(*letter.commands, *commands))

    def reminder(
        self, seat: rows.Seat, envelope: Envelope, consequence: Msg | None, notices: Sequence[Msg]
    ) -> Letter:
        """The clock of a seat runs out; its question once more."""
        due = self.play.clocks(self.post.now).due(seat.number)
        assert due is not None
        left = shown.length(due.deadline - self.post.now)
        said = [say("clock.reminder.opening", game=self.play.row.tag, left=left), *notices]
        page = self.page(seat, **self._messages(said))
        return clock_letters.reminder(
            envelope,
            self.game,
            page.position,
            left=left,
            consequence=consequence,
            happened=page.happened,
            notices=notices,
            turn=page.turn,
        )

    def notice(
        self,
        seat: rows.Seat,
        envelope: Envelope,
        subject: Msg,
        *opening: Msg,
        commands: Sequence[Command] = (),
    ) -> Letter:
        """News about time, without the table."""
        turn = self.document(seat, type="notice", **self._messages(opening))
        return clock_letters.notice(
            envelope, subject, opening, game=self.game, commands=commands, turn=turn
        )

    def started(self, seat: rows.Seat, envelope: Envelope, notices: Sequence[Msg] = ()) -> Letter:
        """The game begins."""
        page = self.page(seat, type="started", **self._messages(notices))
        letter = letters.started(
            envelope, self.game, page.position, happened=page.happened, turn=page.turn
        )
        return replace(letter, notices=tuple(notices))

    def resigned(self, seat: rows.Seat, envelope: Envelope, player: str) -> Letter:
        """Somebody gave up, which ended the game."""
        assert self.play.result is not None
        winners = list(self.play.result.winners)
        notices = (say("server.resigned.won", n=len(winners), winners=winners),)
        said = (say("mail.resigned.opening", player=player, game=self.play.row.tag), *notices)
        page = self.page(seat, **self._ending(), **self._messages(said))
        letter = letters.resigned(
            envelope,
            self.game,
            player=player,
            position=page.position,
            notices=notices,
            turn=page.turn,
        )
        return replace(
            letter,
            happened=tuple(page.happened),
            facts=(*letter.facts, Fact(say("mail.fact.secret"), self._secret)),
        )

    def _over(
        self,
        envelope: Envelope,
        page: Page,
        transcript: Sequence[Line] = (),
        notices: Sequence[Msg] = (),
    ) -> Letter:
        return letters.over(
            envelope,
            self.game,
            page.position,
            winners=self.play.winners,
            secret=self._secret,
            transcript=transcript,
            notices=notices,
            happened=page.happened,
            turn=page.turn,
        )

    def invitation(self, seat: rows.Seat, envelope: Envelope, host: str) -> Letter:
        """The invitation of a seat, with the commitment to the server's part of the shuffles."""
        committed = fair.commitment(self.play.row.secret)
        letter = letters.invitation(
            envelope,
            self.game,
            host=host,
            players=self.play.names,
            options=[(name, _shown(value)) for name, value in self._agreed().items()],
            commitment=committed,
            own=seat.player_id == self.play.row.creator_id and seat.shown == host,
            turn=self.document(seat, type="invitation", commitment=committed, host=host),
        )
        if not seat.joined:
            letter = replace(letter, invited=self.reply(seat, codes.JOIN))
        if seat.player_id is None:
            how = "by-reply" if self.game.by_reply else "stranger"
            letter = replace(letter, closing=(*letter.closing, say(f"server.invitation.{how}")))
        return letter

    def _agreed(self) -> dict[str, Any]:
        """The options, and the terms about time if there are any."""
        agreed = self.play.clocks(self.post.now).terms
        found = {**self.play.options, **(agreed.rules() if agreed.timed else {})}
        if self.play.credentials != SIGNED:
            found[CREDENTIALS] = self.play.credentials
        return found

    @property
    def _secret(self) -> str:
        return self.play.row.secret.hex()

    def _ending(self) -> dict[str, Any]:
        """What a client is told once the game is over: what opens the commitment."""
        if self.play.status != GameStatus.FINISHED:
            return {}
        return {"type": "result", "secret": self._secret, "winners": list(self.play.winners)}

    def _messages(self, notices: Sequence[Msg]) -> dict[str, Any]:
        return {"messages": [notice.to_json() for notice in notices]} if notices else {}

    # --- to several seats ---------------------------------------------------------------------

    def others(self, answered: rows.Seat | None, acted: Container[int] = ()) -> None:
        """After a move: a mail to every seat but the answered one that is asked something new or
        has ``acted`` by a standing order, and to all of them if the game is over."""
        for seat in self.play.seats:
            if seat == answered:
                continue
            asked = self.play.asked(seat.number)
            if self.play.status == GameStatus.FINISHED:
                self.put(seat, self.now(seat, self.envelope(seat, "over")))
            elif asked and asked != seat.asked:
                self.put(seat, self.now(seat, self.envelope(seat, "turn")))
            elif seat.number in acted:
                self.put(seat, self.now(seat, self.envelope(seat, "acted")))

    def put(self, seat: rows.Seat, letter: Letter) -> str:
        """Post a letter in the seat's language; return its Message-ID."""
        return self.post.put(letter, language(seat, self.post.house))


def address(seat: rows.Seat) -> Address:
    """The registered address of a seat's player, or the one that was invited."""
    if seat.address is None:
        return Address(seat.invited)
    return Address(seat.address, seat.player or "")


def language(seat: rows.Seat, house: House) -> str:
    """The language of a seat's player."""
    return seat.language or house.settings.server.language


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _lines(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [
        {
            "line": line.typed,
            "accepted": line.accepted,
            "why": line.outcome.to_json() if line.outcome else None,
        }
        for line in lines
    ]
