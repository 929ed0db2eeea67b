"""A suite at one of the scales that it has itself: fewer cells, shorter stages, lower rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from breakeven.errors import InputError
from breakeven.workload.fields import ScaleName
from breakeven.workload.scenario import SAME, Cell
from breakeven.workload.suite import Suite

#: of one machine, unless it is asked for another one
LOCAL: ScaleName = "local"
#: characters of a title that leave room for the name of a scale
MOST_TITLE = 280
#: fields of a scenario in whose place another one stands
REPLACED: Mapping[str, tuple[str, ...]] = {
    "threads": ("producers", "consumers"),
    "producers": ("threads",),
    "consumers": ("threads",),
    "message_size": ("message_mix",),
    "message_mix": ("message_size",),
    "profile": ("measure_s",),
    "measure_s": ("profile",),
}


def scaled_document(suite: Suite, name: ScaleName) -> dict[str, Any]:
    """What the suite says at that scale, as a document that has no scales any more.

    :raises InputError: it has no such scale, or the scale speaks of scenarios that are not there
    """
    if (scale := suite.scale.get(name)) is None:
        has = f"it has {', '.join(suite.scale)}" if suite.scale else "it has none of its own"
        remedy = f"no such scale of {suite.suite}: {has}; give a number, or leave it out"
        raise InputError("options", "--scale", name, remedy)
    document = {**suite.document()}
    document.pop("scale", None)
    left_out = scale.leave_out or []
    _check_named(suite, name, "leave_out", left_out)
    _check_named(suite, name, "scenarios", scale.scenarios)
    scenarios = {key: each for key, each in document["scenarios"].items() if key not in left_out}
    if not scenarios:
        remedy = "leaves no scenario of the suite; take one of them out"
        raise InputError(suite.where, f"scale.{name}.leave_out", f"[{', '.join(left_out)}]", remedy)
    for key, changes in scale.scenarios.items():
        if key in left_out:
            remedy = "is left out of this scale, too; remove it from one of them"
            raise InputError(suite.where, f"scale.{name}.scenarios.{key}", "given", remedy)
        scenarios[key] = _merged(scenarios[key], changes)
    whole = scale.model_dump(mode="json", exclude_none=True, exclude={"leave_out", "defaults", "scenarios"})
    defaults = _merged(document.get("defaults", {}), scale.defaults)
    title = f"{suite.title[:MOST_TITLE]}, scale {name}"
    return {**document, **whole, "title": title, "defaults": defaults, "scenarios": scenarios}


def _check_named(suite: Suite, name: str, field: str, wanted: Iterable[str]) -> None:
    for each in wanted:
        if each not in suite.scenarios:
            remedy = f"is no scenario of the suite; there are {', '.join(suite.scenarios)}"
            raise InputError(suite.where, f"scale.{name}.{field}", each, remedy)


def _merged(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with the changes, and without what the changes take the place of."""
    gone = {other for name in changes for other in REPLACED.get(name, ())}
    for cell in changes.get("cells", ()) if isinstance(changes.get("cells"), list) else ():
        gone |= {same for name in cell if name in Cell.model_fields for same in SAME.get(name, (name,))}
    if any(name in Cell.model_fields for name in changes) and "cells" not in changes:
        gone |= _in_cells(fields, changes)
    return {**{name: value for name, value in fields.items() if name not in gone}, **changes}


def _in_cells(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> set[str]:
    """``cells``, where one of the changed fields is given by them."""
    given = {same for cell in fields.get("cells", ()) for name in cell for same in SAME.get(name, (name,))}
    return {"cells"} & fields.keys() if given & changes.keys() else set()
