"""Reasons why a cell cannot run on a target: its workers, its rates, and what the checks beside it find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.checks.delivery_checks import delivery_faults, largest
from breakeven.planning.checks.fault_checks import fault_faults
from breakeven.planning.checks.placement_checks import Cluster, placement_faults
from breakeven.planning.checks.suite_checks import Point
from breakeven.planning.node_sizes import node_count
from breakeven.planning.refusal import Fault, origin
from breakeven.planning.sizing import dealt
from breakeven.targets.catalog import record_of
from breakeven.terms import TargetName
from breakeven.workload.case import MAX_IN_FLIGHT, MAX_RATE, Variant
from breakeven.workload.sizes import format_size
from breakeven.workload.suite import Suite


def check_workload(
    suite: Suite, point: Point, subject: TargetName, variant: Variant, settings: Mapping[str, Any]
) -> Iterator[InputError]:
    """Why the cell cannot run on the target and its machines, one fault each."""
    target = subject.kind

    def fault(name: str, value: object, remedy: str) -> InputError:
        override = suite.variants.get(variant, {}).get(target)
        field = origin(suite, point.scenario, name)
        if override and getattr(override, name, None) is not None:
            field = f"variants.{variant}.{target}.{name}"
        return InputError(suite.where, field, value, f"{remedy} ({point.scenario}, {point.cell})")

    record, queues = record_of(target), settings["queues"]
    for workers in ("producers", "consumers"):
        count = settings[workers]
        if queues > count > 0:
            remedy = f"{words.plural(count, workers[:-1])} would leave a queue without one"
            yield fault("queues", queues, f"{remedy}; at most {count} here, or give {workers}: {queues}")
    size, most = largest(settings), record.max_message_bytes
    if size > most:
        remedy = f"{record.service} takes at most {format_size(most)} a message; use less, or drop {target}"
        yield fault("message_mix" if "message_mix" in settings else "message_size", format_size(size), remedy)
    if settings["client"] not in ("native", record.reference_client):
        own = record.reference_client
        remedy = f"{target} is driven by native, or by {own}; ordinary is each target's own"
        yield fault("client", settings["client"], remedy)
    if record.window_is_connections and settings["in_flight"] > MAX_IN_FLIGHT:
        remedy = f"each is a connection of its worker's on {record.service}; at most {MAX_IN_FLIGHT} there"
        yield fault("window", settings["in_flight"], f"{remedy}, or more under variants for other targets")
    room = dealt(settings["producers"], settings["consumers"])
    if settings.get("loaders", 1) > room.loaders:
        remedy = f"at most {room.loaders} here: {room.why}; use less, or remove it for the plan to choose"
        yield fault("loaders", settings["loaders"], remedy)
    yield from _worker_faults(settings, fault)
    yield from _rate_faults(settings, fault)
    cluster = Cluster(subject, record, node_count(suite, subject))
    yield from placement_faults(settings, cluster, fault)
    yield from fault_faults(settings, cluster, fault)
    yield from delivery_faults(settings, record, fault)
    if settings["mode"] == "capacity" and not record.has_capacity:
        remedy = f"{record.service} has a quota, not a capacity; give this scenario targets without it"
        yield fault("mode", "capacity", remedy)
    if settings["consume"] == "push" and not record.pushes:
        remedy = f"{record.service} does not push; use get, and push under variants for other targets"
        yield fault("consume", "push", remedy)


def _worker_faults(settings: Mapping[str, Any], fault: Fault) -> Iterator[InputError]:
    """Cases in which nobody sends or receives, where somebody must; and what cannot be loaded before them."""
    mode, prefill = settings["mode"], settings["prefill"]
    if mode != "parallel":
        for workers, what in (("producers", "sent"), ("consumers", "received")):
            if not settings[workers]:
                yield fault(workers, 0, f"mode {mode} measures what is {what}; at least 1, or mode: parallel")
        if prefill:
            does = "loads its messages itself" if mode == "load-unload" else "empties queues between rates"
            yield fault("prefill", prefill, f"mode {mode} {does}; remove it, or use mode: parallel")
        return
    if settings["producers"]:
        return
    if not settings["consumers"]:
        yield fault("consumers", 0, "nobody would send or receive; give consumers, or producers")
    if not prefill:
        remedy = "nobody sends, and there is nothing to receive; give prefill, or at least 1"
        yield fault("producers", 0, remedy)
    if (rate := settings.get("rate")) is not None:
        yield fault("rate", rate, "nobody sends at it with producers: 0; remove it, or give producers")


def _rate_faults(settings: Mapping[str, Any], fault: Fault) -> Iterator[InputError]:
    """What an open loop cannot be."""
    if "rate" not in settings:
        if settings.get("profile"):
            yield fault("rate", None, "is required by profile: the rate of the warm-up, in messages a second")
        if settings["mode"] == "capacity":
            yield fault(
                "rate", None, "is required by mode capacity: the first rate to try, in messages a second"
            )
        return
    times = settings["producers"] if settings["rate_per"] == "producer" else 1
    most = max([settings["rate"], *(step["rate"] for step in settings.get("profile") or ())]) * times
    if most > MAX_RATE:
        remedy = f"{times} producers make {most:g} messages a second; at most {MAX_RATE:.0f} in all"
        yield fault("rate", settings["rate"], remedy)
