"""What the calls of SQS in batches carried in a run on AWS prices SQS batched in the same run's report."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.sqs_lines import batched, requests_per_message
from breakeven.results import layout
from breakeven.steps.run.price_run import price_run
from breakeven.steps.services import Services
from tests.support.money.ended_runs import cases_of, planned, put

RUN_ID = "run-1"
TENS = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10}
OPEN = {"threads": 1, "linger_ms": 50, "measure_s": 10, "wait_s": 20}
#: scenario -> rate, messages that were completed, and calls of sends, receives and deletions of each repeat
CARRIED: dict[str, list[tuple[int, int, int]]] = {
    "slow": [(500, 800, 600), (500, 800, 600)],
    "fast": [(110, 160, 120), (100, 125, 100)],
}


def suite(target: str = "sqs-standard", **scenario: Any) -> dict[str, Any]:
    shared = TENS | OPEN | scenario
    return {
        "suite": "batches",
        "title": "SQS in batches",
        "targets": [target],
        "repeats": 2,
        "defaults": {"message_size": "1KiB"},
        "scenarios": {"slow": {"rate": 20, **shared}, "fast": {"rate": 200, **shared}},
    }


def priced(
    services: Services,
    document: dict[str, Any],
    *,
    where: str = "aws",
    provenance: str = "measured",
    completed: int = 1000,
) -> tuple[Inputs, list[str]]:
    """The headline question and the notes of a run that was priced once its lanes had ended."""
    for case in planned(services, RUN_ID, document, where=where):
        calls = CARRIED[case.scenario][case.repeat - 1]
        put(services, "cases", case, [{"status": "ok", "provenance": provenance, "environment": where}])
        kinds = zip(("produce", "consume", "settle"), calls, strict=True)
        rows = [{"metric": kind, "completed": completed, "calls": number} for kind, number in kinds]
        put(services, "totals", case, rows)
    price_run(services, RUN_ID)
    cost = services.store.get_json(layout.plan_key(RUN_ID))["cost"]
    return Inputs.model_validate(cost["questions"][0]["inputs"]), cost["notes"]


def test_calls_of_the_highest_rate_price_sqs_batched(services: Services) -> None:
    inputs, notes = priced(services, suite())
    # 1,000 messages took 390 calls, then 325, where full batches of each kind would have been 300
    assert (inputs.batch_fill_low, inputs.batch_fill_high) == pytest.approx((300 / 390, 300 / 325))
    assert inputs.batch_fill == pytest.approx((300 / 390 + 300 / 325) / 2)
    assert requests_per_message(batched(inputs.but(batch_fill=300 / 390))) == pytest.approx(0.39)
    (said,) = [note for note in notes if note.startswith("How full")]
    assert "at 200 messages of 1 KiB a second (fast, " in said
    assert said.endswith(
        "; 2 repeats): 9.55 a send, 7.12 a receive, 9.17 a deletion. At lower rates calls carry fewer."
    )


@pytest.mark.parametrize(
    ("document", "run"),
    [
        (suite(), {"where": "local"}),  # asked once, and not with what one machine measured
        (suite(), {"provenance": "emulated"}),
        (suite(send_batch=1), {}),  # not the batches that are priced
        (suite(linger_ms=0), {}),
        (suite("sqs-fifo", message_size="2KiB") | {"defaults": {"message_size": "2KiB"}}, {"completed": 0}),
    ],
)
def test_what_is_not_sqs_in_batches_of_ten_prices_nothing(
    services: Services, document: dict[str, Any], run: dict[str, Any]
) -> None:
    inputs, notes = priced(services, document, **run)
    assert (inputs.batch_fill, inputs.batch_fill_low) == (None, None)
    assert not any(note.startswith("How full") for note in notes)


def test_fifo_is_priced_with_what_its_own_calls_carried(services: Services) -> None:
    inputs, _ = priced(services, suite("sqs-fifo"))
    assert inputs.queue == "fifo"
    assert inputs.batch_fill == pytest.approx((300 / 390 + 300 / 325) / 2)


def test_a_case_that_failed_is_no_repeat(services: Services) -> None:
    priced(services, suite())
    for case in cases_of(services, RUN_ID):
        if case.repeat == 2:
            put(services, "cases", case, [{"status": "failed", "provenance": "measured"}])
    price_run(services, RUN_ID)
    cost = services.store.get_json(layout.plan_key(RUN_ID))["cost"]
    assert cost["questions"][0]["inputs"]["batch_fill_high"] == pytest.approx(300 / 390)
