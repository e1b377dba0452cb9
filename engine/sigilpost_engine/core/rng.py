"""Randomness that can be stored, replayed and proved: ``(key, counter)``.

Word number ``i`` of a key is the big-endian 32-bit word ``i % 8`` of
HMAC-SHA256(key, ``i // 8`` as 8 big-endian bytes). The counter is the number of words used up.
The page ``docs/transcript.md`` states the same for whoever writes a verifier.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

_WORDS = struct.Struct(">8I")
_RANGE = 1 << 32


@dataclass(slots=True)
class Rng:
    """A random stream. ``key`` is any bytes; ``counter`` the number of words drawn so far."""

    key: bytes
    counter: int = 0
    _number: int = field(default=-1, compare=False, repr=False)
    _block: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def word(self) -> int:
        """The next word, 0 … 2³²-1."""
        number, place = divmod(self.counter, 8)
        if number != self._number:
            mac = hmac.digest(self.key, number.to_bytes(8, "big"), "sha256")
            self._block = _WORDS.unpack(mac)
            self._number = number
        self.counter += 1
        return self._block[place]

    def below(self, bound: int) -> int:
        """A uniform number in ``range(bound)``, by rejection (no modulo bias).

        Raises ValueError unless 1 ≤ bound ≤ 2³².
        """
        if not 1 <= bound <= _RANGE:
            raise ValueError(f"bound {bound} is not in 1..2**32")
        fair = _RANGE - _RANGE % bound
        while (word := self.word()) >= fair:
            pass
        return word % bound

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``, each as likely as any other."""
        return items[self.below(len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Fisher-Yates in place: for i from the last place to 1, swap i and ``below(i + 1)``."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
