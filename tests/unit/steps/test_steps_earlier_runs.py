"""A run's report on AWS: held against the suite's last run, which a mail leads with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift_builder import FIRST
from breakeven.results import layout
from breakeven.results.items import suite_runs
from breakeven.steps.run import build_report
from breakeven.steps.run.earlier_runs import known_runs, stored_report
from breakeven.steps.services import Services
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import monthly, plan_document
from tests.support.aws.moto_results import installed

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with installed(monkeypatch) as found:
        yield found


def reported(services: Services, monkeypatch: pytest.MonkeyPatch, report: Report, **plan: Any) -> list[str]:
    """Paragraphs of the mail, after the state that writes the report."""
    services.store.put_json(layout.plan_key(report.run_id), plan_document(**plan))
    monkeypatch.setattr(build_report, "assemble", lambda *_: report)
    message: str = build_report.report_run(services, report.run_id, {}, {})["message"]
    return message.split("\n\n")


def stored(services: Services, run_id: str) -> dict[str, Any]:
    found: dict[str, Any] = services.store.get_json(layout.report_key(run_id, "report.json"))
    return found


def test_the_second_run_is_held_against_the_first_and_its_mail_leads_with_verdict_and_drift(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reported(services, monkeypatch, monthly(1))
    assert first[1] == FIRST
    slower = monthly(2, {sample.RABBITMQ: 1.25})
    second = reported(services, monkeypatch, slower)
    drift = stored(services, "m2")["drift"]
    assert (drift["since"], drift["date"]) == ("m1", "2026-01-01")
    assert {one["target"] for one in drift["shifts"]} == {sample.RABBITMQ}
    assert second[0] == slower.verdict.split("\n\n")[0]
    assert second[1] == drift["summary"]
    assert second[-1].startswith("Report: s3://results/reports/m2/index.html")
    assert len(second) == len(slower.verdict.split("\n\n")) + 2


def test_a_report_written_twice_is_the_same_and_is_not_held_against_itself(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(services, monkeypatch, monthly(1))
    once = stored(services, "m1")
    reported(services, monkeypatch, monthly(1))
    assert stored(services, "m1") == once
    (kept,) = known_runs(services.state(suite_runs("quick")))
    assert kept.run_id == "m1"


def test_runs_are_kept_for_good_and_of_their_suite(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(services, monkeypatch, monthly(1))
    (item,) = services.state(suite_runs("quick")).items().values()
    assert item["expires_at"] is None
    other = monthly(2, suite="other")
    assert reported(services, monkeypatch, other)[1] == FIRST


def test_an_item_or_report_of_another_version_is_passed_over(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.state(suite_runs("quick")).update("m0", odd=True)
    for month in (1, 2):
        reported(services, monkeypatch, monthly(month))
    body = json.dumps(stored(services, "m2") | {"schema_version": "0.1"}).encode()
    services.store.put_bytes(layout.report_key("m2", "report.json"), body)
    reported(services, monkeypatch, monthly(3))
    assert stored(services, "m3")["drift"]["since"] == "m1"
    for run_id in ("m1", "m2"):
        services.store.delete(layout.report_key(run_id, "report.json"))
    services.store.delete(layout.report_key("m3", "report.json"))
    mail = reported(services, monkeypatch, monthly(4))
    assert "its report is gone" in mail[1]


def test_a_run_has_its_report_where_an_earlier_one_cannot_be_read_just_now(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(services, monkeypatch, monthly(1))
    get = services.store.get_bytes

    def throttled(key: str) -> bytes:
        if key == layout.report_key("m1", "report.json"):
            raise ClientError(
                {"Error": {"Code": "SlowDown", "Message": "Reduce your request rate."}}, "GetObject"
            )
        return get(key)

    monkeypatch.setattr(services.store, "get_bytes", throttled)
    mail = reported(services, monkeypatch, monthly(2))
    assert (
        "The nearest is m1 of 2026-01-01: its report is gone, cannot be read, or is of a version" in mail[1]
    )
    assert stored(services, "m2")["run_id"] == "m2"
    with pytest.raises(ClientError, match="SlowDown"):
        stored_report(services.store, "m1")


def test_a_run_of_another_scale_is_said_to_be_the_nearest(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(services, monkeypatch, monthly(1), scale=0.1)
    assert "m1 of 2026-01-01: the scale is 0.1, here 1." in reported(services, monkeypatch, monthly(2))[1]
