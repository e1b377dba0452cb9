"""The published list of reasons."""

from __future__ import annotations

import re
from pathlib import Path

from sigilpost_engine.texts import Texts
from sigilpost_engine.wire.errors import WireError
from sigilpost_server.mail_in import machine, reasons
from sigilpost_server.mail_in.reasons import REASONS, Verdict

ROOT = Path(__file__).resolve().parents[2]


def test_docs_reasons_md_is_this_table() -> None:
    assert (ROOT / "docs/reasons.md").read_text(encoding="utf-8") == reasons.as_markdown()


def kinds(cls: type[WireError]) -> set[type[WireError]]:
    """A class and all below it."""
    return {cls}.union(*map(kinds, cls.__subclasses__()))


def test_every_error_of_the_wire_has_a_published_reason() -> None:
    assert {cls.slug for cls in kinds(WireError)} <= set(REASONS)


def test_every_reason_that_reading_a_mail_gives_is_published() -> None:
    folder = Path(reasons.__file__).parent
    sources = "".join(
        (folder / f"{name}.py").read_text() for name in ("door", "extract", "machine")
    )
    named = re.findall(
        r'(?:OverLimit|Refused|Mark|_nothing_counts)\(\s*"([a-z-]+)"', sources
    ) + list(machine._REPORTS.values())
    assert len(named) > 20
    assert set(named) <= set(REASONS)


def test_a_machine_or_a_copy_is_never_answered() -> None:
    for reason in REASONS.values():
        if reason.verdict in (Verdict.IGNORED, Verdict.FAILED):
            assert not reason.answer
        if reason.verdict is Verdict.ACCEPTED:
            assert reason.answer


LINES_EXPLAIN = {"unparseable", "ambiguous", "illegal", "not-possible", "league-rules"}
"""Each refused line says by itself what was wrong with it and what would be possible."""


def test_every_answer_to_a_refused_mail_says_what_to_do() -> None:
    texts = Texts()
    for slug, reason in REASONS.items():
        if reason.verdict is Verdict.REJECTED and reason.answer and slug not in LINES_EXPLAIN:
            said = texts(f"mail.reason.{slug}")
            assert re.search(r"sigil |has to |[.:] [A-Z].*\.$", said), (slug, said)


def test_a_slug_is_small_letters_and_dashes() -> None:
    for slug in REASONS:
        assert re.fullmatch("[a-z]+(-[a-z]+)*", slug)
