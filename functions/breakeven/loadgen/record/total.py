"""Total of one metric over its measured stage, from all loaders."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.loadgen.record.cell import Cell


@dataclass(frozen=True, slots=True)
class Total:
    """One metric over its measured stage.

    ``start_s``: when that stage began, epoch seconds. ``stage_s``: None for a load or unload of nothing.
    ``early``: of a load or unload, all but its last messages, and how long they took: see ``Cell.early``.
    ``starved`` and ``paused_ns``: asks that came back empty, and how long all workers together paused after
    them; of an unload those before each worker's last message: its rate, too, ends with the last one.
    """

    cell: Cell
    start_s: float
    stage_s: float | None
    early: tuple[int, float] | None = None
    starved: int = 0
    paused_ns: int = 0
