"""What a reader must know of a case's figures: its flags."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.loadgen.merge import Measurement
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case


def mirrors_of(case: Case) -> int:
    """The mirrors that each queue has when all is well: one on every other node that is not down."""
    return record_of(case.target).node_count - 1 - case.workload.nodes_down


def flags_of(
    case: Case,
    measurement: Measurement | None,
    provenance: str,
    environment: str,
    mirrors: Sequence[dict[str, int] | None],
) -> list[str]:
    """``mirrors``: of each queue, before the case and after it."""
    flags = list(measurement.flags) if measurement else []
    if environment == "local":
        flags.append("shared_host")
    if provenance == "emulated":
        flags.append("emulated")
    if case.workload.nodes_down:
        flags.append("nodes_down")
    if any(count < mirrors_of(case) for looked in mirrors for count in (looked or {}).values()):
        flags.append("mirrors_out_of_sync")
    return sorted(set(flags))
