"""Messages: what the engine says, as an id with values and never as a sentence.

The catalogues (``sigilpost_engine.texts``) turn them into a player's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Value = Any
"""A value of a message: ``str``, ``int``, a :class:`Msg`, or a list of those. JSON when stored."""

NOTHING: Mapping[str, Value] = {}


class Msg(NamedTuple):
    """A message id (``weaver.event.claimed``) and the values that its text names."""

    id: str
    values: Mapping[str, Value] = NOTHING

    def to_json(self) -> list[Any]:
        """``[id, {name: value}]``; a nested message is ``{"msg": [id, values]}``."""
        return [self.id, {name: _value_to_json(value) for name, value in self.values.items()}]

    @classmethod
    def from_json(cls, raw: list[Any]) -> Msg:
        """The inverse of :meth:`to_json`."""
        return cls(raw[0], {name: _value_from_json(value) for name, value in raw[1].items()})


def _value_to_json(value: Value) -> Any:
    if isinstance(value, Msg):
        return {"msg": value.to_json()}
    if isinstance(value, list | tuple):
        return [_value_to_json(item) for item in value]
    return value


def _value_from_json(value: Any) -> Value:
    if isinstance(value, dict):
        return Msg.from_json(value["msg"])
    if isinstance(value, list):
        return [_value_from_json(item) for item in value]
    return value


def say(id: str, /, **values: Value) -> Msg:
    """A message written like a call: ``say("core.refusal.not-held", card="ASHW 3")``."""
    return Msg(id, values)
