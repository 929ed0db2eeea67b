"""A loader's reports as often as they are deployed to be, on a clock that only the reporter's waits move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.loadgen import reporter
from breakeven.loadgen.ledger.ledger import Counts
from breakeven.loadgen.reporter import Reporter


class Clock:
    """The clock, and the end that a reporter waits for: it comes after so many seconds."""

    def __init__(self, ends_s: float) -> None:
        self.now_s, self._ends_s = 100.0, 100.0 + ends_s

    def monotonic(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return round(self.now_s * 1e9)

    def wait(self, seconds: float) -> bool:
        self.now_s += seconds
        return self.is_set()

    def is_set(self) -> bool:
        return self.now_s > self._ends_s


@pytest.mark.parametrize(
    ("stage", "loaders", "beats"), [("measure", 4, 10), ("drain", 1, 10), ("drain", 4, 40)]
)
def test_progress_and_ledger_are_reported_each_second_and_progress_of_a_drain_more_often(
    monkeypatch: pytest.MonkeyPatch, stage: str, loaders: int, beats: int
) -> None:
    clock, saved, reported = Clock(10.1), list[float](), list[Any]()
    monkeypatch.setattr(reporter, "time", clock)
    shared: Any = SimpleNamespace(
        case=SimpleNamespace(loaders=loaders),
        ledger=SimpleNamespace(counts=lambda: Counts(0, 0, 0, 0)),
        timeline=SimpleNamespace(at=lambda _: SimpleNamespace(name=stage)),
    )
    coordinator: Any = SimpleNamespace(
        exchange=lambda progress: reported.append(progress) or SimpleNamespace(aborted=None)
    )
    reports = Reporter(shared, lambda: True, lambda: 0, coordinator, lambda: saved.append(clock.now_s))
    monkeypatch.setattr(reports, "_ended", clock)
    reports._run()
    assert len(reported) == beats
    assert saved == [pytest.approx(101.0 + number) for number in range(10)], "rule 6 of docs/rules.md"
