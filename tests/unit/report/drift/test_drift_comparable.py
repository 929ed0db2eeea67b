"""What of two runs is compared: cells of the same work; prices and loaders' paths are among what changed."""

from __future__ import annotations

import pytest

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import drift_between
from breakeven.report.drift.drift_words import sentences
from tests.fixtures.report import sample


def later() -> Report:
    return sample.report().model_copy(update={"run_id": "later"})


@pytest.mark.parametrize("changed", [{"parameters": {"size": 9}}, {"provenance": "published"}])
def test_a_cell_of_other_work_is_left_out_and_said(changed: dict[str, object]) -> None:
    after = later()
    first = after.cases[0]
    after.cases[0] = first.model_copy(update=changed)
    found = drift_between(sample.report(), after)
    (unlike,) = found.unlike
    assert (unlike.target, unlike.scenario, unlike.cell) == (first.target, first.scenario, first.cell)
    assert (unlike.target, unlike.scenario, unlike.cell) not in {
        (one.measure.target, one.scenario, one.cell) for one in found.figures
    }
    assert found.only_before == found.only_after == 0
    assert any("not the same work" in said and unlike.reason in said for said in sentences(found))


def test_the_same_work_is_all_compared() -> None:
    assert drift_between(sample.report(), later()).unlike == ()


def test_a_price_that_differs_is_among_what_changed_and_a_books_date_alone_is_not() -> None:
    after = later()
    for tier in after.prices:
        tier.book = tier.book.replace("2026-11-20", "2026-12-20")
    after.manifest.price_books = [
        name.replace("2026-11-20", "2026-12-20") for name in after.manifest.price_books
    ]
    assert drift_between(sample.report(), after).changes == ()
    after.prices[0].usd = 7.0
    (change,) = drift_between(sample.report(), after).changes
    assert change.field.startswith("prices.")
    assert change.after == "7.0 USD"


def test_a_path_that_drove_the_calls_anew_is_among_what_changed() -> None:
    before, after = sample.report(), later()
    for report, field in ((before, "core_operations"), (after, "general_operations")):
        for case in report.cases:
            if case.produce:
                counts = {"core_operations": None, "general_operations": None, field: 5}
                case.produce = case.produce.model_copy(update=counts)
    changes = {each.field: (each.before, each.after) for each in drift_between(before, after).changes}
    assert changes[f"loader path.{sample.SQS}"][0].startswith("compiled core")
    assert "general path" in changes[f"loader path.{sample.SQS}"][1]


def test_what_a_warm_up_measured_is_no_change() -> None:
    before, after = sample.report(), later()
    before.manifest.targets[sample.RABBITMQ]["warm_up"] = "6.2 s discarded"
    after.manifest.targets[sample.RABBITMQ]["warm_up"] = "6.3 s discarded"
    assert drift_between(before, after).changes == ()
