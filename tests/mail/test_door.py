"""The guarded door: every limit of the protocol, at its edge, and what it lets through."""

from __future__ import annotations

import dataclasses
import hashlib

from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_in import addresses, door, extract, machine
from sigilpost_server.mail_in.door import LIMITS, Clock, Mail, Refused

from .samples import (
    FRESH,
    OURS,
    TEXT,
    admitted,
    base64_lines,
    found,
    joined,
    mail,
    multipart,
    part,
    refusal,
)

_MB = 1024 * 1024


def test_the_limits_are_the_protocols() -> None:
    assert (LIMITS.size, LIMITS.headers, LIMITS.header) == (12 * _MB, 256 * 1024, 8 * 1024)
    assert (LIMITS.parts, LIMITS.depth, LIMITS.text) == (1000, 40, 2 * _MB)


def attachment(size: int) -> bytes:
    """A mail with the block and an image, of so many bytes in all."""
    start = multipart(part(TEXT), part(b"", kind="image/png"))
    return start[:-9] + b"x" * (size - len(start)) + start[-9:]


def test_12_mb_pass_and_one_byte_more_does_not() -> None:
    assert found(attachment(12 * _MB)) == [FRESH]
    assert refusal(attachment(12 * _MB + 1)) == "too-big"


def header(size: int) -> str:
    """One folded header of so many bytes once its lines end with CRLF."""
    first, line = "X-Long: y\n", " " + "y" * 77 + "\n"
    rest = size - len(first) - 1
    text = first + line * (rest // 80) + (" " + "y" * (rest % 80 - 3) + "\n" if rest % 80 else "")
    assert len(crlf(text)) == size
    return text


def crlf(text: str) -> str:
    """With line ends as on the wire."""
    return text.replace("\n", "\r\n")


def test_a_header_of_8_kb_passes_and_one_byte_more_does_not() -> None:
    assert found(mail(extra=header(8192))) == [FRESH]
    assert refusal(mail(extra=header(8193))) == "header-too-long"
    assert refusal(mail(extra="X: " + "y" * 8190 + "\n")) == "header-too-long"


def test_headers_of_256_kb_in_all() -> None:
    many = header(8000)
    assert found(mail(extra=many * 32)) == [FRESH]
    assert refusal(mail(extra=many * 33)) == "too-many-headers"


def test_the_headers_of_parts_count_as_well() -> None:
    assert refusal(multipart(part("hi", extra=crlf(header(9000))))) == "header-too-long"
    parts = [part("hi", extra=crlf(header(8000))) for _ in range(33)]
    assert refusal(multipart(*parts)) == "too-many-headers"


def test_1000_parts_pass_and_one_more_does_not() -> None:
    # The mail itself is one.
    parts = [part("hi")] * 998
    assert found(multipart(*parts, part(TEXT))) == [FRESH]
    assert refusal(multipart(*parts, part(TEXT), part("hi"))) == "too-many-parts"


def nested(depth: int) -> bytes:
    """A mail whose block lies under so many multiparts."""
    inner = part(TEXT)
    for level in range(depth - 1):
        inner = part(joined(inner, boundary=f"b{level}"), f"multipart/mixed; boundary=b{level}")
    return multipart(inner, boundary="outer")


def test_depth_40_passes_and_one_more_does_not() -> None:
    assert found(nested(40)) == [FRESH]
    assert refusal(nested(41)) == "too-deep"


def test_2_mb_of_text_pass_and_one_byte_more_does_not() -> None:
    filler = "\r\n".join(["x" * 78] * (2 * _MB // 80 + 1))
    room = 2 * _MB - len(TEXT.encode())
    assert found(mail(TEXT + filler[:room])) == [FRESH]
    assert refusal(mail(TEXT + filler[: room + 1])) == "too-much-text"


def test_text_is_counted_over_all_parts_and_after_decoding() -> None:
    half = part("x" * (_MB + 1))
    assert refusal(multipart(half, half)) == "too-much-text"
    image = part("x" * (_MB + 1), kind="image/png")
    assert found(multipart(part(TEXT), image, image)) == [FRESH]


def test_what_is_attached_to_a_forwarded_message_is_no_text() -> None:
    inner = multipart(part(TEXT), part("x" * 3 * _MB, kind="image/png"))
    as_file = part(
        base64_lines(inner),
        'application/octet-stream; name="move.eml"',
        "Content-Transfer-Encoding: base64\r\n",
    )
    assert found(multipart(as_file, boundary="out")) == [FRESH]


def test_a_mail_without_a_byte_is_empty() -> None:
    assert refusal(b"") == refusal(b" \r\n\r\n") == "empty"


class Ticking:
    """A clock that goes on by ``step`` seconds each time it is asked."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


LONG = mail(b"x\r\n" * 150_000)


def test_a_mail_that_takes_too_long_is_stopped() -> None:
    it = door.admit(LONG, clock=Clock(Ticking(0.5), Ticking(0.5)))
    assert isinstance(it, Refused)
    assert it.reason == "too-slow"


def test_a_busy_machine_is_not_the_mails_fault() -> None:
    assert isinstance(door.admit(LONG, clock=Clock(Ticking(0.5), Ticking())), Mail)


def test_the_cpu_is_not_asked_for_a_quick_mail() -> None:
    cpu = Ticking(1)
    it = door.admit(mail(TEXT), clock=Clock(Ticking(), cpu))
    assert isinstance(it, Mail)
    extract.extract(it)
    assert cpu.now == 0


def test_the_time_runs_on_while_texts_are_read() -> None:
    wall, cpu = Ticking(), Ticking()
    it = door.admit(multipart(*[part(TEXT)] * 5), clock=Clock(wall, cpu))
    assert isinstance(it, Mail)
    wall.step = cpu.step = LIMITS.seconds
    said = extract.extract(it)
    assert isinstance(said, Refused)
    assert said.reason == "too-slow"


def test_limits_can_be_set() -> None:
    tight = dataclasses.replace(LIMITS, size=100)
    it = door.admit(mail(), tight)
    assert isinstance(it, Refused)
    assert it.reason == "too-big"


# ---- what stays of a refused mail ----------------------------------------------------------


def test_a_refused_mail_still_tells_whom_to_answer() -> None:
    it = door.admit(attachment(20 * _MB))
    assert isinstance(it, Refused)
    assert it.head is not None
    assert addresses.sender(it.head.headers("From")).spelled == "alice@good.example"
    assert machine.machine_made(it.head, OURS) is None


def test_a_refused_mail_still_tells_that_a_machine_made_it() -> None:
    raw = multipart(*[part("hi")] * 1001).replace(b"Subject:", b"Auto-Submitted: yes\r\nSubject:")
    it = door.admit(raw)
    assert isinstance(it, Refused)
    assert it.head is not None
    assert machine.machine_made(it.head, OURS) is not None


def test_hostile_headers_are_not_read_for_an_answer_either() -> None:
    it = door.admit(mail(extra="X: " + "y" * 9000 + "\n"))
    assert isinstance(it, Refused)
    assert it.head is None


# ---- the envelope's line and the digest ----------------------------------------------------


def test_a_leading_from_line_is_tolerated() -> None:
    raw = b"From alice@good.example Tue Jun 17 09:12:44 2025\n" + mail()
    assert found(raw) == [FRESH]


def test_the_digest_is_sha_256_of_the_mail_without_that_line() -> None:
    raw = mail()
    wanted = hashlib.sha256(raw).hexdigest()
    assert admitted(raw).digest == wanted
    assert admitted(b"From x Tue Jun 17 09:12:44 2025\r\n" + raw).digest == wanted


def test_a_refused_mail_has_its_digest_too() -> None:
    it = door.admit(b"")
    assert isinstance(it, Refused)
    assert it.digest == hashlib.sha256(b"").hexdigest()


# ---- headers -------------------------------------------------------------------------------


def test_a_header_is_unfolded_and_its_raw_bytes_are_read() -> None:
    it = admitted(mail(extra="X-Note: one\n two\nx-note: Z\udcc3\udcbcrich\nX-NOTE: Z\udcfcrich\n"))
    assert it.header("X-Note") == "one two"
    assert it.headers("X-Note") == ["one two", "Zürich", "Zürich"]
    assert it.header("X-Missing") == ""


@given(st.binary(max_size=2000))
def test_no_bytes_make_the_door_raise(raw: bytes) -> None:
    it = door.admit(raw)
    if isinstance(it, Mail):
        assert extract.extract(it) is not None
        machine.machine_made(it, OURS)
