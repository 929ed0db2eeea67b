"""What a loader found of itself and of its calls, made for tests."""

from __future__ import annotations

from typing import Any

from breakeven.loadgen.case_figures import CallErrors
from breakeven.loadgen.self_check.diagnosis import Diagnosis


def diagnosis(stage: str, cpu_share: float, **fields: Any) -> Diagnosis:
    """Of a closed loop on a shared host, but for the fields that are given."""
    unknown = dict.fromkeys(("lag_p99_ms", "offered", "achieved", "pacing_p99_ms", "blocked_share"))
    given = {"own_host": False, **fields}
    return Diagnosis(stage=stage, cpu_share=cpu_share, **{**unknown, **given})


def call_errors(kind: str, count: int, **fields: Any) -> CallErrors:
    """Of sends, all at one instant, but for the fields that are given."""
    at = "2026-11-20T15:30:00.000+00:00"
    given = {"operation": "produce", "first_at": at, "last_at": at, "said": None, **fields}
    return CallErrors(kind=kind, count=count, **given)
