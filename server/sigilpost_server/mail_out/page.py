"""A letter in somebody's language: blocks in reading order, which text and HTML both show.

All texts are rendered here, once; the two templates add no word of their own. So the parts of a
mail cannot say different things.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.texts import Texts
from sigilpost_engine.texts.layout import STROKE, Labels, Paragraph, Table, part, tidy
from sigilpost_server.mail_out.letter import Command, Kind, Letter, Line, Position

EXAMPLES = 4
"""So many commands are written out for the shell; the menu below them has them all."""


class Above(NamedTuple):
    """The line that a reply stands above."""

    text: str


class Heading(NamedTuple):
    """A heading."""

    text: str


class Bullets(NamedTuple):
    """A list."""

    items: tuple[str, ...]


class Quote(NamedTuple):
    """A person's own words, by paragraphs, and who says so."""

    speaker: str
    lines: tuple[str, ...]


class Menu(NamedTuple):
    """Lines to type, as they are."""

    lines: tuple[str, ...]


class Commands(NamedTuple):
    """Shell commands, each with what it does ("" if that is plain)."""

    rows: tuple[tuple[str, str], ...]


class Footer(NamedTuple):
    """What stands below the line in every mail."""

    lines: tuple[str, ...]


Block = Above | Paragraph | Heading | Labels | Bullets | Quote | Table | Menu | Commands | Footer


class Page(NamedTuple):
    """A whole mail: language tag, subject without the game's tag, and its blocks."""

    language: str
    subject: str
    blocks: tuple[Block, ...]


def page(letter: Letter, texts: Texts) -> Page:
    """The words of ``letter`` in the language of ``texts``."""
    return _Writer(letter, texts).page()


