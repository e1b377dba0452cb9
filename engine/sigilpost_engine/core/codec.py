"""States to JSON and back, and quick copies, made from the dataclasses' own annotations.

Understood: dataclasses, ``int``, ``str``, ``bool``, ``bytes`` (as hex), ``None``, ``X | None``,
``list[X]``, ``tuple[X, ...]``, ``dict[str, X]``, string enums and NamedTuples. Fields whose name
begins with ``_`` are caches: neither stored nor copied.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_Convert = Callable[[Any], Any]


def encode(value: Any) -> Any:
    """``value`` (a dataclass) as plain JSON data."""
    return _codec(type(value)).encode(value)


def decode(kind: type[T], raw: Any) -> T:
    """The value of ``kind`` that :func:`encode` wrote as ``raw``."""
    result: T = _codec(kind).decode(raw)
    return result


def copy(value: T) -> T:
    """A copy that shares no mutable part with ``value``."""
    result: T = _codec(type(value)).copy(value)
    return result


class _Codec(typing.NamedTuple):
    encode: _Convert
    decode: _Convert
    copy: _Convert
    plain: bool  # encoded, decoded and copied as it is


def _same(value: Any) -> Any:
    return value


_PLAIN = _Codec(_same, _same, _same, True)
_CODECS: dict[Any, _Codec] = {}


def _codec(kind: Any) -> _Codec:
    found = _CODECS.get(kind)
    if found is None:
        found = _CODECS[kind] = _make_codec(kind)
    return found


def _make_codec(kind: Any) -> _Codec:
    if kind in (int, str, bool, type(None), float) or kind is Any:
        return _PLAIN
    if kind is bytes:
        return _Codec(bytes.hex, bytes.fromhex, _same, False)
    if dataclasses.is_dataclass(kind):
        return _dataclass_codec(typing.cast(type, kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _Codec(lambda member: member.value, kind, _same, False)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named_tuple_codec(kind)
    return _generic_codec(kind)


def _generic_codec(kind: Any) -> _Codec:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (arg for arg in args if arg is not type(None))
        return _optional_codec(_codec(inner))
    if origin is typing.Literal:
        return _PLAIN
    if origin is list:
        return _list_codec(_codec(args[0]))
    if origin is tuple:
        return _tuple_codec(_codec(args[0]))
    if origin is dict and args[0] is str:
        return _dict_codec(_codec(args[1]))
    raise TypeError(f"a state may not hold {kind!r}")


def _optional_codec(inner: _Codec) -> _Codec:
    if inner.plain:
        return _PLAIN

    def guarded(convert: _Convert) -> _Convert:
        return lambda value: None if value is None else convert(value)

    return _Codec(guarded(inner.encode), guarded(inner.decode), guarded(inner.copy), False)


def _list_codec(inner: _Codec) -> _Codec:
    if inner.plain:
        return _Codec(list, list, list, False)
    encode, decode, copy, _ = inner
    return _Codec(
        lambda items: [encode(item) for item in items],
        lambda items: [decode(item) for item in items],
        lambda items: [copy(item) for item in items],
        False,
    )


def _tuple_codec(inner: _Codec) -> _Codec:
    encode, decode, copy, plain = inner
    return _Codec(
        lambda items: [encode(item) for item in items],
        lambda items: tuple(decode(item) for item in items),
        _same if plain else lambda items: tuple(copy(item) for item in items),
        False,
    )


def _dict_codec(inner: _Codec) -> _Codec:
    if inner.plain:
        return _Codec(dict, dict, dict, False)
    encode, decode, copy, _ = inner
    return _Codec(
        lambda items: {key: encode(item) for key, item in items.items()},
        lambda items: {key: decode(item) for key, item in items.items()},
        lambda items: {key: copy(item) for key, item in items.items()},
        False,
    )


def _named_tuple_codec(kind: Any) -> _Codec:
    hints = typing.get_type_hints(kind)
    inner = [_codec(hints[name]) for name in kind._fields]
    return _Codec(
        lambda value: [codec.encode(item) for codec, item in zip(inner, value, strict=True)],
        lambda raw: kind(*(codec.decode(item) for codec, item in zip(inner, raw, strict=True))),
        _same,
        False,
    )


def _dataclass_codec(kind: type) -> _Codec:
    hints = typing.get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind) if not f.name.startswith("_")]
    fields = [(name, _codec(hints[name])) for name in names]
    encoders = [(name, None if codec.plain else codec.encode) for name, codec in fields]
    copiers = [(name, None if codec.plain else codec.copy) for name, codec in fields]
    known = {name: codec.decode for name, codec in fields}

    def encode(value: Any) -> Any:
        return {
            name: getattr(value, name) if convert is None else convert(getattr(value, name))
            for name, convert in encoders
        }

    def decode(raw: Any) -> Any:
        return kind(**{name: known[name](item) for name, item in raw.items()})

    def copy(value: Any) -> Any:
        return kind(
            *[
                getattr(value, name) if convert is None else convert(getattr(value, name))
                for name, convert in copiers
            ]
        )

    return _Codec(encode, decode, copy, False)
