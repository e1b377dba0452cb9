"""Questions and answers: the one place where input is validated.

A question lists its legal answers as *moves*: a command word, what it is about, and what must
be picked besides. All that a player sends becomes an :class:`Answer`, and is legal exactly if
a move of the open question allows it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, permutations
from typing import Any, NamedTuple

from sigilpost_engine.core.errors import Illegal
from sigilpost_engine.core.messages import NOTHING, Msg, Value, say


class Pick(NamedTuple):
    """``low`` to ``high`` of ``items``, a multiset: an item that occurs twice may be named twice.

    ``ordered``: another order of the same items is another answer.
    """

    items: tuple[str, ...]
    low: int = 1
    high: int = 1
    ordered: bool = False

    @property
    def many(self) -> bool:
        """Whether several items can be named together in more than one way: a menu has room for
        one of them."""
        different = len(set(self.items)) > 1
        other = different and (self.ordered or len(self.items) > self.high)
        return self.high > 1 and (other or self.low < self.high)


class Answer(NamedTuple):
    """A command word, what it is about ("" if nothing), and the items picked, in order."""

    verb: str
    target: str = ""
    picks: tuple[str, ...] = ()

    def to_json(self) -> list[Any]:
        """``[verb, target, [picks]]``."""
        return [self.verb, self.target, list(self.picks)]

    @classmethod
    def from_json(cls, raw: list[Any]) -> Answer:
        """The inverse of :meth:`to_json`."""
        return cls(raw[0], raw[1], tuple(raw[2]))


class Move(NamedTuple):
    """One kind of legal answer: ``claim`` / ``A`` / one of these hand cards."""

    verb: str
    target: str = ""
    pick: Pick | None = None

    def answers(self) -> Iterator[Answer]:
        """Every different answer that this move allows. Can be many: iterate lazily."""
        if self.pick is None:
            yield Answer(self.verb, self.target)
            return
        arrange = permutations if self.pick.ordered else combinations
        for number in range(self.pick.low, self.pick.high + 1):
            seen = set()
            for picks in arrange(self.pick.items, number):
                key = picks if self.pick.ordered else tuple(sorted(picks))
                if key not in seen:
                    seen.add(key)
                    yield Answer(self.verb, self.target, picks)


class Prompt(NamedTuple):
    """An open question to one seat.

    ``topic`` names the kind of question; its text is the message ``<game>.ask.<topic>`` (blanks
    as dashes) with ``values``. ``secret`` says that the items are cards of the seat's own hand:
    then the question is asked even when all answers are alike, or when the one answer is to
    decline, as not asking would tell the others so (common.md 2). ``numbered``: items may be
    named by their number in the list, the options of a card's text (common.md 4).

    Two moves may have the same word: "two cards, or none" is one that picks two beside one that
    picks nothing.
    """

    seat: int
    topic: str
    moves: tuple[Move, ...]
    values: Mapping[str, Value] = NOTHING
    secret: bool = False
    numbered: bool = False

    def only(self) -> Answer | None:
        """The forced answer, if nothing is there to choose from (common.md 2); else None."""
        if len(self.moves) != 1:
            return None
        verb, target, pick = self.moves[0]
        if pick is None:
            return None if self.secret else Answer(verb, target)
        items, low, high, ordered = pick
        if low < min(high, len(items)):
            return None
        alike = not self.secret and len(set(items)) <= 1
        if alike or low == 0 or (low == len(items) and (not ordered or low == 1)):
            return Answer(verb, target, items[:low])
        return None

    def answers(self) -> Iterator[Answer]:
        """Every different legal answer, lazily."""
        for move in self.moves:
            yield from move.answers()

    def move_for(self, verb: str, target: str = "") -> Move | None:
        """The move with this command word about this thing, if it is legal now."""
        for move in self.moves:
            if move.verb == verb and move.target == target:
                return move
        return None

    def check(self, answer: Answer) -> None:
        """Raise Illegal unless ``answer`` is one of the legal answers: kind, number, membership."""
        fault = Illegal(say("core.refusal.not-now", command=answer.verb))
        for move in reversed(self.moves):
            if move.verb == answer.verb and move.target == answer.target:
                try:
                    _check_picks(move, answer.picks)
                except Illegal as refusal:
                    fault = refusal
                else:
                    return
        raise fault

    @property
    def exemplary(self) -> bool:
        """Whether a menu of this question has lines that stand for others, too."""
        return any(move.pick is not None and move.pick.many for move in self.moves)

    def to_json(self) -> dict[str, Any]:
        """The question as its seat may see it; all that a client needs to check a line."""
        return {
            "seat": self.seat,
            "topic": self.topic,
            "moves": [_move_to_json(move) for move in self.moves],
            "values": Msg("", self.values).to_json()[1],
            "secret": self.secret,
            "numbered": self.numbered,
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Prompt:
        """The inverse of :meth:`to_json`."""
        return cls(
            raw["seat"],
            raw["topic"],
            tuple(_move_from_json(move) for move in raw["moves"]),
            Msg.from_json(["", raw["values"]]).values,
            raw["secret"],
            raw["numbered"],
        )

    def fingerprint(self) -> str:
        """16 hex digits that change whenever anything of the question does."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _check_picks(move: Move, picks: tuple[str, ...]) -> None:
    pick = move.pick
    if pick is None:
        if picks:
            raise Illegal(say("core.refusal.nothing-to-pick", command=move.verb))
        return
    if not pick.low <= len(picks) <= pick.high:
        raise Illegal(wrong_number(pick.low, pick.high, len(picks)))
    missing = Counter(picks) - Counter(pick.items)
    unknown = sorted(set(missing) - set(pick.items))
    if unknown:
        raise Illegal(say("core.refusal.not-offered", items=unknown))
    if missing:
        raise Illegal(say("core.refusal.too-often", items=sorted(missing)))


def wrong_number(low: int, high: int, given: int) -> Msg:
    """That another number of things must be named."""
    if low == high:
        return say("core.refusal.exact-number", count=low, given=given)
    return say("core.refusal.wrong-number", low=low, high=high, given=given)


def _move_to_json(move: Move) -> list[Any]:
    if move.pick is None:
        return [move.verb, move.target]
    items, low, high, ordered = move.pick
    return [move.verb, move.target, list(items), low, high, ordered]


def _move_from_json(raw: list[Any]) -> Move:
    if len(raw) == 2:
        return Move(raw[0], raw[1])
    verb, target, items, low, high, ordered = raw
    return Move(verb, target, Pick(tuple(items), low, high, ordered))


def yes_no(seat: int, topic: str, **values: Value) -> Prompt:
    """A "may" with nothing to pick (common.md 3)."""
    return Prompt(seat, topic, (Move("yes"), Move("no")), values)


def choose(
    seat: int,
    topic: str,
    items: tuple[str, ...],
    low: int = 1,
    high: int = 1,
    *,
    ordered: bool = False,
    secret: bool = False,
    numbered: bool = False,
    **values: Value,
) -> Prompt:
    """A question answered by ``choose …``; with ``low=0`` also by ``choose none``.

    ``high`` is cut down to what is there.
    """
    pick = Pick(items, low, min(high, len(items)), ordered)
    return Prompt(seat, topic, (Move("choose", "", pick),), values, secret, numbered)
