"""What a report says of guarantees that its cases lack, and of what is missing without them."""

from __future__ import annotations

import pytest

from breakeven.report.building.measuring_assumptions import assumptions
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.render.page import byline, keys
from breakeven.report.tables.guarantees import variant_words
from tests.fixtures.report import sample

WHOLE = sample.report(sample.planned()[2:6])


def without(name: str, count: int) -> Report:
    """The report with that guarantee off in its first cases, of each of which three messages are missing."""
    cases = [_changed(case, name) if number < count else case for number, case in enumerate(WHOLE.cases)]
    return WHOLE.model_copy(update={"cases": cases})


def _changed(case: CaseReport, name: str) -> CaseReport:
    assert case.ledger
    ledger = case.ledger.model_copy(update={"missing": 3, "lost": 0})
    return case.model_copy(update={"parameters": {**case.parameters, name: False}, "ledger": ledger})


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (WHOLE, "equal guarantees"),
        (without("confirms", len(WHOLE.cases)), "without confirms"),
        (without("acks", len(WHOLE.cases)), "without acknowledgements"),
        (without("persistent", len(WHOLE.cases)), "without persistence"),
        (without("confirms", 1), "equal guarantees, but for cases without confirms"),
    ],
)
def test_the_subtitle_says_which_guarantees_there_were(report: Report, said: str) -> None:
    assert variant_words(report) == said
    assert f" · {said} · " in byline(report)


def test_another_variant_has_its_own_name() -> None:
    report = without("confirms", 4).model_copy(update={"variant": "as-published"})
    assert variant_words(report) == "as published"


def test_the_assumptions_count_the_cases_that_lack_one() -> None:
    assert "Not all of that is true" not in " ".join(assumptions(WHOLE))
    assert f"Not all of that is true of every case: 1 of {len(WHOLE.cases)} cases has no confirms." in (
        assumptions(without("confirms", 1))
    )


def figure_of(report: Report) -> tuple[str, str, str, str]:
    key = keys(report)[-1]
    return key.figure, key.unit, key.note, key.tone


def test_without_confirms_nothing_is_lost_and_what_is_missing_is_counted() -> None:
    sent = sum(case.ledger.sent for case in WHOLE.cases if case.ledger)
    missing = f"{3 * len(WHOLE.cases)}"
    said = f"of {sent:,} messages sent without confirms"
    assert figure_of(without("confirms", len(WHOLE.cases))) == (missing, "missing", said, "")


def test_where_some_cases_have_confirms_each_kind_has_its_own_count() -> None:
    first, *others = (case.ledger.sent for case in WHOLE.cases if case.ledger)
    _, unit, said, _ = figure_of(without("confirms", 1))
    assert unit == "lost"
    assert said == (
        f"confirmed messages of {sum(others):,} sent; of {first:,} sent without confirms 3 are missing"
    )


def test_where_all_have_them_the_tile_is_of_what_was_confirmed() -> None:
    sent = sum(case.ledger.sent for case in WHOLE.cases if case.ledger)
    assert figure_of(WHOLE)[1:3] == ("lost", f"confirmed messages of {sent:,} sent")
