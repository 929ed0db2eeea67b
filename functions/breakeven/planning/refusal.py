"""What of a plan cannot run."""

from __future__ import annotations

from breakeven.workload.case import Frozen


class Refusal(Frozen):
    """``case_id`` is null when it is the plan as a whole."""

    case_id: str | None
    field: str
    value: int | float | str
    remedy: str
