"""Errors of a suite's scenarios once they are spread into cells, whatever the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven.errors import InputError, together
from breakeven.workload.scenario import Cell
from breakeven.workload.suite import Suite

MAX_CASES = 1000
#: fields that say how the messages of an open loop arrive
OF_AN_OPEN_LOOP = ("arrivals", "rate_per")


@dataclass(frozen=True, slots=True)
class Point:
    """One cell of a scenario: in words (``threads=5 queues=5``), and every setting but the variant's."""

    scenario: str
    cell: str
    settings: Mapping[str, Any]


def check_count(suite: Suite, cells: Mapping[str, int]) -> None:
    """Count the cases of each scenario's cells, on its targets.

    :raises InputError: the matrix multiplies to more cases than a run could ever hold
    """
    each = sum(count * len(suite.subjects(scenario)) for scenario, count in cells.items())
    cases = each * suite.repeats
    if cases > MAX_CASES:
        product = f"{each} cells on targets x {suite.repeats} repeats"
        remedy = f"{product}: at most {MAX_CASES} cases; shorten the lists"
        raise InputError(suite.where, "scenarios", cases, remedy)


def check_targets(suite: Suite) -> Iterator[InputError]:
    """Targets of a scenario that are not the suite's, and the suite's that no scenario is measured on."""
    measured, strange = set[str](), False
    for name, scenario in suite.scenarios.items():
        own = scenario.targets or suite.targets
        measured.update(own)
        if others := [kind for kind in own if kind not in suite.targets]:
            strange = True
            remedy = "not among the targets of the suite; add it there, or remove it here"
            yield InputError(suite.where, f"scenarios.{name}.targets", ", ".join(others), remedy)
    idle = [kind for kind in suite.targets if kind not in measured]
    if idle and not strange:  # a target that is called by another's name leaves its own without a scenario
        remedy = "every scenario has targets of its own, and none has this one; name it there, or remove it"
        yield InputError(suite.where, "targets", ", ".join(idle), remedy)


def check_base(suite: Suite, cells: Mapping[str, int]) -> Iterator[InputError]:
    """A base that is no scenario of the suite, has several cells, or whose rate nothing is compared with.

    :param cells: how many each scenario has
    """
    if suite.base is None:
        return
    if suite.base not in cells:
        remedy = f"is no scenario of the suite; give one of {', '.join(cells)}, or remove it"
        yield InputError(suite.where, "base", suite.base, remedy)
    elif cells[suite.base] > 1:
        remedy = f"has {cells[suite.base]} cells, and one rate is compared with; give a scenario of one cell"
        yield InputError(suite.where, "base", suite.base, remedy)
    elif suite.scenarios[suite.base].mode == "capacity":
        yield InputError(
            suite.where, "base", suite.base, "searches for a capacity; give a scenario of another mode"
        )


def check_cells(suite: Suite, points: Sequence[Point]) -> None:
    """Every cell has workers, and no two cells of a scenario are the same workload.

    :raises InputError: naming every scenario at fault
    """
    faults: dict[str, InputError] = {}
    seen: dict[tuple[Any, ...], str] = {}
    for point in points:
        settings = point.settings
        if "producers" not in settings or "consumers" not in settings:
            missing = "threads" if "producers" not in settings else "consumers"
            field = f"scenarios.{point.scenario}.{missing}"
            remedy = "is required: threads, or producers and consumers, here or under defaults"
            faults.setdefault(field, InputError(suite.where, field, None, remedy))
            continue
        key = (point.scenario, *(settings.get(name) for name in Cell.model_fields))
        if key in seen:
            field = f"scenarios.{point.scenario}.cells"
            remedy = f"is the same workload as {seen[key]!r}; remove one of them"
            faults.setdefault(field, InputError(suite.where, field, point.cell, remedy))
        seen[key] = point.cell
    faults |= {fault.field: fault for fault in _of_no_open_loop(suite, points)}
    if faults:
        raise together(list(faults.values()))


def _of_no_open_loop(suite: Suite, points: Sequence[Point]) -> Iterator[InputError]:
    """What says how messages arrive, where none arrives by a rate: a closed loop would ignore it."""
    open_loops = {
        point.scenario for point in points if "rate" in point.settings or point.settings.get("profile")
    }
    places = {
        f"scenarios.{name}": suite.scenarios[name] for name in suite.scenarios if name not in open_loops
    }
    for where, stages in places.items() if open_loops else [*places.items(), ("defaults", suite.defaults)]:
        for name in OF_AN_OPEN_LOOP:
            if (value := getattr(stages, name)) is not None:
                remedy = "belongs to an open loop, which has a rate; give rate, or remove it"
                yield InputError(suite.where, f"{where}.{name}", value, remedy)
