"""The texts in a ``winmail.dat``: TNEF, as Outlook sends it to those who cannot read it.

[MS-OXTNEF] section 2.1: a signature, a key, and attributes of level, id, length, data and
checksum. Read are the plain body, the attached files that are text, and of the MAPI
properties (section 2.1.3.4) the plain, HTML and compressed RTF bodies ([MS-OXRTFCP]).
"""

import re
from collections.abc import Callable, Iterator

from . import charsets, markup

_SIGNATURE = (0x223E9F78).to_bytes(4, "little")
_BODY = 0x0002800C
_MAPI = 0x00069003
_ATTACHED = 0x0006800F
_PR_BODY, _PR_RTF, _PR_HTML = 0x1000, 0x1009, 0x1013

# Sizes of property types with a fixed one, padded to four bytes.
_FIXED = {0x0002: 4, 0x0003: 4, 0x0004: 4, 0x000A: 4, 0x000B: 4}
_FIXED |= {0x0005: 8, 0x0006: 8, 0x0007: 8, 0x0014: 8, 0x0040: 8, 0x0048: 16}
_VARIABLE = frozenset((0x000D, 0x001E, 0x001F, 0x0102))
_MULTIPLE = 0x1000
_UNICODE = 0x001F

# The dictionary that compressed RTF starts with ([MS-OXRTFCP] section 2.1.2.1).
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096
_TEXT_MAX = 2 * 1024 * 1024

# A character by its byte, one by its number with a fallback to skip, a word, a symbol, a group.
_RTF = re.compile(
    r"\\'([0-9a-fA-F]{2})"
    r"|\\u(-?[0-9]{1,5})(?: |(?![0-9]))(?:\\'[0-9a-fA-F]{2}|[^\\{}\r\n])?"
    r"|\\([a-zA-Z]{1,32})(?:-?[0-9]{1,10})? ?"
    r"|\\([^a-zA-Z'])|[{}]|[\r\n]+"
)
_RTF_WORDS = dict.fromkeys(("par", "line", "row", "page", "sect"), "\n")
_RTF_WORDS |= {"tab": "\t", "endash": "-", "emdash": "-"}
_RTF_SYMBOLS = {"~": " ", "_": "-", "-": "", "|": "", ":": ""}
_RTF_HIDDEN = frozenset(("fonttbl", "colortbl", "stylesheet", "info", "pict", "object"))
_CHECK_EVERY = 1024


class Broken(ValueError):
    """The bytes are no TNEF, or end too early."""


def texts(data: bytes, check_time: Callable[[], None] = lambda: None) -> list[str]:
    """Return the texts of a TNEF stream, those before a break in it included."""
    found: list[str] = []
    try:
        for number, value in _attributes(data):
            check_time()
            if number == _BODY or (number == _ATTACHED and b"\x00" not in value):
                found.append(charsets.decode(value.rstrip(b"\x00")))
            elif number == _MAPI:
                found += _bodies(value, check_time)
    except Broken:
        pass
    return [text for text in found if text.strip()]


class _Cursor:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def take(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + size]
        if len(piece) < size:
            raise Broken("ends too early")
        self.at += size
        return piece

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "little")

    def padded(self, size: int) -> bytes:
        piece = self.take(size)
        self.at += -size % 4
        return piece

    @property
    def more(self) -> bool:
        return self.at < len(self.data)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    cursor = _Cursor(data)
    if cursor.take(4) != _SIGNATURE:
        raise Broken("not TNEF")
    cursor.take(2)
    while cursor.more:
        cursor.take(1)
        number = cursor.number()
        yield number, cursor.take(cursor.number())
        cursor.take(2)


def _bodies(data: bytes, check_time: Callable[[], None]) -> Iterator[str]:
    for number, kind, value in _properties(data):
        check_time()
        if number == _PR_BODY:
            yield charsets.decode(value, "utf-16-le" if kind == _UNICODE else "").rstrip("\x00")
        elif number == _PR_HTML:
            yield markup.to_text(charsets.decode(value), check_time)
        elif number == _PR_RTF:
            yield rtf_text(decompress(value, check_time), check_time)


def _properties(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Iterate over properties as (id, type, value); a list of values gives its last."""
    cursor = _Cursor(data)
    for _ in range(cursor.number()):
        kind, number = cursor.number(2), cursor.number(2)
        if number >= 0x8000:
            _skip_name(cursor)
        many, kind = bool(kind & _MULTIPLE), kind & ~_MULTIPLE
        value = b""
        count = cursor.number() if many or kind in _VARIABLE else 1
        for _ in range(count):
            if kind in _VARIABLE:
                value = cursor.padded(cursor.number())
            elif kind in _FIXED:
                value = cursor.take(_FIXED[kind])
            else:
                raise Broken("a property of unknown type")
        yield number, kind, value


def _skip_name(cursor: _Cursor) -> None:
    cursor.take(16)
    if cursor.number() == 0:
        cursor.take(4)
    else:
        cursor.padded(cursor.number())


def decompress(data: bytes, check_time: Callable[[], None] = lambda: None) -> bytes:
    """Return the RTF of a compressed one; raise `Broken`. At most 2 MB come out."""
    cursor = _Cursor(data)
    cursor.take(4)
    size = min(cursor.number(), _TEXT_MAX)
    method = cursor.take(4)
    cursor.take(4)
    if method == b"MELA":
        return cursor.data[cursor.at : cursor.at + size]
    if method != b"LZFu":
        raise Broken("an unknown compression")
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b"\x00"))
    write = len(_DICTIONARY)
    out = bytearray()
    while cursor.more and len(out) < size:
        check_time()
        flags = cursor.number(1)
        for bit in range(8):
            if not cursor.more:
                break
            if flags >> bit & 1:
                token = int.from_bytes(cursor.take(2), "big")
                read, length = token >> 4, (token & 0xF) + 2
                if read == write:
                    return bytes(out)
            else:
                read, length = -1, 1
            for step in range(length):
                byte = cursor.number(1) if read < 0 else window[(read + step) % _WINDOW]
                out.append(byte)
                window[write] = byte
                write = (write + 1) % _WINDOW
    return bytes(out)


def rtf_text(data: bytes, check_time: Callable[[], None] = lambda: None) -> str:
    """Return the text of RTF: its words without tables of fonts and the like, in lines."""
    source = data[:_TEXT_MAX].decode("cp1252", "replace")
    out: list[str] = []
    depth = hidden = at = 0
    for count, token in enumerate(_RTF.finditer(source)):
        if count % _CHECK_EVERY == 0:
            check_time()
        if not hidden:
            out.append(source[at : token.start()])
        at = token.end()
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            hidden = 0 if hidden == depth else hidden
            depth -= 1
        elif not hidden and (token[3] in _RTF_HIDDEN or token[4] == "*"):
            hidden = depth
        elif not hidden:
            out.append(_rtf_token(token))
    return "".join(out) + ("" if hidden else source[at:])


def _rtf_token(match: re.Match[str]) -> str:
    """Return what a control word, a symbol or a line break of RTF stands for."""
    byte, number, word, symbol = match.groups()
    if byte:
        return bytes.fromhex(byte).decode("cp1252", "replace")
    if number:
        code = int(number) % 0x10000
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    return _RTF_WORDS.get(word, "") if word else _RTF_SYMBOLS.get(symbol, symbol or "")
