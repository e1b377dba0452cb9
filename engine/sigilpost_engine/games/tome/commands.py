"""What players type: ``play <spell>``, ``choose <spell>``, ``choose none``, ``yes``, ``no``."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Illegal, Unparseable
from sigilpost_engine.core.game import Document, refuse_idle
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.games.tome.looking import names_in_game, own_hand

VERBS = ("play", "choose", "yes", "no")


def parse(view: Document, prompt: Prompt, line: str) -> Answer:
    """Judge a line by the seat's view. Raises Unparseable, Ambiguous, Illegal."""
    verb, rest = grammar.verb_of(line, VERBS)
    if verb == "play":
        answer = _play(view, rest)
    elif verb == "choose":
        answer = _choose(view, prompt, rest)
    else:
        if rest:
            raise Unparseable(say("tome.refusal.nothing-after", command=verb))
        answer = Answer(verb)
    refuse_idle(prompt)
    prompt.check(answer)
    return answer


def _play(view: Document, rest: str) -> Answer:
    """``play`` names a spell of one's own hand."""
    hand = own_hand(view)
    try:
        return Answer("play", "", (grammar.the_one(rest, hand, names_in_game(view)),))
    except Illegal as refusal:
        if len(grammar.items(rest)) > 1:
            raise
        raise Illegal(say("core.refusal.not-held", text=rest)) from refusal


def _choose(view: Document, prompt: Prompt, rest: str) -> Answer:
    """``choose`` names one of what is offered."""
    known = names_in_game(view)

    def name(text: str, offered: Sequence[str]) -> str:
        return grammar.named(text, offered, known)

    return grammar.choice(prompt, rest, name)
