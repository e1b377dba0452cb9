"""What a mail says: all its texts, the signed blocks in them, the words a person wrote above.

Read are all text leaves, attached text files, forwarded and attached messages, the text in
``winmail.dat`` and in opaquely signed S/MIME. Labels may lie: where the texts as labelled
hold no intact block, other readings of the same bytes are tried.
"""

import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from sigilpost_engine.wire import blocks
from sigilpost_engine.wire.blocks import Candidate

from . import charsets, flowed, markup, tnef
from .door import Budget, Mail, OverLimit, Part, Refused, leaves, parse

_FILE_NAMES = (".txt", ".asc", ".text", ".md", ".htm", ".html", ".rtf", ".log")
_HTML_NAMES = (".htm", ".html")
_HTML = ("text/html", "application/xhtml+xml", "text/enriched")
_RTF = ("text/rtf", "application/rtf")
# Texts that programs write for programs: the protected headers of signed mail (RFC 9788, and what
# was there before), invitations, address cards. Nobody's words stand in them.
_NO_WORDS = frozenset(
    f"text/{name}"
    for name in ("rfc822-headers", "calendar", "vcard", "x-vcard", "directory", "css", "csv", "xml")
) | {"text/x-amp-html", "text/javascript"}
_OPAQUE = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
_SHORT = 64
_NEVER_TEXT = ("image", "audio", "video", "font")
_RESCUE_MAX = 256 * 1024
_RESCUE_TOTAL = 512 * 1024
# The word that is in every marker, once all but letters is taken away.
_MARKED = re.compile(rb"sigil", re.IGNORECASE)
_NO_LETTERS = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
_QUOTED_PRINTABLE = re.compile(rb"=(?:\r?\n|[0-9A-Fa-f]{2})")
_UUENCODE = ("x-uuencode", "uuencode", "x-uue", "uue")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_BASE64 = re.compile(rb"[A-Za-z0-9+/=\s]+")
# A line of several words, quoted or not.
_WORDS = re.compile(rb"^[ \t>]*+[^\s>]++[ \t]++\S", re.MULTILINE)
_LOOKS_LIKE_HTML = re.compile(r"<(?:html|body|div|p|br|span|table|pre)\b|&(?:nbsp|#\d+);", re.I)
_INNER_HEADER = re.compile(rb"(?:content-type|mime-version):", re.IGNORECASE)


class Text(NamedTuple):
    """One text of a mail, cleaned (`blocks.clean`).

    ``source`` is ``plain``, ``html``, ``attached`` or ``winmail``; ``inner`` tells that it
    is part of a forwarded or attached message.
    """

    source: str
    text: str
    inner: bool


class _Leaf(NamedTuple):
    """A leaf kept for other readings; its decoded bytes, or None for a file of unknown kind."""

    part: Part
    data: bytes | None
    is_html: bool


