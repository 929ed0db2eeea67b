"""Figures that a source published: reference rows beside the measured ones, never mixed with them.

``scenarios/published/`` has one file a source; docs/published.md says what its fields are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from breakeven.errors import InputError, first_fault
from breakeven.terms import Frozen, TargetName
from breakeven.workload.read import scenarios

#: sources with published rows, by the letter that the documents of this project give them
SOURCES = {letter: f"source-{letter.lower()}" for letter in "ABCDE"}
#: by libyaml where it is there, in a tenth of the time
LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
PRINTED = re.compile(r"\d{1,12}(\.\d{1,6})?")


def _as_printed(value: Any) -> Any:
    if not isinstance(value, str) or not PRINTED.fullmatch(value):
        raise ValueError("give the figure in quotes and as it is printed, such as '14.8'")
    return value


def _not_empty(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


#: digits as the source printed them: text, so that 1.10 does not become 1.1
Printed = Annotated[str, BeforeValidator(_as_printed)]
Text = Annotated[str, AfterValidator(_not_empty)]


class PublishedMetric(Frozen):
    """As printed: messages a second, milliseconds. None where the source prints nothing."""

    msg_per_s: Printed
    mean_ms: Printed | None = None
    min_ms: Printed | None = None
    p90_ms: Printed | None = None
    max_ms: Printed | None = None


class Figures(Frozen):
    """What a source prints of a cluster that is no rate and no latency.

    ``relative_rate``: the rate as a share of another one; ``broker_lost``: what the end of a broker did to
    the rate; both in the source's words.
    """

    usd_per_month_per_1000_msg_per_s: Printed | None = None
    held: Literal["yes", "no"] | None = None
    backlog: Text | None = None
    completed: Literal["yes", "no"] | None = None
    relative_rate: Text | None = None
    broker_lost: Text | None = None


class Cell(Protocol):
    """A measured case that a published row may stand beside."""

    @property
    def scenario(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class PublishedRow(Frozen):
    """One cell of a scenario on one target.

    ``match``: the workload fields that a case must have for this row to stand beside it; ``parameters``:
    what else the source says of the cell; ``machine``: a key of the file's ``machines``.
    """

    scenario: Text
    cell: str
    target: Text
    match: dict[str, int | str]
    parameters: dict[str, int | str] = Field(default_factory=dict)
    machine: str | None = None
    produce: PublishedMetric | None = None
    consume: PublishedMetric | None = None
    consume_cycle: PublishedMetric | None = None
    figures: Figures | None = None

    @model_validator(mode="after")
    def _has_a_figure(self) -> PublishedRow:
        if not (self.metrics() or self.figures):
            raise ValueError("a row without a figure: give produce, consume, consume_cycle or figures")
        return self

    def matches(self, case: Cell) -> bool:
        """Whether the row is of the same scenario, target and cell as the case."""
        return (self.scenario, self.target) == (case.scenario, case.target) and all(
            case.parameters.get(name) == value for name, value in self.match.items()
        )

    def metric(self, operation: str) -> PublishedMetric | None:
        """The figures of ``produce``, ``consume`` or ``consume_cycle``; no other was ever published."""
        return self.metrics().get(operation)

    def metrics(self) -> dict[str, PublishedMetric]:
        """The operations that the row has figures of."""
        known = {"produce": self.produce, "consume": self.consume, "consume_cycle": self.consume_cycle}
        return {name: figures for name, figures in known.items() if figures}


class Side(Frozen):
    """Cells of a suite: those of a scenario whose workload has these fields.

    ``target``: the only one that is meant, by its name or its kind; None: each that the suite has.
    """

    scenario: Text
    match: dict[str, int | str] = Field(default_factory=dict)
    target: Text | None = None

    def covers(self, case: Cell) -> bool:
        """Whether the case is one of these cells."""
        meant = self.target in (None, case.target, TargetName(case.target).kind)
        return (
            meant
            and self.scenario == case.scenario
            and all(case.parameters.get(name) == value for name, value in self.match.items())
        )


class PublishedOrder(Frozen):
    """What a source's charts show without figures: which of two is the higher, or that both are alike.

    ``suite``: the one of this project that repeats the test; ``says``: the order in words; ``metric``: whose
    rates are compared, or ``end_to_end``, of which mean latencies are. ``relation`` of the first to
    the second: higher; higher and with intervals apart; alike.
    """

    says: Text
    suite: Text
    metric: Literal["produce", "consume", "end_to_end"]
    relation: Literal["higher", "apart", "alike"]
    first: Side
    second: Side


class Source(Frozen):
    publication: str
    author: str
    date: str
    url: str | None = None


class SourceBreakeven(Frozen):
    """The source's own break-even, as it printed it, and why its own prices give another."""

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
    machines: dict[str, dict[str, Printed]] = Field(default_factory=dict)
    rows: tuple[PublishedRow, ...]
    notes: dict[str, str]
    orders: tuple[PublishedOrder, ...] = ()
    breakeven: SourceBreakeven | None = None

    @model_validator(mode="after")
    def _rows_are_distinct(self) -> Published:
        seen: set[tuple[str, str, str]] = set()
        for number, row in enumerate(self.rows):
            key = (row.scenario, row.cell, row.target)
            if key in seen:
                raise ValueError(f"rows.{number}: the same scenario, cell and target as a row before it")
            if row.machine is not None and row.machine not in self.machines:
                raise ValueError(f"rows.{number}.machine: {row.machine!r} is not among the file's machines")
            seen.add(key)
        return self

    def row(self, case: Cell) -> PublishedRow | None:
        """The row that stands beside the case, if the source printed one."""
        return next((row for row in self.rows if row.matches(case)), None)


def load_published(path: Path) -> Published:
    """Read a file of ``scenarios/published/``.

    :raises InputError: the file cannot be read or does not hold published rows
    """
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), LOADER)  # noqa: S506 - the safe one either way
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(path.name, "file", str(error), "give a file of published figures in YAML") from error
    try:
        return Published.model_validate(document)
    except ValidationError as error:
        field, first, remedy = first_fault(error, "file")
        value = None if first["type"] == "missing" else str(first["input"])[:80]
        raise InputError(path.name, field, value, remedy) from error


def shipped(name: str) -> Path:
    """``scenarios/published/<name>.yaml``, in the repository or beside the deployed package."""
    return scenarios() / "published" / f"{name}.yaml"


def load_shipped(name: str) -> Published:
    """Read ``scenarios/published/<name>.yaml``."""
    return load_published(shipped(name))
