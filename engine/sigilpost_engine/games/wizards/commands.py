"""What players type: ``pick``, ``keep``, ``cast``, ``attack``, ``end``, and answers to spells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Ambiguous, Illegal, Refusal, Unparseable
from sigilpost_engine.core.game import Document, refuse_idle
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Answer, Move, Pick, Prompt, wrong_number
from sigilpost_engine.games.wizards.book import BOOK
from sigilpost_engine.games.wizards.documents import read
from sigilpost_engine.games.wizards.effect import MANA
from sigilpost_engine.games.wizards.state import State, attack_binder, attack_powers, cost, slot_of

VERBS = ("pick", "keep", "cast", "attack", "end", "end turn", "choose", "yes", "no")
POWERS = MANA[1:]


def parse(view: Document, prompt: Prompt, line: str) -> Answer:
    """Judge a line by the seat's view. Raises Unparseable, Ambiguous, Illegal."""
    verb, rest = grammar.verb_of(line, VERBS)
    try:
        return _judged(view, prompt, verb, rest)
    except Illegal:
        # Whatever else is wrong with it, who is not asked for such a thing learns that first.
        refuse_idle(prompt)
        if not _asked_for(prompt, verb):
            raise Illegal(say("core.refusal.not-now", command=verb)) from None
        raise


def _asked_for(prompt: Prompt, verb: str) -> bool:
    """Whether a command is one for this question; an attack also if no mana held may attack."""
    sign = "end" if verb == "attack" else verb
    return any(move.verb == sign for move in prompt.moves)


def _judged(view: Document, prompt: Prompt, verb: str, rest: str) -> Answer:
    me = view[view["you"]] if "you" in view else {"spells": [], "hand": []}
    own = [slot["name"] for slot in me["spells"]]
    if verb == "pick":
        return _pick(prompt, rest, view["pool"], own)
    if verb == "cast":
        return _cast(view, prompt, rest, own)
    if verb == "attack":
        return _attack(view, prompt, rest)
    if verb == "choose":
        return _checked(prompt, _choose(prompt, rest))
    if rest:
        raise Unparseable(say("wizards.refusal.nothing-follows", command=verb))
    return _checked(prompt, Answer(verb))


def _checked(prompt: Prompt, answer: Answer) -> Answer:
    refuse_idle(prompt)
    prompt.check(answer)
    return answer


def _pick(prompt: Prompt, rest: str, pool: Sequence[str], own: Sequence[str]) -> Answer:
    text, old = grammar.cut(rest, "replacing")
    name = _named(text, pool, "wizards.refusal.after-pick")
    out = () if old is None else (grammar.the_one(old, own, BOOK),)
    refuse_idle(prompt)
    move = prompt.move_for("pick", name)
    if move is not None and move.pick is not None:
        if not out:
            raise Illegal(say("wizards.refusal.replace-which", spells=list(move.pick.items)))
        if out[0] not in move.pick.items:
            raise Illegal(say("wizards.refusal.in-use", spell=out[0]))
    elif move is not None and out:
        raise Illegal(say("wizards.refusal.no-replacing"))
    return _checked(prompt, Answer("pick", name, out))


def _named(text: str, meant: Sequence[str], hint: str) -> str:
    """The spell that a text names. Where a name begins it, ``hint`` says what can follow one."""
    try:
        return grammar.the_one(text, meant, BOOK)
    except Unparseable:
        for name, rest in _beginnings(text, meant):
            raise Unparseable(say(hint, spell=name, rest=rest)) from None
        raise


