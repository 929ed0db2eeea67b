"""Smaller machines where the account's quota has no room for the usual ones, for suites that name none.

All clusters get the same type, so that none is compared on fewer cores a node than another.
"""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.planning.machine_availability import VCPU_QUOTA, Account, machines_of, vcpus_of
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.instance_types import machine, smaller_types
from breakeven.terms import TargetName
from breakeven.workload.case import Case
from breakeven.workload.machines import Machines
from breakeven.workload.suite import Suite


def fitted(
    suite: Suite, cases: Sequence[Case], account: Account, book: PriceBook
) -> tuple[list[Case], list[str]]:
    """The cases on the largest type of the family of which each cluster fits, and what is to be said of it.

    Types that the suite names stand. Where not even the smallest fits, the cases are on that, and the quota
    refuses it.
    """
    unnamed = {
        target: each for target, each in machines_of(cases).items() if not suite.machines.get(target.kind)
    }
    if account.vcpus is None or all(vcpus_of(each) <= account.vcpus for each in unnamed.values()):
        return list(cases), []
    usual = next(iter(unnamed.values())).instance_type
    there = [name for name in smaller_types(usual) if _is_there(name, account, book)]
    chosen = next(
        (name for name in there if _fits(name, unnamed, account.vcpus)), there[-1] if there else usual
    )
    if chosen == usual:
        return list(cases), []
    smaller = {target: on(each, chosen) for target, each in unnamed.items()}
    fitting = [
        case.model_copy(update={"machines": smaller.get(case.target, case.machines)}) for case in cases
    ]
    return fitting, [_note(usual, chosen, unnamed, account.vcpus)]


def on(each: Machines, instance_type: str) -> Machines:
    """The machines as so many of another type of their architecture."""
    return each.model_copy(update={"instance_type": instance_type, "vcpu": machine(instance_type).vcpu})


def _is_there(name: str, account: Account, book: PriceBook) -> bool:
    """Whether it has a price, and a zone of the deployment's offers it, as far as that is known."""
    return name in book.items("ec2") and account.zones.get(name) != () and account.may_launch(name)


def _fits(name: str, clusters: dict[TargetName, Machines], vcpus: float) -> bool:
    return all(vcpus_of(on(each, name)) <= vcpus for each in clusters.values())


def _note(usual: str, chosen: str, clusters: dict[TargetName, Machines], vcpus: float) -> str:
    over = [
        f"{each.nodes} x {usual} of {target}" for target, each in clusters.items() if vcpus_of(each) > vcpus
    ]
    most = max(vcpus_of(each) for each in clusters.values())
    room = f"the account may run {vcpus:g} vCPUs of standard instances"
    return (
        f"{words.listing(list(clusters))}: nodes are {chosen} and not {usual}, as {room}, and "
        f"{words.listing(over)} have up to {most}. What they carry is that of the smaller type; ask AWS for "
        f"more of quota {VCPU_QUOTA} of EC2 in Service Quotas."
    )
