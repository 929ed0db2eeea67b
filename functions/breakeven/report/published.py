"""Figures that a source published: reference rows beside the measured ones, never mixed with them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from breakeven.errors import InputError
from breakeven.report.model import CaseReport, Report


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedMetric(Frozen):
    """As printed: messages a second, milliseconds. None where the source prints nothing."""

    msg_per_s: float
    mean_ms: float | None = None
    min_ms: float | None = None
    p90_ms: float | None = None
    max_ms: float | None = None


class PublishedRow(Frozen):
    """``match``: the workload fields that a case must have for this row to stand beside it."""

    scenario: str
    target: str
    match: dict[str, int | str]
    produce: PublishedMetric | None = None
    consume_cycle: PublishedMetric | None = None

    def matches(self, case: CaseReport) -> bool:
        """Whether the row is of the same scenario, target and cell as the case."""
        return (self.scenario, self.target) == (case.scenario, case.target) and all(
            case.parameters.get(name) == value for name, value in self.match.items()
        )

    def metric(self, operation: str) -> PublishedMetric | None:
        """The figures of ``produce`` or ``consume_cycle``; other operations were never published."""
        return {"produce": self.produce, "consume_cycle": self.consume_cycle}.get(operation)


class Source(Frozen):
    publication: str
    author: str
    date: str


class Breakeven(Frozen):
    """The source's own answer, and why the sum of its own prices differs from it."""

    price_book: str
    messages_per_hour: float
    msg_per_s: float
    why: str


class Published(Frozen):
    """One source. ``label`` is short, for badges and legends."""

    id: str
    title: str
    label: str
    provenance: Literal["published"]
    source: Source
    setup: dict[str, str]
    rows: tuple[PublishedRow, ...]
    notes: dict[str, str]
    breakeven: Breakeven | None = None

    def row(self, case: CaseReport) -> PublishedRow | None:
        """The row that stands beside the case, if the source printed one."""
        return next((row for row in self.rows if row.matches(case)), None)


def load_published(path: Path) -> Published:
    """Read a file of ``scenarios/published/``.

    :raises InputError: the file cannot be read or does not hold published rows
    """
    try:
        return Published.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError) as error:
        raise InputError(path.name, "file", str(error), "give a file of published figures in YAML") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "file"
        raise InputError(path.name, field, str(first["input"])[:80], first["msg"]) from error


def load_shipped(name: str) -> Published:
    """Read ``scenarios/published/<name>.yaml``, in the repository or beside the deployed package."""
    here = Path(__file__)
    paths = [root / "scenarios" / "published" / f"{name}.yaml" for root in (here.parents[2], here.parents[3])]
    return load_published(next((path for path in paths if path.exists()), paths[-1]))


def published_for(report: Report) -> Published | None:
    """Source A's figures where the run has scenarios of it."""
    source = load_shipped("source-a")
    scenarios = {row.scenario for row in source.rows} | set(source.notes)
    return source if any(case.scenario in scenarios for case in report.cases) else None
