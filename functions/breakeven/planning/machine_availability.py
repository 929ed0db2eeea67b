"""Availability of the machines that a suite names: prices, images, zones, and plan and quota."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pydantic import Field

from breakeven import words
from breakeven.planning.node_sizes import field_of
from breakeven.planning.refusal import Refusal
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.broker_types import Form, broker_types, form_of_nodes
from breakeven.pricing.prices.instance_types import smaller_types
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_RELEASE
from breakeven.terms import Frozen, TargetName
from breakeven.workload.case import Case
from breakeven.workload.machines import Machines, architecture_of

#: "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", in vCPUs
VCPU_QUOTA, STANDARD = "L-1216C47A", "acdhimrtz"


#: what an image is baked on, by the architecture of its nodes: eligible for the Free Tier, whose accounts get
#: nothing else
BUILDERS: Mapping[str, str] = {"arm64": "t4g.small", "x86_64": "t3.small"}


class Account(Frozen):
    """What an account's region has room for, as far as it is known: nothing is, until it is asked."""

    images: tuple[str, ...] | None = Field(
        default=None, description="that the deployment has or bakes, as machines name them; null: any"
    )
    vcpus: float | None = Field(default=None, description="of the quota; null: not known")
    functions: int | None = Field(default=None, description="that Lambda may run at once; null: not known")
    task_vcpus: float | None = Field(default=None, description="that Fargate may run; null: not known")
    image_built: bool | None = Field(default=None, description="that tasks are started from; null: not known")
    baked: Mapping[str, bool] = Field(
        default={}, description="image -> whether it is there; not named: not known"
    )
    zones: Mapping[str, tuple[str, ...]] = Field(
        default={}, description="instance type -> the deployment's zones that offer it"
    )
    free_plan: bool | None = Field(default=None, description="on AWS' free plan; null: not known")
    free_types: tuple[str, ...] | None = Field(
        default=None, description="of the types asked for, those eligible for the Free Tier; null: not known"
    )

    def may_launch(self, instance_type: str) -> bool:
        """Whether the account's plan lets EC2 launch the type, as far as it is known.

        On the free plan RunInstances answers ``InvalidParameterCombination`` for every other type than those
        that DescribeInstanceTypes marks as ``FreeTierEligible``: the service's own answer names that filter.
        """
        return not self.free_plan or self.free_types is None or instance_type in self.free_types


ANY_ACCOUNT = Account()
#: what to do on the free plan; the plan and ``doctor`` say the same
UPGRADE = "upgrade the account to the paid plan (Billing and Cost Management, Free Tier)"
NO_ZONE = "none of this deployment's zones offers it"
#: subnets keep their address ranges, and CloudFormation makes the new one before it removes the old
OTHER_ZONES = "destroy the stack and deploy it to other zones (npm run destroy; -c breakeven:zones=...)"


def machines_of(cases: Sequence[Case]) -> dict[TargetName, Machines]:
    """Of each target whose nodes are launched on EC2."""
    return {name: each for name, each in brokers_of(cases).items() if each.service == "ec2"}


def brokers_of(cases: Sequence[Case]) -> dict[TargetName, Machines]:
    """Of each target that has some, whoever runs them."""
    return {case.target: case.machines for case in cases if case.machines}


def to_bake(cases: Sequence[Case], account: Account) -> list[str]:
    """Images that a run of the cases bakes first; none where that is not known."""
    needed = {each.image for each in machines_of(cases).values()}
    return sorted(image for image in needed if account.baked.get(image) is False)


def placed(cases: Sequence[Case], account: Account) -> list[Case]:
    """The cases with each of their machines in another zone, as far as enough are known to offer the type."""
    return [
        case.model_copy(update={"machines": _spread(case.machines, zones)})
        if case.machines and (zones := account.zones.get(case.machines.instance_type))
        else case
        for case in cases
    ]


def _spread(each: Machines, zones: tuple[str, ...]) -> Machines:
    return each.model_copy(update={"zones": each.among(zones)})


def lanes_at_once(cases: Sequence[Case], account: Account) -> int:
    """How many lanes may be up together: all, or as many as fit into the quota whichever they are."""
    # lanes of a managed service have no machines, and fit beside whatever is up
    needs = dict.fromkeys((case.target for case in cases), 0)
    needs |= {target: vcpus_of(each) for target, each in machines_of(cases).items()}
    return len(needs) if account.vcpus is None else lanes_that_fit(needs.values(), account.vcpus)


def lanes_that_fit(needs: Collection[float], room: float) -> int:
    """How many of the lanes with these needs fit whichever they are; one does in any case."""
    most = sorted(needs, reverse=True)
    return max(1, sum(sum(most[: count + 1]) <= room for count in range(len(most))))


