"""Conditions of standing orders: ``health < 20 and not (title = Whirlpool or 4 in hand)``.

Facts of a seat's own view are compared with ``= != < > <= >= in and or not ( )``. A condition is
read once and asked often.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sigilpost_engine.core.errors import Unparseable
from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.messages import say

Fact = int | str | bool | list[str]
Facts = Mapping[str, Fact]
"""What a seat knows, by name: numbers, words, flags, and lists of names."""

DEEPEST = 20
"""Parentheses and ``not`` inside one another."""


class FactName(str):
    """A word of a condition that names a fact; any other word means itself."""

    __slots__ = ()


Operand = int | str | FactName | tuple[int | str, ...]


class Compare(NamedTuple):
    """``left operator right``; the operator is one of ``= != < > <= >= in``."""

    left: Operand
    operator: str
    right: Operand

    def holds(self, facts: Facts) -> bool:
        return _OPERATORS[self.operator](_value(self.left, facts), _value(self.right, facts))


class Flag(NamedTuple):
    """A fact by itself: a flag that is set, a number that is not 0, a list that is not empty."""

    fact: FactName

    def holds(self, facts: Facts) -> bool:
        return bool(facts[self.fact])


class Not(NamedTuple):
    """The opposite of a condition."""

    part: Condition

    def holds(self, facts: Facts) -> bool:
        return not self.part.holds(facts)


class AllOf(NamedTuple):
    """``and``."""

    parts: tuple[Condition, ...]

    def holds(self, facts: Facts) -> bool:
        return all(part.holds(facts) for part in self.parts)


class AnyOf(NamedTuple):
    """``or``."""

    parts: tuple[Condition, ...]

    def holds(self, facts: Facts) -> bool:
        return any(part.holds(facts) for part in self.parts)


Condition = Compare | Flag | Not | AllOf | AnyOf


def read(text: str, facts: Sequence[str]) -> Condition:
    """The condition that a text gives, for a game with these facts.

    Raises Unparseable, saying what was expected where.
    """
    return _Reader(text, facts).whole()


# --- reading --------------------------------------------------------------------------------------

_TOKEN = re.compile(r'\s*(?:(<=|>=|!=|=|<|>|\(|\)|,)|"([^"]*)"|([^\s<>=!(),"]+))')
_KEYWORDS = frozenset(["and", "or", "not", "in"])


def _bad(id: str, **values: object) -> Unparseable:
    return Unparseable(say(id, **values))


class _Token(NamedTuple):
    text: str
    quoted: bool = False

    def is_(self, *texts: str) -> bool:
        return not self.quoted and self.text.casefold() in texts


class _Reader:
    """A recursive descent: or, and, not, comparison, operand."""

    def __init__(self, text: str, facts: Sequence[str]) -> None:
        self._facts = {key(fact): fact for fact in facts}
        self._known = list(facts)
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def whole(self) -> Condition:
        condition = self._any()
        if self._peek() is not None:
            raise self._unexpected("and, or")
        return condition

    def _any(self) -> Condition:
        parts = [self._all()]
        while self._take("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Condition:
        parts = [self._one()]
        while self._take("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _one(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _bad("core.standing.too-deep", deepest=DEEPEST)
        try:
            if self._take("not"):
                return Not(self._one())
            if self._take("("):
                inside = self._any()
                self._expect(")")
                return inside
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Condition:
        left = self._operand()
        for operator in _OPERATORS:
            if self._take(operator):
                right = self._operands() if operator == "in" else self._operand()
                if not isinstance(left, FactName) and not isinstance(right, FactName):
                    break  # a misspelt fact would make a condition that never changes
                return Compare(left, operator, right)
        else:
            if isinstance(left, FactName):
                return Flag(left)
        raise _bad("core.standing.no-fact", name=str(left), known=self._known)

    def _operands(self) -> Operand:
        """After ``in``: a fact that is a list, or values in parentheses or between commas."""
        bracket = self._take("(")
        values = [self._operand()]
        while self._take(","):
            values.append(self._operand())
        if bracket:
            self._expect(")")
        if len(values) == 1 and isinstance(values[0], FactName):
            return values[0]
        return tuple(v if isinstance(v, int) else str(v) for v in values)

    def _operand(self) -> Operand:
        token = self._peek()
        if token is None or (not token.quoted and not _is_operand(token)):
            raise self._unexpected("a fact, a number or a word")
        self._place += 1
        if token.quoted:
            return token.text
        if re.fullmatch(r"-?[0-9]{1,9}", token.text):
            return int(token.text)
        fact = self._facts.get(key(token.text))
        return token.text if fact is None else FactName(fact)

    def _peek(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take(self, text: str) -> bool:
        token = self._peek()
        if token is None or not token.is_(text):
            return False
        self._place += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected(text)

    def _unexpected(self, expected: str) -> Unparseable:
        token = self._peek()
        found = "" if token is None else token.text
        return _bad("core.standing.expected", expected=expected, found=found)


def _is_operand(token: _Token) -> bool:
    return not token.is_(*_KEYWORDS, *_OPERATORS, "(", ")", ",")


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise _bad("core.standing.expected", expected="a condition", found=text[place:].strip())
        place = found.end()
        if found[2] is not None:
            yield _Token(found[2], quoted=True)
        else:
            yield _Token(found[1] or found[3])


# --- values ---------------------------------------------------------------------------------------

_Value = int | str | bool | list[str] | tuple[int | str, ...]


def _value(operand: Operand, facts: Facts) -> _Value:
    return facts[operand] if isinstance(operand, FactName) else operand


def _equal(left: _Value, right: _Value) -> bool:
    """Names compare without case, spaces and punctuation; a flag with yes and no."""
    if isinstance(left, bool) or isinstance(right, bool):
        return _flag(left) is _flag(right)
    if isinstance(left, list | tuple) or isinstance(right, list | tuple):
        return _bag(left) == _bag(right)
    if isinstance(left, int) or isinstance(right, int):
        return str(left) == str(right)
    return key(left) == key(right)


def _flag(value: _Value) -> bool | None:
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    return words.get(str(value).casefold())


def _bag(value: _Value) -> list[str]:
    items = value if isinstance(value, list | tuple) else [value]
    return sorted(key(str(item)) for item in items)


def _within(left: _Value, right: _Value) -> bool:
    items = right if isinstance(right, list | tuple) else [right]
    return any(_equal(left, item) for item in items)


def _ordered(test: Callable[[int, int], bool]) -> Callable[[_Value, _Value], bool]:
    """Only numbers have an order; a list counts as its length, anything else fits nothing."""

    def compare(left: _Value, right: _Value) -> bool:
        one, two = _number(left), _number(right)
        return one is not None and two is not None and test(one, two)

    return compare


def _number(value: _Value) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, list | tuple):
        return len(value)
    if isinstance(value, int):
        return value
    return int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else None


_OPERATORS: dict[str, Callable[[_Value, _Value], bool]] = {
    "=": _equal,
    "!=": lambda left, right: not _equal(left, right),
    "<=": _ordered(lambda one, two: one <= two),
    ">=": _ordered(lambda one, two: one >= two),
    "<": _ordered(lambda one, two: one < two),
    ">": _ordered(lambda one, two: one > two),
    "in": _within,
}
