"""Batches of ten on the SQS server while entries fail: the ledger is exact, and each failure is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest

from breakeven.clients.factory import make_client
from breakeven.clients.sqs import batches
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import Measurement, merge
from breakeven.workload.case import Case
from local.aws.strict.certificates import Certificate
from tests.support.loaders.live_case import live
from tests.support.scripted.certificates import make_certificate
from tests.support.weather.sqs_proxy import sqs_weather
from tests.support.weather.sqs_weather import BATCH_KINDS, FAILED_ENTRY, REFUSED_ENTRY, SqsWeather

TENS = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10, "window": 10}
MESSAGES = 600


@pytest.fixture
def driven(
    sqs_endpoint: str,
    sqs_environment: str,
    queue_case: Callable[..., Case],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., tuple[Case, Measurement, dict[str, int]]]:
    """Drives a case with these fields; what it measured, and what befell its queue."""
    monkeypatch.setattr(batches, "RETRY_S", (0.001,) * 8)  # an entry may fail several times in a row

    def drive(**fields: Any) -> tuple[Case, Measurement, dict[str, int]]:
        make_certificate(pem := tmp_path / "certificate.pem")
        weather = SqsWeather(5, BATCH_KINDS, 0.15)
        with sqs_weather(sqs_endpoint, weather, Certificate(pem)) as endpoint:
            monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", endpoint)
            monkeypatch.setenv("AWS_CA_BUNDLE", str(pem))
            counts = {"producers": 2, "consumers": 2, "drain_s": 60}
            case = queue_case("sqs-standard", **{**TENS, **counts, **fields})
            sqs, name = boto3.client("sqs"), f"tens-{case.case_id}-{case.workload.client}"
            url = sqs.create_queue(QueueName=name)["QueueUrl"]
            with live(case, (url,), make_client(case.workload, None)) as running:
                result = running.result()
            sqs.delete_queue(QueueUrl=url)
        return case, merge([result], QueueCount(0)), weather.counts[name]

    return drive


def check(found: Measurement, befell: dict[str, int]) -> None:
    ledger = found.ledger
    assert ledger.closed
    assert (ledger.lost, ledger.duplicates, ledger.unexpected, ledger.unknown) == (0, 0, 0, 0)
    assert ledger.nacked == befell[REFUSED_ENTRY] > 0
    assert ledger.sent == ledger.confirmed + ledger.nacked
    assert ledger.received == ledger.confirmed
    errors = {(each.operation, each.kind): each.count for each in found.call_errors()}
    assert errors.pop(("produce", "InvalidMessageContents")) == befell[REFUSED_ENTRY]
    assert sum(errors.values()) == befell[FAILED_ENTRY]
    assert {kind for _, kind in errors} == {"InternalError"}
    assert {operation for operation, _ in errors} == {"produce", "consume"}


@pytest.mark.parametrize("client", ["native", "boto3"])
def test_a_load_and_unload_by_tens_keeps_an_exact_ledger_while_entries_fail(driven, client):
    case, found, befell = driven(mode="load-unload", messages=MESSAGES, client=client)
    check(found, befell)
    assert found.ledger.sent == MESSAGES
    rows = {row["metric"]: row for row in found.rows(case)["totals"]}
    produced, settled = rows["produce"], rows["settle"]
    # each retry is a call as well: a batch of ten is two where an entry failed once
    assert MESSAGES / 10 <= produced["calls"] <= MESSAGES / 10 + befell[FAILED_ENTRY]
    assert rows["consume"]["completed"] == settled["completed"] == found.ledger.received
    assert settled["calls"] >= settled["completed"] / 10
    assert rows["consume"]["calls"] >= rows["consume"]["completed"] / 10
    assert rows["consume_cycle"]["calls"] is None


def test_an_open_loop_lingers_for_its_batches_and_its_latency_counts_from_when_a_message_was_due(driven):
    case, found, befell = driven(
        mode="parallel", rate=200, linger_ms=50, warmup_s=0.2, measure_s=2, window=40, in_flight=4
    )
    check(found, befell)
    produce, service = (found.totals[name].cell.latencies for name in ("produce", "produce_service"))
    assert produce.sum_ns > service.sum_ns, "waiting for a batch is part of what a message took"
    rows = {row["metric"]: row for row in found.rows(case)["totals"]}
    assert rows["produce"]["completed"] / rows["produce"]["calls"] > 2
