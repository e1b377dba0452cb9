"""Canonical JSON (RFC 8785): one value, one sequence of bytes, so that bytes can be signed.

Numbers are integers within ±(2^53-1) only: what this protocol signs has no fractions, and
so the number formatting of ECMAScript is not needed.
"""

import json
from collections.abc import Iterable, Mapping

from .errors import NotCanonical

INT_MAX = 2**53 - 1
DEPTH_MAX = 64
# The depth is limited before anything is written, so nothing circular gets here.
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_SORTING_WRITER = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), check_circular=False, sort_keys=True
)


def encode(value: object) -> bytes:
    """Return the canonical UTF-8 bytes of a value.

    Dictionaries (string keys), lists, tuples, strings, integers, booleans and None are
    taken; anything else, an integer beyond ±(2^53-1), a lone surrogate, or nesting deeper
    than 64 raises `NotCanonical`.
    """
    try:
        if _is_plain(value, 0):
            return _SORTING_WRITER.encode(value).encode("utf-8")
        return _WRITER.encode(_ordered(value, 0)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotCanonical("a lone surrogate in a string") from error


def decode(data: bytes) -> object:
    """Return the value of canonical bytes; raise `NotCanonical` for any other spelling.

    Duplicate keys, floats, unsorted keys, needless white space and escapes all fail by the
    same comparison: their value, written again, gives other bytes.
    """
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise NotCanonical("not JSON in UTF-8") from error
    if encode(value) != data:
        raise NotCanonical("JSON, but not in its canonical form")
    return value


def _utf16_order(key: str) -> bytes:
    # RFC 8785 section 3.2.3: keys sort by UTF-16 code units, not by code points.
    return key.encode("utf-16-be", "surrogatepass")


def _sorted_keys(value: Mapping[str, object]) -> list[str]:
    try:
        plain = "".join(value).isascii()
    except TypeError as error:
        raise NotCanonical("a key that is not a string") from error
    return sorted(value) if plain else sorted(value, key=_utf16_order)


def _is_plain(value: object, depth: int) -> bool:
    """Whether the writer's own sorting is the canonical order, and nothing is to be refused.

    So it is for nearly all dictionaries and lists, which then need not be copied in order.
    Whatever is unusual is left to :func:`_ordered`.
    """
    items: Iterable[object]
    if isinstance(value, dict) and _ascii_keys(value):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value
    else:
        return False
    for item in items:
        if item is None or isinstance(item, str):
            continue
        if isinstance(item, int):
            if not -INT_MAX <= item <= INT_MAX:
                return False
        elif depth + 1 == DEPTH_MAX or not _is_plain(item, depth + 1):
            return False
    return True


def _ascii_keys(value: Mapping[object, object]) -> bool:
    try:
        return "".join(value).isascii()  # type: ignore[arg-type]  # that is what is to be seen
    except TypeError:
        return False


def _ordered(value: object, depth: int) -> object:
    """Return the value with sorted keys, having checked every part of it."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -INT_MAX <= value <= INT_MAX:
            raise NotCanonical("an integer beyond 2^53-1")
        return value
    if depth >= DEPTH_MAX:
        raise NotCanonical("nested too deeply")
    if isinstance(value, (list, tuple)):
        return [_ordered(item, depth + 1) for item in value]
    if isinstance(value, (dict, Mapping)):
        return {key: _ordered(value[key], depth + 1) for key in _sorted_keys(value)}
    raise NotCanonical(f"no canonical form for {type(value).__name__}")
