"""The few figures at the top of the page say of which inputs they are."""

from __future__ import annotations

import pytest

from breakeven.report.render.page import keys_of, page
from tests.fixtures.report import sample

SMALL = sample.planned()[2:6]
SAID = "At the page's own inputs, whatever is set above. With 1 KiB messages in us-east-1, the queue only:"


def test_they_name_size_region_and_consumers_above_them():
    report = sample.report(SMALL)
    assert keys_of(report) == SAID
    html = page(report, None)
    assert html.index('class="note keys-of"') < html.index('class="keys"')


@pytest.mark.parametrize("missing", ["cost_questions", "crossovers"])
def test_without_a_break_even_there_is_nothing_to_say(missing):
    assert keys_of(sample.report(SMALL).model_copy(update={missing: []})) == ""
