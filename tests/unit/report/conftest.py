"""Charts of these tests are drawn from a pickle of what they are drawn from, as another process has it."""

from __future__ import annotations

import pickle

import pytest

from breakeven.report.charts import canvas
from breakeven.report.charts.artist import svgs_of


@pytest.fixture(autouse=True)
def pickled_drawings(monkeypatch) -> None:
    monkeypatch.setattr(canvas, "svgs_of", lambda drawing: svgs_of(pickle.loads(pickle.dumps(drawing))))
