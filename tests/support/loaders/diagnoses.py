"""What a loader found of itself, made for tests."""

from __future__ import annotations

from typing import Any

from breakeven.loadgen.self_check.diagnosis import Diagnosis


def diagnosis(stage: str, cpu_share: float, **fields: Any) -> Diagnosis:
    """Of a closed loop on a shared host, but for the fields that are given."""
    unknown = dict.fromkeys(("lag_p99_ms", "offered", "achieved", "pacing_p99_ms", "blocked_share"))
    given = {"own_host": False, "constant": False, **fields}
    return Diagnosis(stage=stage, cpu_share=cpu_share, **{**unknown, **given})
