"""The part of the report's contract about rates over time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pydantic import Field, TypeAdapter

from breakeven.report.contract.strict import Strict, any_known
from breakeven.results.answered import picked

#: of one figure, a value for each second; null where nobody knows it
Values = list[float | None]


class RateCourse(Strict):
    """Completions of one metric in a stage of a case, second by second, summed over loaders.

    Each list begins with the stage's first second. A list of latencies is empty where none is known.
    """

    case_id: str
    metric: str
    stage: str
    msg_per_s: list[float]
    mean_ms: Values = Field(
        default_factory=list, description="how long these took; null of what has no start of its own"
    )
    max_ms: Values = Field(default_factory=list, description="the longest")

    def rate(self, second: int) -> float:
        """Messages a second; 0 where the course has ended."""
        return self.msg_per_s[second] if second < len(self.msg_per_s) else 0.0

    def mean(self, second: int) -> float | None:
        """Milliseconds."""
        return self.mean_ms[second] if second < len(self.mean_ms) else None

    def longest(self, second: int) -> float | None:
        """Milliseconds."""
        return self.max_ms[second] if second < len(self.max_ms) else None


class RatePoint(Strict):
    """One second of a course, as reports of schema 1.0 have them, each by itself."""

    case_id: str
    metric: str
    stage: str
    second: int = Field(ge=0)
    msg_per_s: float
    mean_ms: float | None = None
    max_ms: float | None = None


POINTS = TypeAdapter(list[RatePoint])
COLUMNS = ("case_id", "metric", "stage", "second", "msg_per_s", "mean_ms", "max_ms")
#: of a second without a row
NOTHING = (None, None, None, None, 0.0, None, None)


def rate_courses(
    rows: Iterable[Mapping[str, Any]], case_ids: Collection[str] | None = None
) -> list[RateCourse]:
    """From rows of a second each, in the order in which courses first appear.

    :param case_ids: of the cases whose courses are wanted; all unless given
    """
    found: dict[tuple[str, str, str], dict[int, tuple[Any, ...]]] = {}
    for row in picked(rows, COLUMNS):
        if case_ids is None or row[0] in case_ids:
            found.setdefault(row[:3], {})[row[3]] = row
    return [
        RateCourse(case_id=case_id, metric=metric, stage=stage, **_figures(seconds))
        for (case_id, metric, stage), seconds in found.items()
    ]


def as_courses(value: Any) -> Any:
    """Points of schema 1.0 as courses; anything else as it is.

    :raises ValueError: some are points, but not as that schema has them
    """
    if isinstance(value, list) and any(isinstance(one, dict) and "second" in one for one in value):
        return rate_courses(vars(point) for point in POINTS.validate_python(value))
    return value


def _figures(seconds: Mapping[int, tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Each figure's values. A second without a row is one in which nothing was completed."""
    every = (seconds.get(second, NOTHING) for second in range(max(seconds) + 1))
    *_, rates, means, longest = map(list, zip(*every, strict=True))
    latencies = {"mean_ms": means, "max_ms": longest}
    return {"msg_per_s": rates} | {name: values for name, values in latencies.items() if any_known(values)}
