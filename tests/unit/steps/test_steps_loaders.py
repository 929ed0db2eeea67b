"""From one run to the next plan, through the workflow's own steps: settle, finish, plan, report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.loadgen.ledger.ledger import Ledger
from breakeven.loadgen.result import LoaderResult
from breakeven.report.render.report_files import render_all
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.queries import queries
from breakeven.results.store import Store
from breakeven.steps.case.fail_case import fail
from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.case.settle_case import settle
from breakeven.steps.run.build_report import assemble
from breakeven.steps.run.finish_run import finish_run
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from local.stored import kept_advice
from tests.support.aws.moto_results import services_in_moto
from tests.support.loaders.diagnoses import diagnosis
from tests.support.loaders.loader_findings import BIG
from tests.support.money.query_tables import Bucket

ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}
KEY = layout.loader_advice_key("mine")
SAID = (
    "work, threads=10 on sqs-standard: 3 loaders instead of 2: in run first on 2126-11-20 loader 1 of 2 was "
    "the limit: it used 0.97 of a core, and 0.8 is the limit."
)


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield services_in_moto()


#: no deadline of a run from then on has passed
STARTED = "2126-11-20T12:00:00Z"


def document(**scenario: Any) -> dict[str, Any]:
    suite = {"suite": "mine", "title": "A suite", "targets": ["sqs-standard"], "instrument": False}
    suite["scenarios"] = {"work": {"threads": 10, **scenario}}
    return {"suite": suite, "surroundings": {"name": "local", "hardware": BIG}}


def plan(services: Services, run_id: str, **scenario: Any) -> list[Case]:
    plan_run(services, run_id, document(**scenario), execution="arn", started_at=STARTED, simulated=True)
    reported = services.store.get_json(layout.plan_key(run_id))["plan"]
    return [Case.model_validate(case) for case in reported["cases"]]


def run(services: Services, run_id: str, cpu_share: float, **scenario: Any) -> list[Case]:
    """A whole run but its load: each loader hands in what it measured of itself."""
    cases = plan(services, run_id, **scenario)
    for case in cases:
        attempt = prepare(services, run_id, case.case_id)
        for loader in range(case.loaders):
            result = handed_in(case, attempt, loader, cpu_share if loader == 1 else 0.3)
            key = layout.loader_key(run_id, case.case_id, attempt, loader, "result")
            services.store.put_json(key, result.to_json())
        settle(services, run_id, case.case_id, attempt)
    assert finish_run(services, run_id, {}) == {"ok": True, "status": "ok"}
    return cases


def handed_in(case: Case, attempt: int, loader: int, cpu_share: float) -> LoaderResult:
    return LoaderResult(
        run_id=case.run_id,
        case_id=case.case_id,
        attempt=attempt,
        loader=loader,
        loaders=case.loaders,
        mode=case.workload.mode,
        measure_s=case.workload.measure_s,
        final=True,
        ledger=Ledger({}, {}),
        diagnoses=[diagnosis("measure", cpu_share, lag_p99_ms=0.1)],
    )


def notes(services: Services, run_id: str) -> list[str]:
    found: list[str] = services.store.get_json(layout.plan_key(run_id))["plan"]["loader_notes"]
    return found


def counts(cases: list[Case]) -> list[int]:
    return [case.loaders for case in cases]


def test_a_saturated_run_raises_the_next_plans_count_and_an_unsaturated_one_does_not(services):
    assert counts(run(services, "calm", 0.79)) == [2]
    assert services.store.keys(KEY) == []
    assert counts(run(services, "first", 0.97)) == [2]
    second = plan(services, "second")
    assert counts(second) == [3]
    assert notes(services, "second") == [SAID]
    (item,) = services.state("first").items("case#").values()
    assert item["loader_limit"]["cpu_share"] == 0.97


def test_the_workflow_starts_as_many_loaders_as_the_plan_says(services):
    run(services, "first", 0.97)
    answer = plan_run(services, "second", document(), execution="arn", started_at=STARTED, simulated=True)
    assert answer["rounds"][0][0]["cases"][0]["loaders"] == [0, 1, 2]
    case_id = answer["rounds"][0][0]["cases"][0]["case_id"]
    assert services.case("second", case_id).loaders == 3


def test_what_was_enough_stays(services):
    run(services, "first", 0.97)
    assert counts(run(services, "second", 0.5)) == [3]
    assert counts(run(services, "third", 0.9)) == [3]
    assert counts(plan(services, "fourth")) == [4]


def test_finishing_twice_learns_the_same(services):
    run(services, "first", 0.97)
    before = services.store.get_bytes(KEY)
    finish_run(services, "first", {})
    assert services.store.get_bytes(KEY) == before


@pytest.mark.usefixtures("undrawn")
def test_the_manifest_and_the_report_say_so(services, tmp_path):
    run(services, "first", 0.97)
    run(services, "second", 0.5)
    s3 = boto3.client("s3")
    for found in s3.list_objects_v2(Bucket="results", Prefix="rows/")["Contents"]:
        path = tmp_path / found["Key"]
        path.parent.mkdir(parents=True, exist_ok=True)
        s3.download_file("results", found["Key"], str(path))
    rows = {name: Bucket(tmp_path).ask(name, "second") for name in queries()}
    stored = services.store.get_json(layout.plan_key("second"))
    report = assemble("second", stored, services.state("second"), rows, {})
    assert report.manifest.loaders == [SAID]
    files = render_all(report)
    assert json.loads(files["report.json"])["manifest"]["loaders"] == [SAID]
    for name in ("index.html", "report.md"):
        assert "3 loaders instead of 2: in run first on 2126" in files[name].decode()


def test_a_case_that_failed_says_nothing_of_its_loaders(services):
    run(services, "first", 0.97)
    known = services.store.get_bytes(KEY)
    (case,) = plan(services, "second")
    prepare(services, "second", case.case_id)
    fail(services, "second", case.case_id, "it broke")
    finish_run(services, "second", {})
    assert services.store.get_bytes(KEY) == known


def test_a_run_that_broke_keeps_what_its_cases_found(services):
    (case,) = plan(services, "first")
    attempt = prepare(services, "first", case.case_id)
    for loader in range(2):
        key = layout.loader_key("first", case.case_id, attempt, loader, "result")
        services.store.put_json(key, handed_in(case, attempt, loader, 0.97).to_json())
    settle(services, "first", case.case_id, attempt)
    assert not finish_run(services, "first", {"Queries": {"Error": "X"}})["ok"]
    assert counts(plan(services, "second")) == [3]


def test_a_run_that_was_refused_has_nothing_to_learn_from(services):
    assert finish_run(services, "refused", {"Plan": {"Error": "InputError"}})["status"] == "failed"
    assert services.store.keys("advice/") == []
    assert "advice_not_kept" not in services.state("refused").get(RUN)


@pytest.mark.parametrize("damaged", [b"", b"{", b'{"format": 7}', b'{"format": 1, "suite": "yours"}'])
def test_a_damaged_document_is_named_ignored_and_written_anew(services, damaged):
    services.store.put_bytes(KEY, damaged)
    assert counts(run(services, "first", 0.5)) == [2]
    (warning,) = services.store.get_json(layout.plan_key("first"))["loader_warnings"]
    assert KEY in warning
    stored = services.store.get_json(layout.plan_key("first"))
    rows: dict[str, list[Any]] = {name: [] for name in queries()}
    assert warning in assemble("first", stored, services.state("first"), rows, {}).manifest.notes
    run(services, "second", 0.97)
    assert services.store.get_json(layout.plan_key("second"))["loader_warnings"] == []
    assert counts(plan(services, "third")) == [3]


class RefusesAdvice:
    """A bucket that takes everything but the document."""

    def __init__(self, s3: Any) -> None:
        self._s3 = s3

    def __getattr__(self, name: str) -> Any:
        return getattr(self._s3, name)

    def put_object(self, **fields: Any) -> Any:
        if fields["Key"] == KEY:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "PutObject")
        return self._s3.put_object(**fields)


def test_a_document_that_cannot_be_written_does_not_fail_the_run(services):
    refusing = Services(Store(RefusesAdvice(boto3.client("s3")), "results"), services.table)
    run(refusing, "first", 0.97)
    assert "AccessDenied" in services.state("first").get(RUN)["advice_not_kept"]
    assert services.state("first").get(RUN)["status"] == "ok"


def test_on_one_machine_the_folder_of_runs_keeps_it(services, tmp_path):
    run(services, "first", 0.97)
    assert kept_advice.keep(services.store, tmp_path, "mine") is None
    advice, warnings = kept_advice.known(tmp_path, "mine")
    assert ([one.run_id for one in advice.findings], warnings) == (["first"], [])
    assert [path.name for path in (tmp_path / "advice" / "loaders").iterdir()] == ["mine.json"]
    services.store.delete_all("advice/")
    assert counts(plan(services, "second")) == [2]
    kept_advice.bring(services.store, tmp_path, "mine")
    assert counts(plan(services, "third")) == [3]


def test_a_folder_without_any_is_nothing_to_tell_of(services, tmp_path):
    assert kept_advice.known(tmp_path, "mine") == (kept_advice.LoaderAdvice(suite="mine"), [])
    kept_advice.bring(services.store, tmp_path, "mine")
    assert kept_advice.keep(services.store, tmp_path, "mine") is None
    assert services.store.keys("") == list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_or_written_is_named(services, tmp_path):
    path: Path = kept_advice.path_of(tmp_path, "mine")
    path.mkdir(parents=True)
    _, (warning,) = kept_advice.known(tmp_path, "mine")
    assert str(path) in warning
    kept_advice.bring(services.store, tmp_path, "mine")
    assert services.store.keys(KEY) == []
    run(services, "first", 0.97)
    trouble = kept_advice.keep(services.store, tmp_path, "mine")
    assert trouble is not None
    assert str(path) in trouble
    assert list(path.parent.iterdir()) == [path]
