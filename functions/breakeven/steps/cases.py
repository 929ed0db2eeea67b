"""One case: prepare its queues, settle what its loaders measured, or record why it failed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from breakeven.errors import CaseError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.reconciliation import outstanding, was_cut_short
from breakeven.loadgen.result import LoaderResult
from breakeven.planning.budget.task_lines import has_tasks
from breakeven.planning.run_deadline import overtime_s
from breakeven.results import layout
from breakeven.results.hdr_log import Interval, hdr_log
from breakeven.results.items import RUN, all_loaders_item, case_item, lane_item, loaders_prefix
from breakeven.steps import tasks
from breakeven.steps.case_flags import flags_of, mirrors_of
from breakeven.steps.counting import count_left
from breakeven.steps.deadline import check_deadline
from breakeven.steps.drive import watched
from breakeven.steps.reasons import with_loaders_words
from breakeven.steps.services import Services
from breakeven.targets.base import Target
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case

#: how long a failed case waits for its loaders to see that they were ended, and to save what they have
STOP_TIMEOUT_S = 15.0
POLL_S = 0.25
#: statuses of a case that has come to its end in this run; the first stands
OUTCOMES = {"ok", "failed"}


def prepare(services: Services, run_id: str, case_id: str) -> int:
    """Declare fresh queues for a new attempt of the case; returns the attempt's number, from 1.

    :raises CaseError: the run's deadline has passed, or its tasks cannot be started
    """
    check_deadline(services, run_id)
    case, state = services.case(run_id, case_id), services.state(run_id)
    if has_tasks(case):
        check_deadline(services, run_id, overtime_s(case))
        tasks.check_ready(services, run_id)
    # of a call before, whose answer got lost
    _release(services, case, state.get(case_item(case_id)))
    attempt = state.next_attempt(case_id)
    prepared = services.target_of(case).prepare(case, attempt)
    state.update(
        case_item(case_id),
        case_id=case_id,
        target=case.target,
        status="running",
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        queues=json.dumps(prepared.queues),
        mirrors_before=json.dumps(prepared.mirrors),
        released=False,
    )
    if has_tasks(case):
        tasks.write_inputs(services, case, attempt)
    return attempt


def settle(services: Services, run_id: str, case_id: str, attempt: int) -> bool:
    """Merge what the loaders measured, account for every message, write the rows, delete the queues.

    Answers whether it was this call that did: a case that is settled stays as it is.

    :raises CaseError: a loader left no result, or a node that was to be down has been up
    """
    case, state = services.case(run_id, case_id), services.state(run_id)
    item = state.get(case_item(case_id))
    if item.get("status") in OUTCOMES:
        _release(services, case, item)
        return False
    queues = tuple(json.loads(item["queues"]))
    results = _loader_results(services, case, attempt)
    whole = [result for result in results if result.final and result.reason is None]
    if len(whole) < case.loaders:
        raise CaseError(f"{len(whole)} of {case.loaders} loaders left a result")
    target = services.target_of(case)
    mirrors_after = target.mirrors(queues)
    _check_nodes_down(case, mirrors_after)
    measurement = merge(results, _count(target, queues, results, patient=was_cut_short(results)))
    _write_measurement(services, case, measurement)
    _write_nodes(services, case, attempt)
    _write_case(services, case, item, measurement, mirrors_after=mirrors_after, reason=None)
    limit = measurement.limit()
    told = limit.model_dump(mode="json") if limit else None
    # before the queues are gone: a second call could not look into them again
    _release(services, case, state.update(case_item(case_id), status="ok", loader_limit=told))
    return True


def _release(services: Services, case: Case, item: Mapping[str, Any]) -> None:
    """Delete the queues that the case's record names, once."""
    if "queues" in item and not item.get("released"):
        services.target_of(case).release(tuple(json.loads(item["queues"])))
        services.state(case.run_id).update(case_item(case.case_id), released=True)


def _check_nodes_down(case: Case, mirrors: Mapping[str, int] | None) -> None:
    """A mirror where none can be is on a node that should have been down."""
    most = mirrors_of(case)
    if case.workload.nodes_down and any(count > most for count in (mirrors or {}).values()):
        raise CaseError(f"{case.target}: a node that was to be down for the whole case has a mirror")


def fail(services: Services, run_id: str, case_id: str, reason: str) -> bool:
    """Record the case as failed, keeping what its loaders had measured, and delete its queues.

    Answers whether it was this call that did: a case that is settled stays as it is.
    """
    case, state = services.case(run_id, case_id), services.state(run_id)
    item = state.get(case_item(case_id))
    if item.get("status") in OUTCOMES:
        _release(services, case, item)
        return False
    attempt = int(item.get("attempt", 0))
    measurement = None
    if attempt and "queues" in item:
        _stop_loaders(services, case, attempt, reason)
        measurement = _salvage(services, case, attempt, tuple(json.loads(item["queues"])))
    if measurement:
        reason = with_loaders_words(reason, (result.reason for result in measurement.results))
        _write_measurement(services, case, measurement)
        _write_nodes(services, case, attempt)
    _write_case(services, case, item, measurement, mirrors_after=None, reason=reason)
    told = state.update(
        case_item(case_id), case_id=case_id, target=case.target, status="failed", reason=reason
    )
    _release(services, case, told)
    return True


