"""What each service has: in a run's report and in the calculator, and of no source's."""

from __future__ import annotations

from breakeven.published.rows import load_shipped
from breakeven.report.building.published_as_rows import source_of
from breakeven.report.contents import GAIN, sections_of
from breakeven.report.sections.answer.service_features import FEATURES, SERVICES, features
from breakeven.report.sections.subject import Subject
from tests.fixtures.report import sample

#: what issues and owners ask about, by a word of the row that answers
ASKED = ("Dead letters", "Lambda", "IAM", "Routing", "Priorities", "Protocol", "Order", "14 days", "1 MiB")


def test_each_question_has_a_row_and_each_row_a_word_on_every_service() -> None:
    rows = [" ".join((*row.labels, *row.cells)) for row in features().rows]
    assert [word for word in ASKED if not any(word in row for row in rows)] == []
    assert all(len(row.cells) == len(SERVICES) and all(row.cells) for row in features().rows)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    assert all(cell.endswith(".") for row in features().rows for cell in row.cells)


def test_it_says_that_none_of_it_was_measured_and_of_which_day_it_is() -> None:
    (note,) = features().notes
    assert note.startswith("Documented, not measured: Amazon SQS Developer Guide")
    assert "as of November 2026" in note


def test_a_run_has_it_under_its_question_and_a_source_does_not() -> None:
    (section,) = [one for one in sections_of(Subject(sample.report(), None)) if one.slug == "features"]
    assert section.question == GAIN
    published = sample.report().model_copy(update={"source": source_of(load_shipped("source-a"))})
    assert not [one for one in sections_of(Subject(published, None)) if one.slug == "features"]
