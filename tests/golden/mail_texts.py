"""A mail of every kind as text, and one whole mail as bytes, to be reviewed in a diff.

``python -m tests.golden.mail_texts`` writes them again.
"""

from __future__ import annotations

from pathlib import Path

from sigilpost_engine.texts import Texts
from sigilpost_server.mail_out.compose import compose, plain
from tests.server.mail_out.reading import header
from tests.server.mail_out.samples import every_kind

HERE = Path(__file__).parent / "mails"
WHOLE = "refused"


def text_of(name: str) -> str:
    """Subject and text part of the letter called ``name``."""
    letter, texts = every_kind()[name], Texts("en")
    return f"Subject: {header(compose(letter, texts), 'Subject')}\n\n{plain(letter, texts)}"


def whole() -> bytes:
    """One mail as it leaves the server."""
    return compose(every_kind()[WHOLE], Texts("en"))


def write_all() -> None:
    """Write every text, and the whole mail, again."""
    HERE.mkdir(exist_ok=True)
    for name in every_kind():
        (HERE / f"{name}.txt").write_text(text_of(name), "utf-8")
    (HERE / f"{WHOLE}.eml").write_bytes(whole())


if __name__ == "__main__":
    write_all()
