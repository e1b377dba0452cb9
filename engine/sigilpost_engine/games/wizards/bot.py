"""Bot."""

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.prompts import Answer, Prompt


def greedy(view: Document, prompt: Prompt) -> Answer:
    return next(prompt.answers())
