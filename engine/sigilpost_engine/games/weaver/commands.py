"""What players type: ``exchange <card>``, ``claim <space> with <card>``, ``hide <card>``."""

from __future__ import annotations

from collections.abc import Iterable

from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Ambiguous, Illegal, Unparseable
from sigilpost_engine.core.game import Document, refuse_idle
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.games.weaver.cards import COLOURS, ELEMENTS, NAMES, NUMBERS, SPACES, colour

VERBS = ("exchange", "claim", "hide")


def parse(view: Document, prompt: Prompt, line: str) -> Answer:
    """Judge a line by the seat's view. Raises Unparseable, Ambiguous, Illegal."""
    verb, rest = grammar.verb_of(line, VERBS)
    hand = own_hand(view)
    answer = _claim(rest, hand) if verb == "claim" else _play(verb, rest, hand)
    refuse_idle(prompt)
    _explain_refusal(view, prompt, answer)
    prompt.check(answer)
    return answer


def phrase(answer: Answer) -> str:
    """The line to type for an answer."""
    card = answer.picks[0]
    if answer.verb == "claim":
        return f"claim {answer.target} with {card}"
    return f"{answer.verb} {card}"


def _claim(rest: str, hand: list[str]) -> Answer:
    space, card = grammar.cut(rest, "with")
    if card is None or not space:
        raise Unparseable(say("weaver.refusal.claim-form"))
    if space.upper() not in SPACES or len(space) != 1:
        raise Unparseable(say("weaver.refusal.no-space", space=space))
    return Answer("claim", space.upper(), (card_named(card, hand),))


def _play(verb: str, rest: str, hand: list[str]) -> Answer:
    return Answer(verb, "", (card_named(rest, hand),))


def own_hand(view: Document) -> list[str]:
    """The hand of the seat whose view it is; a spectator has none."""
    hand: list[str] = view[view["you"]]["hand"] if "you" in view else []
    return hand


def card_named(text: str, hand: Iterable[str]) -> str:
    """The card of ``hand`` that ``text`` means: a prefix of its colour or element, and its value.

    Raises Ambiguous, Illegal for a card that is elsewhere, Unparseable for no card at all.
    """
    fits = [name for name in hand if fits_card(text, name)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise Ambiguous(say("core.refusal.ambiguous", text=text, fits=fits))
    if any(fits_card(text, name) for name in NAMES):
        raise Illegal(say("core.refusal.not-held", text=text))
    if not grammar.key(text):
        raise Unparseable(say("core.refusal.no-name"))
    raise Unparseable(say("core.refusal.unknown-name", text=text))


def fits_card(text: str, name: str) -> bool:
    """Whether ``text`` shortens ``name``: letters that begin its colour or element, then its
    value or nothing.

    >>> fits_card("a3", "UKELELE 3"), fits_card("fire3", "ASHW 3"), fits_card("uk", "UKELELE 7")
    (True, True, True)
    """
    wanted = grammar.key(text)
    letters = wanted.rstrip("0123456789")
    figures = wanted[len(letters) :]
    number = colour(NUMBERS[name])
    words = (grammar.key(COLOURS[number]), ELEMENTS[number])
    if not letters:
        return False
    if not figures:
        return any(word.startswith(letters) for word in words)
    return name.endswith(f" {figures}") and any(word.startswith(letters) for word in words)


def _explain_refusal(view: Document, prompt: Prompt, answer: Answer) -> None:
    """The refusals that deserve a better reason than "not offered"."""
    if answer.verb == "exchange" and prompt.move_for("exchange") is None:
        raise Illegal(say("weaver.refusal.exchanged"))
    if answer.verb == "claim":
        move = prompt.move_for("claim", answer.target)
        if move is None or move.pick is None or answer.picks[0] not in move.pick.items:
            placed = view["spaces"][answer.target]
            raise Illegal(
                say(
                    "weaver.refusal.cannot-claim",
                    card=answer.picks[0],
                    space=answer.target,
                    placed=placed,
                )
            )
