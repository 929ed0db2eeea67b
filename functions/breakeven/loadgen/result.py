"""Result of one loader: its part of the ledger, its recordings, and facts about itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from breakeven.loadgen.case_figures import CallErrors
from breakeven.loadgen.ledger.ledger import Ledger
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.recorder import Cells
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.self_check.diagnosis import Diagnosis
from breakeven.terms import Flag
from breakeven.workload.case import Mode

VERSION = 4


_CELL = TypeAdapter(Cell)


def _listed(cells: Cells) -> list[dict[str, Any]]:
    """As a document has them."""
    return [
        {"stage": stage, "metric": metric, **_CELL.dump_python(cell)}
        for (stage, metric), cell in cells.items()
    ]


def _cells_of(listed: list[dict[str, Any]]) -> Cells:
    return {(cell["stage"], cell["metric"]): _CELL.validate_python(cell) for cell in listed}


@dataclass(slots=True)
class LoaderResult:
    """A loader's result, or a checkpoint on the way to it.

    A checkpoint made while the loader works holds no ``cells``: copying histograms each second would
    disturb what is measured. ``final``: nothing of the ledger can change any more; also so for a case that
    failed, when its loader could end in order.

    ``stages``: name -> start, epoch seconds. ``diagnoses``: of each measured stage.
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
    cells: Annotated[Cells, PlainValidator(_cells_of), PlainSerializer(_listed)] = field(default_factory=dict)
    stages: dict[str, float] = field(default_factory=dict)
    call_errors: list[CallErrors] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)  # of a capacity search, in order
    flags: list[Flag] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)  # why the general path drove what is the core's
    host: dict[str, str | int | None] = field(default_factory=dict)
    still_came: bool = False  # the drain was ended while new messages came, or might have
    reason: str | None = None  # why it could not go on

    @property
    def errors(self) -> dict[str, int]:
        """Failed operations by kind, such as ``connection_lost`` or the target's error code."""
        kinds: Counter[str] = Counter()
        for found in self.call_errors:
            kinds[found.kind] += found.count
        return dict(kinds)

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON values."""
        return {"version": VERSION, **_DOCUMENT.dump_python(self, mode="json")}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> LoaderResult:
        """:raises ValueError: a document of another version"""
        if document.get("version") != VERSION:
            raise ValueError(
                f"loader result of version {document.get('version')!r}; this reads version {VERSION}"
            )
        return _DOCUMENT.validate_python(document)


_DOCUMENT = TypeAdapter(LoaderResult)
