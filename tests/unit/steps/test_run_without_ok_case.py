"""A run of which no case is ok has failed: its record, its metrics, its mail, its report, its exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from moto import mock_aws
from rich.console import Console

from breakeven.errors import BreakevenError, InputError
from breakeven.results import layout
from breakeven.results.items import NO_CASE_OK, RUN, case_item
from breakeven.steps.run.build_report import report_run
from breakeven.steps.run.finish_run import GOOD_RUN, HEALTH, finish_run
from breakeven.steps.services import Services
from cli.exit_codes import FAILED, OK, SOME_CASES_FAILED
from cli.running.outcome import conclude
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import plan_document
from tests.support.aws.moto_results import services_in_moto

PLAN = sample.planned()


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.fixture
def services() -> Iterator[Services]:
    with mock_aws():
        yield services_in_moto()


def ended(services: Services, **statuses: str) -> dict[str, Any]:
    """The record of a run whose cases, named after their targets with a line below, ended like this."""
    state = services.state("run")
    state.update(RUN, cases=len(statuses))
    for name, status in statuses.items():
        reason = {} if status == "ok" else {"reason": f"{name} broke"}
        target = name.partition("__")[0].replace("_", "-")
        state.update(case_item(name), case_id=name, target=target, status=status, **reason)
    finish_run(services, "run", {})
    return state.get(RUN)


def test_no_ok_case_fails_the_run_with_the_first_reason_and_is_no_good_run(services):
    record = ended(services, sqs_standard="failed", rabbitmq_mirrored_pair="failed")
    assert (record["status"], record["failed_at"]) == ("failed", NO_CASE_OK)
    assert (
        record["reason"] == "no case of the run is ok: rabbitmq_mirrored_pair: rabbitmq_mirrored_pair broke"
    )
    assert finish_run(services, "run", {}) == {"ok": False, "status": "failed"}
    item = services.table.get_item(Key={"run_id": HEALTH, "item": GOOD_RUN})
    assert "Item" not in item


def test_the_instruments_own_cases_do_not_make_a_run_that_answers_something(services):
    record = ended(services, instrument__amqp="ok", instrument__sqs="ok", sqs_standard="failed")
    assert (record["status"], record["failed_at"]) == ("failed", NO_CASE_OK)


def test_cases_that_were_never_begun_leave_a_failed_run_too(services):
    services.state("run").update(RUN, cases=3)
    assert finish_run(services, "run", {}) == {"ok": False, "status": "failed"}
    assert services.state("run").get(RUN)["reason"] == "no case of the run is ok"


@pytest.mark.parametrize(("other", "status"), [("failed", "partial"), ("ok", "ok")])
def test_one_ok_case_is_enough_for_a_run_that_did_not_fail(services, other, status):
    record = ended(services, instrument="ok", sqs_standard="ok", rabbitmq_mirrored_pair=other)
    assert record["status"] == status
    assert finish_run(services, "run", {})["ok"]


def test_the_report_says_so_before_all_else_and_only_then():
    rows = sample.failed(sample.answers(PLAN).cases, "it broke", *(case.case_id for case in PLAN))
    assert sample.report(PLAN, cases=rows).verdict.startswith("This run failed: none of its cases is ok")
    but_one = sample.failed(sample.answers(PLAN).cases, "it broke", *(case.case_id for case in PLAN[1:]))
    assert "This run failed" not in sample.report(PLAN, cases=but_one).verdict


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("failures", "said"),
    [(24, "FAILED, 0 of 24 cases ok"), (23, "1 of 24 cases ok"), (0, "24 of 24 cases ok")],
)
def test_the_mails_subject_says_so(services, monkeypatch, failures, said):
    ids = [case.case_id for case in PLAN][:failures]
    report = sample.report(PLAN, cases=sample.failed(sample.answers(PLAN).cases, "it broke", *ids))
    monkeypatch.setattr("breakeven.steps.run.build_report.assemble", lambda *_: report)
    services.store.put_json(layout.plan_key("run"), plan_document())
    assert report_run(services, "run", {}, {})["subject"] == f"Queue Breakeven {report.suite}: {said}"


@pytest.mark.parametrize(("status", "code"), [("failed", FAILED), ("partial", SOME_CASES_FAILED), ("ok", OK)])
def test_the_exit_code_tells_a_failed_run_from_some_failed_cases(tmp_path, monkeypatch, capsys, status, code):
    reason = {"reason": "no case of the run is ok: it broke"} if status == "failed" else {}
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.json").write_text(sample.report(PLAN).model_dump_json())
    (tmp_path / "state.json").write_text(json.dumps({RUN: {"status": status, **reason}}))
    if code != FAILED:
        assert conclude(tmp_path, status, Console(), as_json=False) == code
        return
    with pytest.raises(BreakevenError, match="the run failed: no case of the run is ok: it broke") as raised:
        conclude(tmp_path, status, Console(), as_json=False)
    assert not isinstance(raised.value, InputError)
    assert "index.html" in capsys.readouterr().out.replace("\n", ""), "the report is named all the same"


def test_readme_says_what_the_exit_codes_are():
    reported = (Path(__file__).parents[3] / "README.md").read_text().partition("Exit codes:")[2][:400]
    assert f"{FAILED} the run failed: a state of the workflow did, or no case is ok" in reported
    assert f"{SOME_CASES_FAILED} some cases failed" in reported
