"""Bytes to text, whatever their label says.

Labels are missing, unknown, empty or wrong. Only character sets of mail are believed: the
codec registry also holds transformations whose decoding is no reading of text, or takes
quadratic time.
"""

import codecs
import re

# Families of real character sets; others, such as punycode or unicode_escape, are never used.
_REAL = re.compile(
    r"(?:us-?)?ascii|ansi_x3.*|utf-?(?:7|8|16|32)(?:-?[lb]e)?|utf-?8-?sig|unicode-1-1-utf-[78]"
    r"|(?:iso-?)?8859-?\d+(?:-[ei])?|iso-?(?:8859|ir|2022|646|10646).*|latin-?\d+|l\d"
    r"|(?:windows|cp|ibm|ms)-?\d+|koi8-?[rut]|mac-?[a-z0-9]*|kz-?1048|ptcp154"
    r"|gb-?(?:k|2312|18030).*|hz(?:-gb-2312)?|big5.*|euc-?[a-z]+.*|s(?:hift)?-?_?jis.*"
    r"|ks_?c_?5601.*|johab|uhc|tis-?620|viscii|hp-?roman8"
)
_NAME_MAX = 40
# Labels that mailers write for a charset known under another name.
_ALIASES = {
    "utf8mb4": "utf-8",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "ks_c_5601-1987": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "windows-874": "cp874",
    "windows-31j": "cp932",
    "iso-2022-jp": "iso2022_jp_ext",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Those whose second bytes may be letters, which another reading would take for data.
_MULTIBYTE = ("gb18030", "big5", "cp932", "cp949")
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_IN_WORDS = re.compile(rb"(?<=[A-Za-z0-9])[\x80-\xff]+(?=[A-Za-z0-9])")
_LOOK = 1024
_LOOK_SHARE = 0.2
_ISO_2022 = (b"\x1b$", b"\x1b(")


def codec(label: str) -> str | None:
    """Return the name of the codec for a charset's label, or None if it is not to be used."""
    name = label.strip().strip("\"'").lower()
    if name.startswith("x-"):
        name = name[2:]
    name = _ALIASES.get(name, name)
    if len(name) > _NAME_MAX or not (_REAL.fullmatch(name) or name in _ALIASES.values()):
        return None
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def decode(data: bytes, label: str = "") -> str:
    """Return the text of bytes: as labelled if that can be, else as their look suggests.

    Never raises; what no reading explains becomes the replacement character.
    """
    told = [name for name in (codec(label),) if name and _can_be(name, data)] if label else []
    for name in (*_certain(data), *told, *_guesses(data)):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            continue
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    # UTF-8 that was cut, or has some other bytes appended, is still UTF-8 for the most part.
    if sum(not char.isascii() for char in text) > 2 * wrong:
        return text
    return data.decode("cp1252", "replace")


def _certain(data: bytes) -> list[str]:
    """Return what the bytes themselves say, against any label."""
    names = [name for bom, name in _BOMS if data.startswith(bom)]
    # ASCII letters in UTF-16 have a zero byte on one side; no other charset of mail has any.
    even, odd = data[0:_LOOK:2].count(0), data[1:_LOOK:2].count(0)
    if not names and max(even, odd) > _LOOK_SHARE * len(data[:_LOOK]):
        names.append("utf-16-be" if even > odd else "utf-16-le")
    return names


def _can_be(name: str, data: bytes) -> bool:
    """Whether a label can be true: UTF-16 and UTF-32 write every space and line end with a zero
    byte, and read anything else as letters of the East."""
    return b"\x00" in data or not name.startswith(("utf-16", "utf-32"))


def _guesses(data: bytes) -> list[str]:
    if any(escape in data for escape in _ISO_2022):
        return ["iso2022_jp_ext", "utf-8"]
    return ["utf-8"]


def readings(data: bytes) -> list[str]:
    """Return other ways to read bytes whose label gave nothing useful."""
    texts = [data.decode("latin-1")]
    if not data.isascii():
        texts += [data.decode(name, "replace") for name in _MULTIBYTE]
        # Whatever the charset, what is not ASCII was some space or some dash.
        spaced = _HIGH_IN_WORDS.sub(b" ", data)
        texts += [_HIGH.sub(by, spaced).decode("ascii") for by in (b" ", b"-")]
    if b"\x00" in data:
        texts += [data.decode(name, "replace") for name in ("utf-16-le", "utf-16-be")]
    if b"+AC0" in data:
        texts.append(data.decode("utf-7", "replace"))
    return texts
