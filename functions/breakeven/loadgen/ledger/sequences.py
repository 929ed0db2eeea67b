"""An exact set of sequence numbers that stays small however many it holds.

Consumers of one queue see interleaved halves, thirds, fortieths of a producer's sequence, so a list of
intervals would cost one interval a message as soon as a case has more than one loader. Here numbers
live in chunks of 4096, one bit each: whole chunks at the start are a single number (``floor``), other
whole chunks share one constant, and only chunks with gaps hold bits. 100 million in order cost nothing;
a gap costs at most 512 bytes; the worst case is one bit a number.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import PlainSerializer, PlainValidator

from breakeven.loadgen.record.timestamps import Int64s

_SHIFT = 12
_CHUNK = 1 << _SHIFT
_LOW = _CHUNK - 1
_WHOLE = (1 << _CHUNK) - 1
#: fewer numbers than these are added sooner one by one (measured): of a run, and of scattered ones
_FEW_IN_A_RUN, _FEW = 4, 32


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
        chunk, bit = number >> _SHIFT, 1 << (number & _LOW)
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

    def add_many(self, numbers: Sequence[int] | Int64s) -> Sequence[bool]:
        """Add numbers in any order; for each, whether it was not in the set, nor earlier among them."""
        count = len(numbers)
        if count == 1:
            return [self.add(int(numbers[0]))]
        if count >= _FEW_IN_A_RUN and is_run(numbers):
            first = int(numbers[0])
            chunk, low = first >> _SHIFT, first & _LOW
            if low + count <= _CHUNK and not self._bits(chunk) & (bits := ((1 << count) - 1) << low):
                self._add_bits(chunk, bits)
                return [True] * count
            pieces = list(_pieces(first, count))
        elif count >= _FEW:
            pieces = _scattered(numbers)
        else:
            pieces = []
        if not pieces:
            return [self.add(number) for number in _listed(numbers)]
        known = {chunk: self._add_bits(chunk, bits) for chunk, bits in pieces}
        if not any(known.values()):
            return [True] * count
        return [not known[number >> _SHIFT] >> (number & _LOW) & 1 for number in _listed(numbers)]

    def numbers(self) -> Int64s:
        """All of them, ascending."""
        parts = [np.zeros(0, np.int64)]
        for chunk in (*range(self._floor), *sorted(self._chunks)):
            bits = np.frombuffer(self._bits(chunk).to_bytes(_CHUNK // 8, "little"), np.uint8)
            parts.append(np.flatnonzero(np.unpackbits(bits, bitorder="little")) + (chunk << _SHIFT))
        return np.concatenate(parts)

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

    def _add_bits(self, chunk: int, bits: int) -> int:
        """Add numbers of one chunk; returns those of them that were in the set."""
        held = self._bits(chunk)
        known = held & bits
        if known != bits:
            self._count += (bits ^ known).bit_count()
            if (held := held | bits) == _WHOLE:
                self._close(chunk)
            else:
                self._chunks[chunk] = held
        return known

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


#: in a document
Sequences = Annotated[
    SequenceSet, PlainValidator(SequenceSet.from_json), PlainSerializer(SequenceSet.to_json)
]


def _text(bits: int) -> str:
    return b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()


def is_run(numbers: Sequence[int] | Int64s) -> bool:
    """Is each of these, at least one, the one before and 1?"""
    if isinstance(numbers, range):
        return numbers.step == 1
    first, count = int(numbers[0]), len(numbers)
    if numbers[-1] - first != count - 1:
        return False
    if isinstance(numbers, np.ndarray):
        return bool((numbers == np.arange(first, first + count)).all())
    return list(numbers) == list(range(first, first + count))


def _pieces(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Consecutive numbers as chunks and their bits."""
    end = first + count
    while first < end:
        low = first & _LOW
        taken = min(end - first, _CHUNK - low)
        yield first >> _SHIFT, ((1 << taken) - 1) << low
        first += taken


def _scattered(numbers: Sequence[int] | Int64s) -> list[tuple[int, int]]:
    """Numbers that differ as chunks and their bits; nothing when two of them are the same."""
    values = np.unique(np.asarray(numbers, dtype=np.int64))
    if len(values) != len(numbers):
        return []
    chunks, starts = np.unique(values >> _SHIFT, return_index=True)
    return [
        (chunk, _packed(part & _LOW))
        for chunk, part in zip(chunks.tolist(), np.split(values, starts[1:]), strict=True)
    ]


def _packed(places: Int64s) -> int:
    """An integer with these bits set."""
    flags = np.zeros(_CHUNK, np.uint8)
    flags[places] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _listed(numbers: Sequence[int] | Int64s) -> Sequence[int]:
    """As Python's own integers."""
    return numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
