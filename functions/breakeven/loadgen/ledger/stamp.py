"""The 16 characters every message starts with: run tag, producer and sequence.

Text-safe, so that a 16-byte body and SQS both hold them: four characters of tag, then 18 bits of producer
and 54 bits of sequence as twelve characters of base64url (three and nine).
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from breakeven.clients.base import SEQUENCE_BITS, STAMP_BYTES, Bodies, Stamps
from breakeven.loadgen.record.timestamps import Int64s

_TAG = 4
_TO_URL = bytes.maketrans(b"+/", b"-_")
# "+" and "/" themselves become a character that is in no alphabet: one origin, one spelling
_FROM_URL = bytes.maketrans(b"-_+/", b"+/!!")
_PADDING = b"queue-breakeven "
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#: a stamp's last two characters, by the lowest twelve bits of its sequence: stamps of 4096 messages in a
#: row begin alike
_ENDS = [bytes((high, low)) for high in _ALPHABET for low in _ALPHABET]
_NUMBERS = {end: number for number, end in enumerate(_ENDS)}
_ENDS_BITS, _ENDS_MASK = 12, len(_ENDS) - 1
#: characters of a stamp before those
_COMMON = STAMP_BYTES - 2
_SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1
#: a whole stamp, decoded
_ORIGIN = np.dtype([("tag", "V3"), ("high", "u1"), ("low", ">u8")])


class Stamper:
    """Makes the bodies of one producer's messages: the stamp, then padding up to ``size`` bytes."""

    def __init__(self, tag: str, producer: int, size: int) -> None:
        self.tag = tag.encode("ascii")
        self._base = producer << SEQUENCE_BITS
        self.size = size
        self._block, self._common = -1, b""
        #: what stands behind the stamp
        self.rest = (_PADDING * (size // len(_PADDING) + 1))[: size - STAMP_BYTES]

    def bodies(self, first: int, count: int) -> StampedBodies:
        """Of consecutive sequences."""
        return StampedBodies(self, range(first, first + count))

    def sized(self, sequences: Sequence[int], sizes: Sequence[int]) -> list[bytes]:
        """Bodies of these sizes, none over the stamper's own."""
        return [
            self.stamp(sequence) + self.rest[: size - STAMP_BYTES]
            for sequence, size in zip(sequences, sizes, strict=True)
        ]

    def body(self, sequence: int) -> bytes:
        return self.stamp(sequence) + self.rest

    def common(self, sequence: int) -> bytes:
        """A stamp but for its last two characters."""
        block = sequence >> _ENDS_BITS
        if block != self._block:
            self._block, self._common = block, self.stamp(sequence)[:_COMMON]
        return self._common

    def stamp(self, sequence: int) -> bytes:
        origin = (self._base + sequence).to_bytes(9, "big")
        return self.tag + binascii.b2a_base64(origin, newline=False).translate(_TO_URL)


class StampedBodies(Bodies):
    """The bodies of one producer's consecutive messages."""

    def __init__(self, stamper: Stamper, sequences: range) -> None:
        self._stamper, self._sequences = stamper, sequences
        self.size, self.rest = stamper.size, stamper.rest

    def spelled(self) -> tuple[bytes, Sequence[bytes]] | None:
        first, count = self._sequences.start, len(self._sequences)
        low = first & _ENDS_MASK
        if low + count > len(_ENDS):
            return None
        return self._stamper.common(first), _ENDS[low : low + count]

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
        self._decoded_tag = binascii.a2b_base64(self._tag.translate(_FROM_URL), strict_mode=True)
        # how the stamps that were read last begin, and the origin of the first that may begin so
        self._latest = (b"no stamp", -1, -1)

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
        return number >> SEQUENCE_BITS, number & _SEQUENCE_MASK

    def read_run(self, stamps: Sequence[bytes]) -> tuple[int, range] | None:
        """One producer and its sequences, where these stamps, at least one, are of consecutive messages."""
        begun = self._begun(stamps[0])
        if begun is None:
            return None
        _, producer, first = begun
        run = range(first, first + len(stamps))
        if len(run) == 1:
            return producer, run
        return (producer, run) if self._spelled(stamps, producer, run) == _joined(stamps) else None

    def read_many(self, stamps: Sequence[bytes]) -> tuple[Int64s, Int64s] | None:
        """Producers and sequences, where all the bodies are this case's."""
        joined = _joined(stamps)
        if len(joined) != len(stamps) * STAMP_BYTES:
            return None
        try:
            decoded = binascii.a2b_base64(joined.translate(_FROM_URL), strict_mode=True)
        except binascii.Error:
            return None
        if len(decoded) != len(stamps) * _ORIGIN.itemsize:
            return None
        rows = np.frombuffer(decoded, _ORIGIN)
        if rows["tag"].tobytes() != self._decoded_tag * len(stamps):
            return None
        low = rows["low"].astype(np.uint64)
        producers = rows["high"].astype(np.int64) << (64 - SEQUENCE_BITS)
        producers |= (low >> np.uint64(SEQUENCE_BITS)).astype(np.int64)
        return producers, (low & np.uint64(_SEQUENCE_MASK)).astype(np.int64)

    def _spelled(self, stamps: Sequence[bytes], producer: int, run: range) -> bytes:
        """The stamps of a run, as far as these begin as such a run's must."""
        parts, at = [], 0
        while at < len(run):
            begun = self._begun(stamps[at])
            if begun is None or begun[1:] != (producer, run[at]):
                break
            low = run[at] & _ENDS_MASK
            ends = _ENDS[low : low + len(run) - at]
            parts.append(begun[0] + begun[0].join(ends))
            at += len(ends)
        return b"".join(parts)

    def _begun(self, stamp: bytes) -> tuple[bytes, int, int] | None:
        """All but the last two characters of a stamp, its producer and its sequence."""
        common, producer, base = self._latest
        if stamp.startswith(common) and (number := _NUMBERS.get(stamp[_COMMON:])) is not None:
            return common, producer, base + number
        origin = self.read(stamp)
        if origin is None or len(stamp) != STAMP_BYTES:
            return None
        producer, sequence = origin
        common = stamp[:_COMMON]
        self._latest = common, producer, sequence & ~_ENDS_MASK
        return common, producer, sequence


def _joined(stamps: Sequence[bytes]) -> bytes:
    return stamps.joined if type(stamps) is Stamps else b"".join(stamps)
