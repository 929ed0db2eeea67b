"""From the queries' rows to the report: nothing invented, nothing dropped."""

from __future__ import annotations

import pytest

from breakeven.report.contract.report_model import Report
from tests.fixtures.report import sample


def case_of(report: Report, case_id: str):
    return next(case for case in report.cases if case.case_id == case_id)


SQS_LOAD, RABBITMQ_LOAD = "load-unload.0.sqs-standard.r1", "load-unload.0.rabbitmq-mirrored-pair.r1"
SQS_PARALLEL, RABBITMQ_PARALLEL = "parallel.2.sqs-standard.r1", "parallel.2.rabbitmq-mirrored-pair.r1"


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report()


def test_cases_stand_in_the_order_of_the_plan(report):
    plan = sample.planned()
    shuffled = sample.report(plan, cases=sorted(sample.answers(plan).cases, key=lambda row: row["case_id"]))
    assert [case.case_id for case in shuffled.cases] == [case.case_id for case in plan]


def test_figures_of_both_queries_meet_in_one_metric(report):
    plan = [case for case in sample.planned() if case.case_id == RABBITMQ_PARALLEL]
    throughput, latency = next(iter(sample.metric_rows(plan[0])))
    produce = case_of(report, RABBITMQ_PARALLEL).produce
    assert produce.msg_per_s == throughput["msg_per_s"]
    assert produce.mb_per_s == throughput["mb_per_s"]
    assert (produce.p95_ms, produce.max_ms) == (latency["p95_ms"], latency["max_ms"])
    assert produce.operations == latency["operations"]


def test_what_does_not_exist_is_null(report):
    assert case_of(report, RABBITMQ_PARALLEL).settle is None, "an AMQP ack has no reply"
    assert case_of(report, SQS_PARALLEL).settle is not None
    assert case_of(report, SQS_PARALLEL).mirrors is None
    assert case_of(report, RABBITMQ_PARALLEL).mirrors["before"] == {"be-0a1b2c3d-a1-q0": 1}


def test_time_in_the_queue_is_no_end_to_end_latency_of_a_load_unload_case():
    plan = sample.planned()
    given = sample.answers(plan)
    row = {"case_id": SQS_LOAD, "metric": "end_to_end", "operations": 500, "msg_per_s": 1.0, "skipped": 0}
    changed = sample.report(
        plan, throughput=[*given.throughput, row], latency_percentiles=[*given.latency_percentiles, row]
    )
    assert case_of(changed, SQS_LOAD).end_to_end is None
    assert case_of(changed, SQS_PARALLEL).end_to_end is not None


@pytest.mark.parametrize(("metric", "kept"), [("produce", True), ("settle", False), ("consume", False)])
def test_zero_is_a_result_only_where_workers_tried(metric, kept):
    plan = sample.planned()
    given = sample.answers(plan)
    empty = {"operations": 0, "completed": 0, "msg_per_s": 0.0, "mb_per_s": 0.0}

    def emptied(rows):
        others = [row for row in rows if (row["case_id"], row["metric"]) != (RABBITMQ_PARALLEL, metric)]
        return [*others, {"case_id": RABBITMQ_PARALLEL, "metric": metric, **empty}]

    changed = sample.report(
        plan, throughput=emptied(given.throughput), latency_percentiles=emptied(given.latency_percentiles)
    )
    found = getattr(case_of(changed, RABBITMQ_PARALLEL), metric)
    assert (found is not None) == kept
    if kept:
        assert found.msg_per_s == 0.0
        assert found.mean_ms is None


def test_a_planned_case_that_left_no_row_is_a_failed_one():
    plan = sample.planned()
    given = sample.answers(plan)
    changed = sample.report(plan, cases=[row for row in given.cases if row["case_id"] != SQS_PARALLEL])
    missing = case_of(changed, SQS_PARALLEL)
    assert len(changed.cases) == len(plan)
    assert missing.status == "failed"
    assert missing.reason == "the run ended before this case had a result"
    assert missing.provenance == "emulated", "as the target's other cases"
    assert missing.parameters["producers"] == 5


def test_a_run_that_left_nothing_is_a_report_of_failures():
    report = sample.report(sample.planned(), cases=(), **sample.NOTHING)
    assert {case.status for case in report.cases} == {"failed"}
    assert {case.provenance for case in report.cases if case.target == sample.SQS} == {"emulated"}


def test_few_samples_is_flagged_where_a_percentile_is_missing(report):
    case = case_of(report, RABBITMQ_PARALLEL)
    assert case.produce.p999_ms is None
    assert case.flags == ["shared_host", "few_samples"]


def test_flags_keep_to_the_closed_list():
    plan = sample.planned()
    rows = [row | {"flags": '["loader_saturated", "invented"]'} for row in sample.answers(plan).cases]
    with pytest.raises(ValueError, match="invented"):
        sample.report(plan, cases=rows)


def test_the_ledgers_terms_are_kept(report):
    plan = sample.planned()
    terms = {"left_in_queue": 3, "missing": 2, "lost": None, "duplicates": 5, "closed": False}
    changed = sample.report(plan, ledger=[sample.ledger_row(case, **terms) for case in plan])
    ledger = case_of(changed, RABBITMQ_PARALLEL).ledger
    assert (ledger.left, ledger.missing, ledger.lost, ledger.duplicates, ledger.closed) == (
        3,
        2,
        None,
        5,
        False,
    )
    assert case_of(report, RABBITMQ_PARALLEL).ledger.lost == 0


def test_it_survives_its_json(report):
    assert Report.model_validate_json(report.model_dump_json()) == report
