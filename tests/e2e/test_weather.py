"""A run in weather: TLS everywhere, control planes and SQS as AWS may have them; every ledger is whole."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.results.items import LOCKS, RUN
from local.aws.strict.certificates import Certificate
from tests.support.scripted.certificates import make_certificate
from tests.support.weather import sqs_weather as sqs
from tests.support.weather import weather as control
from tests.support.weather.pages import SHORT
from tests.support.weather.sqs_proxy import sqs_weather
from tests.support.workflow.workflow_runs import Workflow, parse_suite_text, workflow_at

pytestmark = pytest.mark.thorough

SEED = 12
SUITE = """
suite: weather
title: Both targets in weather
targets: [sqs-standard, rabbitmq-mirrored-pair]
instrument: false
warm_up: 5
scenarios:
  load-unload: {mode: load-unload, messages: 300, threads: 2, drain_s: 120}
  parallel: {threads: 2, warmup_s: 0, measure_s: 3, drain_s: 120, message_size: 16B}
"""


@dataclass(frozen=True)
class Forecast:
    """How much of it: shares of the calls that each kind befalls, and the kinds on queues."""

    control: float
    sqs: float
    of_sqs: frozenset[str]


#: not a send that is refused, which is nobody's message and is waited for a minute and a half
ROUGH = Forecast(0.03, 0.02, sqs.KINDS - {sqs.REFUSED_SEND})
HEAVY = Forecast(0.1, 0.06, sqs.KINDS)


@dataclass
class Ran:
    forecast: Forecast
    workflow: Workflow
    status: str
    control: control.Weather
    sqs: sqs.SqsWeather

    def ledgers(self) -> dict[str, dict[str, Any]]:
        """By case."""
        store, found = self.workflow.store(), {}
        for key in store.keys(layout.rows_prefix("ledgers", "run-1")):
            for line in gzip.decompress(store.get_bytes(key)).splitlines():
                row = json.loads(line)
                found[row["case_id"]] = row
        return found

    def cases(self) -> dict[str, dict[str, Any]]:
        return {item["case_id"]: item for item in self.workflow.state("run-1").items("case#").values()}

    def weather_of(self, case: dict[str, Any]) -> Counter[str]:
        """What befell the case's queues."""
        queues = [url.rpartition("/")[2] for url in json.loads(case["queues"])]
        return sum((self.sqs.counts[queue] for queue in queues), Counter())


@pytest.fixture(
    scope="module",
    params=[pytest.param(ROUGH, id="rough"), pytest.param(HEAVY, id="heavy", marks=pytest.mark.installed)],
)
def ran(request, assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    forecast: Forecast = request.param
    folder = tmp_path_factory.mktemp("weather")
    make_certificate(path := folder / "certificate.pem")
    certificate = Certificate(path)
    clouds, waters = (
        control.Weather(SEED, forecast.control),
        sqs.SqsWeather(SEED, forecast.of_sqs, forecast.sqs),
    )
    with (
        sqs_weather(sqs_endpoint, waters, certificate) as endpoint,
        workflow_at(assembly, rabbitmq_pair, endpoint, folder, [clouds], certificate) as workflow,
    ):
        status = workflow.run("run-1", suite=parse_suite_text(SUITE))
        yield Ran(forecast, workflow, status, clouds, waters)


def test_all_cases_are_ok_and_the_run_is(ran):
    cases = ran.cases()
    assert len(cases) == 4
    assert {case_id: case.get("reason") for case_id, case in cases.items()} == dict.fromkeys(cases)
    assert {case["status"] for case in cases.values()} == {"ok"}
    record = ran.workflow.state("run-1").get(RUN)
    assert (ran.status, record["status"]) == ("SUCCEEDED", "ok"), record


def test_every_message_that_was_sent_was_received_and_copies_and_hidden_ones_are_those_injected(ran):
    ledgers = ran.ledgers()
    assert len(ledgers) == 4
    for case_id, case in ran.cases().items():
        ledger, befell = ledgers[case_id], ran.weather_of(case)
        assert ledger["sent"] - befell[sqs.REFUSED_SEND] == ledger["received"] > 0, case_id
        assert (ledger["lost"], ledger["left_in_queue"], ledger["closed"]) == (0, 0, True), case_id
        assert ledger["duplicates"] == befell[sqs.DUPLICATE], case_id
        assert ledger["redelivered"] == befell[sqs.HIDDEN], case_id
        assert ledger["unknown"] == befell[sqs.LOST_SEND] + befell[sqs.REFUSED_SEND], case_id
        if case["target"] == "sqs-standard":
            assert befell[sqs.DUPLICATE] > 0 < befell[sqs.HIDDEN], case_id


def test_each_kind_of_weather_has_happened(ran):
    # on a busy machine no connection may be idle for a second, and no queue be used within one of its making
    expected = ran.forecast.of_sqs - {sqs.IDLE, sqs.NO_QUEUE}
    assert {kind for kind in expected if not ran.sqs.happened(kind)} == set()
    of_the_run = {control.LATE, control.REFUSED, control.FAULTY, control.LOST, SHORT}
    assert {kind for kind in of_the_run if not ran.control.happened(kind)} == set()
    refused = {service for service, counts in ran.control.counts.items() if counts[control.REFUSED]}
    assert refused >= {"athena", "dynamodb", "ec2", "lambda", "s3", "sns"}


def test_nothing_is_left(ran):
    ours = ran.workflow.machines
    assert ours.terminated >= ours.launched["run-1"]
    assert ran.workflow.store().keys(layout.secrets_prefix("run-1")) == []
    (lock,) = ran.workflow.state(LOCKS).items().values()
    assert lock["released_at"] is not None
