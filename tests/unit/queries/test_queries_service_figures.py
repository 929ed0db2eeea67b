"""What CloudWatch has of services, by hand: means by the seconds watched, queues together, null and not 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.money.query_tables import Bucket, case

MINUTE_S = 1_780_000_020
CPU = {"metric": "SystemCpuUtilization", "statistic": "Average", "unit": "Percent"}
SENT = {"metric": "NumberOfMessagesSent", "statistic": "Sum", "unit": "Count"}
WAITING = {"metric": "ApproximateNumberOfMessagesVisible", "statistic": "Average", "unit": "Count"}
AGE = {"metric": "ApproximateAgeOfOldestMessage", "statistic": "Maximum", "unit": "Seconds"}
MQ, SQS = "amazon-mq-cluster", "sqs-standard"


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    found = Bucket(tmp_path)
    cases = [("mq", MQ), ("sqs", SQS)]
    found.put("cases", [case(name, target=target, environment="aws") for name, target in cases])
    return found


def minutes(*known: tuple[float, float | None], **of: Any) -> list[dict[str, Any]]:
    """Rows of minutes that follow one another: the seconds watched of each, and its value."""
    whole = {"case_id": "mq", "target": MQ, "part": "node", "name": "rabbit@a", **CPU, **of}
    return [
        {**whole, "minute_s": MINUTE_S + 60 * number, "seconds": seconds, "value": value}
        for number, (seconds, value) in enumerate(known)
    ]


def test_a_minute_counts_by_the_seconds_of_it_in_which_the_case_was_watched(bucket: Bucket) -> None:
    bucket.put("service_minutes", minutes((15.0, 10.0), (60.0, 80.0), (45.0, 20.0)))
    (row,) = bucket.ask("service_figures")
    assert row["mean"] == pytest.approx((15 * 10 + 60 * 80 + 45 * 20) / 120)
    assert (row["highest"], row["lowest"], row["total"]) == (80.0, 10.0, None)
    assert (row["minutes"], row["known_minutes"], row["whole_minutes"]) == (3, 3, 1)
    assert (row["case_id"], row["target"], row["part"], row["name"]) == ("mq", MQ, "node", "rabbit@a")
    assert (row["environment"], row["unit"]) == ("aws", "Percent")


def test_a_minute_that_has_not_come_is_no_zero_and_none_at_all_is_null(bucket: Bucket) -> None:
    rows = [
        *minutes((60.0, 80.0), (60.0, None)),
        *minutes((60.0, None), (60.0, None), name="rabbit@b"),
        *minutes((60.0, 0.0), (60.0, None), name="rabbit@c"),
    ]
    bucket.put("service_minutes", rows)
    found = {row["name"]: row for row in bucket.ask("service_figures")}
    assert [(found[f"rabbit@{node}"]["mean"], found[f"rabbit@{node}"]["highest"]) for node in "abc"] == [
        (80.0, 80.0),
        (None, None),
        (0.0, 0.0),
    ]
    assert [found[f"rabbit@{node}"]["known_minutes"] for node in "abc"] == [1, 0, 1]
    assert {row["minutes"] for row in found.values()} == {2}


def test_a_cases_queues_are_added_up_minute_by_minute_and_the_oldest_message_is_of_any(
    bucket: Bucket,
) -> None:
    of = {"case_id": "sqs", "target": SQS, "part": "queue"}
    rows = [
        *minutes((30.0, 100.0), (60.0, 500.0), (30.0, None), name="q0", **{**of, **SENT}),
        *minutes((30.0, 20.0), (60.0, None), (30.0, 40.0), name="q1", **{**of, **SENT}),
        *minutes((30.0, 3.0), (60.0, 7.0), (30.0, None), name="q0", **{**of, **AGE}),
        *minutes((30.0, 5.0), (60.0, None), (30.0, 1.0), name="q1", **{**of, **AGE}),
    ]
    bucket.put("service_minutes", rows)
    age, sent = bucket.ask("service_figures")
    assert (sent["metric"], sent["name"]) == (SENT["metric"], None)
    assert (sent["total"], sent["highest"]) == (660.0, 500.0)
    assert sent["mean"] == pytest.approx(660 / 2)  # in two minutes
    assert (sent["minutes"], sent["known_minutes"], sent["whole_minutes"]) == (6, 4, 2)
    assert (age["highest"], age["total"]) == (7.0, None)
    assert age["mean"] == pytest.approx((30 * 5 + 60 * 7 + 30 * 1) / 120)


def test_an_average_of_a_cases_queues_is_of_minutes_that_have_come_of_all_of_them(bucket: Bucket) -> None:
    of = {"case_id": "sqs", "target": SQS, "part": "queue", **WAITING}
    rows = [
        *minutes((30.0, 3.0), (60.0, 700.0), (30.0, None), name="q0", **of),
        *minutes((30.0, 5.0), (60.0, None), (30.0, 900.0), name="q1", **of),
    ]
    bucket.put("service_minutes", rows)
    (row,) = bucket.ask("service_figures")
    assert (row["mean"], row["highest"], row["lowest"], row["known_minutes"]) == (8.0, 8.0, 8.0, 4)


def test_the_broker_stands_beside_its_nodes_and_another_run_is_none_of_it(bucket: Bucket) -> None:
    both = [*minutes((60.0, 50.0)), *minutes((60.0, 150.0), part="broker", name=None)]
    bucket.put("service_minutes", both)
    bucket.put("service_minutes", minutes((60.0, 1.0), name="rabbit@z"), run_id="another")
    found = bucket.ask("service_figures")
    assert [(row["part"], row["name"], row["mean"]) for row in found] == [
        ("broker", None, 150.0),
        ("node", "rabbit@a", 50.0),
    ]
