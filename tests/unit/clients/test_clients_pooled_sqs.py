"""Both SQS clients with several calls in flight, on a server that throttles, fails and hangs up."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from breakeven.clients.base import Outcome
from breakeven.clients.pool import connection_pool
from breakeven.clients.pool.pooled_client import PooledClient
from tests.support.loaders.loader_runs import no_thread_left  # noqa: F401
from tests.support.scripted.scripted_http import Reply, answer
from tests.support.scripted.scripted_sqs import QUEUE, bodies, client_of

GOOD = answer(200, {"MessageId": "1", "MD5OfMessageBody": ""})
THROTTLED = answer(400, {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "slow down"})
BROKEN = answer(500, {"__type": "com.amazonaws.sqs#InternalFailure"})
HANGS_UP = Reply([b""], then_close=True)
MESSAGE = {
    "MessageId": "1",
    "Body": "0123456789abcdef",
    "ReceiptHandle": "handle",
    "Attributes": {"ApproximateReceiveCount": "1"},
}
LIMIT_S = 20.0
#: more than there are failures: a pool in which all calls fail would give up
LANES = 4
pytestmark = pytest.mark.usefixtures("no_thread_left")


@pytest.fixture(autouse=True)
def short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "REST_S", (0.01, 0.05))


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_what_goes_wrong_with_some_sends_is_reported_and_the_others_are_answered(monkeypatch, kind) -> None:
    script = [GOOD, GOOD, THROTTLED, GOOD, HANGS_UP, GOOD, BROKEN, GOOD, GOOD, GOOD]
    with client_of(monkeypatch, *script, kind=kind) as (client, heard):
        sender = PooledClient(client, LANES).sender(QUEUE)
        sender.submit(range(10), bodies(10))
        found: Counter[tuple[Outcome, str | None]] = Counter()
        deadline = time.monotonic() + LIMIT_S
        while found.total() < 10:
            assert time.monotonic() < deadline
            answers = sender.poll(0.1)
            errors = answers.error or (None,) * len(answers.sequence)
            found.update(zip(answers.outcome, errors, strict=True))
        sender.close()
    assert found == {
        (Outcome.CONFIRMED, None): 7,
        (Outcome.UNKNOWN, "RequestThrottled"): 1,
        (Outcome.UNKNOWN, "connection_lost"): 1,
        (Outcome.UNKNOWN, "InternalFailure"): 1,
    }
    sent = [document["MessageBody"] for document in heard.documents()]
    assert sorted(sent) == sorted(body.decode() for body in bodies(10)), "nothing is sent twice"


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_what_goes_wrong_with_some_asks_is_reported_and_the_others_are_in_hand(monkeypatch, kind) -> None:
    in_hand = answer(200, {"Messages": [MESSAGE]})
    script = [in_hand, THROTTLED, in_hand, HANGS_UP, in_hand, answer(200, {}), in_hand]
    with client_of(monkeypatch, *script, kind=kind) as (client, _):
        receiver = PooledClient(client, LANES).receiver(QUEUE)
        stamps: list[bytes] = []
        empty = 0
        failed: list[str] = []
        deadline = time.monotonic() + LIMIT_S
        while len(stamps) + empty + len(failed) < len(script):
            assert time.monotonic() < deadline
            got = receiver.receive(0.1)
            stamps += got.stamp
            empty += len(got.empty)
            failed += [kind for kind, _ in got.failed]
        receiver.close()
    assert stamps == [b"0123456789abcdef"] * 4
    assert (empty, sorted(failed)) == (1, ["RequestThrottled", "connection_lost"])
