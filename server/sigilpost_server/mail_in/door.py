"""The guarded door: a mail's bytes become a parsed mail within all limits, or are refused.

What can be counted on the bytes is checked first. Then the standard parser reads them piece
by piece, and is stopped from inside as soon as it opens a part too many or too deep, or
meets a header too long: the limits hold for the parser's own view of the mail, which no
scan beforehand could share exactly. The legacy policy `compat32` is used, which leaves
header values alone; they are read later, each within its limit.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32
from functools import cached_property
from time import perf_counter, thread_time
from typing import Any, NamedTuple, cast

_KB = 1024
_MB = 1024 * 1024
_PIECE = 32 * _KB
_BLANK_LINE = re.compile(rb"\n\r?\n")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one mail may have: sizes in bytes, and CPU seconds for reading it."""

    size: int = 12 * _MB
    headers: int = 256 * _KB
    header: int = 8 * _KB
    lines: int = 300_000
    parts: int = 1_000
    depth: int = 40
    text: int = 2 * _MB
    seconds: float = 1.2


LIMITS = Limits()


class Refused(NamedTuple):
    """A mail that is not read: a published reason, details for the host, SHA-256 of its bytes.

    ``head`` is the mail without its body, for telling who sent it and whether to answer; None
    if not even that can be read.
    """

    reason: str
    detail: str
    digest: str
    head: "Mail | None" = None


class OverLimit(Exception):
    """A limit was reached; the argument is the reason's slug."""

    @property
    def reason(self) -> str:
        return str(self.args[0])


class Clock(NamedTuple):
    """Seconds gone by, and seconds of CPU that this thread has used; asking for CPU costs more."""

    wall: Callable[[], float] = perf_counter
    cpu: Callable[[], float] = thread_time


CLOCK = Clock()


class Budget:
    """What reading one mail has used of its limits, over all its parts and inner mails."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.limits = limits
        self._clock = clock
        self._parts = 0
        self._headers = 0
        self._text = 0
        self._start = clock.wall()
        self._cpu_end: float | None = None

    def check_time(self) -> None:
        """Raise `OverLimit` if the CPU time is over: a busy machine is not the mail's fault."""
        half = self.limits.seconds / 2
        if self._cpu_end is None:
            # No more CPU than time can have been used: most mails never get further.
            if self._clock.wall() - self._start > half:
                self._cpu_end = self._clock.cpu() + half
        elif self._clock.cpu() > self._cpu_end:
            raise OverLimit("too-slow")

    def part(self, depth: int) -> None:
        """Count one part at this depth; the mail itself is at depth 0."""
        self._parts += 1
        if depth > self.limits.depth:
            raise OverLimit("too-deep")
        if self._parts > self.limits.parts:
            raise OverLimit("too-many-parts")
        self.check_time()

    def header(self, size: int) -> None:
        """Count one header of this size."""
        self._headers += size
        if size > self.limits.header:
            raise OverLimit("header-too-long")
        if self._headers > self.limits.headers:
            raise OverLimit("too-many-headers")

    def text(self, size: int) -> None:
        """Count a text of this size."""
        self._text += size
        if self._text > self.limits.text:
            raise OverLimit("too-much-text")
        self.check_time()


class Part(Message):
    """A message or part as parsed; knows where it lies, and its body before any decoding.

    ``above`` is the part that it is in, None for the mail itself. ``body`` is the text of a
    leaf, bytes beyond ASCII as surrogates; "" for a multipart.
    """

    def __init__(self, policy: "_Guard") -> None:
        super().__init__(policy)
        self.guard = policy
        self.depth = policy.base_depth
        self.above: Part | None = None
        self.body = ""

    def attach(self, payload: Any) -> None:
        """Take a part in; the parser calls this before it reads the part."""
        payload.depth = self.depth + 1
        payload.above = self
        self.guard.budget.part(payload.depth)
        super().attach(payload)

    def set_payload(self, payload: Any, charset: Any = None) -> None:
        """Take the body; the parser calls this once for a leaf."""
        self.body = payload if isinstance(payload, str) else ""
        super().set_payload(payload, charset)

    @property
    def raw_body(self) -> bytes:
        """The body's bytes as they came, before any transfer decoding."""
        return self.body.encode("ascii", "surrogateescape")

    def fields(self, name: str) -> list[str]:
        """Return the values of all headers of this name, unfolded, in their order. To be asked
        for when the part has been parsed."""
        return self._by_name.get(name.lower(), [])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, value in self.raw_items():
            found.setdefault(name.lower(), []).append(unfold(value))
        return found

    def first(self, name: str) -> str:
        """Return the value of the first header of this name, unfolded, or ""."""
        return next(iter(self.fields(name)), "")

    @property
    def parts(self) -> list["Part"]:
        """The parts of a multipart or the inner message; none for a leaf."""
        payload = self.get_payload() if self.is_multipart() else ()
        return [part for part in payload if isinstance(part, Part)]


