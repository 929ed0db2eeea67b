"""An in-memory coordinator for the loaders of one case, each in a thread of the test."""

from __future__ import annotations

import time

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import CaseProgress, Progress


class FakeMeeting:
    """Where the loaders of one case meet. ``of(loader)`` is that loader's coordinator."""

    def __init__(self, loaders: int, gate_delay_s: float = 0.05) -> None:
        self.loaders, self.gate_delay_s = loaders, gate_delay_s
        self.aborted: str | None = None
        self.arrived: dict[str, dict[int, float]] = {}
        self.progress: dict[int, Progress] = {}
        self.stages: set[str] = set()
        self.noted: dict[int, dict[str, str]] = {}

    def of(self, loader: int) -> FakeCoordinator:
        return FakeCoordinator(self, loader)


class FakeCoordinator:
    def __init__(self, meeting: FakeMeeting, loader: int) -> None:
        self._meeting, self._loader = meeting, loader

    def arrive(self, gate: str) -> None:
        arrived = self._meeting.arrived.setdefault(gate, {})
        if self._loader in arrived:
            raise CaseError(f"this loader was at barrier '{gate}' before")
        arrived[self._loader] = time.time()

    def opens_at(self, gate: str) -> float | None:
        arrived = self._meeting.arrived[gate]
        if len(arrived) < self._meeting.loaders:
            return None
        return max(arrived.values()) + self._meeting.gate_delay_s

    def exchange(self, progress: Progress) -> CaseProgress:
        meeting = self._meeting
        meeting.progress[self._loader] = progress
        meeting.stages.add(progress.stage)
        reports = list(meeting.progress.values())
        return CaseProgress(
            reports=len(reports),
            producing=any(report.producing for report in reports) or len(reports) < meeting.loaders,
            sent=sum(report.sent for report in reports),
            expected=sum(report.expected for report in reports),
            received=sum(report.received for report in reports),
            aborted=meeting.aborted,
            unknown=sum(report.unknown for report in reports),
            ended=min(report.ended for report in reports),
        )

    def tell(self, **said: str) -> None:
        self._meeting.noted[self._loader] = {**self._meeting.noted.get(self._loader, {}), **said}

    def posted_by(self, loader: int) -> dict[str, str]:
        return self._meeting.noted.get(loader, {})

    def posted_by_all(self) -> dict[int, dict[str, str]]:
        return dict(self._meeting.noted)
