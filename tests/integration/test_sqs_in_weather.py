"""A whole loader on SQS in weather, over TLS, by the compiled core, by the general path and by boto3.

The ledger is whole, and counts exactly what was done to its messages.
"""

from __future__ import annotations

import boto3
import pytest

from breakeven.clients.factory import make_client
from breakeven.loadgen.account import account
from local.strict import sqs_weather as kinds
from local.strict.certificates import Certificate
from local.strict.sqs_proxy import sqs_weather
from local.strict.sqs_weather import KINDS, SqsWeather
from tests.certificates import make_certificate
from tests.integration.live_case import live

#: a loader asks for no counts, starts seconds after its queues were made, and leaves no connection idle; a
#: send that is refused is waited for a minute and a half
OF_LOADERS = KINDS - {kinds.STALE, kinds.NO_QUEUE, kinds.IDLE, kinds.REFUSED_SEND}
#: seconds until a hidden message comes again; longer than any other is in hand
HIDDEN_S = 5
MESSAGES = 150


@pytest.fixture(params=["core", "general", "boto3"])
def path(request, monkeypatch):
    if request.param == "general":
        monkeypatch.setattr("breakeven.clients.sqs.alone.core", lambda *_: None)
    return request.param


def test_a_loader_in_weather_loses_nothing_and_counts_every_copy(
    path, sqs_endpoint, sqs_environment, queue_case, tmp_path, monkeypatch
):
    make_certificate(pem := tmp_path / "certificate.pem")
    weather = SqsWeather(3, OF_LOADERS, share=0.03)
    with sqs_weather(sqs_endpoint, weather, Certificate(pem)) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", endpoint)
        monkeypatch.setenv("AWS_CA_BUNDLE", str(pem))
        case = queue_case(
            "sqs-standard",
            mode="load-unload",
            messages=MESSAGES,
            producers=2,
            consumers=2,
            drain_s=60,
            client="boto3" if path == "boto3" else "native",
        )
        url = boto3.client("sqs").create_queue(
            QueueName=f"weather-{path}-{case.case_id}", Attributes={"VisibilityTimeout": str(HIDDEN_S)}
        )["QueueUrl"]
        with live(case, (url,), make_client(case.workload, None)) as running:
            result = running.result()
        befell = weather.counts[url.rpartition("/")[2]]
        boto3.client("sqs").delete_queue(QueueUrl=url)
    found = account([result], 0)
    assert not OF_LOADERS - befell.keys(), "each kind has happened"
    assert (found.sent, found.received, found.lost) == (MESSAGES, MESSAGES, 0)
    assert found.duplicates == befell[kinds.DUPLICATE] == 3
    assert found.redelivered == befell[kinds.HIDDEN] > 0
    assert found.unknown == befell[kinds.LOST_SEND] > 0
    assert found.unexpected == 0
