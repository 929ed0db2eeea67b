"""Failed calls in rows and flags: which, when and why, cleaned of secrets and bounded."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from breakeven.loadgen.case_figures import MOST_WORDS
from breakeven.loadgen.record.call_errors import MOST_KINDS, OTHER, CallErrorLog, merged, without_secrets
from breakeven.loadgen.result import LoaderResult
from tests.support.loaders.diagnoses import call_errors
from tests.support.loaders.loader_runs import Run, loading
from tests.support.scripted.fakes import FakeBroker, Faults


def test_failures_of_a_kind_are_counted_with_the_first_and_last_time_and_one_message() -> None:
    log, now_ns, now = CallErrorLog(), time.monotonic_ns(), datetime.now(UTC)
    log.add("produce", "Throttled", now_ns - 5 * 10**9, 1, "")
    log.add("produce", "Throttled", now_ns, 2, "slow down")
    log.add("produce", "Throttled", now_ns - 10**9, 1, "again")
    (found,) = log.found()
    assert (found.operation, found.kind, found.count, found.said) == ("produce", "Throttled", 4, "slow down")
    first, last = datetime.fromisoformat(found.first_at), datetime.fromisoformat(found.last_at)
    assert last - first == timedelta(seconds=5)
    assert abs(last - now) < timedelta(minutes=1)


def test_kinds_beyond_the_most_are_counted_together() -> None:
    log = CallErrorLog()
    for number in range(MOST_KINDS + 7):
        log.add("consume", f"kind {number}", 0, 1, "")
    kinds = {found.kind: found.count for found in log.found()}
    assert len(kinds) == MOST_KINDS + 1
    assert kinds[OTHER] == 7


def test_several_loaders_are_put_together_by_operation_and_kind() -> None:
    later = "2026-11-20T15:31:00.000+00:00"
    found = merged(
        [
            call_errors("Throttled", 1),
            call_errors("connection_lost", 3),
            call_errors("Throttled", 4, last_at=later, said="slow down"),
            call_errors("Throttled", 2, operation="consume"),
        ]
    )
    assert [(each.operation, each.kind, each.count) for each in found] == [
        ("produce", "Throttled", 5),
        ("produce", "connection_lost", 3),
        ("consume", "Throttled", 2),
    ]
    assert (found[0].last_at, found[0].said) == (later, "slow down")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("connect amqp://breakeven:s3cr3t@10.0.0.7:5672 refused", "connect amqp://***@10.0.0.7:5672 refused"),
        ("amqp://breakeven:s3@cr3t@10.0.0.7:5672 refused", "amqp://***@10.0.0.7:5672 refused"),
        ("login refused: password=hunter2, user=guest", "login refused: password=***, user=guest"),
        ('{"SecretAccessKey": "abc/def+1", "x": 1}', '{"SecretAccessKey": "***", "x": 1}'),
        ("AKIAIOSFODNN7EXAMPLE is not known", "*** is not known"),
        (
            "https://q/?X-Amz-Security-Token=FwoGZX&X-Amz-Date=1",
            "https://q/?X-Amz-Security-Token=***&X-Amz-Date=1",
        ),
        ("Authorization: Bearer abc.def.ghi", "Authorization: ***"),
        ("arn:aws:sqs:us-east-1:123456789012:be-1", "arn:aws:sqs:us-east-1:***:be-1"),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("[Errno 104] Connection reset by peer", "[Errno 104] Connection reset by peer"),
    ],
)
def test_what_is_secret_is_left_out_of_a_message(text: str, cleaned: str) -> None:
    assert without_secrets(text) == cleaned


def test_a_long_message_is_cut() -> None:
    assert len(without_secrets("x" * 10_000)) == MOST_WORDS


def test_a_loaders_document_brings_its_failures_back() -> None:
    result = Run(
        loading(50, drain_s=600.0), FakeBroker(Faults(fail={(0, 4): "ThrottlingException"}))
    ).results()[0]
    (found,) = LoaderResult.from_json(result.to_json()).call_errors
    assert (found.operation, found.kind, found.count) == ("produce", "ThrottlingException", 1)