def _beginnings(text: str, meant: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names that a text begins with, the longest first, and what stands after each."""
    words = text.split(" ")
    for length in range(len(words) - 1, 0, -1):
        with suppress(Refusal):
            name = grammar.named(" ".join(words[:length]), meant, BOOK)
            yield name, " ".join(words[length:])


def _cast(view: Document, prompt: Prompt, rest: str, own: Sequence[str]) -> Answer:
    text, paid = grammar.cut(rest, "with")
    name = _named(text, own, "wizards.refusal.after-cast")
    mana: Sequence[str] | None = None if paid is None else _mana(paid)
    refuse_idle(prompt)
    move = prompt.move_for("cast", name)
    if move is None:
        raise Illegal(_why_no_cast(view, name))
    if mana is None:
        mana = _payment(name, move)
    _held(mana, read(view))
    return _checked(prompt, Answer("cast", name, tuple(mana)))


def _why_no_cast(view: Document, name: str) -> Msg:
    s = read(view)
    held = len(s.wizards[s.turn].hand)
    slot = slot_of(s, s.turn, name)
    if slot is not None and slot.mana:
        return say("wizards.refusal.cast-in-use", spell=name)
    return say("wizards.refusal.too-dear", spell=name, cost=cost(s, name), n=held)


def _payment(name: str, move: Move) -> Sequence[str]:
    """What is paid without a word: only where every choice and order comes to the same."""
    if move.pick is None:
        return ()
    if len(set(move.pick.items)) > 1:
        raise Ambiguous(
            say(
                "wizards.refusal.pay-which", spell=name, n=move.pick.low, hand=list(move.pick.items)
            )
        )
    return move.pick.items[: move.pick.low]


def _attack(view: Document, prompt: Prompt, rest: str) -> Answer:
    mana = _mana(rest)
    if len(mana) > 1:
        raise Illegal(wrong_number(1, 1, len(mana)))
    if _asked_for(prompt, "attack"):
        _allowed(view, int(mana[0]))
    return _checked(prompt, Answer("attack", "", tuple(mana)))


def _allowed(view: Document, mana: int) -> None:
    """Raise Illegal unless a spell of the opponent's, if any has a say in it, allows an attack
    with such a mana, and one is held."""
    s = read(view)
    powers = attack_powers(s)
    if mana not in powers:
        id = "wizards.refusal.attack-only" if powers else "wizards.refusal.no-attack"
        raise Illegal(say(id, spell=attack_binder(s), other=s.seats[s.other], allowed=list(powers)))
    _held([str(mana)], s)


def _mana(text: str) -> list[str]:
    """A list of mana by their printed powers."""
    mana = grammar.items(text, spaces=True)
    if not mana:
        raise Unparseable(say("wizards.refusal.no-mana"))
    for one in mana:
        if one not in POWERS:
            raise Unparseable(say("core.refusal.unknown-name", text=one))
    return mana


def _held(mana: Sequence[str], s: State) -> None:
    """Raise Illegal for a mana of a power that the active player does not hold at all."""
    for one in mana:
        if int(one) not in s.wizards[s.turn].hand:
            raise Illegal(say("core.refusal.not-held", text=one))


def _choose(prompt: Prompt, text: str) -> Answer:
    if not grammar.key(text):
        raise Unparseable(say("core.refusal.no-name"))
    if grammar.key(text) == "none":
        return Answer("choose")
    move = prompt.move_for("choose")
    offered = move.pick.items if move and move.pick else ()
    figures = grammar.items(text, spaces=True)
    if all(figure.isdigit() for figure in figures):
        name = _numbered if prompt.numbered else _chosen_mana
        return Answer("choose", "", tuple(name(figure, offered) for figure in figures))
    if prompt.numbered:
        return Answer("choose", "", (_worded(text, offered),))
    pieces = grammar.items(text)
    return Answer("choose", "", tuple(_chosen(piece, offered) for piece in pieces))


def _numbered(figure: str, offered: Sequence[str]) -> str:
    """An option by its number in the card's text (common.md 4)."""
    place = int(figure)
    if not 1 <= place <= len(offered):
        raise Illegal(say("core.refusal.not-offered", items=[figure]))
    return offered[place - 1]


def _worded(text: str, offered: Sequence[str]) -> str:
    """An option by its words, shortened: how it begins, or the beginnings of some of its words
    in their order.

    >>> _worded("opp disc", ["gain 4", "the opponent discards their hand"])
    'the opponent discards their hand'
    """
    wanted = grammar.key(text)
    fits = [option for option in offered if grammar.key(option).startswith(wanted)]
    fits = fits or [option for option in offered if _has_words(option, text)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise Ambiguous(say("core.refusal.ambiguous", text=text, fits=fits))
    return grammar.named(text, (), BOOK)


def _has_words(option: str, text: str) -> bool:
    left = iter(option.casefold().split())
    words = [grammar.key(word) for word in text.split() if grammar.key(word)]
    return all(any(one.startswith(word) for one in left) for word in words)


def _chosen_mana(figure: str, offered: Sequence[str]) -> str:
    if figure not in POWERS:
        raise Unparseable(say("core.refusal.unknown-name", text=figure))
    if figure not in offered:
        raise Illegal(say("core.refusal.not-offered", items=[figure]))
    return figure


def _chosen(piece: str, offered: Sequence[str]) -> str:
    return (
        _chosen_mana(piece, list(offered))
        if piece.isdigit()
        else grammar.named(piece, offered, BOOK)
    )


# --- writing --------------------------------------------------------------------------------------


def phrase(answer: Answer) -> str:
    """The line to type for an answer."""
    verb, target, picks = answer
    if verb == "choose" and not picks:
        return "choose none"
    joiner = {"cast": " with ", "pick": " replacing "}.get(verb, " ")
    head = f"{verb} {target}".strip()
    return head + joiner + ", ".join(picks) if picks else head


def menu(prompt: Prompt) -> list[str]:
    """A line for each thing that can be done; where mana is to be paid, an example of it."""
    lines = []
    for verb, target, pick in prompt.moves:
        if pick is None:
            lines.append(phrase(Answer(verb, target)))
        else:
            lines += _picking(verb, target, pick)
    return lines


def _picking(verb: str, target: str, pick: Pick) -> list[str]:
    if pick.high == 1:
        line = " / ".join([phrase(Answer(verb, target, pick.items[:1])), *_others(pick.items)])
    else:
        line = phrase(Answer(verb, target, pick.items[: max(pick.low, 1)]))
    return [line, "choose none"] if pick.low == 0 else [line]


def _others(items: Sequence[str]) -> list[str]:
    """The different items after the first, in their order."""
    return [item for item in dict.fromkeys(items) if item != items[0]]
