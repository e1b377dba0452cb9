"""What a reply orders in a game that takes reply codes: the lines on its top, and its codes.

Only the person's own text on top is read, below what a gateway has put there. It ends at the
first of: a quote and what introduces it, our own line "reply above this line", any line that
begins with a dash, the word ``end``, a rule or copied headers as Outlook has them, a signed
block. A line that ends with a comma goes on in the next; a salutation does not. What people and
mail programs put around a command is taken away: the mark of a list, quotation marks, emphasis, a
full stop, the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sigilpost_engine.core.grammar import tidy
from sigilpost_engine.wire import blocks

from . import banners
from .door import Mail
from .extract import Extract, own_lines

LINES_MAX = 50
LINE_MAX = 200
CODES_MAX = 20
READ_MAX = 32 * 1024
"""Characters of a text in which lines are looked for: nobody's commands are longer."""
GROUPS, GROUP = 3, 4

# Crockford's base 32: no letter is like a figure, and O, I, L are read as the figures they look
# like. Between its groups a code has dashes; in an address it has none.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LOOKS_LIKE = str.maketrans("oil", "011")
_LETTER = r"[0-9a-tv-zA-TV-Z]"
_CODE = re.compile(
    rf"(?<![0-9A-Za-z-])({_LETTER}{{{GROUP}}}(?:-[\s>]*{_LETTER}{{{GROUP}}}){{{GROUPS - 1}}})"
    r"(?![0-9A-Za-z-])"
)
_TOKEN = re.compile(rf"[+-]({_LETTER}{{{GROUPS * GROUP}}})@")
_FIGURE = re.compile(r"[0-9]")
# Three dashes stand in no command of any game; they lead our line "reply above this line".
_ABOVE = re.compile(r"-{3,}")
# What stands above a text that is signed in clear (RFC 9580 section 7).
_CLEAR_SIGNED = re.compile(
    r"\s*-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\r?\n(?:[A-Za-z-]+: [^\n]*\n)*[ \t]*\r?\n"
)
# A line that says nothing but a code, with or without what it is.
_CODE_ALONE = re.compile(rf"(?:[^:]{{1,40}}:)?\W*{_CODE.pattern}\W*")
_CODE_IN_LINE = re.compile(rf"[\s(\[{{<*_]{{0,3}}{_CODE.pattern}[\s)\]}}>*_]{{0,3}}")
_ITEM = re.compile(r"(?:[*•‣·●▪◦]|[0-9]{1,2}[.)]) +")
# What makes words bold or slanted, as mail programs have it in plain text: around a whole line.
_EMPHASIS = re.compile(r"([*_]{1,3})([^*_]+)\1")
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›「」"
_STOPS = ".,;!。"
_SALUTATION_WORDS = 3
_RECIPIENTS = ("To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To")


class Said(NamedTuple):
    """A line of a reply. ``fresh``: a blank line stands above it, so it begins a paragraph.
    ``salutes``: it is the first of several, and looks like a salutation."""

    line: str
    fresh: bool
    salutes: bool = False


class Reply(NamedTuple):
    """The lines that may be commands, and the codes in their normal form, likeliest first."""

    lines: tuple[Said, ...] = ()
    codes: tuple[str, ...] = ()


def recipients(mail: Mail) -> tuple[str, ...]:
    """The values of all headers that say to whom the mail was sent."""
    return tuple(value for name in _RECIPIENTS for value in mail.headers(name))


# ---- codes ---------------------------------------------------------------------------------


def normal(code: str) -> str:
    """The one form of a code, whatever its case, its groups, and letters like figures."""
    return re.sub(r"[^0-9a-z]", "", code.lower()).translate(_LOOKS_LIKE)


def shown(code: str) -> str:
    """A code in its normal form as people see it: ``K7Q2-9FMD-3XWA``."""
    return "-".join(code[at : at + GROUP] for at in range(0, len(code), GROUP)).upper()


def codes(addressed: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """What may be codes: in the addresses that a mail went to, then in its texts; at most 20.

    What has no figure in it is words with dashes between: every code has one.
    """
    found: dict[str, None] = {}
    for match in _matches(addressed, texts):
        if _FIGURE.search(match):
            found[normal(match)] = None
        if len(found) == CODES_MAX:
            break
    return tuple(found)


def _matches(addressed: Iterable[str], texts: Iterable[str]) -> Iterator[str]:
    for value in addressed:
        yield from _TOKEN.findall(value)
    for text in texts:
        yield from _CODE.findall(text)


# ---- lines ---------------------------------------------------------------------------------


def commands(said: Extract) -> tuple[Said, ...]:
    """The lines on top of a mail: from its first text that has any, plain text before HTML."""
    for source in ("plain", "html", "winmail"):
        for text in said.texts:
            if text.source == source and not text.inner:
                lines = _lines(blocks.before_marker(text.text))
                if lines:
                    return lines
    return ()


def _lines(text: str) -> tuple[Said, ...]:
    text = banners.without(text)
    start = _CLEAR_SIGNED.match(text)
    text = text[start.end() :] if start else text
    above = _ABOVE.split(text[:READ_MAX], maxsplit=1)[0]
    found = tuple(islice(_said(list(_joined(own_lines(above)))), LINES_MAX))
    # A code or a signature below it is nothing that a salutation could introduce.
    return found if len(found) > 1 else tuple(each._replace(salutes=False) for each in found)


def _said(lines: Sequence[str]) -> Iterator[Said]:
    tidied = [tidy(line[: 2 * LINE_MAX]) for line in lines]
    kept = [line for line in tidied if not _tells_code(line)]
    salutation = _salutation(kept)
    blank = True
    for number, line in enumerate(kept):
        command = _undressed(line)[:LINE_MAX].rstrip()
        if _ends(command):
            return
        if command:
            yield Said(command, blank, number == salutation)
        blank = not command


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those after a comma joined to the one before; a blank line is never joined."""
    waiting = ""
    for line in lines:
        if waiting and not line:
            yield waiting
            waiting = ""
        whole = f"{waiting} {line}" if waiting else line
        if whole.endswith(","):
            waiting = whole
        else:
            yield whole
            waiting = ""
    if waiting:
        yield waiting


def _salutation(lines: Sequence[str]) -> int:
    """The number of a first paragraph like "Hello Sigilpost,": a few words, a comma or "!", a blank
    line and more below; -1 if there is none."""
    first = next((number for number, line in enumerate(lines) if line), None)
    if first is None or not lines[first].endswith((",", "!")):
        return -1
    short = len(lines[first].split()) <= _SALUTATION_WORDS
    below = lines[first + 1 :]
    return first if short and any(below) and not below[0] else -1


def _tells_code(said: str) -> bool:
    """Whether a line has nothing but a code in it, as somebody writes it who begins a new mail."""
    found = _CODE_ALONE.fullmatch(said)
    return bool(found and _FIGURE.search(found[1]))


def _undressed(said: str) -> str:
    """A command without what people and mail programs put around it."""
    found = _CODE_IN_LINE.search(said)
    if found and _FIGURE.search(found[1]):
        said = f"{said[: found.start()]} {said[found.end() :]}"
    said = said.strip()
    item = _ITEM.match(said)
    said = said[item.end() :] if item else said
    bare = said.rstrip(_STOPS + " ")
    emphasised = _EMPHASIS.fullmatch(bare)
    said = emphasised[2] if emphasised else said
    return " ".join(said.lstrip(_QUOTES).rstrip(_QUOTES + _STOPS + " ").split())


def _ends(command: str) -> bool:
    return command.startswith("-") or command.casefold() == "end"
