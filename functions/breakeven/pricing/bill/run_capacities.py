"""Capacities that runs measured on AWS, and which of them a question is priced with.

One measured on one machine is no EC2 instance's (rule 11 of docs/rules.md): it is never among them. Those
that a source printed are in ``known_capacity``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pydantic import Field

from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.cluster_form import ClusterForm, Deployment
from breakeven.words import figure, plural, size

#: as a suite has it unless it says otherwise: rule 10 of docs/rules.md
USUAL_OBJECTIVE_MS = 100.0


class RunCapacity(ClusterForm):
    """What one cluster carried in the repeats of a cell of a run on AWS. Rates are messages a second."""

    target: str = Field(description="without its size: what was searched")
    deployment: Deployment
    instance: str = Field(description="type of each node; of Amazon MQ its broker type, as mq.m7g.large")
    release: str | None = Field(description="as the server said it; null: not known")
    message_bytes: int
    nodes_down: int
    objective_ms: float = Field(description="p99 end to end was at most this")
    msg_per_s: float = Field(description="mean of the repeats")
    low_msg_per_s: float = Field(description="the least that a repeat held")
    high_msg_per_s: float | None = Field(
        description="the rate that failed in the repeat that held most; null: no upper end was found"
    )
    repeats: int
    confirmed_s: float | None = Field(
        default=None, description="how long each repeat held what it had found; null: not all were confirmed"
    )
    cell: str = Field(description="scenario and cell, in words")
    run_id: str
    date: str = Field(description="of the run, in UTC")

    @property
    def same(self) -> tuple[Any, ...]:
        """What it is a capacity of: a later run's takes the place of an earlier one's."""
        return (
            self.target,
            self.form,
            self.instance,
            self.release,
            self.message_bytes,
            self.nodes_down,
            self.objective_ms,
        )

    def describe(self) -> str:
        """What it was found with, and how sure it is."""
        return (
            f"on {self.instance}{f', {self.release}' if self.release else ''}: {self.cell}, "
            f"{self._interval()}, messages of {size(self.message_bytes)}, 99 of 100 within "
            f"{self.objective_ms:g} ms"
            f"{f', confirmed for {self.confirmed_s:g} s' if self.confirmed_s else ''}"
        )

    def _interval(self) -> str:
        often = f"range of {self.repeats} repeats" if self.repeats > 1 else "searched once"
        if self.high_msg_per_s is None:
            return f"{figure(self.low_msg_per_s)} msg/s up, as no upper end was found ({often})"
        return f"{figure(self.low_msg_per_s)} to {figure(self.high_msg_per_s)} msg/s ({often})"


@dataclass(frozen=True, slots=True)
class Capacities:
    """What a run found, and what earlier ones did, for its questions about money.

    :param own: this run's
    :param stored: earlier runs'
    :param releases: target without its size -> what this run's lane ran; an earlier run's must be the same
    """

    today: date
    own: tuple[RunCapacity, ...] = ()
    stored: tuple[RunCapacity, ...] = ()
    releases: Mapping[str, str] = field(default_factory=dict)

    def find(self, inputs: Inputs) -> RunCapacity | None:
        """The one that prices the question's cluster: this run's, else an earlier one's.

        It holds for the same form, of as many nodes and copies, on the same instance type, and for messages
        no larger than it was measured with. Of several: with one node down, as what is priced must survive
        that; then the size that is nearest, the usual objective, and the latest.
        """
        return self._find(lambda one: _fits(one, inputs))

    def find_managed(self, inputs: Inputs) -> RunCapacity | None:
        """The one that prices Amazon MQ beside the question, by the same rules; with all brokers up."""
        return self._find(lambda one: _fits_managed(one, inputs))

    def _find(self, fits: Callable[[RunCapacity], bool]) -> RunCapacity | None:
        stored = [one for one in self.stored if self.releases.get(one.target, one.release) == one.release]
        for found in (self.own, stored):
            if fitting := [one for one in found if fits(one)]:
                return min(fitting, key=rank)
        return None

    def age_days(self, one: RunCapacity) -> int:
        """Since the run that measured it; 0 of this one."""
        return 0 if one in self.own else max(0, (self.today - date.fromisoformat(one.date)).days)

    def describe(self, one: RunCapacity) -> str:
        """Where it comes from, for reports of this run."""
        if one in self.own:
            return f"measured in this run {one.describe()}"
        age = plural(self.age_days(one), "day")
        return f"measured in run {one.run_id} of {one.date}, {age} before {one.describe()}"


#: of runs on one machine, and before anything is measured
NO_CAPACITIES = Capacities(date.min)


def _fits(one: RunCapacity, inputs: Inputs) -> bool:
    return (
        (one.form, one.instance) == (inputs.form, inputs.instance)
        and one.message_bytes >= inputs.message_bytes
        and one.nodes_down <= (inputs.nodes > 1)
    )


def _fits_managed(one: RunCapacity, inputs: Inputs) -> bool:
    brokers: Deployment = "single" if form_of(inputs.deployment) == "single" else "trio"
    return (
        (one.deployment, one.instance) == (brokers, inputs.amazon_mq)
        and one.message_bytes >= inputs.message_bytes
        and one.nodes_down == 0
    )


def rank(one: RunCapacity) -> tuple[float, ...]:
    """Of several that hold, in which order they count: the least first."""
    apart = abs(one.objective_ms - USUAL_OBJECTIVE_MS)
    latest = -date.fromisoformat(one.date).toordinal()
    return (-one.nodes_down, one.message_bytes, apart, latest, -one.msg_per_s)


def priced_with(inputs: Inputs, found: RunCapacity | None) -> Inputs:
    """The question with the capacity and its interval; as it was where none is known."""
    if found is None:
        return inputs
    return inputs.but(
        capacity_msg_per_s=found.msg_per_s,
        capacity_low_msg_per_s=found.low_msg_per_s,
        capacity_high_msg_per_s=found.high_msg_per_s,
        capacity_nodes_down=found.nodes_down,
    )


def managed_priced_with(inputs: Inputs, found: RunCapacity | None) -> Inputs:
    """The same of Amazon MQ beside it."""
    if found is None:
        return inputs
    return inputs.but(
        amazon_mq_capacity_msg_per_s=found.msg_per_s,
        amazon_mq_low_msg_per_s=found.low_msg_per_s,
        amazon_mq_high_msg_per_s=found.high_msg_per_s,
    )
