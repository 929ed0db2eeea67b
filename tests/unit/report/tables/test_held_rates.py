"""Offered rates: what was offered, what was sent of it, and whether publishing was held up."""

import pytest

from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.contract.rate_model import RateCourse
from breakeven.report.sections.speeds import held_rates
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.offered_rates import is_held
from tests.fixtures.report.sample import RABBITMQ, planned, report


def offered(rate, sent, p99_ms=5.0, *, received=100.0, flags=(), **parameters):
    """A case that was offered a rate, and what it sent and received, messages a second."""
    pattern = next(case for case in report(planned((RABBITMQ,))).cases if case.consume_cycle)
    return pattern.model_copy(
        update={
            "parameters": {**pattern.parameters, "rate": rate, **parameters},
            "produce": pattern.produce.model_copy(update={"msg_per_s": sent, "p99_ms": p99_ms}),
            "consume_cycle": pattern.consume_cycle.model_copy(update={"msg_per_s": received}),
            "flags": list(flags),
            "loaders": LoaderReports(),
        }
    )


def section(*cases, **changes):
    found = report(planned((RABBITMQ,)))
    return held_rates.section(Subject(found.model_copy(update={"cases": list(cases), **changes}), None))


@pytest.mark.parametrize(
    ("sent", "p99_ms", "held"),
    [
        (1000.0, 5.0, True),
        (990.0, 1000.0, True),
        (989.0, 5.0, False),
        (1000.0, 1001.0, False),  # sent in the end, and for a while not when it was due
        (1000.0, None, True),
    ],
)
def test_a_rate_is_held_where_it_was_sent_when_it_was_due(sent, p99_ms, held):
    assert is_held(offered(1000.0, sent, p99_ms)) is held


def test_what_consumers_did_is_shown_and_is_no_reason():
    (table,) = section(offered(1000.0, 1000.0, received=300.0), offered(2000.0, 1500.0)).parts
    assert [row.cells for row in table.rows] == [
        ("1,000", "1,000", "100.0%", "300", "5.00", "yes"),
        ("2,000", "1,500", "75.0%", "100", "5.00", "no"),
    ]
    assert "RabbitMQ mirrored pair held 1 of 2 rates." in table.notes


def test_a_case_whose_loader_was_the_limit_says_so():
    (table,) = section(offered(2000.0, 1500.0, flags=["loader_saturated"])).parts
    assert table.rows[0].cells[1] == "≥ 1,500"
    assert any(note.startswith("≥ marks a lower bound") for note in table.notes)


def test_closed_loops_searches_and_failed_cases_have_no_row():
    closed = next(case for case in report(planned((RABBITMQ,))).cases if case.produce)
    failed = offered(10.0, 1.0).model_copy(update={"status": "failed"})
    assert not section(closed, failed, offered(10.0, 10.0, mode="capacity")).parts


def test_a_profile_is_shown_step_by_step_where_it_holds_a_rate():
    case = offered(500.0, 800.0, profile="500 msg/s for 2 s, to 1000 msg/s over 1.5 s, 1000 msg/s for 2.5 s")
    seen = {"produce": [500, 500, 600, 800, 900, 700], "consume": [400, 500, 500, 500, 500, 500]}
    rates = [
        RateCourse(case_id=case.case_id, stage="measure", metric=metric, msg_per_s=values)
        for metric, values in seen.items()
    ]
    _, steps = section(case, rates=rates).parts
    assert [(row.labels[0], row.cells) for row in steps.rows] == [
        ("1", ("500", "500", "100.0%", "450")),
        ("3", ("1,000", "800", "80.0%", "500")),
    ]
