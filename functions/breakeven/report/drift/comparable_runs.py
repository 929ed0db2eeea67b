"""Earlier runs of a suite: which of them a run can be held against, and how far the others are from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, Field

from breakeven import words
from breakeven.report.contract.drift_model import NearestRun
from breakeven.report.contract.report_model import Report
from breakeven.targets.catalog import is_compared
from breakeven.terms import Frozen, Place

NOT_READ = "its report is gone, cannot be read, or is of a version that is no longer read"
NONE_OK = "none of its cases is ok"
#: what a configuration's fields are called in sentences
NAMES = {
    "environment": "place",
    "variant": "variant",
    "region": "region",
    "scale": "scale",
    "targets": "targets",
    "message_bytes": "sizes",
}


class Configuration(Frozen):
    """All that two runs of a suite must have alike, for a report to hold one against the other unasked."""

    environment: Place
    variant: str
    region: str
    scale: float
    targets: tuple[str, ...]
    message_bytes: tuple[int, ...]

    def differences(self, other: Configuration) -> Iterator[str]:
        """In words, what the other has otherwise: 'the scale is 0.1, here 1'."""
        for field, name in NAMES.items():
            mine, theirs = getattr(self, field), getattr(other, field)
            if mine != theirs:
                verb = "are" if isinstance(theirs, tuple) else "is"
                yield f"the {name} {verb} {_in_words(field, theirs)}, here {_in_words(field, mine)}"


class SuiteRun(Frozen):
    """A run of a suite that came to its end, as it is found again."""

    run_id: str
    started_at: AwareDatetime
    ok: int = Field(description="cases that were measured to the end, the instrument's left out")
    configuration: Configuration

    @property
    def age(self) -> tuple[datetime, str]:
        """By which runs are ordered, the earlier first."""
        return self.started_at.astimezone(UTC), self.run_id

    @property
    def date(self) -> str:
        return self.started_at.astimezone(UTC).date().isoformat()

    def differences(self, other: SuiteRun) -> list[str]:
        """Why the other is not comparable; empty where it is."""
        found = list(self.configuration.differences(other.configuration))
        return found if other.ok else [*found, NONE_OK]


def suite_run(plan: Mapping[str, Any], report: Report) -> SuiteRun:
    """What a later run will know of the run.

    :param plan: the run's plan document
    """
    ok = sum(case.status == "ok" for case in report.cases)
    return planned_run(plan, report.run_id, report.started_at, ok)


def planned_run(plan: Mapping[str, Any], run_id: str, started_at: str, ok: int) -> SuiteRun:
    """The same of a run by its plan document.

    :raises ValueError: a field is not what it should be; KeyError, TypeError where it is not there
    """
    made = plan["plan"]
    cases = [case for case in made["cases"] if is_compared(case["target"])]
    configuration = Configuration(
        environment=plan["input"]["surroundings"]["name"],
        variant=made["variant"],
        region=made["region"],
        scale=made["scale"],
        targets=tuple(sorted({case["target"] for case in cases})),
        message_bytes=tuple(sorted({case["workload"]["message_bytes"] for case in cases})),
    )
    document = {"run_id": run_id, "started_at": started_at, "ok": ok, "configuration": configuration}
    return SuiteRun.model_validate(document)


def comparable(own: SuiteRun, known: Sequence[SuiteRun]) -> list[SuiteRun]:
    """Earlier runs that this one can be held against, the latest first."""
    return [run for run in _earlier(own, known) if not own.differences(run)]


def nearest(own: SuiteRun, known: Sequence[SuiteRun], unread: Collection[str] = ()) -> NearestRun | None:
    """The earlier run with the fewest differences, the latest of several; None where there is no earlier one.

    :param unread: ids of comparable ones whose reports could not be read
    """
    found = [
        (run, [*own.differences(run), *([NOT_READ] if run.run_id in unread else [])])
        for run in _earlier(own, known)
    ]
    if not found:
        return None
    run, differences = min(found, key=lambda each: len(each[1]))
    return NearestRun(run_id=run.run_id, date=run.date, differences=differences)


def _earlier(own: SuiteRun, known: Sequence[SuiteRun]) -> list[SuiteRun]:
    earlier = [run for run in known if run.run_id != own.run_id and run.age < own.age]
    return sorted(earlier, key=lambda run: run.age, reverse=True)


def latest_of_each(known: Sequence[SuiteRun], most: int) -> list[SuiteRun]:
    """Of each configuration the latest runs: all that the next run can need to know."""
    by_configuration: dict[tuple[Configuration, bool], list[SuiteRun]] = {}
    for run in sorted(known, key=lambda run: run.age, reverse=True):
        by_configuration.setdefault((run.configuration, run.ok > 0), []).append(run)
    return [run for runs in by_configuration.values() for run in runs[:most]]


def _in_words(field: str, value: object) -> str:
    match field, value:
        case "targets", tuple():
            return words.listing([words.target_name(target) for target in value], len(value))
        case "message_bytes", tuple():
            return words.listing([words.size(size) for size in value], len(value))
        case _:
            return words.quantity(value)
