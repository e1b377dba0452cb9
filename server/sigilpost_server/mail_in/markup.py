"""HTML to text in linear time.

The standard `html.parser` takes quadratic time for some malformed input, so this reads tags
itself. It knows only what matters for reading a mail: what breaks a line, what is quoted,
what is not shown.
"""

import html
import re
from collections.abc import Callable

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
# A tag's end, past quoted attribute values, which may hold ">".
_TAG_END = re.compile(r"""[^>"']*+(?:(?:"[^"]*+"|'[^']*+')[^>"']*+)*+>""")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_HUGE_NUMBER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")
_BREAKS = re.compile(
    r"address|article|aside|blockquote|body|br|center|d[dlt]|div|fieldset|figure|footer|form"
    r"|h[1-6r]|header|html|li|main|nav|[ou]l|p|pre|section|table|tbody|tfoot|thead|tr"
)
_CELLS = frozenset(("td", "th"))
_UNSEEN = {
    name: re.compile(rf"</{name}(?![a-z0-9])", re.IGNORECASE)
    for name in ("script", "style", "title", "head", "template")
}
_QUOTES_SHOWN = 3
_CHECK_EVERY = 1024


def _nothing() -> None:
    return None


def to_text(source: str, check_time: Callable[[], None] = _nothing) -> str:
    """Return the text that a browser would show, lines of block quotes led by ``> ``.

    ``check_time`` is called now and then, and may raise.
    """
    return _Reader(source, check_time).read()


def entities(text: str) -> str:
    """Return the text with character references resolved, hostile numbers too."""
    if "&" not in text:
        return text
    return html.unescape(_HUGE_NUMBER.sub("\ufffd", text))


class _Reader:
    def __init__(self, source: str, check_time: Callable[[], None]) -> None:
        self._source = source
        self._check_time = check_time
        self._out: list[str] = []
        self._quotes = 0
        self._pre = 0
        # What was once searched for in vain is not searched for again, or a text of many
        # openings without an end would take quadratic time.
        self._missing: set[str] = set()
        self._quoted_values = True

    def read(self) -> str:
        at = count = 0
        while (markup := _MARKUP.search(self._source, at)) is not None:
            self._text(self._source[at : markup.start()])
            at = self._skip(markup.start())
            count += 1
            if count % _CHECK_EVERY == 0:
                self._check_time()
        self._text(self._source[at:])
        return "".join(self._out)

    def _text(self, text: str) -> None:
        if not text:
            return
        if not self._pre:
            text = _SPACE.sub(" ", text)
        text = entities(text).replace("\xa0", " ")
        if self._quotes and "\n" in text:
            text = text.replace("\n", "\n" + "> " * min(self._quotes, _QUOTES_SHOWN))
        self._out.append(text)

    def _skip(self, start: int) -> int:
        """Deal with the markup at ``start``; return where the text goes on."""
        if self._source.startswith("<!--", start):
            end = self._find("-->", start + 4)
            return start + 4 if end < 0 else end + 3
        name = _NAME.match(self._source, start)
        if name is None:
            end = self._find(">", start)
            return start + 2 if end < 0 else end + 1
        end = self._tag_end(name.end())
        if end < 0:
            # No ">" anywhere below: the rest is text.
            self._out.append(self._source[start : name.end()])
            return name.end()
        return self._tag(name[2].lower(), bool(name[1]), end)

    def _tag_end(self, at: int) -> int:
        if self._quoted_values:
            match = _TAG_END.match(self._source, at)
            if match is not None:
                return match.end()
            # A quote that never closes: from here on quotes mean nothing.
            self._quoted_values = False
        end = self._find(">", at)
        return end + 1 if end >= 0 else -1

    def _tag(self, name: str, closing: bool, end: int) -> int:
        if name in _UNSEEN and not closing:
            return self._unseen(name, end)
        if name in _CELLS and closing:
            self._out.append("\t")
        if _BREAKS.fullmatch(name):
            if name == "blockquote":
                self._quotes = max(0, self._quotes + (-1 if closing else 1))
            elif name == "pre":
                self._pre = max(0, self._pre + (-1 if closing else 1))
            self._out.append("\n" + "> " * min(self._quotes, _QUOTES_SHOWN))
        return end

    def _unseen(self, name: str, start: int) -> int:
        if name in self._missing:
            return start
        match = _UNSEEN[name].search(self._source, start)
        if match is None:
            self._missing.add(name)
            return start
        return match.start()

    def _find(self, needle: str, start: int) -> int:
        if needle in self._missing:
            return -1
        found = self._source.find(needle, start)
        if found < 0:
            self._missing.add(needle)
        return found