@dataclass
class Extract:
    """The texts of a mail in their order; blocks are looked for when first asked for."""

    texts: tuple[Text, ...]
    budget: Budget
    _leaves: list[_Leaf] = field(default_factory=list, repr=False)

    @property
    def blank(self) -> bool:
        """Whether there is no text at all."""
        return not any(text.text.strip() for text in self.texts)

    @cached_property
    def _found(self) -> tuple[list[Candidate], tuple[Text, ...]]:
        found = blocks.find(text.text for text in self.texts)
        if any(candidate.block for candidate in found):
            return found, self.texts
        rescues = tuple(self._rescues())
        rescued = blocks.find(text.text for text in rescues)
        if any(candidate.block for candidate in rescued):
            return rescued, rescues
        return found or rescued, self.texts if found else rescues

    @property
    def blocks(self) -> list[Candidate]:
        """The blocks of the mail, damaged ones among them; at most 50."""
        return self._found[0]

    def words_above(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the lines that a person wrote above a block.

        Quotes, blank lines and other blocks are left out.
        """
        text = self._found[1][candidate.text].text[: candidate.start]
        return own_words(blocks.outside(text), below_quotes=True)

    @property
    def words(self) -> tuple[str, ...]:
        """The lines that a person wrote at the top of the mail, above any quote and block.

        From the first plain text that has any, else from the first HTML text.
        """
        for source in ("plain", "html", "winmail"):
            for text in self.texts:
                if text.source == source and not text.inner:
                    words = own_words(blocks.before_marker(text.text))
                    if words:
                        return words
        return ()

    def _rescues(self) -> Iterator[Text]:
        left = _RESCUE_TOTAL
        for leaf in self._leaves:
            left -= len(leaf.part.body)
            if left < 0:
                return
            for reading in _other_readings(leaf):
                self.budget.check_time()
                text = blocks.clean(reading)
                yield Text("plain", text, inner=False)
                if leaf.is_html or _LOOKS_LIKE_HTML.search(text):
                    shown = markup.to_text(text, self.budget.check_time)
                    yield Text("html", blocks.clean(shown), inner=False)


def extract(mail: Mail) -> Extract | Refused:
    """Return what a mail says, or the reason why it is not read. Raises nothing."""
    try:
        texts: list[Text] = []
        kept: list[_Leaf] = []
        for text in _texts(mail.root, mail.budget, kept, inner=False):
            texts.append(text._replace(text=blocks.clean(text.text)))
        result = Extract(tuple(texts), mail.budget, kept)
        _ = result.blocks
        return result
    except OverLimit as over:
        return Refused(over.reason, "", mail.digest, mail)
    except Exception as error:
        # As at the door: one mail harms only itself.
        return Refused("unparsable-mail", type(error).__name__, mail.digest, mail)


# ---- leaves --------------------------------------------------------------------------------


def _texts(root: Part, budget: Budget, kept: list[_Leaf], *, inner: bool) -> Iterator[Text]:
    for part in leaves(root):
        yield from _leaf_texts(part, budget, kept, inner=inner or _in_message(part))


def _in_message(part: Part) -> bool:
    """Tell whether a part lies in a forwarded message."""
    above = part.above
    while above is not None and above.get_content_maintype() != "message":
        above = above.above
    return above is not None


def _leaf_texts(part: Part, budget: Budget, kept: list[_Leaf], *, inner: bool) -> Iterator[Text]:
    kind, name = part.get_content_type(), _file_name(part)
    if kind in _TNEF or name == "winmail.dat":
        for text in tnef.texts(_decoded(part, budget), budget.check_time):
            budget.text(len(text))
            yield Text("winmail", text, inner)
    elif kind in _OPAQUE or name == "smime.p7m":
        yield from _opaque(part, budget, kept, inner=inner)
    elif name.endswith(".eml"):
        yield from _nested(_decoded(part, budget), part.depth, budget, kept)
    elif (message := _encoded_message(part)) is not None:
        yield from _nested(message, part.depth, budget, kept)
    elif (
        part.get_content_maintype() in ("text", "multipart")
        or kind in _HTML + _RTF
        or name.endswith(_FILE_NAMES)
    ):
        yield _text(part, kind, name, budget, kept, inner=inner)
    elif part.get_content_maintype() not in _NEVER_TEXT and len(part.body) <= _RESCUE_MAX:
        kept.append(_Leaf(part, None, False))


def _text(
    part: Part, kind: str, name: str, budget: Budget, kept: list[_Leaf], *, inner: bool
) -> Text:
    data = _decoded(part, budget)
    budget.text(len(data))
    is_html = kind in _HTML or (kind != "text/plain" and name.endswith(_HTML_NAMES))
    kept.append(_Leaf(part, data, is_html))
    if kind in _RTF or name.endswith(".rtf"):
        text = tnef.rtf_text(data, budget.check_time)
    else:
        text = charsets.decode(data, _parameter(part, "charset"))
    if is_html:
        text = markup.to_text(text, budget.check_time)
    elif _parameter(part, "format").lower() == "flowed":
        text = flowed.join(text, delsp=_parameter(part, "delsp").lower() == "yes")
    attached = bool(name) or kind in _NO_WORDS or part.get_content_disposition() == "attachment"
    return Text("attached" if attached else "html" if is_html else "plain", text, inner)


def _decoded(part: Part, budget: Budget) -> bytes:
    """Return a leaf's bytes after its transfer encoding."""
    budget.check_time()
    return _transfer_decoded(part, part.raw_body)


def _transfer_decoded(part: Part, raw: bytes) -> bytes:
    """Undo a part's Content-Transfer-Encoding (RFC 2045 section 6), however broken; never raise."""
    label = part.first("content-transfer-encoding").partition(";")[0].strip().lower()
    if label == "quoted-printable":
        return binascii.a2b_qp(raw)
    if label == "base64":
        return _base64_or_clear(raw)
    if label in _UUENCODE:
        return b"".join(_uudecoded(raw))
    return raw


def _base64_or_clear(data: bytes) -> bytes:
    """Decode base64 up to a footer in clear; nothing, where all was decoded on the way."""
    words = _WORDS.search(data)
    if words is None:
        return _base64(data)
    encoded = data[: words.start()]
    return _base64(encoded) if encoded.strip(b" \t\r\n>") else data


def _base64(data: bytes) -> bytes:
    # Characters outside the alphabet are skipped and reading ends at the padding.
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        letters = _NOT_BASE64.sub(b"", data.partition(b"=")[0])
        return binascii.a2b_base64(letters[: len(letters) // 4 * 4])


def _uudecoded(data: bytes) -> Iterator[bytes]:
    for line in data.splitlines():
        if not line.startswith((b"begin ", b"end")):
            try:
                yield binascii.a2b_uu(line)
            except binascii.Error:
                continue


def _nested(
    data: bytes, depth: int, budget: Budget, kept: list[_Leaf], *, inner: bool = True
) -> Iterator[Text]:
    yield from _texts(parse(data, budget, depth + 1), budget, kept, inner=inner)


def _encoded_message(part: Part) -> bytes | None:
    """Return the bytes of a forwarded message that was encoded, if this leaf is from one.

    RFC 2046 section 5.2.1 forbids to encode one, and some mailers do: to the parser the
    inner message then seems to have no headers and one unreadable body.
    """
    above = part.above
    if above is None or above.get_content_maintype() != "message" or part.keys():
        return None
    data = _transfer_decoded(above, part.raw_body)
    return data if data != part.raw_body else None


def _opaque(part: Part, budget: Budget, kept: list[_Leaf], *, inner: bool) -> Iterator[Text]:
    """Read the MIME entity that lies in clear inside signed-only CMS (RFC 8551 section 3.5.2).

    It is the mail's own text, not one of another mail.
    """
    data = _decoded(part, budget)
    start = _INNER_HEADER.search(data)
    if start is not None:
        yield from _nested(data[start.start() :], part.depth, budget, kept, inner=inner)


def _file_name(part: Part) -> str:
    name = _parameter(part, "filename", "content-disposition") or _parameter(part, "name")
    return name.strip().lower()


def _parameter(part: Part, name: str, header: str = "content-type") -> str:
    """Return a header's parameter as text, or ""; RFC 2231's forms included."""
    value = part.get_param(name, "", header)
    if isinstance(value, tuple):
        value = value[2]
    return str(value or "")


# ---- other readings ------------------------------------------------------------------------


def _other_readings(leaf: _Leaf) -> Iterator[str]:
    raw = leaf.part.raw_body
    sources = [raw, _transfer_decoded(leaf.part, raw) if leaf.data is None else leaf.data]
    if _QUOTED_PRINTABLE.search(raw):
        sources.append(binascii.a2b_qp(raw))
    if len(raw) > _SHORT and _BASE64.fullmatch(raw):
        sources.append(_base64(raw))
    for data in dict.fromkeys(sources):
        if _MARKED.search(data.translate(None, _NO_LETTERS)):
            yield charsets.decode(data)
            yield from charsets.readings(data)


# ---- a person's own words ------------------------------------------------------------------

_HEADER_LINE = re.compile(r"\s*\*?[^\W\d_][^:\n]{0,30}:\*?\s+\S")
_RULE = re.compile(r"\s*(?:_{10,}|-{3,}[^-\n]{3,60}-{3,})\s*")
_SIGNATURE = re.compile(r"\s*--\s*")
_SOFT_HYPHEN = "\u00ad"
ATTRIBUTION_END = (":", "：")
_ATTRIBUTION_LINES = 3
# When the quoted mail was written, as far as every language has it: a year, or a time of day.
_WHEN = re.compile(r"\b(?:19|20)\d\d|\d{1,2}[:.h]\d\d")
_HEADER_LINES = 3


def own_words(text: str, *, below_quotes: bool = False) -> tuple[str, ...]:
    """Return a person's own lines at the top of a text, without blank ones.

    They end at a quoted line and the attribution above it (with ``below_quotes`` they go on
    below it), at a rule such as Outlook's, at three or more lines that look like copied
    headers, or at a signature. This is never relied on for signed orders: no such rule is
    right for every mail.
    """
    return tuple(line for line in own_lines(text, below_quotes=below_quotes) if line)


def own_lines(text: str, *, below_quotes: bool = False) -> list[str]:
    """Return what `own_words` does with the blank lines between, each line stripped."""
    lines = text.replace(_SOFT_HYPHEN, "").splitlines()
    kept: list[str] = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith(">"):
            _drop_attribution(kept)
            if not below_quotes:
                break
        elif ends_words(lines, number):
            break
        else:
            kept.append(line.strip())
    return kept


def ends_words(lines: Sequence[str], number: int) -> bool:
    """Whether a person's own words end at this line: a rule, a signature, copied headers."""
    line = lines[number]
    if _RULE.fullmatch(line) or _SIGNATURE.fullmatch(line):
        return True
    headers = lines[number : number + _HEADER_LINES]
    return len(headers) == _HEADER_LINES and all(map(_HEADER_LINE.match, headers))


def _drop_attribution(lines: list[str]) -> None:
    """Take away what introduces a quote: its last line ends with a colon, and one of them says
    when the quoted mail was written. Where none does, it is that last line alone."""
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not lines[-1].endswith(ATTRIBUTION_END):
        return
    dated = False
    for count, line in enumerate(reversed(lines[-_ATTRIBUTION_LINES:]), start=1):
        if not line:
            break
        dated = dated or _WHEN.search(line) is not None
        if dated and not line.startswith("<"):  # such a line goes on from the one above
            del lines[-count:]
            return
    lines.pop()
