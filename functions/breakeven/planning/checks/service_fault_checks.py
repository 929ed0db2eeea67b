"""Faults of calls to a service that no proxy can cause, or not at these times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.refusal import Fault
from breakeven.targets.record import TargetRecord
from breakeven.workload.node_faults import REBOOT, NodeFault
from breakeven.workload.service_faults import EXCLUSIVE, SERVICE_FAULTS, ServiceFault


def service_fault_faults(
    given: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], record: TargetRecord, fault: Fault
) -> Iterator[InputError]:
    """Why those of calls cannot be on this target, one each.

    :param given: all of the cell's faults, those of nodes among them
    """
    own = {index: ServiceFault(**each) for index, each in enumerate(given) if each["kind"] in SERVICE_FAULTS}
    if record.request_price is None:
        use = REBOOT if record.broker else "kill, stop or pause"
        remedy = f"befalls calls of Amazon SQS, and {record.name} is a broker; use {use}"
        yield fault("faults", ", ".join(each.words for each in own.values()), f"{remedy}, or drop it")
        return
    for index, each in own.items():
        if each.kind == "duplicate" and record.groups is not None:
            remedy = f"{record.service} hands out no copies within the visibility timeout; drop {record.name}"
            yield fault(f"faults.{index}.kind", each.kind, f"{remedy}, or use reset, when: after")
        yield from time_faults(f"faults.{index}", each, settings, fault)
        if each.end_s > (measure_s := _measured_s(settings)) > each.at_s:
            remedy = f"it would last until {each.end_s:g} s, and the measured stage ends at {measure_s:g} s"
            most = f"at most {measure_s - each.at_s:g}, so that all that it caused is measured"
            yield fault(f"faults.{index}.for_s", f"{each.for_s:g}", f"{remedy}; {most}")
        yield from _excluded(index, each, own, fault)


def time_faults(
    path: str, each: NodeFault | ServiceFault, settings: Mapping[str, Any], fault: Fault
) -> Iterator[InputError]:
    """One that would begin when nothing is measured any more."""
    if each.at_s >= (measure_s := _measured_s(settings)):
        remedy = f"the measured stage ends after {measure_s:g} s; begin it before, or measure for longer"
        yield fault(f"{path}.at_s", f"{each.at_s:g}", remedy)


def _measured_s(settings: Mapping[str, Any]) -> float:
    steps = settings.get("profile")
    return float(sum(step["for_s"] for step in steps) if steps else settings["measure_s"])


def _excluded(
    index: int, each: ServiceFault, own: Mapping[int, ServiceFault], fault: Fault
) -> Iterator[InputError]:
    """Two at once of which each would say what becomes of a call."""
    for number, other in own.items():
        is_before = (other.at_s, number) < (each.at_s, index)
        exclude = each.kind == other.kind or {each.kind, other.kind} <= EXCLUSIVE
        if is_before and exclude and each.at_s < other.end_s:
            remedy = f"faults.{number}, {other.kind}, lasts until {other.end_s:g} s, and one call"
            end = "cannot meet both; begin it then or later"
            yield fault(f"faults.{index}.at_s", f"{each.at_s:g}", f"{remedy} {end}")
            return
