"""Addresses read strictly, and what may go into a header that we write.

Standard parsers read ``alice@good.org <bob@evil.org>`` as alice; here it is refused, as is
everything else that two readers could read in two ways.
"""

import re
import unicodedata
from collections.abc import Iterable
from email.errors import HeaderParseError
from email.header import decode_header
from typing import NamedTuple

from . import charsets

LOCAL_MAX = 64
ADDRESS_MAX = 254
PHRASE_MAX = 78

# RFC 5322 section 3.2.3, and RFC 6532 section 3.2: any character beyond ASCII.
_ATEXT = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a1-\U0010ffff-"
_ATOM = rf"[{_ATEXT}]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LABEL = re.compile(
    r"[A-Za-z0-9\u00a1-\U0010ffff](?:[A-Za-z0-9\u00a1-\U0010ffff-]{0,61}"
    r"[A-Za-z0-9\u00a1-\U0010ffff])?"
)
# What IDNA makes of a domain: letters, figures and hyphens (RFC 1123 section 2.1).
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_WORD = rf'(?:"(?:[^"\\]|\\.)*+"|\([^()<>@"\\]*+\)|[{_ATEXT}.]++)'
_PHRASE = re.compile(rf"(?:{_WORD}(?:[ \t]+|(?=[\"(])|\Z))*+")
_QUOTED_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_COMMENT = re.compile(r"\(([^()\\]*)\)\s*$")
_FOLD = re.compile(r"\r?\n[ \t]+")
_SPACE = re.compile(r"\s+")
# Controls, format characters (direction marks among them), surrogates, separators.
_UNFIT = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


class BadAddress(ValueError):
    """The text is not exactly one address that everybody reads alike."""


class Address(NamedTuple):
    """One address: local part and domain as spelled, and the display name, cleaned."""

    local: str
    domain: str
    name: str = ""

    @property
    def spelled(self) -> str:
        """The address as its owner spelled it; the one to send to."""
        return f"{self.local}@{self.domain}"

    @property
    def normal(self) -> str:
        """The form in which two spellings of one mailbox are equal."""
        return f"{_folded(self.local)}@{_ascii_domain(self.domain)}"


def parse_address(value: str) -> Address:
    """Return the one address of a header's value, or raise `BadAddress`.

    Taken are ``local@domain``, ``<local@domain>``, a phrase or quoted string before the
    angle brackets, a comment after a bare address. Refused: groups, lists, routes, quoted
    local parts, domain literals, control characters, an address in an unquoted display
    name, encoded words that hide a control character or an address.
    """
    value = _FOLD.sub(" ", value).strip()
    if not value.isprintable() and any(
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in value if char != "\t"
    ):
        raise BadAddress("a control character")
    if value.endswith(">"):
        phrase, _, inner = value[:-1].rpartition("<")
        return _mailbox(inner, _phrase(phrase.strip()))
    comment = _COMMENT.search(value)
    if comment:
        return _mailbox(value[: comment.start()].strip(), _decoded_name(comment[1]))
    return _mailbox(value, "")


def mailbox_of(normal: str) -> str:
    """The mailbox that an address in its normal form leads to, as far as all know: without a
    subaddress (RFC 5233). So who makes up subaddresses of one mailbox cannot fill it."""
    local, _, domain = normal.rpartition("@")
    bare = local.partition("+")[0]
    return f"{bare}@{domain}" if bare else normal


def sender(from_headers: Iterable[str]) -> Address:
    """Return the address of a mail's one From header; raise `BadAddress` for none or several."""
    values = list(from_headers)
    if len(values) != 1:
        raise BadAddress(f"{len(values)} From headers")
    return parse_address(values[0])


def _mailbox(text: str, name: str) -> Address:
    local, at, domain = text.rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or len(local.encode("utf-8")) > LOCAL_MAX:
        raise BadAddress("not an address")
    if len(text.encode("utf-8")) > ADDRESS_MAX:
        raise BadAddress("too long")
    if not all(map(_LABEL.fullmatch, domain.split("."))):
        raise BadAddress("not a domain")
    if any(unicodedata.category(char) in _UNFIT or char.isspace() for char in text):
        raise BadAddress("an invisible character")
    if not _HOST.fullmatch(_ascii_domain(domain)):
        raise BadAddress("not a domain that mail can be sent to")
    return Address(local, domain, name)


def _phrase(text: str) -> str:
    """Return the display name that a phrase says, cleaned; raise `BadAddress`."""
    if not _PHRASE.fullmatch(text):
        raise BadAddress("an ambiguous display name")
    plain = _QUOTED_STRING.sub(lambda quoted: re.sub(r"\\(.)", r"\1", quoted[1]), text)
    name = _decoded_name(plain)
    if "=?" in text and "@" in name and ("<" in name or ">" in name):
        raise BadAddress("an address hidden in an encoded word")
    return name


def _decoded_name(text: str) -> str:
    name = decode_words(text)
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in name):
        raise BadAddress("a control character in an encoded word")
    return clean(name, PHRASE_MAX)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _ascii_domain(domain: str) -> str:
    """The domain as it stands in a header that we write (RFC 5890), "" if it has no such form."""
    folded = _folded(domain)
    if folded.isascii():
        return folded
    try:
        return folded.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


# ---- headers -------------------------------------------------------------------------------


def decode_words(value: str) -> str:
    """Return a header's value with its encoded words (RFC 2047) decoded; never raises."""
    if "=?" not in value:
        return value
    try:
        chunks = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(
        chunk if isinstance(chunk, str) else charsets.decode(chunk, label or "")
        for chunk, label in chunks
    )


def clean(text: str, limit: int) -> str:
    """Return a text that is safe in a header that we write: one line, nothing hidden.

    Control and format characters go, white space becomes single spaces, what would be read
    as an encoded word is broken up, and the length is limited to so many characters.
    """
    text = _SPACE.sub(" ", text)
    text = "".join(char for char in text if unicodedata.category(char) not in _UNFIT)
    # Only now, as what went may have stood between two spaces, or a letter and its accent.
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", text))
    text = text.replace("=?", "= ?")
    return text.strip()[:limit].rstrip()


def clean_subject(value: str, limit: int = 200) -> str:
    """Return a received subject, decoded, for showing or answering."""
    return clean(decode_words(value), limit)
