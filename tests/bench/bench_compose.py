"""Writing mails: a whole turn mail from its letter to bytes, and each step of it.

The floor of the whole is what the machine needs for the parts that nobody can leave out: the
two templates and one flat MIME message.
"""

from __future__ import annotations

from collections.abc import Callable
from email import policy
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import partial

from sigilpost_engine.texts import Texts
from sigilpost_server.mail_out import headers
from sigilpost_server.mail_out.compose import Composer
from sigilpost_server.mail_out.letter import Letter
from sigilpost_server.mail_out.page import page
from tests.server.mail_out.samples import GAME, every_kind

from .rows import Row, median_seconds

TIMES = 200


def run() -> list[Row]:
    """Milliseconds a mail."""
    composer, texts, letter = Composer(), Texts(), every_kind()["turn"]
    words = page(letter, texts)
    text, html = composer.text(words), composer.html(words)
    subject = (letter.envelope, words.subject, GAME.tag, "en")
    templates = _each(lambda: (composer.text(words), composer.html(words)))
    flat = _each(lambda: composer.pack(letter, words, text, html))
    return [
        _row("page: all words of a turn mail", _each(lambda: page(letter, texts))),
        _row("text template", _each(lambda: composer.text(words))),
        _row("HTML template", _each(lambda: composer.html(words))),
        _row("header fields", _each(lambda: headers.fields(*subject))),
        _row("MIME: our own writer, headers included", flat),
        _row("MIME: standard library, compat32", _each(lambda: _compat32(letter, text, html))),
        _row("MIME: standard library, policy.SMTP", _each(lambda: _smtp(letter, text, html), 20)),
        Row(
            "a turn mail from letter to bytes",
            _each(lambda: composer.compose(letter, texts)),
            "ms",
            floor=templates + flat,
            goal="< 1",
        ),
        *(
            _row(f"a mail of kind {name}", _each(partial(composer.compose, each, texts)))
            for name, each in every_kind().items()
            if name in ("started", "partial", "over", "chat", "error")
        ),
    ]


def _row(name: str, value: float) -> Row:
    return Row(name, value, "ms")


def _each(work: Callable[[], object], times: int = TIMES) -> float:
    def many() -> None:
        for _ in range(times):
            work()

    return median_seconds(many) / times * 1e3


def _compat32(letter: Letter, text: str, html: str) -> bytes:
    outer, inner = MIMEMultipart("mixed"), MIMEMultipart("alternative")
    outer["From"], outer["To"] = letter.envelope.sender.mail, letter.envelope.to.mail
    outer["Message-ID"], outer["Subject"] = letter.envelope.message_id, "[weaver-7k2q] Your turn"
    inner.attach(MIMEText(text, "plain", "utf-8"))
    inner.attach(MIMEText(html, "html", "us-ascii"))
    outer.attach(inner)
    outer.attach(MIMEApplication(letter.turn or b"", "vnd.sigilpost.turn+json"))
    return outer.as_bytes()


def _smtp(letter: Letter, text: str, html: str) -> bytes:
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = letter.envelope.sender.mail, letter.envelope.to.mail
    mail["Message-ID"], mail["Subject"] = letter.envelope.message_id, "[weaver-7k2q] Your turn"
    mail.set_content(text)
    mail.add_alternative(html, subtype="html")
    mail.add_attachment(letter.turn or b"", "application", "vnd.sigilpost.turn+json")
    return mail.as_bytes()
