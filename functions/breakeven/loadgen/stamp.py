"""The 16 characters every message starts with: run tag, producer and sequence.

Text-safe, so that a 16-byte body and SQS both hold them: four characters of tag, then 18 bits of producer
and 54 bits of sequence as twelve characters of base64url (three and nine).
"""

from __future__ import annotations

import binascii

from breakeven.clients.base import STAMP_BYTES

_TAG = 4
_SEQUENCE_BITS = 54
_TO_URL = bytes.maketrans(b"+/", b"-_")
# "+" and "/" themselves become a character that is in no alphabet: one origin, one spelling
_FROM_URL = bytes.maketrans(b"-_+/", b"+/!!")
_PADDING = b"queue-breakeven "


class Stamper:
    """Makes the bodies of one producer's messages: the stamp, then padding up to ``size`` bytes."""

    def __init__(self, tag: str, producer: int, size: int) -> None:
        self._tag = tag.encode("ascii")
        self._base = producer << _SEQUENCE_BITS
        self._rest = (_PADDING * (size // len(_PADDING) + 1))[: size - STAMP_BYTES]

    def bodies(self, first: int, count: int) -> list[bytes]:
        """Of consecutive sequences."""
        return [self.body(sequence) for sequence in range(first, first + count)]

    def body(self, sequence: int) -> bytes:
        origin = (self._base + sequence).to_bytes(9, "big")
        return self._tag + binascii.b2a_base64(origin, newline=False).translate(_TO_URL) + self._rest


class StampReader:
    """Reads the stamps of one case."""

    def __init__(self, tag: str) -> None:
        self._tag = tag.encode("ascii")

    def read(self, stamp: bytes) -> tuple[int, int] | None:
        """Producer and sequence; None when the body is not one of this case's."""
        if len(stamp) < STAMP_BYTES or not stamp.startswith(self._tag):
            return None
        try:
            origin = binascii.a2b_base64(stamp[_TAG:STAMP_BYTES].translate(_FROM_URL), strict_mode=True)
        except binascii.Error:
            return None
        if len(origin) != 9:
            return None
        number = int.from_bytes(origin, "big")
        return number >> _SEQUENCE_BITS, number & ((1 << _SEQUENCE_BITS) - 1)
