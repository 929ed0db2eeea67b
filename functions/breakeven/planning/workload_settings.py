"""Workloads from their settings, and what stands where a suite gives none."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from breakeven.workload.case import SINGLY, Share, Step, Workload

Settings = dict[str, Any]

#: what a scenario has that neither it nor the suite's defaults say; docs/suites.md lists these
BUILT_IN: Mapping[str, Any] = {
    "queues": 1,
    "message_size": 1024,
    "warmup_s": 2.0,
    "measure_s": 15.0,
    "drain_s": 300.0,
    "confirms": True,
    "persistent": True,
    "mandatory": True,
    "acks": True,
    "ack_every": 1,
    "wait_s": 0.0,
    "client": "native",
    "arrivals": "constant",
    "rate_per": "case",
    "processing_ms": 0.0,
    "objective_ms": 100.0,
    "confirm_s": 0.0,
    "nodes_down": 0,
    "prefill": 0,
    "leaders": "spread",
    "connect_to": "any",
    "queue_mode": "default",
    **SINGLY,
}
#: what only some workloads have, and how it looks without
ABSENT: Mapping[str, Any] = {
    "messages": None,
    "rate": None,
    "in_flight": 1,
    "profile": (),
    "processing_profile": (),
    "program": None,
    "group_size": None,
    "groups": None,
    "message_mix": {},
    "faults": (),
}
#: settings that a workload has in another form, or that are the case's
NO_WORKLOAD = frozenset({"targets", "message_size", "rate_per", "loaders", "loader"})
#: how long a capacity search holds each rate, seconds
HOLD_S = 60.0
#: what a closed loop has besides, which has one message under way; an open one's are its target's
CLOSED: Mapping[str, Any] = {"consume": "get", "prefetch": 1, "window": 1}


def scaled(messages: int, scale: float) -> int:
    """Messages at a scale, at least 1 and exact in decimal: 0.29 of 100 is 29."""
    return max(1, int(messages * Decimal(repr(scale))))


def workload_of(settings: Mapping[str, Any]) -> Workload:
    """The workload with these settings; what they leave out is as built in, and of a closed loop."""
    complete = {**BUILT_IN, **CLOSED, **ABSENT, **settings}
    fields = {name: value for name, value in complete.items() if name not in NO_WORKLOAD}
    mix = fields.pop("message_mix")
    shares = tuple(Share(bytes=size, percent=percent) for size, percent in mix.items())
    return Workload(message_bytes=complete["message_size"], message_mix=shares, **fields)


def scaled_workload(settings: Mapping[str, Any], scale: float) -> Workload:
    """The workload of a cell on a target; ``scale`` multiplies the messages that are loaded."""
    fields = {**settings, **_steps(settings)}
    if fields["profile"]:
        fields["measure_s"] = sum(step.for_s for step in fields["profile"])
    if fields["prefill"]:
        fields["prefill"] = scaled(fields["prefill"], scale)
    if "messages" in fields:
        fields["messages"] = scaled(fields["messages"], scale)
        fields["warmup_s"] = 0.0  # load-unload has no warm-up
    return workload_of(fields)


def _steps(settings: Mapping[str, Any]) -> Settings:
    """Rate and profiles as a workload has them: a rate is the whole case's."""
    times = settings["producers"] if settings["rate_per"] == "producer" else 1
    found: Settings = {}
    if "rate" in settings:
        found["rate"] = settings["rate"] * times
    for name, value, factor in (("profile", "rate", times), ("processing_profile", "ms", 1)):
        steps = settings.get(name) or ()
        found[name] = tuple(
            Step(value=step[value] * factor, for_s=step["for_s"], ramp=step["ramp"]) for step in steps
        )
    return found
