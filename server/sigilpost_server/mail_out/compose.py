"""Letters to bytes: the words of a page, set by two templates, packed as MIME.

Templates are looked for in the host's own folder, in the installed package, and in the
repository; in each of them ``<language>/mail.html.j2`` comes before ``mail.html.j2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from sigilpost_engine.texts import Texts, layout
from sigilpost_engine.wire.turn import FILE_NAME, MEDIA_TYPE
from sigilpost_server.mail_out import headers, mime
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.mail_out.page import Page, page

_PACKAGE = Path(__file__).resolve().parent.parent


class Composer:
    """Writes mails. Keep one: its templates are compiled once for each language.

    ``folder`` holds templates of the host's own; what is not there comes with the program.
    """

    def __init__(self, folder: Path | None = None) -> None:
        own = [folder] if folder else []
        places = [*own, _PACKAGE / "templates", _PACKAGE.parent.parent / "templates"]
        self._environment = _environment(places)
        self._chosen: dict[tuple[str, str], Template] = {}

    def compose(self, letter: Letter, texts: Texts) -> bytes:
        """The whole mail. Equal letters give equal bytes.

        Raises `headers.BadHeader` if the letter's envelope is malformed.
        """
        words = page(letter, texts)
        return self.pack(letter, words, self.text(words), self.html(words))

    def pack(self, letter: Letter, words: Page, text: str, html: str) -> bytes:
        """Both parts of a page, the attachments and the headers as one mail."""
        envelope = letter.envelope
        if letter.reply and letter.reply.address:
            envelope = replace(envelope, reply_to=letter.reply.address)
        tag = letter.game.tag if letter.game else ""
        head = headers.fields(envelope, words.subject, tag, words.language)
        parts = [mime.text_part("plain", text), mime.text_part("html", html)]
        body = mime.multipart("alternative", parts, envelope.message_id)
        files = list(_files(letter))
        if files:
            body = mime.multipart("mixed", [body, *files], envelope.message_id)
        return (mime.CRLF.join(head) + mime.CRLF + body).encode("utf-8")

    def plain(self, letter: Letter, texts: Texts) -> str:
        """The text part alone: for previews, and for tests of what a mail says."""
        return self.text(page(letter, texts))

    def text(self, words: Page) -> str:
        """The text part: 78 columns, lines that end with ``\\n``."""
        return self._render("mail.txt.j2", words).strip("\n") + "\n"

    def html(self, words: Page) -> str:
        """The HTML part. ASCII: other characters are references, so any mailer can carry it."""
        markup = self._render("mail.html.j2", words)
        return markup.encode("ascii", "xmlcharrefreplace").decode("ascii") + "\n"

    def _render(self, name: str, words: Page) -> str:
        blocks = [(type(block).__name__, block) for block in words.blocks]
        return self._template(words.language, name).render(page=words, blocks=blocks)

    def _template(self, language: str, name: str) -> Template:
        found = self._chosen.get((language, name))
        if found is None:
            found = self._environment.select_template([f"{language}/{name}", name])
            self._chosen[language, name] = found
        return found


def _files(letter: Letter) -> Iterator[str]:
    if letter.turn is not None:
        yield mime.file_part(FILE_NAME, MEDIA_TYPE, letter.turn)
    for enclosure in letter.enclosures:
        yield mime.file_part(*enclosure)


def _environment(places: list[Path]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(places),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        auto_reload=False,
    )
    # Filters, not functions: Jinja calls those without a look at what they are.
    environment.filters |= {
        "zip": zip,
        "heading": lambda text: "\n".join(layout.heading(text)),
        "bullets": lambda items: "\n".join(layout.bullets(items)),
        "lines": lambda block: "\n".join(layout.lines(block)),
        "paragraph": lambda text: "\n".join(layout.wrap(text)),
        "paragraphs": _paragraphs,
        "quote": lambda items: _paragraphs(items, "> "),
        "menu": _menu,
        "commands": _commands,
    }
    return environment


def _paragraphs(items: Iterable[str], prefix: str = "") -> str:
    wrapped = (layout.wrap(item, first=prefix, rest=prefix) for item in items)
    return "\n".join(chain.from_iterable(wrapped))


def _menu(items: Iterable[str]) -> str:
    wrapped = (layout.alternatives(item, first="  ", rest="      ") for item in items)
    return "\n".join(chain.from_iterable(wrapped))


def _commands(rows: Iterable[tuple[str, str]]) -> str:
    lines = []
    for line, does in rows:
        lines += layout.wrap(line, first="  ", rest="      ")
        if does:
            lines += layout.wrap(does, first="      ", rest="      ")
    return "\n".join(lines)


@cache
def _default() -> Composer:
    return Composer()


def compose(letter: Letter, texts: Texts) -> bytes:
    """The whole mail, by the program's own templates. See `Composer.compose`."""
    return _default().compose(letter, texts)


def plain(letter: Letter, texts: Texts) -> str:
    """The text part alone. See `Composer.plain`."""
    return _default().plain(letter, texts)


__all__ = ["Composer", "compose", "plain"]
