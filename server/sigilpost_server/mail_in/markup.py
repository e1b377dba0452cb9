"""HTML to text in linear time.

The standard `html.parser` takes quadratic time for some malformed input, so this reads tags
itself. It knows only what matters for reading a mail: what breaks a line, what is quoted,
what is not shown.
"""

import html
import re
from collections.abc import Callable

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_START = r"<(/?)([A-Za-z][A-Za-z0-9]*+)"
# A tag, past quoted attribute values, which may hold ">"; and one where quotes mean nothing.
_TAG = re.compile(_START + r"""[^>"']*+(?:(?:"[^"]*+"|'[^']*+')[^>"']*+)*+>""")
_LOOSE_TAG = re.compile(_START + r"[^>]*+>")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
# Stand for a line break, and for white space that is kept, until the rest is collapsed.
_BREAK, _BLANK, _TAB = "\x00", "\x01", "\x02"
_PLACES = str.maketrans({_BREAK: None, _BLANK: None, _TAB: None})
_KEPT = str.maketrans({" ": _BLANK, "\t": _TAB})
_SHOWN = str.maketrans({_BREAK: "\n", _BLANK: " ", _TAB: "\t", "\xa0": " "})
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
        self._source = source.translate(_PLACES)
        self._check_time = check_time
        self._out: list[str] = []
        self._break = _BREAK
        self._quotes = 0
        self._pre = 0
        self._tag = _TAG
        # What was once searched for in vain is not searched for again, or a text of many
        # openings without an end would take quadratic time.
        self._missing: set[str] = set()

    def read(self) -> str:
        source = self._source
        at = count = 0
        while (start := source.find("<", at)) >= 0:
            if start > at:
                self._text(source[at:start])
            tag = self._tag.match(source, start)
            at = self._enter(tag) if tag else self._other(start)
            count += 1
            if count % _CHECK_EVERY == 0:
                self._check_time()
        self._text(source[at:])
        return entities(_SPACE.sub(" ", "".join(self._out))).translate(_SHOWN)

    def _text(self, text: str) -> None:
        if self._pre:
            text = text.translate(_KEPT).replace("\r\n", "\n").replace("\n", self._break)
        self._out.append(text)

    def _enter(self, tag: re.Match[str]) -> int:
        """Deal with a whole tag; return where the text goes on."""
        name, closing = tag[2].lower(), bool(tag[1])
        if name in _UNSEEN and not closing:
            return self._unseen(name, tag.end())
        if name in _CELLS and closing:
            self._out.append(_TAB)
        elif _BREAKS.fullmatch(name):
            step = -1 if closing else 1
            if name == "blockquote":
                self._quotes = max(0, self._quotes + step)
                self._break = _BREAK + "> " * min(self._quotes, _QUOTES_SHOWN)
            elif name == "pre":
                self._pre = max(0, self._pre + step)
            self._out.append(self._break)
        return tag.end()

    def _other(self, start: int) -> int:
        """Deal with a "<" that begins no whole tag; return where the text goes on."""
        source = self._source
        if source.startswith("<!--", start):
            end = self._find("-->", start + 4)
            return start + 4 if end < 0 else end + 3
        if source.startswith(("<!", "<?", "</"), start):
            end = self._find(">", start)
            return start + 2 if end < 0 else end + 1
        if self._tag is _TAG and _MARKUP.match(source, start) and self._find(">", start) >= 0:
            # A quote that never closes: from here on quotes mean nothing.
            self._tag = _LOOSE_TAG
            return start
        following = _MARKUP.search(source, start + 1) if self._find(">", start) >= 0 else None
        end = following.start() if following else len(source)
        self._text(source[start:end])
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
