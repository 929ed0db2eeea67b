"""The cases of a suite: every cell of every scenario, on every target, as often as it is repeated."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from breakeven.errors import InputError, together
from breakeven.planning.budget.durations import case_seconds, limit_s, loader_kind, start_deadline_s
from breakeven.planning.checks.suite_checks import Point, check_base, check_cells, check_count, check_targets
from breakeven.planning.checks.workload_checks import check_workload
from breakeven.planning.footprint import least_loaders
from breakeven.planning.node_sizes import check_machines, machines_of
from breakeven.planning.sizing import dealt, loaders_for
from breakeven.planning.workload_settings import BUILT_IN, CLOSED, HOLD_S, Settings, scaled_workload
from breakeven.targets.catalog import record_of
from breakeven.terms import Environment, TargetName
from breakeven.workload.case import Case, LoaderKind, Variant, Workload
from breakeven.workload.fields import UNLIMITED
from breakeven.workload.scenario import Cell, Scenario
from breakeven.workload.sizes import format_size
from breakeven.workload.suite import Suite

#: under which not even the longest load has a hundred messages
LEAST_SCALE = 0.000_001


@dataclass(frozen=True, slots=True)
class TargetCell:
    """A cell on a target, with every setting: the variant's, and what the target does anyway."""

    point: Point
    target: TargetName
    kind: str
    settings: Mapping[str, Any]


def expand(
    suite: Suite,
    *,
    run_id: str,
    environment: Environment = "aws",
    variant: Variant | None = None,
    scale: float = 1.0,
) -> list[Case]:
    """The suite's cases, by repeat, scenario, cell and target.

    :param environment: for which times and loaders are sized
    :param variant: the suite's own unless given
    :param scale: multiplies the counts of messages that are loaded, at least 1 each; 0.000001 to 1
    :raises InputError: a matrix that cannot run; every fault is named with its field, value and remedy
    """
    if not LEAST_SCALE <= scale <= 1:
        raise InputError("options", "scale", scale, f"must be from {LEAST_SCALE:f} to 1")
    chosen = _variant(suite, variant)
    # counted before anything is built: a few lists multiply to any number
    cells_of = {name: math.prod(map(len, _axes(each))) for name, each in suite.scenarios.items()}
    check_count(suite, cells_of)
    if faults := [*check_base(suite, cells_of), *check_targets(suite), *check_machines(suite)]:
        raise together(faults)
    points = _points(suite)
    check_cells(suite, points)
    cells = [
        TargetCell(point, target, kind, _settings(suite, point, kind, chosen))
        for point in points
        for target, kind in suite.subjects(point.scenario)
    ]
    _check(suite, chosen, cells)
    make = _CaseMaker(suite, run_id, environment, chosen, scale)
    return [make.case(cell, repeat) for repeat in range(1, suite.repeats + 1) for cell in cells]


def _check(suite: Suite, variant: Variant, cells: Sequence[TargetCell]) -> None:
    faults: dict[tuple[str, object], InputError] = {}
    for cell in cells:
        for fault in check_workload(suite, cell.point, cell.target, variant, cell.settings):
            faults.setdefault((fault.field, fault.value), fault)
    if faults:
        raise together(list(faults.values()))


def _variant(suite: Suite, wanted: Variant | None) -> Variant:
    chosen = wanted or suite.variant
    defined = ["equal-guarantees", *(name for name in suite.variants if name != "equal-guarantees")]
    if chosen not in defined:
        remedy = f"this suite has {', '.join(defined)}; add it under variants, or choose one of these"
        raise InputError(suite.where, "variant", chosen, remedy)
    return chosen


def _points(suite: Suite) -> list[Point]:
    return [
        Point(name, " ".join(words) or _default_words(settings), settings)
        for name, scenario in suite.scenarios.items()
        for words, settings in _combinations(suite, scenario)
    ]


def _combinations(suite: Suite, scenario: Scenario) -> Iterable[tuple[list[str], Settings]]:
    by_mode = {"measure_s": HOLD_S} if scenario.mode == "capacity" else {}
    base = {**BUILT_IN, **by_mode, **_given(suite.defaults), **_given(scenario, but=Cell.model_fields)}
    for choices in itertools.product(*_axes(scenario)):
        chosen = {name: value for choice in choices for name, value in choice.items()}
        settings = {**base, **_spread(chosen)}
        if "message_size" in chosen:  # in the place of a mix among the defaults
            settings.pop("message_mix", None)
        if mix := settings.get("message_mix"):
            settings["message_size"] = _mean_bytes(mix)
        yield [_word(name, value) for name, value in chosen.items()], settings


