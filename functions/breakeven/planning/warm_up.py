"""Warm-up of a lane before its first case (rule 13 of docs/rules.md); a suite says for how long at most.

A server that has just started compiles its code, fills its caches and grows its memory, and so do its
clients: the cell that comes first would be measured slower than the same one later. Each kind of the lane's
work is therefore done in windows, whose figures are discarded, until two in a row are alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil

from breakeven.targets.catalog import is_compared
from breakeven.words import cell_name
from breakeven.workload.case import Case, Workload

WINDOW_S = 1.0
#: a window's queue is emptied for so long at most before it is deleted, seconds
DRAIN_S = 0.5
#: the rates of two windows are alike when they differ by at most this share of the greater one
ALIKE_SHARE = 0.1
#: of one kind
MOST_WINDOWS = 12
#: messages whose sizes are so close are of one kind
PAGE_BYTES = 4096
#: of those with the most cases
MOST_KINDS = 4
#: of each role: they are to warm a server, not to find its limit
WORKERS = 4
#: messages that may await their confirms at once, in windows of cases that ask for none. Unconfirmed sends
#: are as fast as buffers of the network fill, whatever the server does: they are always alike, and what
#: they leave takes a slow server a minute.
UNCONFIRMED = 1000
#: of each producer, which has that many of them in its memory: fewer of large messages, bytes
UNCONFIRMED_BYTES = 4 * 1024**2
#: what is assumed of a window when a run is planned: how many of each kind, and seconds around each
EXPECTED_WINDOWS, AROUND_WINDOW_S = 3, 1.0


def windows_of(cases: Iterable[Case]) -> list[Case]:
    """A window of each kind of the cases, the most frequent kinds first; none for the instrument.

    Kinds differ in what a message is and in how it is sent and received. Both ways are taken as fast as they
    go, whatever the cases' rates: that warms faster. All is confirmed, so that what is sent has arrived.
    """
    kinds: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        if is_compared(case.target):
            kinds.setdefault(_kind(case), []).append(case)
    frequent = sorted(kinds.values(), key=len, reverse=True)[:MOST_KINDS]
    return [_window(alike[0]) for alike in frequent]


def windows_of_lanes(cases: Sequence[Case], most_s: float) -> list[Case]:
    """The windows of all lanes, as many as are expected.

    :param most_s: seconds of each lane's, at most
    """
    lanes = dict.fromkeys(case.target for case in cases)
    each = [windows_of(case for case in cases if case.target == target) for target in lanes]
    most = ceil(most_s / (WINDOW_S + AROUND_WINDOW_S))
    return [window for windows in each for window in (windows * EXPECTED_WINDOWS)[:most]]


def _kind(case: Case) -> tuple[object, ...]:
    """Messages of less than a page are handled alike."""
    workload = case.workload
    batches = (workload.send_batch, workload.receive_batch, workload.delete_batch)
    pages = workload.message_bytes // PAGE_BYTES
    each_confirmed = _unanswered(workload) == workload.send_batch
    return (pages, workload.client, workload.consume, each_confirmed, *batches)


def _unanswered(workload: Workload) -> int:
    """Messages of one producer that may await their confirms at once, in a window."""
    if workload.confirms:
        return workload.send_batch
    return max(1, min(UNCONFIRMED, UNCONFIRMED_BYTES // workload.most_bytes))


def distinctions(windows: Sequence[Case]) -> list[tuple[str, ...]]:
    """In words, what tells each window's kind from the lane's others, beside size and way of consuming.

    Without it two of one size would have one name, and be called steady and not steady.
    """
    details = [_details(window.workload) for window in windows]
    return [
        tuple(said for name, said in own.items() if len({each[name] for each in details}) > 1)
        for own in details
    ]


def _details(workload: Workload) -> dict[str, str]:
    batches = ("send_batch", "receive_batch", "delete_batch")
    return {
        "client": f"{workload.client} client",
        "confirms": "each confirmed"
        if workload.window == workload.send_batch
        else f"{workload.window:,} unconfirmed",
        **{name: cell_name(f"{name}={getattr(workload, name)}") for name in batches},
    }


def _window(case: Case) -> Case:
    workload = case.workload
    shortened = {
        "mode": "parallel",
        "producers": WORKERS,
        "consumers": WORKERS,
        "queues": 1,
        "messages": None,
        "prefill": 0,
        "wait_s": min(workload.wait_s, WINDOW_S),  # a receive of an emptied queue would wait after the window
        "warmup_s": 0.0,
        "measure_s": WINDOW_S,
        "drain_s": DRAIN_S,
        "rate": None,
        "profile": (),
        "confirms": True,
        "window": _unanswered(workload),
        "linger_ms": 0.0,
        "processing_ms": 0.0,
        "processing_profile": (),
        "nodes_down": 0,
        "faults": (),
    }
    return case.model_copy(
        update={
            "scenario": "warm-up",
            "workload": workload.model_copy(update=shortened),
            "loaders": 1,
            "loader": "lambda",
            "expected_s": WINDOW_S + AROUND_WINDOW_S,
        }
    )
