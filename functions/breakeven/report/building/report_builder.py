"""The report of a run, from the rows of the queries: typed, as planned, null where there is nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel

from breakeven.loadgen.case_figures import CallErrors, Ledger, ProbeReport
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.flags import raised
from breakeven.report.building import money_builder
from breakeven.report.building.board_builder import board
from breakeven.report.building.counted_empty_receives import empty_receives, of_the_service, widened
from breakeven.report.building.fault_outcomes import fault_outcomes
from breakeven.report.building.instrument_readings import validity
from breakeven.report.building.measuring_assumptions import assumptions
from breakeven.report.building.node_courses import node_courses, service_watch
from breakeven.report.building.pairs_builder import pairs_of
from breakeven.report.building.query_answers import Answers, Rows, RunRecord
from breakeven.report.building.variant_builder import cheaper_variants
from breakeven.report.building.verdict import detail, verdict
from breakeven.report.collector import without_collector
from breakeven.report.contract.board_model import BaseRatio, ClusterPrice
from breakeven.report.contract.cost_model import PriceTier
from breakeven.report.contract.flag_names import of_now
from breakeven.report.contract.joined_model import PricedCapacity
from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.contract.rate_model import rate_courses
from breakeven.report.contract.report_model import (
    CaseReport,
    Comparison,
    EndToEnd,
    Manifest,
    Metric,
    Repeats,
    Report,
)
from breakeven.report.money.latency_at_crossing import crossing_latencies
from breakeven.results.schemas import columns
from breakeven.targets.catalog import INSTRUMENT, is_compared, record_of
from breakeven.terms import METRICS, Flag, Place, Provenance
from breakeven.workload.case import Case

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", Repeats, Comparison)
PERCENTILES = {"p50_ms": "p50", "p90_ms": "p90", "p95_ms": "p95", "p99_ms": "p99", "p999_ms": "p99.9"}


@without_collector()
def build_report(record: RunRecord, manifest: Manifest, answers: Answers) -> Report:
    """The report, verdict included. Of a run that has ended, a planned case without a row is a failed one."""
    every = _cases(record, answers)
    planned = [case for case in record.planned if is_compared(case.target)]
    cases = [case for case in every if is_compared(case.target)]
    proving = [case for case in every if case.target == INSTRUMENT]
    compared = {case.case_id for case in cases}
    counted = empty_receives(answers, cases)
    questions = money_builder.cost_questions(answers.cost, of_the_service(counted))
    crossovers = widened(money_builder.crossovers(answers.crossover, questions), of_the_service(counted))
    report = Report.of(
        vars(record),
        verdict="",
        unsettled=0 if record.ended else len(planned) - len(cases),
        validity=None if record.source else validity(proving, answers.cases),
        manifest=manifest,
        cases=cases,
        crossovers=crossovers,
        crossing_latencies=crossing_latencies(crossovers, cases),
        pairs=pairs_of(answers),
        empty_receives=counted,
        crossovers_by_size=money_builder.crossovers_by_size(answers),
        cheaper_variants=cheaper_variants(answers.cost, answers.crossover, answers.bills),
        size_board=board(answers.cost, answers.cheapest_size),
        cluster_prices=[ClusterPrice.of(row) for row in answers.cost.get("clusters", ())],
        offered_rates=money_builder.offered_rates(answers),
        volumes=money_builder.volumes(answers),
        capacities=[PricedCapacity.model_validate(row) for row in answers.cost.get("capacities", ())],
        cost_questions=questions,
        **money_builder.by_question(answers, questions, of_the_service(counted)),
        prices=[PriceTier.of(row) for row in answers.cost.get("prices", ())],
        cost_notes=list(answers.cost.get("notes", ())),
        rates=rate_courses(answers.rate_over_time, compared),
        faults=fault_outcomes(answers.faults, cases),
        nodes=node_courses(answers.nodes_over_time, compared),
        services=service_watch(record, answers.service_figures, compared),
        base_ratios=sorted(map(BaseRatio.of, answers.base_ratios), key=_in_order_of(cases)),
        repeats=_repeated(Repeats, cases, answers.repeats),
        comparisons=_repeated(Comparison, cases, answers.comparison),
        assumptions=[],
    )
    in_words = {"verdict": verdict(report), "detail": detail(report), "assumptions": assumptions(report)}
    return report.model_copy(update=in_words)


def _cases(record: RunRecord, answers: Answers) -> list[CaseReport]:
    metrics = _metrics(answers)
    ledgers = {case_id: rows[-1] for case_id, rows in by_case(Ledger, answers.ledger).items()}
    loaders = LoaderReports.by_case(answers.loaders)
    probes = by_case(ProbeReport, answers.probes)
    rows = {row["case_id"]: row for row in answers.cases}
    found = {
        case_id: _case(
            row,
            metrics.get(case_id, {}),
            ledger=ledgers.get(case_id),
            loaders=loaders.get(case_id, LoaderReports()),
            probes=probes.get(case_id, []),
            settled_in=record.settled_in.get(case_id),
        )
        for case_id, row in rows.items()
    }
    planned = {case.case_id: case for case in record.planned}
    origins = {case.target: case.provenance for case in found.values()}
    return [
        found.get(case_id) or _unrecorded(planned[case_id], record.environment, origins)
        for case_id in planned | found
        if record.ended or case_id in found
    ]


def _metrics(answers: Answers) -> dict[str, dict[str, dict[str, Any]]]:
    """case_id -> metric -> columns of both queries."""
    merged: dict[str, dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for row in (*answers.throughput, *answers.latency_percentiles):
        merged[row["case_id"]][row["metric"]].update(row)
    return merged


def by_case(model: type[M], rows: Rows) -> dict[str, list[M]]:
    """Rows of a query as the model, by case."""
    names = columns(model)
    return {
        case_id: [model(**{name: row[name] for name in names}) for row in own]
        for case_id, own in _rows_by_case(rows).items()
    }


def _rows_by_case(rows: Rows) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["case_id"]].append(row)
    return found


def _case(row: Mapping[str, Any], metrics: Mapping[str, Mapping[str, Any]], **others: Any) -> CaseReport:
    made = {name: _metric(name, metrics.get(name), row) for name in METRICS}
    before, after = (json.loads(row[name] or "null") for name in ("mirrors_before", "mirrors_after"))
    return CaseReport.of(
        row,
        **made,
        **others,
        parameters=json.loads(row["parameters"]),
        mirrors={"before": before or {}, "after": after or {}} if before or after else None,
        **_flags(row, made),
        call_errors=[CallErrors(**found) for found in json.loads(row.get("call_errors") or "[]")],
        printed=json.loads(row.get("printed") or "{}"),
    )


def _flags(row: Mapping[str, Any], metrics: Mapping[str, Metric | None]) -> dict[str, Any]:
    """The case's flags in the closed list's order, and what raised each, as far as the run recorded it."""
    few = raised(Evidence(without_percentile=_without_percentile(row, metrics)))
    recorded: dict[str, str] = json.loads(row.get("flag_evidence") or "{}")
    evidence = {of_now(flag): why for flag, why in recorded.items()} | dict(few)
    present = {*map(of_now, json.loads(row["flags"] or "[]")), *few}
    unknown = present - set(get_args(Flag))
    if unknown:
        raise ValueError(f"flags that are not in the report's closed list: {sorted(unknown)}")
    flags = [flag for flag in get_args(Flag) if flag in present]
    return {"flags": flags, "flag_evidence": {flag: evidence[flag] for flag in flags if flag in evidence}}


def _without_percentile(
    row: Mapping[str, Any], metrics: Mapping[str, Metric | None]
) -> dict[str, tuple[int, list[str]]]:
    """Metric -> its samples, and the percentiles that are null; of what a source published, none."""
    found = {}
    for name, metric in metrics.items():
        null = [title for field, title in PERCENTILES.items() if metric and getattr(metric, field) is None]
        has_start = metric and (metric.operations or not metric.msg_per_s)  # a pushed message has no ask
        if metric and has_start and null and row["provenance"] != "published":
            found[name] = (metric.operations or 0, null)
    return found


def _metric(name: str, columns: Mapping[str, Any] | None, case: Mapping[str, Any]) -> Metric | None:
    """None where the thing does not exist for this case, or nothing was recorded of it."""
    if columns is None or not _exists(name, columns, case):
        return None
    fields = {field: columns.get(field) for field in Metric.model_fields}
    if case["provenance"] != "published":
        fields["operations"] = columns.get("operations") or 0
    return (
        EndToEnd(**fields, skipped=columns.get("skipped") or 0) if name == "end_to_end" else Metric(**fields)
    )


def _exists(name: str, columns: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    if name == "end_to_end" and case["mode"] == "load-unload":
        return False  # the time in the queue is the test's own doing
    if columns.get("operations") or columns.get("completed"):
        return True
    # nothing happened: zero is a result only where workers tried
    if name == "produce":
        return bool(case["producers"])
    return name == "consume_cycle" and bool(case["consumers"])


def _unrecorded(case: Case, environment: Place, origins: Mapping[str, Provenance]) -> CaseReport:
    """A planned case of which nothing was written: it must not vanish from the report."""
    provenance = origins.get(case.target, record_of(case.target).presumed_provenance(environment))
    flags = raised(Evidence(environment=environment, provenance=provenance))
    return CaseReport.of(
        vars(case) | dict.fromkeys(METRICS),
        provenance=provenance,
        environment=environment,
        status="failed",
        reason="the run ended before this case had a result",
        parameters=case.workload.parameters(),
        loaders=LoaderReports(),
        ledger=None,
        mirrors=None,
        flags=list(flags),
        flag_evidence=flags,
    )


def _repeated(model: type[R], cases: Sequence[CaseReport], rows: Rows) -> list[R]:
    """Where any side was measured twice or more: what one repeat gave stands in its case."""
    again = (row for row in rows if max(row["repeats"], row.get("against_repeats", 0)) > 1)
    return sorted((model(**row) for row in again), key=_in_order_of(cases))


def _in_order_of(
    cases: Sequence[CaseReport],
) -> Callable[[Repeats | Comparison | BaseRatio], tuple[int, int]]:
    cells = {cell: number for number, cell in enumerate(dict.fromkeys((c.scenario, c.cell) for c in cases))}
    return lambda row: (cells.get((row.scenario, row.cell), len(cells)), METRICS.index(row.metric))
