"""Rows of a case: results, histograms, samples of its nodes, flags and the evidence for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.flags import raised
from breakeven.loadgen.merge import Measurement
from breakeven.results import layout
from breakeven.results.hdr_log import Interval, hdr_log
from breakeven.results.items import RUN, lane_item
from breakeven.steps.case.host_samples import with_host_samples
from breakeven.steps.case.watch import watched
from breakeven.steps.lane.warm_up_record import WarmUp
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.terms import Flag
from breakeven.workload.case import Case, Workload

#: columns of a case's row that are fields of it, and of its workload
OF_CASE = {"case_id", "scenario", "cell", "target", "repeat", "variant", "loaders", "base"}
OF_WORKLOAD = {"mode", "producers", "consumers", "queues", "message_bytes", "messages"}
#: batches that wait so long may all go in the same second of several
LONG_LINGER_MS = 500.0


def write_measurement(services: Services, case: Case, measurement: Measurement) -> None:
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


def _cold(services: Services, case: Case) -> str:
    """Why its lane may not have been warm; empty where it was, and where the suite wants no warm-up."""
    recorded = services.state(case.run_id).get(lane_item(case.target)).get("warm_up")
    return WarmUp.model_validate_json(recorded).cold if recorded else ""


def write_nodes(services: Services, case: Case, attempt: int) -> None:
    rows = with_host_samples(services, case, watched(services, case, attempt))
    services.store.put_rows("nodes", case.run_id, case.case_id, rows)


def write_case(
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
    mirrors = {"before": json.loads(mirrors_before), "after": mirrors_after}
    shared = bool(services.state(case.run_id).get(RUN).get("shared"))
    cold = _cold(services, case)
    flags = flags_of(case, measurement, provenance, environment, mirrors, shared=shared, cold=cold)
    row = {
        **case.model_dump(include=OF_CASE),
        **workload.model_dump(include=OF_WORKLOAD),
        "provenance": provenance,
        "environment": environment,
        "status": "failed" if reason else "ok",
        "reason": reason,
        "started_at": item.get("started_at"),
        "produce_s": measurement.produce_s if measurement else None,
        "consume_s": measurement.consume_s if measurement else None,
        "mirrors_before": mirrors_before,
        "mirrors_after": json.dumps(mirrors_after),
        "flags": json.dumps(sorted(flags)),
        "flag_evidence": json.dumps(flags, sort_keys=True),
        "call_errors": json.dumps(
            [found.model_dump(mode="json") for found in measurement.call_errors()] if measurement else []
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


def mirrors_of(case: Case) -> int:
    """The copies that each queue has beside its leader's when all is well: one on every other node that is
    not down, or as many as its case gives it, as far as there are nodes for them.
    """
    nodes = case.nodes
    return min(case.workload.group_size or nodes, nodes - case.workload.nodes_down) - 1


def _is_even(workload: Workload) -> bool:
    """Whether messages come and go in each second, unless something fails that nobody asked for."""
    asked = workload.profile, workload.processing_profile, workload.processing_ms, workload.faults
    lingers = workload.linger_ms >= LONG_LINGER_MS
    return workload.mode != "capacity" and not any((*asked, workload.program, lingers))


def flags_of(
    case: Case,
    measurement: Measurement | None,
    provenance: str,
    environment: str,
    mirrors: Mapping[str, dict[str, int] | None],
    *,
    shared: bool = False,
    cold: str = "",
) -> dict[Flag, str]:
    """Each with what raised it. ``mirrors``: "before" the case and "after" it, of each queue. ``shared``: the
    run was started with ``--share``. ``cold``: why the lane may not have been warm.
    """
    workload = case.workload
    evidence = Evidence(
        results=measurement.results if measurement else (),
        totals=measurement.totals if measurement else {},
        account=measurement.ledger if measurement else None,
        environment=environment,
        provenance=provenance,
        shared=shared,
        nodes=case.nodes,
        nodes_down=workload.nodes_down,
        mirrors={when: counts or {} for when, counts in mirrors.items()},
        mirrors_due=mirrors_of(case),
        cold=cold,
        prefill=workload.prefill if workload.consumers else 0,
        even=_is_even(workload),
        objective_ms=workload.objective_ms if workload.mode == "capacity" else None,
        confirm_s=workload.confirm_s,
    )
    return raised(evidence)
