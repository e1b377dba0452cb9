"""The signed block in the text of a mail: writing it, and finding it in what mailers left of it.

Finding is linear in the length of the text. The signature protects what is found, so the
search may be generous: quoting, wrapping, dashes of every kind, invisible characters and
lower case are all undone or ignored.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .keys import SIGNATURE_SIZE

PAYLOAD_MAX = 16 * 1024
CANDIDATES_MAX = 50
COLUMNS = 64

_LENGTH_SIZE = 2
_LETTERS_MAX = (_LENGTH_SIZE + PAYLOAD_MAX + SIGNATURE_SIZE) * 8 // 5 + 1
# int(text, 32) reads the digits 0-9 and A-V; base32 (RFC 4648 section 6) writes the same
# values as A-Z and 2-7.
_TO_INT = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHIJKLMNOPQRSTUV")

# Unicode's category Pd, and what else looks like a dash: minus signs, a bullet, drawn lines.
_DASHES = re.compile(
    "[\u058a\u05be\u1400\u1806\u2010-\u2015\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030"
    "\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d\U00010ead\u02d7\u2043\u2212\u2500\u2501]"
)
# Zero-width and other invisible characters, direction marks, variation selectors, BOM, NUL.
_INVISIBLE = re.compile(
    "[\x00\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


def _spelled(word: str) -> str:
    """Return a pattern for a word with soft hyphens anywhere in it."""
    return f"{_SOFT_HYPHEN}*+".join(word)


# A soft hyphen may be an invisible chance to break a word, or what became of a dash: it
# counts as whichever fits. The look-behind starts a match only at the first dash of a run,
# and quantifiers give nothing back (but for the last word, of limited length), so that no
# text makes this slow: what may follow the first dashes must not hold another start. The
# last dash is looked at and not taken: it may be the first of a marker that follows.
_SOFT_HYPHEN = "\u00ad"
_DASH = f"[-{_SOFT_HYPHEN}]"
_GAP = rf"[\s>{_SOFT_HYPHEN}]"
_MARKER = re.compile(
    rf"{_DASH}(?<!{_DASH}{{2}}){_DASH}*+[\s>]*+({_spelled('BEGIN')}|{_spelled('END')}){_GAP}++"
    rf"{_spelled('SIGIL')}{_GAP}++((?:[A-Z]{_SOFT_HYPHEN}*){{2,16}})[\s>]*+(?={_DASH})",
    re.IGNORECASE,
)
_DASH_RUN = re.compile(f"{_DASH}*")
_NOT_BASE32 = re.compile(r"[^A-Za-z2-7]+")
_QUOTE_PREFIX = re.compile(r"^[^\n]*>", re.MULTILINE)


class Block(NamedTuple):
    """A block as received: its kind (upper case), the payload's bytes and the signature."""

    kind: str
    payload: bytes
    signature: bytes

    @property
    def digest(self) -> bytes:
        """SHA-256 of the payload: the block's identity, whatever its text looked like."""
        return hashlib.sha256(self.payload).digest()


class Candidate(NamedTuple):
    """A place in a text that claims to be a block.

    ``block`` is None if it is damaged; ``problem`` is then ``unclosed`` (no end marker),
    ``mismatched`` (the end marker names another kind), ``cut`` (fewer bytes than it
    announces), ``garbled`` (the payload is no JSON object) or ``too-big``. ``text`` is the
    index of the text and ``start`` the offset of the begin marker in ``clean`` of it.
    """

    kind: str
    block: Block | None
    problem: str
    text: int
    start: int


def armour(block: Block) -> str:
    """Return the block as lines of text: markers, and base32 without padding in 64 columns."""
    data = len(block.payload).to_bytes(_LENGTH_SIZE, "big") + block.payload + block.signature
    letters = base64.b32encode(data).decode("ascii").rstrip("=")
    lines = (letters[at : at + COLUMNS] for at in range(0, len(letters), COLUMNS))
    return "\n".join(
        (f"-----BEGIN SIGIL {block.kind}-----", *lines, f"-----END SIGIL {block.kind}-----", "")
    )


