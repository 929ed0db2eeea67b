"""What is wrong with a suite only once it is expanded: cells that cannot run, and what of a plan cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven.errors import InputError, together
from breakeven.planning.fault_checks import fault_faults
from breakeven.planning.node_sizes import node_count
from breakeven.planning.placement_checks import Cluster, placement_faults
from breakeven.planning.sizing import dealt
from breakeven.targets.catalog import record_of
from breakeven.targets.record import TargetRecord
from breakeven.terms import SQS_MAX_MESSAGE_BYTES, Frozen, TargetName
from breakeven.workload.case import MAX_IN_FLIGHT, MAX_RATE, SINGLY, Variant, in_hand_s
from breakeven.workload.sizes import format_size
from breakeven.workload.suite import Cell, Suite

MAX_CASES = 1000
#: fields that say how the messages of an open loop arrive
OF_AN_OPEN_LOOP = ("arrivals", "rate_per")


class Refusal(Frozen):
    """What of a plan cannot run; ``case_id`` is null when it is the plan as a whole."""

    case_id: str | None
    field: str
    value: int | float | str
    remedy: str


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
    measured: set[str] = set()
    for name, scenario in suite.scenarios.items():
        own = scenario.targets or suite.targets
        measured.update(own)
        if others := [kind for kind in own if kind not in suite.targets]:
            remedy = "not among the targets of the suite; add it there, or remove it here"
            yield InputError(suite.where, f"scenarios.{name}.targets", ", ".join(others), remedy)
    if idle := [kind for kind in suite.targets if kind not in measured]:
        remedy = "every scenario has targets of its own, and none has this one; name it there, or remove it"
        yield InputError(suite.where, "targets", ", ".join(idle), remedy)


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
            remedy = f"{count} {workers} would leave a queue without one; at most {count} here"
            yield fault("queues", queues, remedy)
    size, most = _largest(settings), record.max_message_bytes
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
    yield from _group_faults(settings, record, fault)
    yield from _batch_faults(settings, record, fault)
    yield from _ack_faults(settings, record, fault)
    yield from _in_hand_faults(settings, record, fault)
    if settings["mode"] == "capacity" and not record.has_capacity:
        remedy = f"{record.service} has a quota, not a capacity; give this scenario targets without it"
        yield fault("mode", "capacity", remedy)
    if settings["consume"] == "push" and not record.pushes:
        remedy = f"{record.service} does not push; use get, and push under variants for other targets"
        yield fault("consume", "push", remedy)


def _largest(settings: Mapping[str, Any]) -> int:
    """Bytes of the largest messages."""
    return int(max(settings.get("message_mix") or [settings["message_size"]]))


def _worker_faults(
    settings: Mapping[str, Any], fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
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


def _rate_faults(
    settings: Mapping[str, Any], fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
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


def _group_faults(
    settings: Mapping[str, Any], record: TargetRecord, fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
    """Message groups where queues have none, and a group's messages that would overtake one another."""
    if (groups := settings.get("groups")) is None:
        return
    if record.groups is None:
        remedy = f"queues of {record.name} have no message groups; remove it, or drop {record.name}"
        yield fault("groups", groups, remedy)
    elif groups == "producer" and (calls := settings["in_flight"]) > 1:
        remedy = "calls at once would break the order of a producer's messages; 1, with more producers or a"
        yield fault("window", calls, f"{remedy} larger send_batch for a higher rate, or groups: message")


def _batch_faults(
    settings: Mapping[str, Any], record: TargetRecord, fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
    """Batches that the target does not have, that no call carries, or that nothing fills."""
    given = {name: settings[name] for name, value in SINGLY.items() if settings[name] != value}
    if not record.batches:
        remedy = f"{record.service} takes and hands out messages one by one, as many at once as window and"
        for name, value in given.items():
            yield fault(name, value, f"{remedy} prefetch say; remove it, or give the scenario other targets")
        return
    size, is_open = _largest(settings), "rate" in settings
    if (batch := settings["send_batch"]) > (most := max(1, SQS_MAX_MESSAGE_BYTES // size)):
        together = f"{batch} messages of {format_size(size)} are over the 1MiB that a call carries"
        yield fault("send_batch", batch, f"{together}; at most {most}")
    if settings["delete_batch"] > settings["receive_batch"] and not is_open:
        remedy = "a closed loop deletes what one receive has brought; at most receive_batch, or give rate"
        yield fault("delete_batch", settings["delete_batch"], remedy)
    if "linger_ms" not in given:
        return
    if max(settings["send_batch"], settings["delete_batch"]) == 1:
        remedy = "nothing waits for a batch of one; give send_batch or delete_batch over 1, or remove it"
        yield fault("linger_ms", given["linger_ms"], remedy)
    elif not is_open:
        remedy = "in a closed loop a batch has all its messages at once; give rate, or remove it"
        yield fault("linger_ms", given["linger_ms"], remedy)


def _ack_faults(
    settings: Mapping[str, Any], record: TargetRecord, fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
    """Acknowledgements that the target does not have, or that never come to be."""
    every, prefetch = settings["ack_every"], settings["prefetch"]
    if not record.pushes:
        other = f"or give the scenario targets without {record.service}"
        if not settings["acks"]:
            remedy = f"{record.service} hands out again what is not deleted; remove it, {other}"
            yield fault("acks", False, remedy)
        if every > 1:
            yield fault("ack_every", every, f"{record.service} is asked to delete; use delete_batch, {other}")
        if prefetch != 1:
            remedy = f"{record.service} hands out what is asked for; use receive_batch, {other}"
            yield fault("prefetch", prefetch or "unlimited", remedy)
        return
    if every == 1:
        return
    if not settings["acks"]:
        yield fault("ack_every", every, "with acks: false nothing is acknowledged; remove one of them")
    elif settings["consume"] == "get":
        yield fault("ack_every", every, "a get brings one message, and waits for no other; use consume: push")
    elif 0 < prefetch < every:
        remedy = (
            f"a consumer never holds more than prefetch, {prefetch}, and would wait for ever; at most that"
        )
        yield fault("ack_every", every, remedy)


def _in_hand_faults(
    settings: Mapping[str, Any], record: TargetRecord, fault: Callable[[str, object, str], InputError]
) -> Iterator[InputError]:
    """Messages that a consumer would have in hand for longer than the target leaves them there."""
    limit, steps = record.most_in_hand, settings.get("processing_profile") or ()
    longest_ms = max([settings["processing_ms"], *(step["ms"] for step in steps)])
    if limit is None or (in_hand := in_hand_s(longest_ms, settings)) <= limit.seconds:
        return
    name = "processing_profile" if longest_ms > settings["processing_ms"] else "processing_ms"
    those = "prefetch" if settings["consume"] == "push" else "window and receive_batch"
    remedy = (
        f"with {those} a consumer would have a message in hand for up to {in_hand:,.0f} s, and after "
        f"{limit.seconds:,.0f} s {limit.then} ({limit.source}); work for less time, or hold fewer messages"
    )
    yield fault(name, f"{longest_ms:g}", remedy)


def origin(suite: Suite, scenario_name: str, name: str) -> str:
    """The path of the place that a scenario's setting comes from; a part of one has dots in its name."""
    scenario = suite.scenarios[scenario_name]
    if getattr(scenario, name, None) is None:
        if any(getattr(cell, name, None) is not None for cell in scenario.cells or ()):
            return f"scenarios.{scenario_name}.cells"
        if getattr(suite.defaults, name, None) is not None:
            return f"defaults.{name}"
    return f"scenarios.{scenario_name}.{name}"