def fail_unsettled(services: Services, run_id: str, case_ids: list[str], reason: str) -> int:
    """Record every case of a broken leg that has no outcome yet as failed, without touching its target.

    Answers how many.
    """
    state, failed = services.state(run_id), 0
    for case_id in case_ids:
        item = state.get(case_item(case_id))
        if item.get("status") in OUTCOMES:
            continue
        case = services.case(run_id, case_id)
        _write_case(services, case, item, None, mirrors_after=None, reason=reason)
        state.update(case_item(case_id), case_id=case_id, target=case.target, status="failed", reason=reason)
        failed += 1
    return failed


def _stop_loaders(services: Services, case: Case, attempt: int, reason: str) -> None:
    state = services.state(case.run_id)
    state.update(all_loaders_item(case.case_id, attempt), reason=reason)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    last: dict[str, Any] = {}
    quiet_since = time.monotonic()
    while time.monotonic() < deadline:
        loaders = state.items(loaders_prefix(case.case_id, attempt))
        loaders.pop(all_loaders_item(case.case_id, attempt), None)
        if all(item.get("finished") for item in loaders.values()):
            return
        if loaders != last:
            last, quiet_since = loaders, time.monotonic()
        # loaders exchange each second: one that is quiet for three is gone
        if time.monotonic() - quiet_since > 3:
            return
        time.sleep(POLL_S)


def _salvage(services: Services, case: Case, attempt: int, queues: tuple[str, ...]) -> Measurement | None:
    results = _loader_results(services, case, attempt)
    if not results:
        return None
    try:
        count = _count(services.target_of(case), queues, results, patient=False)
    except CaseError:
        count = None  # the target is gone; what was in it counts as missing
    return merge(results, count)


def _count(
    target: Target, queues: tuple[str, ...], results: list[LoaderResult], *, patient: bool
) -> QueueCount | None:
    return count_left(target, queues, outstanding(results), patient=patient)


def _loader_results(services: Services, case: Case, attempt: int) -> list[LoaderResult]:
    """Each loader's result, or its last checkpoint where it ended without one."""
    there = set(services.store.keys(layout.raw_prefix(case.run_id, case.case_id, attempt)))
    found = []
    for loader in range(case.loaders):
        keys = [
            layout.loader_key(case.run_id, case.case_id, attempt, loader, what)
            for what in ("result", "checkpoint")
        ]
        if key := next((key for key in keys if key in there), None):
            found.append(LoaderResult.from_json(services.store.get_json(key)))
    return found


def _write_measurement(services: Services, case: Case, measurement: Measurement) -> None:
    for table, rows in measurement.rows(case).items():
        services.store.put_rows(table, case.run_id, case.case_id, rows)
    key = layout.histogram_key(case.run_id, case.case_id)
    services.store.put_bytes(key, _histograms(services, case, measurement), "text/plain; charset=utf-8")


def _histograms(services: Services, case: Case, measurement: Measurement) -> bytes:
    provenance, environment = _origin(services, case)
    facts = {
        "run": case.run_id,
        "case": case.case_id,
        "provenance": provenance,
        "environment": environment,
    }
    return hdr_log(
        facts,
        [
            Interval(metric, total.start_s, total.stage_s or 0.0, total.cell.latencies)
            for metric, total in measurement.totals.items()
        ],
    )


def _origin(services: Services, case: Case) -> tuple[str, str]:
    """Provenance and environment of what this case measures."""
    state = services.state(case.run_id)
    environment = state.get(RUN).get("environment", "aws")
    known = state.get(lane_item(case.target)).get("provenance")
    return known or record_of(case.target).presumed_provenance(environment), environment


def _write_nodes(services: Services, case: Case, attempt: int) -> None:
    rows = watched(services, case, attempt)
    services.store.put_rows("nodes", case.run_id, case.case_id, rows)


def _write_case(
    services: Services,
    case: Case,
    item: Mapping[str, Any],
    measurement: Measurement | None,
    *,
    mirrors_after: dict[str, int] | None,
    reason: str | None,
) -> None:
    workload = case.workload
    provenance, environment = _origin(services, case)
    mirrors_before = item.get("mirrors_before", "null")
    row = {
        "case_id": case.case_id,
        "scenario": case.scenario,
        "cell": case.cell,
        "target": case.target,
        "repeat": case.repeat,
        "variant": case.variant,
        "provenance": provenance,
        "environment": environment,
        "status": "failed" if reason else "ok",
        "reason": reason,
        "mode": workload.mode,
        "producers": workload.producers,
        "consumers": workload.consumers,
        "queues": workload.queues,
        "message_bytes": workload.message_bytes,
        "messages": workload.messages,
        "loaders": case.loaders,
        "started_at": item.get("started_at"),
        "produce_s": measurement.produce_s if measurement else None,
        "consume_s": measurement.consume_s if measurement else None,
        "mirrors_before": mirrors_before,
        "mirrors_after": json.dumps(mirrors_after),
        "flags": json.dumps(
            flags_of(case, measurement, provenance, environment, (json.loads(mirrors_before), mirrors_after))
        ),
        "parameters": json.dumps(workload.parameters()),
        "printed": None,
        "instrument": _programmed_and_done(services, case, int(item.get("attempt", 0))),
    }
    services.store.put_rows("cases", case.run_id, case.case_id, [row])


def _programmed_and_done(services: Services, case: Case, attempt: int) -> str | None:
    """Of the instrument's cases: the program, and the record that its loader was left; JSON."""
    if case.workload.program is None:
        return None
    done = services.store.find_json(layout.loader_key(case.run_id, case.case_id, attempt, 0, "instrument"))
    return json.dumps({"program": case.workload.program.model_dump(mode="json"), "done": done})
