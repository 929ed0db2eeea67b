"""A whole loader on SQS in weather, over TLS, by the compiled core, by the general path and by boto3.

The ledger is whole, and counts exactly what was done to its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import boto3
import pytest

from breakeven.clients.core.loading import SWITCH
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.targets.record import Waits
from breakeven.targets.sqs import sqs_standard
from breakeven.targets.sqs.sqs_standard import SqsStandard
from breakeven.workload.case import Case
from local.aws.strict.certificates import Certificate
from tests.support.loaders.live_case import live
from tests.support.scripted.certificates import make_certificate
from tests.support.shared import change_record
from tests.support.weather import sqs_weather as kinds
from tests.support.weather.sqs_proxy import sqs_weather
from tests.support.weather.sqs_weather import KINDS, SqsWeather

#: a loader asks for no counts, starts seconds after its queues were made, and leaves no connection idle
HEAVY = KINDS - {kinds.STALE, kinds.NO_QUEUE, kinds.IDLE}
#: a send that is refused is waited for as long as one that may have been stored
LIGHT = HEAVY - {kinds.REFUSED_SEND}
#: seconds until a hidden message comes again; longer than any other is in hand, whose deletion heavy weather
#: may have made again a dozen times
HIDDEN_S, HIDDEN_IN_HEAVY_S = 5, 20
MESSAGES = 150

Driven = tuple[Account, dict[str, int]]
Drive = Callable[[str, Collection[str], float, int], Driven]


@pytest.fixture
def driven(
    sqs_endpoint: str,
    sqs_environment: str,
    queue_case: Callable[..., Case],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Drive:
    """Drives a case by that client in that weather; the case's account, and what befell its queue."""

    def drive(path: str, wanted: Collection[str], share: float, hidden_s: int) -> Driven:
        if path == "general":
            monkeypatch.setenv(SWITCH, "off")
        change_record(monkeypatch, "sqs-standard", waits=Waits(unknown=hidden_s + 10.0, hidden=35.0))
        make_certificate(pem := tmp_path / "certificate.pem")
        weather = SqsWeather(3, wanted, share)
        with sqs_weather(sqs_endpoint, weather, Certificate(pem)) as endpoint:
            monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", endpoint)
            monkeypatch.setenv("AWS_CA_BUNDLE", str(pem))
            client = "boto3" if path == "boto3" else "native"
            counts = {"producers": 2, "consumers": 2, "messages": MESSAGES}
            case = queue_case("sqs-standard", mode="load-unload", drain_s=60, client=client, **counts)
            sqs, name = boto3.client("sqs"), f"weather-{path}-{len(wanted)}-{case.case_id}"
            attributes = {"VisibilityTimeout": str(hidden_s)}
            url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
            with live(case, (url,), make_client(case.workload, None)) as running:
                result = running.result()
            sqs.delete_queue(QueueUrl=url)
        befell = weather.counts[name]
        assert not set(wanted) - befell.keys(), "each kind has happened"
        return account([result], QueueCount(0)), befell

    return drive


def check(found: Account, befell: dict[str, int]) -> None:
    refused = befell.get(kinds.REFUSED_SEND, 0)
    assert (found.sent, found.received, found.lost) == (MESSAGES, MESSAGES - refused, 0)
    assert found.duplicates == befell[kinds.DUPLICATE] == 3
    assert found.redelivered == befell[kinds.HIDDEN] > 0
    assert found.unknown == befell[kinds.LOST_SEND] + refused > 0
    assert found.unexpected == 0


@pytest.mark.parametrize("path", ["core", "general", "boto3"])
def test_a_loader_in_weather_loses_nothing_and_counts_every_copy(driven, path):
    check(*driven(path, LIGHT, 0.03, HIDDEN_S))


@pytest.mark.installed
@pytest.mark.parametrize("path", ["core", "general", "boto3"])
def test_a_loader_in_heavy_weather_loses_nothing_and_counts_every_copy(driven, path):
    check(*driven(path, HEAVY, 0.2, HIDDEN_IN_HEAVY_S))


@pytest.mark.parametrize("amazon", [True, False], ids=["as on AWS", "without the wait"])
def test_a_prepared_queue_is_used_no_earlier_than_the_service_lets_it_be(
    amazon: bool,
    sqs_endpoint: str,
    sqs_environment: str,
    queue_case: Callable[..., Case],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows of a warm-up are driven at once, and over within the second in which a new queue is unknown."""
    case, weather = queue_case("sqs-standard"), SqsWeather(3, {kinds.NO_QUEUE}, 0.0)
    monkeypatch.setattr(sqs_standard, "is_amazon", lambda host: amazon)
    make_certificate(pem := tmp_path / "certificate.pem")
    monkeypatch.setenv("AWS_CA_BUNDLE", str(pem))
    with sqs_weather(sqs_endpoint, weather, Certificate(pem)) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", endpoint)
        target = SqsStandard()
        queues = target.prepare(case, 1).queues
        if amazon:
            assert target.depth(queues) == 0
        else:
            with pytest.raises(CaseError):
                target.depth(queues)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", sqs_endpoint)
    SqsStandard().release(queues)
