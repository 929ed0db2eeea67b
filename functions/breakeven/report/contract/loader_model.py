"""The part of the report's contract about what loaders measured of themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from pydantic import Field, TypeAdapter, model_validator

from breakeven.loadgen.case_figures import LoaderReport
from breakeven.report.contract.strict import Strict, any_known
from breakeven.results.answered import picked

#: of one figure, a value a loader and measured stage; null where that loader does not know it
Texts = list[str | None]
Numbers = list[float | None]
Counts = list[int | None]
EACH = TypeAdapter(list[LoaderReport])


class LoaderReports(Strict):
    """What a case's loaders measured of themselves: of each figure a list, with an entry a loader and stage.

    The figures are those of ``LoaderReport``; a list is empty where no loader knows its figure.
    """

    loader: list[int] = Field(default_factory=list)
    stage: list[str] = Field(default_factory=list)
    cpu_share: list[float] = Field(default_factory=list)
    lag_p99_ms: Numbers = Field(default_factory=list)
    offered: Counts = Field(default_factory=list)
    achieved: Counts = Field(default_factory=list)
    pacing_p99_ms: Numbers = Field(default_factory=list)
    blocked_share: Numbers = Field(default_factory=list)
    others_share: Numbers = Field(default_factory=list)
    steal_share: Numbers = Field(default_factory=list)
    idle_share: Numbers = Field(default_factory=list)
    work_before_ms: Numbers = Field(default_factory=list)
    work_after_ms: Numbers = Field(default_factory=list)
    saturated: list[bool] = Field(default_factory=list)
    evidence: Texts = Field(default_factory=list)
    zone: Texts = Field(default_factory=list)
    zone_unknown: Texts = Field(default_factory=list)
    runtime: Texts = Field(default_factory=list)
    openssl: Texts = Field(default_factory=list)
    fallback: Texts = Field(default_factory=list)

    @classmethod
    def by_case(cls, rows: Iterable[Mapping[str, Any]]) -> dict[str, Self]:
        """From a row a loader and stage of each case."""
        found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in picked(rows, (*cls.model_fields, "case_id")):
            found[row[-1]].append(row)
        return {case_id: cls(**_lists(reports)) for case_id, reports in found.items()}

    def __len__(self) -> int:
        """How many reports there are."""
        return len(self.loader)

    def known(self, name: str) -> list[Any]:
        """What those know of a figure that know it, in their order."""
        return [value for value in getattr(self, name) if value is not None]

    @property
    def work_ms(self) -> list[float]:
        """What the same work took on their hosts, before the case and after it."""
        return [*self.known("work_before_ms"), *self.known("work_after_ms")]

    @property
    def evidenced(self) -> list[tuple[int, str]]:
        """Each loader that was the limit, and why its figures are a lower bound."""
        return [(loader, why) for loader, why in zip(self.loader, self.evidence, strict=False) if why]

    @model_validator(mode="before")
    @classmethod
    def _of_earlier(cls, value: Any) -> Any:
        """A list of reports, as schema 1.0 has it, as lists of figures."""
        if not isinstance(value, list):
            return value
        reports = map(vars, EACH.validate_python(value))
        return _lists(list(picked(reports, tuple(cls.model_fields))))

    @model_validator(mode="after")
    def _of_one_length(self) -> Self:
        wrong = [name for name, values in vars(self).items() if len(values) not in {0, len(self.loader)}]
        if wrong:
            raise ValueError(f"{', '.join(wrong)}: not as many entries as there are loaders")
        return self


def _lists(reports: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Figure -> its values, where any is known; ``reports`` have the figures in their order first."""
    named = zip(LoaderReports.model_fields, zip(*reports, strict=True), strict=False)
    return {name: list(values) for name, values in named if any_known(values)}
