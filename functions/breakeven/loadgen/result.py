"""What one loader hands in: its part of the ledger, its recordings, and facts about itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from breakeven.loadgen.ledger.ledger import Ledger
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.recorder import Cells
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.self_check.diagnosis import Diagnosis
from breakeven.terms import Flag
from breakeven.workload.case import Mode

VERSION = 3


@dataclass(slots=True)
class LoaderResult:
    """A loader's result, or a checkpoint on the way to it.

    A checkpoint made while the loader works holds no ``cells``: copying histograms each second would
    disturb what is measured. ``final``: nothing of the ledger can change any more; also so for a case that
    failed, when its loader could end in order.

    ``stages``: name -> start, epoch seconds. ``diagnoses``: of each measured stage.
    ``errors``: failed operations by kind, such as ``connection_lost`` or the target's error code.
    """

    run_id: str
    case_id: str
    attempt: int
    loader: int
    loaders: int
    mode: Mode
    measure_s: float
    final: bool
    ledger: Ledger
    cells: Cells = field(default_factory=dict)
    stages: dict[str, float] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)  # of a capacity search, in order
    flags: list[Flag] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)  # why the general path drove what is the core's
    host: dict[str, str | int | None] = field(default_factory=dict)
    still_came: bool = False  # the drain was ended while new messages came, or might have
    reason: str | None = None  # why it could not go on

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON values."""
        cells = [
            {"stage": stage, "metric": metric, **c.to_json()} for (stage, metric), c in self.cells.items()
        ]
        plain = {name: getattr(self, name) for name in _PLAIN}
        diagnoses = [diagnosis.to_json() for diagnosis in self.diagnoses]
        return {
            "version": VERSION,
            **plain,
            "ledger": self.ledger.to_json(),
            "diagnoses": diagnoses,
            "probes": [probe.to_json() for probe in self.probes],
            "cells": cells,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> LoaderResult:
        """:raises ValueError: a document of another version"""
        if document.get("version") != VERSION:
            raise ValueError(
                f"loader result of version {document.get('version')!r}; this reads version {VERSION}"
            )
        return cls(
            ledger=Ledger.from_json(document["ledger"]),
            diagnoses=[Diagnosis.from_json(each) for each in document["diagnoses"]],
            probes=[Probe.from_json(each) for each in document["probes"]],
            cells={(cell["stage"], cell["metric"]): Cell.from_json(cell) for cell in document["cells"]},
            **{name: document[name] for name in _PLAIN},
        )


_PLAIN = tuple(
    name for name in LoaderResult.__slots__ if name not in {"ledger", "diagnoses", "probes", "cells"}
)
