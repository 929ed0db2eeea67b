"""Model of the drift of a run: what changed since the last comparable one, and which figures moved."""

from __future__ import annotations

from pydantic import Field

from breakeven.report.contract.strict import Strict
from breakeven.terms import Provenance


class ChangedFact(Strict):
    field: str = Field(description="a path such as targets.rabbitmq-quorum-trio.server")
    before: str
    after: str


class ShiftedFigure(Strict):
    """One figure of a target over all its cells."""

    target: str
    provenance: Provenance
    metric: str = Field(description="of a case, or capacity")
    figure: str = Field(description="msg_per_s, p50_ms or p99_ms")
    cells: int
    ratio: float = Field(description="after / before, the geometric mean of the cells' ratios")
    p: float = Field(description="of chance, before the correction for how many figures are judged")


class _OfCell(Strict):
    """One figure of one cell."""

    target: str
    provenance: Provenance
    scenario: str
    cell: str
    metric: str
    figure: str


class MovedFigure(_OfCell):
    """One figure of one cell, judged by its repeats; both values are geometric means."""

    before: float
    after: float
    ratio: float
    p: float


class ComparedFigure(_OfCell):
    """One figure of one cell, where nothing moved; both levels are geometric means."""

    before: float
    before_interval: tuple[float, float] | None = Field(
        description="95%, by Student's t on the logarithms of the repeats; null: it was measured once"
    )
    after: float
    after_interval: tuple[float, float] | None
    ratio: float


class NearestRun(Strict):
    """The earlier run that differs least from a run without a comparable one."""

    run_id: str
    date: str
    differences: list[str] = Field(description="in words, such as 'the scale is 0.1, here 1'")


class DriftReport(Strict):
    """Of a run since the last comparable one; ``since`` is null where there is none."""

    summary: str = Field(description="in words, two sentences, and a third where it is in doubt")
    since: str | None = Field(description="the run that this one is held against")
    date: str | None = Field(description="of that run")
    nearest: NearestRun | None = Field(
        default=None, description="of the suite, where no run is comparable; null: there is none at all"
    )
    changes: list[ChangedFact] = Field(default_factory=list, description="those of the targets first")
    shifts: list[ShiftedFigure] = Field(default_factory=list, description="beyond chance, the surest first")
    moves: list[MovedFigure] = Field(default_factory=list, description="likewise")
    unmoved: list[ComparedFigure] = Field(
        default_factory=list,
        description="those judged, where nothing moved, the largest change first; empty of earlier versions",
    )
    figures: int = Field(default=0, description="that both runs have of the same work")
    judged_shifts: int = 0
    judged_moves: int = 0
    false_alarms: float | None = Field(
        default=None, description="the probability of any shift or move, had nothing changed, is at most this"
    )
    findings: list[str] = Field(
        default_factory=list, description="in words: how many moved, and what was not compared"
    )