def clean(text: str) -> str:
    """Return the text without invisible characters and with every kind of dash as ``-``.

    Soft hyphens stay. Cleaning twice changes nothing.
    """
    if text.isascii():
        return text.replace("\x00", "")
    return _DASHES.sub("-", _INVISIBLE.sub("", text))


def before_marker(text: str) -> str:
    """Return what stands before the first marker of a cleaned text: all of it if there is none."""
    marker = _MARKER.search(text)
    return text[: marker.start()] if marker else text


def outside(text: str) -> str:
    """Return a cleaned text without its blocks: what people wrote around them."""
    kept: list[str] = []
    at = 0
    inside = False
    for marker in _MARKER.finditer(text):
        if not inside:
            kept.append(text[at : marker.start()])
        inside = _begins(marker)
        last_dashes = _DASH_RUN.match(text, marker.end())
        at = last_dashes.end() if last_dashes else marker.end()
    if not inside:
        kept.append(text[at:])
    return "\n".join(kept)


def find(texts: Iterable[str]) -> list[Candidate]:
    """Return the blocks in the texts, in their order, each once, at most 50.

    Damaged ones are among them, without a block. Nothing is verified here. A second begin
    marker restarts a block; bytes after the signature are ignored.
    """
    found: list[Candidate] = []
    seen: set[tuple[str, Block | None, str]] = set()
    for number, text in enumerate(texts):
        for candidate in _scan(clean(text), number):
            mark = (candidate.kind, candidate.block, candidate.problem)
            if mark in seen:
                continue
            seen.add(mark)
            found.append(candidate)
            if len(found) == CANDIDATES_MAX:
                return found
    return found


def _scan(text: str, number: int) -> Iterator[Candidate]:
    begin: re.Match[str] | None = None
    for marker in _MARKER.finditer(text):
        if _begins(marker):
            begin = marker
        elif begin is not None:
            kind = _kind(begin)
            if _kind(marker) == kind:
                block, problem = _read(kind, text[begin.end() : marker.start()])
            else:
                block, problem = None, "mismatched"
            yield Candidate(kind, block, problem, number, begin.start())
            begin = None
    if begin is not None:
        yield Candidate(_kind(begin), None, "unclosed", number, begin.start())


def _begins(marker: re.Match[str]) -> bool:
    return marker[1][0] in "Bb"


def _kind(marker: re.Match[str]) -> str:
    return marker[2].replace(_SOFT_HYPHEN, "").upper()


def _read(kind: str, body: str) -> tuple[Block | None, str]:
    """Return the block between two markers, or None and what is wrong with it."""
    block, problem = _decode(kind, body)
    if block is None and ">" in body:
        # Some clients quote with initials ("AB> "), whose letters would count as data.
        block, again = _decode(kind, _QUOTE_PREFIX.sub("", body))
        problem = problem if again else ""
    return block, problem


def _decode(kind: str, body: str) -> tuple[Block | None, str]:
    letters = _NOT_BASE32.sub("", body)[:_LETTERS_MAX].upper().translate(_TO_INT)
    data = _bytes(letters)
    size = int.from_bytes(data[:_LENGTH_SIZE], "big")
    end = _LENGTH_SIZE + size
    payload, signature = data[_LENGTH_SIZE:end], data[end : end + SIGNATURE_SIZE]
    if len(data) >= _LENGTH_SIZE and size > PAYLOAD_MAX:
        return None, "too-big"
    if len(signature) < SIGNATURE_SIZE:
        return None, "cut"
    if not (payload.startswith(b"{") and payload.endswith(b"}")):
        return None, "garbled"
    return Block(kind, payload, signature), ""


def _bytes(digits: str) -> bytes:
    """Return the whole bytes of base-32 digits, without the bits left over."""
    size, spare = divmod(len(digits) * 5, 8)
    return (int(digits or "0", 32) >> spare).to_bytes(size, "big")