class _Writer:
    def __init__(self, letter: Letter, texts: Texts) -> None:
        self.letter = letter
        self.texts = texts

    def say(self, message: Msg) -> str:
        """One tidy line."""
        return tidy(self.texts.render(message))

    def all(self, messages: Iterable[Msg]) -> tuple[str, ...]:
        return tuple(map(self.say, messages))

    def page(self) -> Page:
        blocks = (
            *self._above(),
            *self._head(),
            *self._quote(),
            *self._answered(),
            *self._happened(),
            *self._sheet(),
            *self._asked(),
            *self._commands(),
            *map(Paragraph, self.all(self.letter.closing)),
            self._footer(),
        )
        return Page(self.texts.language, self.say(self.letter.subject), blocks)

    def _above(self) -> Iterator[Block]:
        """Nothing below this line is read as a command, whatever a mailer makes of the quote."""
        if self.letter.reply:
            yield Above(f"--- {self.texts('mail.reply.above')} ---")

    def _head(self) -> Iterator[Block]:
        """What may show in a preview: no secret, and long enough that none follows too soon."""
        yield from map(Paragraph, self.all(self.letter.opening))
        rows = tuple(self._facts())
        if rows:
            yield Labels(rows)
        if self.letter.position and self.letter.sealed:
            yield Paragraph(self.texts("keys.sealed.table"))
        elif self.letter.position and self.letter.kind is not Kind.OVER:
            yield Paragraph(self.texts("mail.private", seat=self.letter.position.seat))

    def _facts(self) -> Iterator[tuple[str, str]]:
        letter, position = self.letter, self.letter.position
        if letter.game:
            title = self.say(say(f"{letter.game.name}.title"))
            yield self.texts("mail.fact.game"), f"{letter.game.tag} ({title})"
        if position:
            yield from self._place(position)
        for label, text in letter.facts:
            yield self.say(label), self.say(text) if isinstance(text, Msg) else tidy(text)
        if position and position.head:
            head = f"{position.head.number} {position.head.hash}"
            yield self.texts("mail.fact.head"), head

    def _place(self, position: Position) -> Iterator[tuple[str, str]]:
        yield self.texts("mail.fact.seat"), tidy(position.seat)
        yield self.texts("mail.fact.players"), self._names(position.players)
        if position.waiting:
            yield self.texts("mail.fact.waiting"), self._names(position.waiting)
        if position.deadline:
            yield self.texts("mail.fact.deadline"), self.say(position.deadline)

    def _names(self, names: tuple[str, ...]) -> str:
        return self.say(say("mail.list", items=list(names)))

    def _quote(self) -> Iterator[Block]:
        if self.letter.words:
            lines = (tidy(line) for line in self.letter.words.splitlines())
            speaker = self.texts("mail.says", speaker=self.letter.speaker)
            yield Quote(tidy(speaker), tuple(lines))

    def _answered(self) -> Iterator[Block]:
        letter = self.letter
        if not letter.answers:
            return
        if letter.transcript or letter.notices:
            yield Heading(self.texts("mail.heading.your-mail"))
        if letter.transcript:
            headings = self.texts("mail.column.line"), self.texts("mail.column.result")
            rows = tuple((tidy(line.typed), self._outcome(line)) for line in letter.transcript)
            yield Table(headings, (False, False), rows)
        if letter.notices:
            yield Bullets(self.all(letter.notices))

    def _outcome(self, line: Line) -> str:
        if line.accepted is None:
            return self.texts("mail.line.not-read")
        if not line.accepted:
            return self.say(say("mail.line.refused", why=line.outcome))
        return self.say(line.outcome) if line.outcome else self.texts("mail.line.played")

    def _happened(self) -> Iterator[Block]:
        notices = () if self.letter.answers else self.letter.notices
        if notices or self.letter.happened:
            yield Heading(self.texts("mail.heading.happened"))
            yield Bullets(self.all((*notices, *self.letter.happened)))

    def _sheet(self) -> Iterator[Block]:
        position = self.letter.position.sheet if self.letter.position else ()
        for section in (*position, *self.letter.sheet):
            title, body = part(section, self.texts)
            yield Heading(title)
            yield from body

    def _asked(self) -> Iterator[Block]:
        position, game = self.letter.position, self.letter.game
        if position is None or game is None or position.question is None:
            return
        refused = self.letter.kind is Kind.REFUSED
        yield Heading(self.texts("mail.heading.asked"))
        yield Paragraph(self.say(position.question))
        if position.menu:
            yield Paragraph(self.texts("mail.legal" if refused else "mail.menu"))
            yield Menu(tuple(map(tidy, position.menu)))
            if position.exemplary:
                yield Paragraph(self.texts("core.menu.exemplary"))
            if position.reply is None:
                yield Paragraph(self.texts("mail.how"))
                yield Commands(tuple((line, "") for line in examples(game.tag, position.menu)))
        yield from self._by_reply("mail.reply.how")

    def _by_reply(self, how: str) -> Iterator[Block]:
        """How to answer by a reply. The code stands here and not on top, where it might show in
        a preview."""
        if self.letter.reply:
            yield Paragraph(self.texts(how))
            yield Paragraph(self.texts("mail.reply.code", code=self.letter.reply.code))

    def _commands(self) -> Iterator[Block]:
        if self.letter.commands:
            yield Heading(self.texts("mail.heading.commands"))
            yield Commands(tuple((line, self.say(does)) for line, does in self.letter.commands))
        if self.letter.invited:
            yield from self._by_reply("mail.reply.join")

    def _footer(self) -> Footer:
        address = self.letter.envelope.sender.mail
        return Footer(
            self.all((say(f"mail.footer.{self._counting()}"), say("mail.footer.help", to=address)))
        )

    def _counting(self) -> str:
        """What of an answer counts: what is signed, a reply, or no reply to this very mail."""
        if not self.letter.replies_count:
            return "signed"
        return "code" if self.letter.game or self.letter.reply else "no-game"


def examples(tag: str, menu: tuple[str, ...]) -> list[str]:
    """The shell commands for the first line of ``menu`` with each of its command words."""
    found: dict[str, str] = {}
    for line in menu:
        example = tidy(line).split(STROKE)[0]
        found.setdefault(example.split(" ")[0], move_command(tag, example))
    return list(found.values())[:EXAMPLES]


def move_command(tag: str, line: str) -> str:
    """``sigil move weaver-7k2q "claim A with ASHW 3"``, quoted for any shell."""
    quoted = shlex.quote(line) if set(line) & set('"\\$`!') else f'"{line}"'
    return f"sigil move {tag} {quoted}"


__all__ = ["Block", "Command", "Page", "examples", "move_command", "page"]
