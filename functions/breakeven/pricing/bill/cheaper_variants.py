"""Cheaper ways to run the question's cluster, each with what it gives up: one node, and a burstable type.

Each is a question of its own, priced as the cluster is. No capacity is carried from the cluster to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import Question, question
from breakeven.pricing.cluster_form import USUAL_NODES, cluster_name
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.instance_types import burstable_twin, machine

NO_COPY = (
    "no copy: while the node is down there is no queue, and what its volume loses is lost; priced with all "
    "clients in its zone"
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A cluster that costs less, and in words what it gives up."""

    name: str
    inputs: Inputs
    gives_up: str

    @property
    def size(self) -> str:
        """What stands in parentheses after its type, where the type alone does not tell."""
        burstable = machine(self.inputs.instance).burstable
        return f"{self.inputs.cpu_credits} credits" if burstable else ""


def variants(inputs: Inputs) -> Iterator[Variant]:
    """Of the question's cluster, each without a known capacity."""
    unknown = inputs.but(
        amazon_mq=None,
        capacity_msg_per_s=None,
        capacity_low_msg_per_s=None,
        capacity_high_msg_per_s=None,
        capacity_nodes_down=None,
    )
    single = unknown.but(deployment="single", **USUAL_NODES, broker_zones=1)
    if inputs.nodes > 1:
        yield Variant("one-node", single, NO_COPY)
    if twin := burstable_twin(inputs.instance):
        paid = unknown.but(instance=twin, cpu_credits="unlimited")
        yield Variant("burstable", paid, _credits(paid))
        slow = unknown.but(instance=twin, cpu_credits="standard")
        yield Variant("burstable-standard", slow, _credits(slow))
        if inputs.nodes > 1:
            one = single.but(instance=twin, cpu_credits="unlimited")
            yield Variant("one-burstable-node", one, f"{NO_COPY}; {_credits(one)}")


def cheaper(
    base: Question, priced: Callable[[Inputs], Inputs] = lambda inputs: inputs
) -> tuple[list[Question], list[str]]:
    """A question for each variant whose prices are known, and why others are left out.

    :param priced: the inputs with the capacity of just this cluster, where one is known
    """
    found, left_out = [], []
    for variant in variants(base.inputs):
        name = f"{base.question_id}.{variant.name}"
        try:
            made = question(name, priced(variant.inputs), base.book, size=variant.size)
        except InputError as error:
            left_out.append(f"{_label(variant, base.book)} is not priced beside: {error}")
        else:
            found.append(replace(made, purpose="cheaper", varied=variant.gives_up))
    return found, left_out


def _label(variant: Variant, book: PriceBook) -> str:
    return f"{cluster_name(variant.inputs, variant.inputs.instance)}, {book.name},"


def _credits(inputs: Inputs) -> str:
    """What a burstable type gives up, in the mode that the inputs have."""
    share = machine(inputs.instance).cpu_credit_baseline or 0.0
    sustained = f"CPU credits sustain {share:.0%} of each vCPU"
    if inputs.cpu_credits == "standard":
        return f"{sustained}; a node that has spent them is slowed down to that"
    return f"{sustained}; what is used above that over 24 hours is billed"
