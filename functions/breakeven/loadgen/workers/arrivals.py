"""Due times of one producer's messages in an open loop: whatever the target does."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from breakeven.clients.base import Int64s
from breakeven.clients.fast_path import WhenSent
from breakeven.loadgen.stages import Timeline
from breakeven.workload.case import Case, Workload
from breakeven.workload.rate_profile import Piece, Profile, rate_profile

Floats = npt.NDArray[np.float64]

#: arrivals worked out at a time
_CHUNK = 1024


@dataclass(frozen=True, slots=True)
class Span:
    """When an open loop sends: from ``start_ns`` to ``end_ns``, of which it is measured from ``measure_ns``.

    ``rate``: of all producers, seconds from ``start_ns``. What is due and unanswered at ``deadline_ns`` is
    given up. Instants are monotonic.
    """

    rate: Profile
    start_ns: int
    measure_ns: int
    end_ns: int
    deadline_ns: int


def whole_span(workload: Workload, timeline: Timeline) -> Span:
    """Of a case with one measured stage."""
    end_ns = timeline.stage("drain").start_ns
    return Span(
        rate=rate_profile(workload),
        start_ns=timeline.work_ns,
        measure_ns=timeline.stage("measure").start_ns,
        end_ns=end_ns,
        deadline_ns=end_ns + round(workload.drain_s * 1e9),
    )


class Arrivals:
    """Instants in order, monotonic nanoseconds. Used by one thread.

    Constant: the case's arrivals are as far apart as the rate says, and every ``producers``-th is this one's.
    Poisson: this producer's gaps are exponential, independent of the other producers', of its share of the
    rate; the seed is the case's tag, so that the same case sends alike.

    :param producer: its number within the case
    """

    def __init__(self, case: Case, producer: int, span: Span) -> None:
        workload = case.workload
        self._profile, self._share = span.rate, 1 / workload.producers
        self._start_ns, self._end_ns = span.start_ns, span.end_ns
        self._random = _random(case, producer) if workload.arrivals == "poisson" else None
        # arrivals so far, in this producer's own count; constant ones are dealt out to the producers in turn
        self._number = 0.0 if self._random else producer / workload.producers
        self._ahead: list[int] = []
        self._used = 0
        self._least = workload.send_batch  # known ahead, until the last: what fills a batch
        self._ended = False
        self._fill()

    @property
    def next_ns(self) -> int | None:
        """The next arrival that is not taken; None after the last."""
        return self._ahead[self._used] if self._used < len(self._ahead) else None

    def due(self, now_ns: int) -> int:
        """How many have arrived and are not taken: at least that many up to a chunk's end."""
        return bisect_right(self._ahead, now_ns, self._used) - self._used

    def take(self, count: int) -> list[int]:
        """The next ``count`` arrivals, at most as many as are due."""
        taken = self._ahead[self._used : self._used + count]
        self._used += len(taken)
        if len(self._ahead) - self._used < self._least:
            self._fill()
        return taken

    def next_but(self, place: int) -> int | None:
        """The arrival that so many others precede which are not taken; None where there is none.

        :param place: less than a batch has
        """
        place += self._used
        return self._ahead[place] if place < len(self._ahead) else None

    def until(self, instant_ns: int, most: int) -> tuple[Int64s, WhenSent]:
        """Those before an instant that are not taken, at most ``most``; and what is to be done once they are
        sent."""
        end = min(bisect_left(self._ahead, instant_ns, self._used), self._used + most)
        found = np.array(self._ahead[self._used : end], np.int64)
        if end < len(self._ahead):
            more_now = self._ahead[end] < instant_ns
            return found, WhenSent.COME_BACK if more_now else WhenSent.READ_ON
        return found, WhenSent.ANSWERED if self._ended else WhenSent.COME_BACK

    def rest(self, until_ns: int) -> list[int]:
        """All that have arrived by then and are not taken, which are taken with this."""
        found: list[int] = []
        while count := self.due(until_ns):
            found += self.take(count)
        return found

    def _fill(self) -> None:
        if self._ended:
            return
        rest = self._ahead[self._used :]
        elapsed_ns = np.rint(when(self._profile, self._counts() / self._share) * 1e9)
        within = elapsed_ns < self._end_ns - self._start_ns
        self._ended = not within.all()
        more = (self._start_ns + elapsed_ns[within].astype(np.int64)).tolist()
        self._ahead, self._used = rest + more, 0

    def _counts(self) -> Floats:
        """What this producer's share of the rate must have added up to at each of the next arrivals."""
        if self._random is None:
            counts = self._number + np.arange(_CHUNK, dtype=np.float64)
            self._number += _CHUNK
        else:
            counts = self._number + np.cumsum(self._random.exponential(size=_CHUNK))
            self._number = counts[-1]
        return counts


def _random(case: Case, producer: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{case.tag}/{producer}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def when(profile: Profile, integrals: Floats) -> Floats:
    """When the integral reaches each of these, seconds from the start; infinite where it never does."""
    indices = np.searchsorted([piece.before for piece in profile.pieces], integrals, side="right") - 1
    result = np.empty(len(integrals))
    for index in np.unique(indices):
        mine = indices == index
        result[mine] = _reached(profile.pieces[index], integrals[mine])
    return result


def _reached(piece: Piece, integrals: Floats) -> Floats:
    """The root of a straight or parabolic piece, in the form that does not cancel for flat ramps."""
    slope = (piece.last - piece.first) / piece.length_s if piece.first != piece.last else 0.0
    wanted = integrals - piece.before
    root = piece.first + np.sqrt(np.maximum(0.0, piece.first**2 + 2 * slope * wanted))
    at_once = np.inf if piece.first == piece.last == 0 else 0.0  # nothing arrives where the rate is none
    with np.errstate(divide="ignore", invalid="ignore"):
        elapsed = np.where(wanted > 0, 2 * wanted / root, at_once)
    return np.asarray(piece.start_s + elapsed, dtype=np.float64)