def refusals(cases: Sequence[Case], book: PriceBook, account: Account) -> Iterator[Refusal]:
    """Machines that this account cannot have, one reason each."""
    for target, each in brokers_of(cases).items():
        if each.service == "amazonmq":
            for name, value, remedy in _broker_unpriced(each, book):
                yield Refusal(case_id=None, field=field_of(target, name), value=value, remedy=remedy)
    for target, each in machines_of(cases).items():
        for name, value, remedy in (
            *_unpriced(each, book),
            *_without_image(each, account),
            *_not_offered(each, account),
            *_not_on_this_plan(each, account),
            *_over_quota(each, account),
        ):
            yield Refusal(case_id=None, field=field_of(target, name), value=value, remedy=remedy)


Reason = tuple[str, str, str]


def _broker_unpriced(each: Machines, book: PriceBook) -> Iterator[Reason]:
    form = form_of_nodes(each.nodes)
    if each.instance_type not in (priced := priced_brokers(form, book)):
        have = f"; it has one of {', '.join(priced)}" if priced else ""
        remedy = f"the price book of {book.region} has no price of it as a {form}{have}. A run on AWS asks"
        yield "instance_type", each.instance_type, f"{remedy} the Price List for it; else drop this target"


def priced_brokers(form: Form, book: PriceBook) -> list[str]:
    """Types of Amazon MQ that the book has a price of in that form, and that run the release of lanes."""
    there = [name for name, known in broker_types().items() if AMAZON_MQ_RELEASE in known.releases]
    return [name for name in there if f"{form}.{name}" in book.items("amazonmq")]


def broker_item(each: Machines) -> str:
    """What price books call an hour of a broker of Amazon MQ, all of its nodes together."""
    return f"{form_of_nodes(each.nodes)}.{each.instance_type}"


def _unpriced(each: Machines, book: PriceBook) -> Iterator[Reason]:
    price = next((one for one in book.prices if (one.service, one.item) == ("ec2", each.instance_type)), None)
    if price is None or price.usd is None:
        remedy = f"not offered in {book.region}, or its price there is not known: choose another type"
        yield "instance_type", each.instance_type, remedy


def _without_image(each: Machines, account: Account) -> Iterator[Reason]:
    have = account.images
    if have is None or each.image in have:
        return
    architectures = sorted({architecture_of(image) for image in have})
    if each.architecture in architectures:
        remedy = (
            f"its RabbitMQ is that of Debian {each.debian}, and this deployment has no image of that: drop "
            "this target, or deploy without breakeven:image"
        )
    else:
        wanted = ",".join(sorted({*architectures, each.architecture}))
        remedy = (
            f"it is {each.architecture}, and this deployment has an image for {', '.join(architectures)} "
            f"only: choose a type of that, or deploy with -c breakeven:image_architectures={wanted}"
        )
    yield "instance_type", each.instance_type, remedy


def _not_offered(each: Machines, account: Account) -> Iterator[Reason]:
    offered = account.zones.get(each.instance_type)
    if offered == ():
        yield "instance_type", each.instance_type, f"{NO_ZONE}: choose another type, or {OTHER_ZONES}"
    elif offered and each.zone_count and len(offered) < each.zone_count:
        where = f"{each.instance_type} is offered in {words.listing(offered)} of this deployment's zones"
        yield "zones", str(each.zone_count), f"{where}: give {len(offered)}, or {OTHER_ZONES}"


def _not_on_this_plan(each: Machines, account: Account) -> Iterator[Reason]:
    if not account.may_launch(each.instance_type):
        why = "the account is on AWS' free plan, on which EC2 launches only types eligible for the Free Tier"
        yield "instance_type", each.instance_type, f"{why}, and this is none: {UPGRADE}"


def _over_quota(each: Machines, account: Account) -> Iterator[Reason]:
    need = vcpus_of(each)
    if account.vcpus is not None and need > account.vcpus:
        smaller = ", or choose a smaller type" if smaller_types(each.instance_type) else ""
        remedy = (
            f"{each.nodes} of them have {need} vCPUs, and the account may run {account.vcpus:g} (quota "
            f"{VCPU_QUOTA} of EC2): ask AWS for more in Service Quotas{smaller}"
        )
        yield "instance_type", each.instance_type, remedy


def vcpus_of(each: Machines) -> int:
    """What they take of the quota; types of other families have quotas of their own."""
    return each.nodes * (each.vcpu or 0) if each.instance_type[0] in STANDARD else 0
