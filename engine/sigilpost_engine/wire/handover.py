"""A server's change of key: the old key names the new one, and the new one agrees.

Whoever knows the old key can follow to the new one without asking anybody. Handovers are part
of every signed document of the server and of every transcript.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from . import canonical, checks
from .errors import BadFields, BadSignature
from .keys import PrivateKey, PublicKey

_NAMES = "handover"
_AGREES = "handover-proof"
_key = checks.match(checks.HEX_64, "64 hexadecimal digits")
_signature = checks.match(checks.HEX_128, "128 hexadecimal digits")


@dataclass(frozen=True)
class Handover:
    """From one raw public key to another (64 hexadecimal digits), at ``made`` (Unix seconds).

    ``by_old`` signs the tag ``handover`` and ``by_new`` the tag ``handover-proof``, each over the
    canonical JSON of ``old``, ``new`` and ``made``; 128 hexadecimal digits.
    """

    old: str
    new: str
    made: int
    by_old: str
    by_new: str

    @classmethod
    def sign(cls, old: PrivateKey, new: PrivateKey, made: int) -> "Handover":
        """Return the handover from one key to another."""
        message = _message(old.public.hex, new.public.hex, made)
        return cls(
            old.public.hex,
            new.public.hex,
            made,
            old.sign(_NAMES, message).hex(),
            new.sign(_AGREES, message).hex(),
        )

    @classmethod
    def from_json(cls, values: Any) -> "Handover":
        """Read one and check both signatures; raise `BadFields` or `BadSignature`."""
        names = {each.name for each in fields(cls)}
        if not isinstance(values, Mapping) or values.keys() != names:
            raise BadFields("handover", "old, new, made, by_old and by_new")
        handover = cls(**values)
        handover.check()
        return handover

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return asdict(self)

    def check(self) -> None:
        """Raise `BadFields`, or `BadSignature` if one of the two keys did not sign this."""
        _key("old", self.old)
        _key("new", self.new)
        _signature("by_old", self.by_old)
        _signature("by_new", self.by_new)
        if type(self.made) is not int:
            raise BadFields("made", "a time")
        old, new = PublicKey.from_hex(self.old), PublicKey.from_hex(self.new)
        if old == new:
            raise BadFields("new", "another key than the old one")
        message = _message(self.old, self.new, self.made)
        old.verify(_NAMES, message, bytes.fromhex(self.by_old))
        new.verify(_AGREES, message, bytes.fromhex(self.by_new))


def read(values: Any) -> list[Handover]:
    """The good ones of a list of handovers; what is none is left out."""
    found = []
    for each in values if isinstance(values, Sequence) and not isinstance(values, str) else ():
        try:
            found.append(Handover.from_json(each))
        except (BadFields, BadSignature):
            continue
    return found


def follow(known: str, to: str, handovers: Sequence[Handover]) -> list[Handover] | None:
    """The handovers that lead from a known key to another; None if they do not lead there.

    Keys are raw public keys in hexadecimal. Of several handovers of one key the first counts.
    """
    by_old: dict[str, Handover] = {}
    for each in handovers:
        by_old.setdefault(each.old, each)
    path: list[Handover] = []
    at = known
    while at != to:
        step = by_old.pop(at, None)
        if step is None:
            return None
        path.append(step)
        at = step.new
    return path


def _message(old: str, new: str, made: int) -> bytes:
    return canonical.encode({"old": old, "new": new, "made": made})