class _Guard(Compat32):
    """The `compat32` policy that counts headers as the parser reads them."""

    budget: Budget
    base_depth: int

    def __init__(self, budget: Budget, base_depth: int) -> None:
        super().__init__()
        # Policies forbid setting attributes by name.
        self.__dict__.update(budget=budget, base_depth=base_depth)

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Count a header's lines, then read them as `compat32` does."""
        self.budget.header(sum(map(len, sourcelines)))
        return super().header_source_parse(sourcelines)

    def handle_defect(self, obj: Any, defect: Any) -> None:
        """Let all defects pass: real mail is full of them."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that came through the door: its bytes, their SHA-256 (hexadecimal), its parts."""

    raw: bytes
    digest: str
    root: Part
    budget: Budget

    def header(self, name: str) -> str:
        """Return the value of the first header of this name, unfolded, or ""."""
        return self.root.first(name)

    def headers(self, name: str) -> list[str]:
        """Return the values of all headers of this name, unfolded."""
        return self.root.fields(name)

    def leaves(self) -> Iterator[Part]:
        """Iterate over all parts that have no parts, in the order of the mail."""
        return leaves(self.root)


def admit(raw: bytes, limits: Limits = LIMITS, clock: Clock = CLOCK) -> Mail | Refused:
    """Return the parsed mail, or the reason why it is refused. Raises nothing.

    A leading ``From `` line, as mbox files and some pipes have it, is taken away first; the
    digest is that of the bytes without it.
    """
    raw = without_envelope_line(raw)
    digest = hashlib.sha256(raw).hexdigest()
    raw = _single_line_ends(raw)
    try:
        check_bytes(raw, limits)
        budget = Budget(limits, clock)
        return Mail(raw, digest, parse(raw, budget), budget)
    except OverLimit as over:
        return Refused(over.reason, "", digest, _head(raw, digest, limits, clock))
    except Exception as error:
        # Whatever the parser stumbles over is this mail's fault and harms this mail only.
        head = _head(raw, digest, limits, clock)
        return Refused("unparsable-mail", type(error).__name__, digest, head)


def _head(raw: bytes, digest: str, limits: Limits, clock: Clock) -> Mail | None:
    end = _BLANK_LINE.search(raw, 0, limits.headers)
    if end is None:
        return None
    head = raw[: end.end()]
    budget = Budget(limits, clock)
    try:
        check_bytes(head, limits)
        return Mail(head, digest, parse(head, budget), budget)
    except Exception:
        return None


def without_envelope_line(raw: bytes) -> bytes:
    """Return the bytes without a leading mbox ``From `` line."""
    if raw.startswith((b"From ", b">From ")):
        return raw[raw.find(b"\n") + 1 :] if b"\n" in raw else b""
    return raw


def _single_line_ends(raw: bytes) -> bytes:
    """Return the bytes with CRLF for CRCRLF, if their first line ends so.

    Some pipes and gateways write CR before each LF that has one; a parser then finds the end of
    the headers below the first of them.
    """
    first = raw[: raw.find(b"\n") + 1]
    return raw.replace(b"\r\r\n", b"\r\n") if first.endswith(b"\r\r\n") else raw


def check_bytes(raw: bytes, limits: Limits) -> None:
    """Check what can be counted without parsing; raise `OverLimit`."""
    if not raw.strip():
        raise OverLimit("empty")
    if len(raw) > limits.size:
        raise OverLimit("too-big")
    # The parser breaks lines at LF, CRLF and lone CR.
    if raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n") > limits.lines:
        raise OverLimit("too-many-lines")
    _check_top_headers(raw, limits)


def _check_top_headers(raw: bytes, limits: Limits) -> None:
    at = field = 0
    while at < len(raw):
        end = raw.find(b"\n", at, at + limits.header + 1) + 1
        if not end:
            piece = raw[at : at + limits.header + 1]
            if len(piece) > limits.header and b":" in piece and b"\r" not in piece:
                raise OverLimit("header-too-long")
            return
        line = raw[at:end]
        if line.startswith((b" ", b"\t")):
            field += len(line)
        elif line in (b"\n", b"\r\n") or b":" not in line:
            return
        else:
            field = len(line)
        if field > limits.header:
            raise OverLimit("header-too-long")
        if end > limits.headers:
            raise OverLimit("too-many-headers")
        at = end


def parse(raw: bytes, budget: Budget, depth: int = 0) -> Part:
    """Parse bytes within a budget that may be partly used; raise `OverLimit`.

    ``depth`` is that of the message itself, for one found inside another mail's part.
    """
    budget.part(depth)
    guard = _Guard(budget, depth)

    def new_part(policy: _Guard = guard) -> Part:
        return Part(policy)

    parser: BytesFeedParser[Part] = BytesFeedParser(new_part, policy=cast(Any, guard))
    for at in range(0, len(raw), _PIECE):
        parser.feed(raw[at : at + _PIECE])
        budget.check_time()
    return parser.close()


def leaves(root: Part) -> Iterator[Part]:
    """Iterate over the parts below (or at) a part that have no parts, in order."""
    waiting = [root]
    while waiting:
        part = waiting.pop()
        inner = part.parts
        if inner:
            waiting.extend(reversed(inner))
        else:
            yield part


def unfold(value: str) -> str:
    """Return a raw header value on one line, its bytes beyond ASCII as UTF-8, else Latin-1."""
    if "\n" in value or "\r" in value:
        value = "".join(value.splitlines())
    if not value.isascii():
        data = value.encode("utf-8", "surrogateescape")
        try:
            value = data.decode("utf-8")
        except UnicodeDecodeError:
            value = data.decode("latin-1")
    return value.strip()
