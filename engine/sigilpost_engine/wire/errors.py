"""The family of errors that bad wire data raises; each class carries the slug of its reason."""

from typing import ClassVar


class WireError(ValueError):
    """Something received is not what the protocol says; ``slug`` is its published reason."""

    slug: ClassVar[str] = "unparsable-mail"


class NotCanonical(WireError):
    """Bytes that are not the RFC 8785 form of a value, or a value that has no such form."""

    slug = "not-canonical"


class BadVersion(WireError):
    """A payload or document of a protocol version that this program does not speak."""

    slug = "bad-version"


class BadFields(WireError):
    """A field is missing, unknown, of the wrong type or out of its limits; see ``field``."""

    slug = "bad-fields"

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class UnknownKind(WireError):
    """A block whose third word names no kind that this program knows."""

    slug = "unknown-kind"


class BlockTooBig(WireError):
    """A payload over the limit of 16 KB."""

    slug = "block-too-big"


class BadSignature(WireError):
    """The signature does not belong to these bytes and this key."""

    slug = "bad-signature"


class WrongServer(WireError):
    """A document signed by another server key than the pinned one; ``public`` is its raw key."""

    slug = "other-server"

    def __init__(self, public: bytes) -> None:
        super().__init__("signed by another server key than the one known")
        self.public = public
