"""Message groups, batches and acknowledgements that a target lacks, or that could never occur."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.refusal import Fault
from breakeven.targets.record import TargetRecord
from breakeven.terms import SQS_MAX_MESSAGE_BYTES
from breakeven.workload.case import SINGLY, in_hand_s
from breakeven.workload.sizes import format_size


def delivery_faults(settings: Mapping[str, Any], record: TargetRecord, fault: Fault) -> Iterator[InputError]:
    """Why messages cannot be handed over so, one fault each.

    :param fault: makes one of a field, its value and a remedy
    """
    yield from _group_faults(settings, record, fault)
    yield from _batch_faults(settings, record, fault)
    yield from _ack_faults(settings, record, fault)
    yield from _in_hand_faults(settings, record, fault)


def largest(settings: Mapping[str, Any]) -> int:
    """Bytes of the largest messages."""
    return int(max(settings.get("message_mix") or [settings["message_size"]]))


def _group_faults(settings: Mapping[str, Any], record: TargetRecord, fault: Fault) -> Iterator[InputError]:
    """Message groups where queues have none, and a group's messages that would overtake one another."""
    if (groups := settings.get("groups")) is None:
        return
    if record.groups is None:
        remedy = f"queues of {record.name} have no message groups; remove it, or drop {record.name}"
        yield fault("groups", groups, remedy)
    elif groups == "producer" and (calls := settings["in_flight"]) > 1:
        remedy = "calls at once would break the order of a producer's messages; 1, with more producers or a"
        yield fault("window", calls, f"{remedy} larger send_batch for a higher rate, or groups: message")


def _batch_faults(settings: Mapping[str, Any], record: TargetRecord, fault: Fault) -> Iterator[InputError]:
    """Batches that the target does not have, that no call carries, or that nothing fills."""
    given = {name: settings[name] for name, value in SINGLY.items() if settings[name] != value}
    if not record.batches:
        remedy = f"{record.service} takes and hands out messages one by one, as many at once as window and"
        for name, value in given.items():
            yield fault(name, value, f"{remedy} prefetch say; remove it, or give the scenario other targets")
        return
    size, is_open = largest(settings), "rate" in settings
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


def _ack_faults(settings: Mapping[str, Any], record: TargetRecord, fault: Fault) -> Iterator[InputError]:
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


def _in_hand_faults(settings: Mapping[str, Any], record: TargetRecord, fault: Fault) -> Iterator[InputError]:
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
