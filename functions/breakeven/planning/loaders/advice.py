"""Findings of a suite's earlier runs about their loaders, kept for the next plan.

One document a suite. It holds a finding for each cell of which a loader was the limit; a later run of the
same cell that no loader limits keeps it with the count that was enough, or ends it. Only the same cell with
the same workload, by the same version of this project on the same machine, is taken for the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError

from breakeven.errors import in_words
from breakeven.loadgen.case_figures import MOST_WORDS, Limit, Word
from breakeven.planning.sizing import more_loaders
from breakeven.terms import Environment, Frozen
from breakeven.version import VERSION
from breakeven.workload.case import MAX_LOADERS, Case

#: of the newest findings, how many a document keeps
KEPT = 1000
#: how long a case takes, not how hard it is on a loader
LENGTHS = frozenset({"messages", "warmup_s", "measure_s", "confirm_s", "drain_s"})

Count = Annotated[int, Field(ge=1, le=MAX_LOADERS)]


class Place(Frozen):
    """Where a run is made, and by what: a finding of another place or version says nothing of this one."""

    environment: Environment
    machine: Word = Field(description="cores and processor of the one machine of a local run; empty on AWS")
    version: Word = VERSION

    @classmethod
    def of(cls, environment: Environment, hardware: Mapping[str, object]) -> Self:
        described = f"{hardware.get('cores')} x {hardware.get('processor')}" if hardware else ""
        machine = "".join(character for character in described if character.isprintable())
        return cls(environment=environment, machine=machine[:MOST_WORDS])


class Cell(Frozen):
    """What a finding is of: a cell on a target, and its workload."""

    scenario: Word
    cell: Word
    target: Word
    variant: Word
    workload: Word = Field(description="digest of the workload without its lengths")

    @classmethod
    def of(cls, case: Case) -> Self:
        fields = case.workload.model_dump(mode="json", exclude=set(LENGTHS))
        digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
        return cls(
            scenario=case.scenario, cell=case.cell, target=case.target, variant=case.variant, workload=digest
        )


class Finding(Frozen):
    """In a run a loader of the cell was the limit. ``enough``: so many were not, in a later run."""

    of: Cell
    place: Place
    run_id: Word
    date: Word
    loaders: Count
    limit: Limit
    enough: Count | None = None
    enough_in: Word | None = None

    @property
    def wanted(self) -> int:
        """The count for the next plan; above ``MAX_LOADERS`` where no plan can have it."""
        return self.enough or more_loaders(self.loaders, self.limit.cpu_share)

    def describe(self) -> str:
        """What was seen: run, date, and the loader's own words."""
        found = (
            f"in run {self.run_id} on {self.date} loader {self.limit.loader} of {self.loaders} was the limit"
        )
        later = f"; in run {self.enough_in} {self.enough} were enough" if self.enough else ""
        return f"{found}: {self.limit.evidence}{later}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A case that a run measured to its end: what limited it, or None where no loader did."""

    case: Case
    limit: Limit | None


class LoaderAdvice(Frozen):
    """The document. ``format`` is raised when an older reader would misunderstand it."""

    format: Literal[1] = 1
    suite: Word
    findings: tuple[Finding, ...] = ()

    def of(self, case: Case, place: Place) -> Finding | None:
        """The finding that holds for the case there; None: none does."""
        wanted = Cell.of(case)
        return next((one for one in self.findings if (one.of, one.place) == (wanted, place)), None)

    def learned(self, seen: Iterable[Seen], place: Place, run_id: str, date: str) -> LoaderAdvice:
        """With what a run found; the findings of other versions go.

        Of a cell's repeats the one whose loader was busiest tells. Cells that were not measured stay.
        """
        by_cell: dict[Cell, list[Seen]] = {}
        for one in seen:
            by_cell.setdefault(Cell.of(one.case), []).append(one)
        others = [
            finding
            for finding in self.findings
            if finding.place.version == place.version
            and (finding.of not in by_cell or finding.place != place)
        ]
        found = [self._of_cell(cell, repeats, place, run_id, date) for cell, repeats in by_cell.items()]
        return self.model_copy(update={"findings": (*others, *filter(None, found))[-KEPT:]})

    def _of_cell(
        self, cell: Cell, repeats: list[Seen], place: Place, run_id: str, date: str
    ) -> Finding | None:
        loaders = repeats[0].case.loaders
        limits = [one.limit for one in repeats if one.limit]
        if limits:
            worst = max(limits, key=lambda limit: limit.cpu_share)
            return Finding(of=cell, place=place, run_id=run_id, date=date, loaders=loaders, limit=worst)
        known = self.of(repeats[0].case, place)
        if known is None or loaders <= known.loaders:
            return None  # as many, or fewer, were not the limit this time
        return known.model_copy(update={"enough": loaders, "enough_in": run_id})


def read_advice(body: bytes | None, suite: str, where: str) -> tuple[LoaderAdvice, list[str]]:
    """The document, and what is to be said of it: a damaged one is named and counts as none.

    :param body: None: there is none yet
    :param where: its file or key
    """
    if body is None:
        return LoaderAdvice(suite=suite), []
    try:
        advice = LoaderAdvice.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        return LoaderAdvice(suite=suite), [
            ignored(where, in_words(f"{field}: {first['msg']}" if field else first["msg"]))
        ]
    if advice.suite != suite:
        return LoaderAdvice(suite=suite), [ignored(where, "suite: it is of another one")]
    return advice, []


def ignored(where: str, why: str) -> str:
    """That the document could not be used."""
    return (
        f"{where} cannot be used ({why}): loaders are planned without what earlier runs found, and the next "
        "run that ends writes it anew."
    )
