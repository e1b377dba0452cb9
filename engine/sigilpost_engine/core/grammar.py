"""Reading what players type (common.md 4, 5): command words, shortened names, lists.

Everything here works on what the player's client has too (the view and the open question), so
that a line is judged alike on both sides.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence

from sigilpost_engine.core.errors import Ambiguous, Illegal, Unparseable
from sigilpost_engine.core.messages import say
from sigilpost_engine.core.prompts import Answer, Prompt, wrong_number


def tidy(line: str) -> str:
    """One line as typed in any client: full width and ligatures folded, white space single."""
    return " ".join(unicodedata.normalize("NFKC", line).split())


def key(name: str) -> str:
    """What counts of a name: no case, no spaces, no punctuation."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def verb_of(line: str, verbs: Iterable[str]) -> tuple[str, str]:
    """The command word of ``line`` (the longest of ``verbs`` that fits) and what follows it.

    Raises Unparseable if it begins with none of them.
    """
    words = tidy(line).split(" ")
    known = {tuple(verb.split(" ")): verb for verb in verbs}
    longest = max(map(len, known), default=0)
    for length in range(longest, 0, -1):
        verb = known.get(tuple(word.casefold() for word in words[:length]))
        if verb is not None:
            return verb, " ".join(words[length:])
    raise Unparseable(say("core.refusal.no-command", line=line, commands=sorted(known.values())))


def cut(text: str, word: str) -> tuple[str, str | None]:
    """``text`` before and after ``word`` standing alone; None if it does not occur.

    >>> cut("A with fire 3", "with")
    ('A', 'fire 3')
    """
    words = text.split(" ")
    for place, candidate in enumerate(words):
        if candidate.casefold() == word:
            return " ".join(words[:place]), " ".join(words[place + 1 :])
    return text, None


def items(text: str, *, spaces: bool = False) -> list[str]:
    """A list: separated by commas, of mana by spaces too. Empty entries are dropped."""
    parts = text.replace(",", " ").split() if spaces else text.split(",")
    return [part.strip() for part in parts if part.strip()]


def named(text: str, meant: Iterable[str], known: Collection[str]) -> str:
    """The one of ``meant`` that ``text`` names, whole or by a prefix.

    Raises Ambiguous if it fits two, Illegal if it only fits something else of ``known`` (all
    names of the game), and Unparseable if it is nothing at all.
    """
    wanted = key(text)
    if not wanted:
        raise Unparseable(say("core.refusal.no-name"))
    offered = sorted(set(meant))
    exact = [name for name in offered if key(name) == wanted]
    fits = exact or [name for name in offered if key(name).startswith(wanted)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise Ambiguous(say("core.refusal.ambiguous", text=text, fits=fits))
    if any(key(name).startswith(wanted) for name in known):
        raise Illegal(say("core.refusal.not-here", text=text))
    raise Unparseable(say("core.refusal.unknown-name", text=text))


def the_one(text: str, meant: Iterable[str], known: Collection[str]) -> str:
    """:func:`named` where one thing is asked for: a list of several is the wrong number of them
    (Illegal), if each is the name of something."""
    offered = set(meant)
    try:
        return named(text, offered, known)
    except Unparseable:
        pieces = items(text)
        if len(pieces) < 2:
            raise
    for piece in pieces:
        try:
            named(piece, offered, known)
        except (Ambiguous, Illegal):
            continue
    raise Illegal(wrong_number(1, 1, len(pieces)))


def choice(prompt: Prompt, text: str, name: Callable[[str, Sequence[str]], str]) -> Answer:
    """The answer that ``choose <text>`` gives to ``prompt``.

    ``name(text, offered)`` finds the item that a piece of the text means among those offered.
    Raises whatever it raises; a legal answer is not promised (``prompt.check`` does that).
    """
    move = prompt.move_for("choose")
    offered = move.pick.items if move and move.pick else ()
    if key(text) == "none":
        return Answer("choose")
    figures = bool(offered) and all(item.isdigit() for item in offered)
    pieces = items(text, spaces=figures)
    if not pieces:
        raise Unparseable(say("core.refusal.no-name"))
    return Answer("choose", "", tuple(_item(prompt, piece, offered, name) for piece in pieces))


def _item(
    prompt: Prompt, piece: str, offered: Sequence[str], name: Callable[[str, Sequence[str]], str]
) -> str:
    if prompt.numbered and piece.isdigit():
        place = int(piece)
        if not 1 <= place <= len(offered):
            raise Illegal(say("core.refusal.not-offered", items=[piece]))
        return offered[place - 1]
    if prompt.numbered:
        return named(piece, offered, offered)
    return name(piece, offered)
