"""An exact set of sequence numbers that stays small however many it holds.

Consumers of one queue see interleaved halves, thirds, fortieths of a producer's sequence, so a list of
intervals would cost one interval a message as soon as a case has more than one loader. Here numbers
live in chunks of 4096, one bit each: whole chunks at the start are a single number (``floor``), other
whole chunks share one constant, and only chunks with gaps hold bits. 100 million in order cost nothing;
a gap costs at most 512 bytes; the worst case is one bit a number.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

_SHIFT = 12
_CHUNK = 1 << _SHIFT
_WHOLE = (1 << _CHUNK) - 1


class SequenceSet:
    """A set of integers from 0. Not locked; a copy shares the (immutable) chunks, so it is cheap."""

    __slots__ = ("_chunks", "_count", "_floor")

    def __init__(self) -> None:
        self._floor = 0  # every chunk below is whole
        self._chunks: dict[int, int] = {}  # chunk -> its bits, none empty
        self._count = 0

    @classmethod
    def first(cls, count: int) -> SequenceSet:
        """The numbers 0 to ``count - 1``."""
        result = cls()
        result._floor, rest = divmod(count, _CHUNK)
        if rest:
            result._chunks[result._floor] = (1 << rest) - 1
        result._count = count
        return result

    def add(self, number: int) -> bool:
        """Add a number; False when it was in the set already."""
        chunk, bit = number >> _SHIFT, 1 << (number & (_CHUNK - 1))
        if chunk < self._floor:
            return False
        bits = self._chunks.get(chunk, 0)
        if bits & bit:
            return False
        bits |= bit
        if bits == _WHOLE:
            self._close(chunk)
        else:
            self._chunks[chunk] = bits
        self._count += 1
        return True

    def copy(self) -> SequenceSet:
        result = SequenceSet()
        result._floor, result._chunks, result._count = self._floor, self._chunks.copy(), self._count
        return result

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SequenceSet):
            return NotImplemented
        return self._floor == other._floor and self._chunks == other._chunks

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __or__(self, other: SequenceSet) -> SequenceSet:
        return self._combined(other, int.__or__)

    def __and__(self, other: SequenceSet) -> SequenceSet:
        return self._combined(other, int.__and__)

    def __sub__(self, other: SequenceSet) -> SequenceSet:
        return self._combined(other, lambda mine, theirs: mine & ~theirs)

    def to_json(self) -> dict[str, Any]:
        """``floor``: chunks whole from the start; ``whole``: others; ``bits``: by chunk, in base64."""
        return {
            "floor": self._floor,
            "whole": [chunk for chunk, bits in self._chunks.items() if bits == _WHOLE],
            "bits": {str(chunk): _text(bits) for chunk, bits in self._chunks.items() if bits != _WHOLE},
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> SequenceSet:
        result = cls()
        result._floor = document["floor"]
        result._chunks = dict.fromkeys(document["whole"], _WHOLE)
        result._chunks |= {
            int(c): int.from_bytes(b64decode(text), "little") for c, text in document["bits"].items()
        }
        result._recount()
        return result

    def _bits(self, chunk: int) -> int:
        return _WHOLE if chunk < self._floor else self._chunks.get(chunk, 0)

    def _close(self, chunk: int) -> None:
        self._chunks[chunk] = _WHOLE  # the shared constant, not an equal number of its own
        while self._chunks.get(self._floor) == _WHOLE:
            del self._chunks[self._floor]
            self._floor += 1

    def _combined(self, other: SequenceSet, operation: Callable[[int, int], int]) -> SequenceSet:
        result = SequenceSet()
        low, high = sorted((self._floor, other._floor))
        if operation(_WHOLE, _WHOLE):
            result._floor = low  # below both floors the result is whole, or else (a difference) empty
        for chunk in sorted({*range(low, high), *self._chunks, *other._chunks}):
            bits = operation(self._bits(chunk), other._bits(chunk))
            if bits == _WHOLE:
                result._close(chunk)
            elif bits:
                result._chunks[chunk] = bits
        result._recount()
        return result

    def _recount(self) -> None:
        self._count = (self._floor << _SHIFT) + sum(bits.bit_count() for bits in self._chunks.values())


def _text(bits: int) -> str:
    return b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()
