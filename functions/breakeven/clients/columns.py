"""Columns of answers and deliveries, put together from parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from breakeven.clients.base import Answers

#: instants of this many messages or more are handed on as arrays (measured): a recorder wants them so
_MANY = 48


def joined(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """One behind the other; at least one part. Ranges that continue each other stay a range."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, range):
        end = first.stop
        for part in parts[1:]:
            if not isinstance(part, range) or part.start != end or part.step != 1:
                break
            end = part.stop
        else:
            return range(first.start, end)
    return tuple(chain.from_iterable(parts))


def alike(instant: int, count: int) -> Sequence[int]:
    """One instant for all of a part's entries."""
    return [instant] * count if count < _MANY else _array(np.full(count, instant))


def repeated(instants: Sequence[int], parts: Sequence[Sequence[Any]]) -> Sequence[int]:
    """Each instant as often as its part has entries."""
    if len(parts) == 1:
        return alike(instants[0], len(parts[0]))
    counts = list(map(len, parts))
    if sum(counts) >= _MANY:
        return _array(np.repeat(instants, counts))
    return [instant for instant, count in zip(instants, counts, strict=True) for _ in range(count)]


def together(parts: Sequence[Answers]) -> Answers:
    """One behind the other; at least one part."""
    if len(parts) == 1:
        return parts[0]
    failed = any(part.error for part in parts)
    errors = (part.error or (None,) * len(part.sequence) for part in parts)
    return Answers(
        joined([part.sequence for part in parts]),
        joined([part.outcome for part in parts]),
        instants([part.sent_ns for part in parts]),
        instants([part.answered_ns for part in parts]),
        tuple(chain.from_iterable(errors)) if failed else (),
    )


def instants(parts: Sequence[Sequence[int]]) -> Sequence[int]:
    """One behind the other; at least one part."""
    if len(parts) == 1:
        return parts[0]
    if sum(map(len, parts)) >= _MANY:
        return _array(np.fromiter(chain.from_iterable(map(_listed, parts)), np.int64))
    return list(chain.from_iterable(map(_listed, parts)))


def _listed(part: Any) -> Sequence[int]:
    listed: Sequence[int] = part.tolist() if isinstance(part, np.ndarray) else part
    return listed


def _array(found: Any) -> Sequence[int]:
    """An array has what is asked of a column, which its type does not say."""
    numbers: Sequence[int] = found
    return numbers
