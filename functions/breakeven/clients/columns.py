"""Columns of answers and deliveries, put together from parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from breakeven.clients.base import Answers, Deliveries, Settled

Columns = TypeVar("Columns", Answers, Deliveries, Settled)


def together(kind: type[Columns], parts: Sequence[Columns]) -> Columns:
    """One behind the other."""
    if len(parts) == 1:
        return parts[0]
    return kind(*(joined([getattr(part, name) for part in parts]) for name in kind.__match_args__))


def joined(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """One behind the other. Ranges that continue each other stay a range, and arrays of instants an array."""
    if len(parts) == 1:
        return parts[0]
    if parts and isinstance(parts[0], range):
        end = parts[0].start
        for part in parts:
            if not isinstance(part, range) or part.start != end or part.step != 1:
                break
            end = part.stop
        else:
            return range(parts[0].start, end)
    if any(isinstance(part, np.ndarray) for part in parts):
        instants: Sequence[int] = np.concatenate([np.asarray(part, np.int64) for part in parts])  # type: ignore[assignment]
        return instants
    return tuple(chain.from_iterable(parts))


def repeated(instants: Sequence[int], parts: Sequence[Sequence[Any]]) -> Sequence[int]:
    """Each instant as often as its part has entries."""
    return [instant for instant, part in zip(instants, parts, strict=True) for _ in range(len(part))]
