"""A lane's warm-up: windows of its cases' work whose figures are discarded (``planning.warm_up``)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from contextlib import closing

from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import SoleLoader
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.record.cell import Cell
from breakeven.planning.warm_up import MOST_WINDOWS, distinctions, windows_of
from breakeven.results.items import lane_item
from breakeven.steps.lane.warm_up_record import BROKEN_OFF, Kind, WarmUp
from breakeven.steps.services import Services
from breakeven.terms import TargetName
from breakeven.workload.case import Case

#: whose completions are compared: sending, and having in hand
METRICS = ("produce", "end_to_end")


def warm(services: Services, run_id: str, target: TargetName, case_ids: Iterable[str], most_s: float) -> None:
    """Do work of the cases' kinds until it is steady or the time is up; the lane's record says how it went.

    Never raises for its target: cases of a lane that is not warm are measured and flagged.

    :param most_s: seconds after which no window is begun any more; each kind has its share of what is left
    """
    lane, started, reason = services.state(run_id), time.monotonic(), None
    kinds: list[Kind] = []
    try:
        windows = windows_of(services.case(run_id, case_id) for case_id in case_ids)
        until = started + most_s
        for number, (window, how) in enumerate(zip(windows, distinctions(windows), strict=True)):
            now = time.monotonic()
            kinds.append(_kind(window, how))
            _work(services, window, kinds[-1], now + (until - now) / (len(windows) - number))
        for window, kind in zip(windows, kinds, strict=True):  # others may have left some of their shares
            _work(services, window, kind, until)
    except CaseError as error:
        reason = f"{BROKEN_OFF}: {error}"
    found = WarmUp(seconds=round(time.monotonic() - started, 1), kinds=tuple(kinds), reason=reason)
    lane.update(lane_item(target), warm_up=found.model_dump_json())


def _kind(window: Case, how: tuple[str, ...]) -> Kind:
    workload = window.workload
    return Kind(message_bytes=workload.message_bytes, consume=workload.consume, how=how, rates=[])


def _work(services: Services, window: Case, kind: Kind, until: float) -> None:
    """Windows of one kind, until it is steady; none is begun after ``until``."""
    while not kind.is_steady and len(kind.rates) < MOST_WINDOWS and time.monotonic() < until:
        kind.rates.append(_rates(services, window))


def _rates(services: Services, window: Case) -> tuple[float, float]:
    """Messages sent and received a second in one window, on a queue of its own.

    :raises CaseError: the target does not go through with it
    """
    # a name of its own each time: SQS takes none again that it deleted within a minute
    case = window.model_copy(update={"case_id": f"warm-up.{secrets.token_hex(8)}"})
    target = services.target_of(case)
    queues = target.prepare(case, 1).queues
    try:
        with closing(target.client(case.workload)) as client:
            result = run_loader(Assignment(case, 1, 0, queues), client, SoleLoader(), lambda _: None)
    finally:
        target.release(queues)
    sent, received = (result.cells.get(("measure", metric), Cell()).total() for metric in METRICS)
    return sent.operations / case.workload.measure_s, received.operations / case.workload.measure_s
