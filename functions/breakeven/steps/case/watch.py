"""The watch over a case's target while its loaders run."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from breakeven.errors import CaseError
from breakeven.planning.execution_limits import watches
from breakeven.results import layout
from breakeven.results.items import all_loaders_item, case_item, loaders_prefix
from breakeven.steps.case.case_faults import Faults
from breakeven.steps.case.watch_rows import EVERY_S, WatchRows
from breakeven.steps.services import Services
from breakeven.targets.target import Depth, NodeSample, Target
from breakeven.workload.case import Case

WATCH_EVERY_S = EVERY_S
NO_NODES = "the target has no nodes that it tells of"
LOOK_EVERY_S = 0.5  # how soon the watch sees that the loaders have ended


@dataclass(frozen=True, slots=True)
class Watched:
    """``samples`` taken; ``more``: the case goes on, and another call is to take its next part."""

    samples: int
    seconds: int
    more: bool


def watch(
    services: Services,
    run_id: str,
    case_id: str,
    attempt: int,
    seconds_left: float,
    *,
    part: int = 0,
    since_s: int = 0,
) -> Watched:
    """Sample nodes and queue depth each second until every loader has ended, or this call's time has.

    Meanwhile the case's faults are ordered; nodes that they have taken are waited for.

    :param part: of the case, from 0, where it outlasts one call; the ones before took ``since_s`` seconds
    """
    case, key = services.case(run_id, case_id), layout.watch_key(run_id, case_id, attempt, part)
    if services.store.find_json(key) is not None:
        # a call before has seen the loaders, of which this one would see none
        return Watched(0, since_s, more=False)
    target = services.target_of(case)
    queues = tuple(json.loads(services.state(run_id).get(case_item(case_id))["queues"]))
    started = time.monotonic()
    rows = WatchRows(case_id, since_s)
    next_sample, ended = started, False
    with rows.with_processes(), Faults(services, case, attempt, queues) as faults:
        faults.expect(seconds_left)
        while time.monotonic() - started < seconds_left:
            loaders = services.state(run_id).items(loaders_prefix(case_id, attempt))
            ended = ended or have_ended(loaders, case, attempt)
            faults.follow(loaders, ended=ended)
            if ended and faults.are_over():
                break
            if time.monotonic() >= next_sample:
                _look(target, queues, rows)
                # seconds that were missed in waiting for an answer are not made up for
                next_sample = max(next_sample + WATCH_EVERY_S, time.monotonic())
            time.sleep(LOOK_EVERY_S)
    samples = rows.rows()
    services.store.put_json(key, samples)
    more = not ended and part + 1 < watches(case)
    return Watched(len(samples), since_s + round(time.monotonic() - started), more)


def watched(services: Services, case: Case, attempt: int) -> list[dict[str, Any]]:
    """All samples of the case, in the order in which they were taken."""
    keys = [layout.watch_key(case.run_id, case.case_id, attempt, part) for part in range(watches(case))]
    return [row for key in keys for row in services.store.find_json(key) or []]


def have_ended(loaders: Mapping[str, Mapping[str, Any]], case: Case, attempt: int) -> bool:
    """Have all loaders of the attempt, or has it failed? By their items."""
    if loaders.get(all_loaders_item(case.case_id, attempt), {}).get("reason"):
        return True
    return sum(1 for item in loaders.values() if item.get("finished")) == case.loaders


def _look(target: Target, queues: tuple[str, ...], rows: WatchRows) -> None:
    """A target that does not answer for a moment is no reason to end its case."""
    depth: Depth | None = None
    with suppress(CaseError):
        samples = target.samples() or [NodeSample(target.name, no_process=NO_NODES)]
        rows.know_processes(samples)
        with suppress(CaseError):
            depth = target.depths(queues)
        rows.add_samples(samples, depth)