def _mean_bytes(mix: Mapping[int, int]) -> int:
    """Of messages by their bytes and percent, rounded up."""
    return math.ceil(sum(size * percent for size, percent in mix.items()) / 100)


def _axes(scenario: Scenario) -> list[list[Settings]]:
    """What varies, one list an axis; each entry holds the settings that it stands for."""
    lists = {name: getattr(scenario, name) for name in Cell.model_fields}
    axes = [[{name: value} for value in values] for name, values in lists.items() if values]
    if scenario.cells:
        axes.append([cell.model_dump(exclude_none=True) for cell in scenario.cells])
    return axes


def _given(layer: BaseModel, but: Iterable[str] = ()) -> Settings:
    """What a layer says: its fields that are not null, workers as producers and consumers."""
    return _spread(layer.model_dump(exclude_none=True, exclude={*but, "cells"}))


def _spread(settings: Settings) -> Settings:
    spread = {name: value for name, value in settings.items() if name != "threads"}
    if "threads" in settings:
        spread["producers"] = spread["consumers"] = settings["threads"]
    return spread


def _word(name: str, value: Any) -> str:
    if name in ("rate", "linger_ms"):
        return f"{name}={int(value) if value == int(value) else value}"
    if name == "prefetch" and value == UNLIMITED:
        return f"{name}=unlimited"
    return f"size={format_size(value)}" if name == "message_size" else f"{name}={value}"


def _default_words(settings: Settings) -> str:
    """The words of a scenario that varies nothing: its workers."""
    producers, consumers = settings.get("producers"), settings.get("consumers")
    if producers == consumers:
        return f"threads={producers}"
    return f"producers={producers} consumers={consumers}"


def _settings(suite: Suite, point: Point, target: str, variant: Variant) -> Settings:
    """A point's settings on a target: the variant's overrides on top, and what the target does anyway."""
    overrides = suite.variants.get(variant, {}).get(target)
    record = record_of(target)
    by_loop = record.open_loop if "rate" in point.settings else CLOSED
    of_queues = {"group_size": record.group_size, "groups": record.groups}
    settings = {
        **by_loop,
        **{name: value for name, value in of_queues.items() if value},
        **point.settings,
        **(_given(overrides) if overrides else {}),
        **record.fixed,
    }
    if record.window_is_connections:  # one call waits for its answer, so a window is as many connections
        settings["in_flight"] = settings["window"]
        settings["window"] *= settings["send_batch"]  # each call carries as many messages
    if settings["client"] == "ordinary":
        settings["client"] = record.reference_client
    return settings


def _loaders(workload: Workload, target: TargetName, environment: Environment, loader: LoaderKind) -> int:
    """As many as the work wants, and more where each would hold too much open; see ``planning.footprint``."""
    wanted = loaders_for(workload, environment)
    most = dealt(workload.producers, workload.consumers).loaders
    return max(wanted, least_loaders(workload, target, loader, most) or wanted)


def tag_of(text: str) -> str:
    """Four characters that mark the messages of the case that the text names."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:3]).decode()


class _CaseMaker:
    """Makes cases, and their tags: four characters from run and case, no two alike within the run."""

    def __init__(
        self, suite: Suite, run_id: str, environment: Environment, variant: Variant, scale: float
    ) -> None:
        self._suite, self._run_id, self._environment = suite, run_id, environment
        self._variant, self._scale = variant, scale
        self._tags: set[str] = set()

    def case(self, cell: TargetCell, repeat: int) -> Case:
        point, target, environment = cell.point, cell.target, self._environment
        workload = scaled_workload(cell.settings, self._scale)
        slug = re.sub("[= _]", "-", point.cell)
        case_id = f"{point.scenario}.{slug}.{target}.r{repeat}"
        loader = cell.settings.get("loader") or loader_kind(workload, target, environment)
        loaders = cell.settings.get("loaders") or _loaders(workload, target, environment, loader)
        return Case(
            run_id=self._run_id,
            case_id=case_id,
            scenario=point.scenario,
            cell=point.cell,
            target=target,
            machines=machines_of(self._suite, target),
            repeat=repeat,
            variant=self._variant,
            tag=self._tag(case_id),
            workload=workload,
            loaders=loaders,
            start_deadline_s=start_deadline_s(loaders, environment, loader),
            expected_s=round(case_seconds(workload, target, environment, loader, loaders), 1),
            loader=loader,
            limit_s=limit_s(workload, target, environment, loader),
            base=self._suite.base,
        )

    def _tag(self, case_id: str) -> str:
        candidates = (tag_of(f"{self._run_id}/{case_id}/{salt}") for salt in itertools.count())
        tag = next(candidate for candidate in candidates if candidate not in self._tags)
        self._tags.add(tag)
        return tag
