"""Reports of schema 1.0, which had an object a second and one a loader, are read as those of today are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.contract.rate_model import rate_courses
from breakeven.report.contract.report_model import Report
from tests.fixtures.report import sample

PLAN = sample.planned((sample.RABBITMQ,))
#: with latencies in one second of two, and a second without a row
RATES = [
    {"case_id": PLAN[0].case_id, "metric": "produce", "stage": "measure", "second": second, **figures}
    for second, figures in (
        (0, {"msg_per_s": 10.0, "mean_ms": 1.5, "max_ms": 9.0}),
        (1, {"msg_per_s": 0.0, "mean_ms": None, "max_ms": None}),
        (3, {"msg_per_s": 7.5, "mean_ms": 2.0, "max_ms": 3.0}),
    )
]
TODAY = sample.report(PLAN, rate_over_time=RATES)


def as_before(report: Report) -> dict[str, Any]:
    """The report's JSON as version 1.0 had it."""
    document: dict[str, Any] = json.loads(report.model_dump_json())
    document |= {"schema_version": "1.0", "rates": RATES}
    for case in document["cases"]:
        known = {name: values for name, values in case["loaders"].items() if values}
        empty = dict.fromkeys(LoaderReports.model_fields.keys() - known.keys())
        rows = [dict(zip(known, each, strict=True)) for each in zip(*known.values(), strict=True)]
        case["loaders"] = [row | empty for row in rows]
    return document


def read(document: dict[str, Any]) -> Report:
    return Report.model_validate_json(json.dumps(document))


def test_it_is_the_same_report() -> None:
    before = as_before(TODAY)
    assert {"load", "unload"} == {one["stage"] for one in before["cases"][0]["loaders"]}
    assert read(before) == TODAY
    assert TODAY.schema_version == "2.0"
    (course,) = TODAY.rates
    assert course.msg_per_s == [10.0, 0.0, 0.0, 7.5]
    assert (course.mean_ms, course.max_ms) == ([1.5, None, None, 2.0], [9.0, None, None, 3.0])


def test_seconds_without_a_start_have_no_latencies() -> None:
    (course,) = rate_courses(row | {"mean_ms": None, "max_ms": None} for row in RATES)
    assert (course.mean_ms, course.max_ms) == ([], [])
    assert (course.mean(0), course.longest(9), course.rate(3), course.rate(4)) == (None, None, 7.5, 0.0)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("rates", 0), {"second": -1}),
        (("rates", 0), {"second": "late"}),
        (("rates", 0), {"case_id": None}),
        (("cases", 0, "loaders", 0), {"cpu_share": "much"}),
        (("cases", 0, "loaders", 0), {"another": 1}),
    ],
)
def test_a_damaged_one_is_an_error_that_names_it(place: tuple[Any, ...], wrong: dict[str, Any]) -> None:
    document: Any = as_before(TODAY)
    one = document
    for step in place:
        one = one[step]
    one |= wrong
    with pytest.raises(ValidationError) as caught:
        read(document)
    assert place[0] in caught.value.errors()[0]["loc"]
    assert next(iter(wrong)) in str(caught.value)


def test_lists_of_another_length_are_refused() -> None:
    document: Any = json.loads(TODAY.model_dump_json())
    document["cases"][0]["loaders"]["cpu_share"].pop()
    with pytest.raises(ValidationError, match="cpu_share: not as many entries as there are loaders"):
        read(document)
