"""The 16 characters every message starts with: run tag, producer and sequence.

Text-safe, so that a 16-byte body and SQS both hold them: four characters of tag, then 18 bits of producer
and 54 bits of sequence as twelve characters of base64url (three and nine).
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import overload

import numpy as np

from breakeven.clients.base import STAMP_BYTES, Bodies, Bytes

_TAG = 4
_SEQUENCE_BITS = 54
_TO_URL = bytes.maketrans(b"+/", b"-_")
# "+" and "/" themselves become a character that is in no alphabet: one origin, one spelling
_FROM_URL = bytes.maketrans(b"-_+/", b"+/!!")
_PADDING = b"queue-breakeven "
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#: a stamp's last two characters, by the lowest twelve bits of its sequence
_ENDS: Bytes = np.stack(
    [np.repeat(np.frombuffer(_ALPHABET, np.uint8), 64), np.tile(np.frombuffer(_ALPHABET, np.uint8), 64)],
    axis=1,
)
_ENDS_MASK = len(_ENDS) - 1
#: characters of a stamp before those
_COMMON = STAMP_BYTES - _ENDS.shape[1]


class Stamper:
    """Makes the bodies of one producer's messages: the stamp, then padding up to ``size`` bytes."""

    def __init__(self, tag: str, producer: int, size: int) -> None:
        self._tag = tag.encode("ascii")
        self._base = producer << _SEQUENCE_BITS
        self.size = size
        #: what stands behind the stamp
        self.rest = (_PADDING * (size // len(_PADDING) + 1))[: size - STAMP_BYTES]

    def bodies(self, first: int, count: int) -> StampedBodies:
        """Of consecutive sequences."""
        return StampedBodies(self, range(first, first + count))

    def body(self, sequence: int) -> bytes:
        return self.stamp(sequence) + self.rest

    def stamp(self, sequence: int) -> bytes:
        origin = (self._base + sequence).to_bytes(9, "big")
        return self._tag + binascii.b2a_base64(origin, newline=False).translate(_TO_URL)


class StampedBodies(Bodies):
    """The bodies of one producer's consecutive messages."""

    def __init__(self, stamper: Stamper, sequences: range) -> None:
        self._stamper, self._sequences = stamper, sequences
        self.size, self.rest = stamper.size, stamper.rest

    def stamps(self, into: Bytes) -> None:
        """Stamps of 4096 messages in a row differ in their last two characters, which are in a table."""
        first, count, done = self._sequences.start, len(self._sequences), 0
        while done < count:
            low = (first + done) & _ENDS_MASK
            end = min(count, done + len(_ENDS) - low)
            common = self._stamper.stamp(first + done)[:_COMMON]
            into[done:end, :_COMMON] = np.frombuffer(common, np.uint8)
            into[done:end, _COMMON:] = _ENDS[low : low + end - done]
            done = end

    def __len__(self) -> int:
        return len(self._sequences)

    def __iter__(self) -> Iterator[bytes]:
        return map(self._stamper.body, self._sequences)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> StampedBodies: ...
    def __getitem__(self, index: int | slice) -> bytes | StampedBodies:
        if isinstance(index, int):
            return self._stamper.body(self._sequences[index])
        chosen = self._sequences[index]
        if chosen.step != 1:
            raise ValueError("bodies are of consecutive sequences")
        return StampedBodies(self._stamper, chosen)


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
