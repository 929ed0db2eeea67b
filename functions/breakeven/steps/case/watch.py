"""The watch over a case's target while its loaders run."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from breakeven.errors import CaseError
from breakeven.planning.execution_limits import watches
from breakeven.results import layout
from breakeven.results.items import all_loaders_item, case_item, loaders_prefix
from breakeven.steps.services import Services
from breakeven.targets.target import NodeSample, Target
from breakeven.workload.case import Case

WATCH_EVERY_S = 1.0
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

    :param part: of the case, from 0, where it outlasts one call; the ones before took ``since_s`` seconds
    """
    case, key = services.case(run_id, case_id), layout.watch_key(run_id, case_id, attempt, part)
    if services.store.find_json(key) is not None:
        # a call before has seen the loaders, of which this one would see none
        return Watched(0, since_s, more=False)
    target = services.target_of(case)
    queues = tuple(json.loads(services.state(run_id).get(case_item(case_id))["queues"]))
    started = time.monotonic()
    rows: list[dict[str, Any]] = []
    next_sample = started
    while not (ended := _ended(services, case, attempt)) and time.monotonic() - started < seconds_left:
        if time.monotonic() >= next_sample:
            rows += _look(target, case_id, queues, since_s + int(time.monotonic() - started))
            next_sample += WATCH_EVERY_S
        time.sleep(LOOK_EVERY_S)
    services.store.put_json(key, rows)
    more = not ended and part + 1 < watches(case)
    return Watched(len(rows), since_s + round(time.monotonic() - started), more)


def watched(services: Services, case: Case, attempt: int) -> list[dict[str, Any]]:
    """All samples of the case, in the order in which they were taken."""
    keys = [layout.watch_key(case.run_id, case.case_id, attempt, part) for part in range(watches(case))]
    return [row for key in keys for row in services.store.find_json(key) or []]


def _ended(services: Services, case: Case, attempt: int) -> bool:
    items = services.state(case.run_id).items(loaders_prefix(case.case_id, attempt))
    if items.pop(all_loaders_item(case.case_id, attempt), {}).get("reason"):
        return True
    return sum(1 for item in items.values() if item.get("finished")) == case.loaders


def _look(target: Target, case_id: str, queues: tuple[str, ...], second: int) -> list[dict[str, Any]]:
    """One row a node; a single row named after the target where it has no nodes of its own."""
    try:
        depth: int | None = target.depth(queues)
        samples = target.samples()
    except CaseError:
        return []  # a target that does not answer for a moment is no reason to end its case
    found = samples or [NodeSample(target.name, None, None, None)]
    return [{"case_id": case_id, "second": second, "depth": depth, **asdict(sample)} for sample in found]
