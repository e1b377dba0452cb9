"""What a mail program makes of a mail: its headers, its parts, and the words on the screen."""

from __future__ import annotations

import re
from collections import Counter
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import Message
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img"}
_WORD = re.compile(r"\S*[^\W_]\S*")


def parsed(mail: bytes) -> Message:
    """The mail as the old parser reads it."""
    return message_from_bytes(mail, policy=policy.compat32)


def header(mail: bytes, name: str) -> str:
    """A header field, unfolded and decoded; fails unless it occurs exactly once."""
    values = parsed(mail).get_all(name) or []
    assert len(values) == 1, f"{name}: {values}"
    return str(make_header(decode_header(re.sub(r"\r?\n", "", values[0]))))


def leaves(mail: bytes) -> dict[str, str]:
    """The text of each text part, by its type; line ends as ``\\n``."""
    found = {}
    for part in parsed(mail).walk():
        if part.get_content_maintype() == "text":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            charset = part.get_content_charset() or "us-ascii"
            found[part.get_content_type()] = payload.decode(charset).replace("\r\n", "\n")
    return found


class Screen(HTMLParser):
    """Collects what an HTML page shows, and checks that its tags are well nested."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag not in ("code", "a", "b", "i"):
            self.shown.append(" ")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"
        self.shown.append(" ")

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.shown.append(data)

    @property
    def text(self) -> str:
        """All that shows, as one line."""
        return " ".join("".join(self.shown).split())


def words(text: str) -> Counter[str]:
    """The words of a text, rules and bullets left out."""
    return Counter(_WORD.findall(text))
