"""From a planned run to its report: what the plan asks about money is what the report answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.contract.node_model import SurveyedNode
from breakeven.report.contract.report_model import Report
from breakeven.report.render.report_files import render_all
from breakeven.report.sections.origins.provenance import about
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.results.queries import queries
from breakeven.results.store import Store
from breakeven.steps.run import build_report
from breakeven.steps.run.build_report import assemble
from breakeven.steps.run.costs import ASKED_MSG_PER_S
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.services import Services
from tests.fixtures.report import sample
from tests.support.aws.moto_results import installed, services_in_moto, state_table
from tests.support.money.query_tables import Bucket

RUN_ID = "run-1"
DRIFT = DriftReport(summary="Nothing moved.", since="run-0", date="2026-10-20")
ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}


LANE = {
    "parameters": {"nodes": 2},
    "zones": ["eu-west-1a", "eu-west-1b"],
    "image": "ami-0123",
    "packages": {"rabbitmq-server": "3.10.8-1.1+deb12u1", "erlang-base": "1:25.2.3+dfsg-1"},
    "surveys": '[{"node": "n0", "sync": null, "links": [], "error": "no answer in 60 s"}]',
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Of a run that was planned and measured nothing, by where it was: here, and as if on AWS."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        for name, value in ACCOUNT.items():
            patch.setenv(name, value)
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="results")
        services = Services(store=Store(s3, "results"), table=state_table())
        document = {"suite": "quick", "surroundings": {"name": "local"}}
        plan_run(
            services, RUN_ID, document, execution="arn", started_at="2026-11-20T00:00:00Z", simulated=True
        )
        bucket = Bucket(_copied(s3, tmp_path_factory.mktemp("results")))
        rows = {name: bucket.ask(name, RUN_ID) for name in queries()}
        plan, state = services.store.get_json(layout.plan_key(RUN_ID)), services.state(RUN_ID)
        state.update(lane_item("rabbitmq-mirrored-pair"), **LANE)
        found = {}
        for environment in ("local", "aws"):
            plan["input"]["surroundings"]["name"] = environment
            found[environment] = assemble(RUN_ID, plan, state, rows, {})
        return found


def test_at_the_end_of_a_run_its_report_is_made_as_it_finishes_and_that_is_one_time(report: Report) -> None:
    assert report.made_at == report.finished_at > report.started_at
    names = [name for name, _ in about(report)]
    assert ("Finished" in names, "Report made" in names) == (True, False)


@pytest.fixture
def report(reports: dict[str, Report]) -> Report:
    return reports["local"]


def test_the_mail_has_the_answer_the_drift_the_reports_address_and_a_link(monkeypatch):
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    arn = "arn:aws:states:eu-west-1:123456789012:execution:m:run-1"
    with mock_aws():
        services = services_in_moto()
        services.state(RUN_ID).update(RUN, execution=arn)
        changed = {"verdict": "SQS is cheaper.\n\nAnd more.", "drift": DRIFT}
        report = sample.report().model_copy(update=changed)
        reported = build_report._message(services, RUN_ID, report).splitlines()
    assert reported == [
        "SQS is cheaper.",
        "",
        "Nothing moved.",
        "",
        "And more.",
        "",
        "Report: s3://results/reports/run-1/index.html",
        "Console: https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1"
        f"#/v2/executions/details/{arn}",
    ]


def test_the_mail_of_a_run_whose_reports_are_published_has_their_address(monkeypatch):
    with installed(monkeypatch) as services:
        said = build_report._message(services, RUN_ID, sample.report(), "https://d1.cloudfront.net")
    assert "Report: https://d1.cloudfront.net/reports/run-1/index.html" in said.splitlines()


def _copied(s3: Any, folder: Path) -> Path:
    """The bucket's rows as files, where the engine of local runs reads them."""
    for found in s3.list_objects_v2(Bucket="results", Prefix="rows/")["Contents"]:
        path = folder / found["Key"]
        path.parent.mkdir(parents=True, exist_ok=True)
        s3.download_file("results", found["Key"], str(path))
    return folder


def test_bills_are_at_the_rate_that_every_run_asks_for(report):
    assert [bill.msg_per_s for bill in report.bills] == pytest.approx([ASKED_MSG_PER_S] * 4)
    assert [bill.option_id for bill in report.bills] == [
        "sqs-as-used",
        "sqs-batched",
        "rabbitmq",
        "amazon-mq",
    ]


def test_every_answer_about_money_is_in_the_report(report):
    asked = [(question.purpose, question.inputs.get("deployment")) for question in report.cost_questions]
    assert asked == [("headline", "trio"), ("size", "pair"), ("history", "pair")]
    asked_at = {question.question_id for question in report.cost_questions}
    assert {crossing.question_id for crossing in report.crossovers} == asked_at
    assert {curve.question_id for curve in report.cost_curves} < asked_at, "of a size there is no curve"
    assert report.decision_map
    assert report.break_even_hours
    assert report.sensitivity
    history = report.crossovers[-1]
    assert (history.price_book, history.msg_per_s) == ("2012-12", pytest.approx(14.81, abs=0.005))


@pytest.mark.usefixtures("undrawn")
def test_a_run_that_measured_nothing_still_tells_of_the_money(report):
    failed, money, *_ = report.verdict.split("\n\n")
    assert failed.startswith("This run failed: none of its cases is ok")
    assert money.startswith("With 1 KiB messages in us-east-1, SQS batched is the cheapest below about 2,490")
    page = render_all(report)["index.html"].decode()
    assert "Where the cheaper option changes" in page


def test_the_manifest_names_what_brokers_on_aws_were_launched_as(reports):
    pair = {name: found.manifest.targets["rabbitmq-mirrored-pair"] for name, found in reports.items()}
    assert pair["aws"] == {
        "nodes": 2,
        "instance_type": "m7g.large",
        "vcpu": 2,
        "architecture": "arm64",
        "volume_gb": 20,
        "volume_type": "gp3",
        "zones": "eu-west-1a, eu-west-1b",
        "image": "ami-0123",
        "packages": "rabbitmq-server 3.10.8-1.1+deb12u1, erlang-base 1:25.2.3+dfsg-1",
    }
    assert pair["local"] == {"nodes": 2}, "here they were no instances"


def test_what_nodes_were_surveyed_with_is_in_the_report_by_target(reports):
    wanted = SurveyedNode(
        target="rabbitmq-mirrored-pair", node="n0", sync=None, links=[], error="no answer in 60 s"
    )
    assert reports["aws"].surveys == [wanted]
    page = render_all(reports["aws"])["index.html"].decode()
    assert "Not measured: RabbitMQ mirrored pair, n0: no answer in 60 s." in page
