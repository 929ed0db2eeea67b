"""Questions of a run about money: the bills, and what each size of a cluster costs before it works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.machine_availability import brokers_of, machines_of
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import own_cluster
from breakeven.pricing.bill.run_capacities import (
    NO_CAPACITIES,
    Capacities,
    managed_priced_with,
    priced_with,
)
from breakeven.pricing.bill.size_board import boards
from breakeven.pricing.bill.variations import ask_all, ask_rate, ask_size
from breakeven.pricing.prices.book import PriceBook
from breakeven.steps.run.measured_batches import RepeatedBatches, priced_with_batches
from breakeven.targets.catalog import (
    FIFO,
    SINGLE,
    SQS,
    TRIO,
    clusters,
    priced_target,
    record_of,
)
from breakeven.terms import TargetName
from breakeven.words import target_name
from breakeven.workload.case import Case, Workload
from breakeven.workload.machines import Machines
from breakeven.workload.rate_profile import rate_profile

#: the traffic of the bills, as a monthly mean: a suite does not say what an account sends. A round rate near
#: the usual crossover, at which every line of either bill is there
ASKED_MSG_PER_S = 100.0
#: of our own brokers: the form that leads where a suite has it
TODAYS_FORM = "trio"
#: rates of open loops that are priced, the lowest of more
MOST_RATES = 20


def ask_about(
    cases: Sequence[Case],
    message_bytes: int,
    book: PriceBook,
    capacities: Capacities = NO_CAPACITIES,
    batches: Sequence[RepeatedBatches] = (),
) -> Asked:
    """The run's questions: of the clusters that it has, each on the machines that its suite names, or on the
    deployment's; of a trio where it has none. Today's form leads, and else the catalog's first.

    Where there are several, each has its own crossings, with its own price and its own capacity, and a note
    gives what it costs: nothing is carried from one to another. Its open loops' rates are priced besides.

    :param capacities: what this run and earlier ones measured on AWS; none before anything is measured
    :param batches: what calls of SQS in batches carried in this run on AWS
    """
    managed = _managed_type(cases)
    beside = {"amazon_mq": managed} if managed else {}
    inputs = ask(msg_per_s=ASKED_MSG_PER_S, message_bytes=message_bytes, queue=_queue(cases), **beside)
    own = [one for one in batches if one.target == priced_target(inputs.queue)]
    inputs, measured = priced_with_batches(inputs, own)
    asked = _on_machines(cases, inputs, book, capacities)
    rates = [ask_rate(asked.questions[0], *own) for own in offered(cases)]
    notes = [measured.describe()] if measured else []
    return replace(asked, questions=(*asked.questions, *rates), notes=(*asked.notes, *notes))


def offered(cases: Sequence[Case]) -> list[tuple[float, int]]:
    """The open loops' own mean rates, messages a second, each with the bytes of its messages."""
    workloads = [case.workload for case in cases if case.workload.mode != "capacity"]
    found = {(_mean_rate(each), each.message_bytes) for each in workloads if each.is_open}
    return sorted(found)[:MOST_RATES]


def _mean_rate(workload: Workload) -> float:
    profile, began_s = rate_profile(workload), workload.warmup_s
    arrived = profile.integral(began_s + workload.measure_s) - profile.integral(began_s)
    return float(f"{arrived / workload.measure_s:.6g}")


def _on_machines(cases: Sequence[Case], inputs: Inputs, book: PriceBook, capacities: Capacities) -> Asked:
    found = [
        (target, own, capacities.find(own))
        for target, machines in _clusters(cases)
        for own in [_on(inputs, target, machines).but(group_size=_group_size(cases, target))]
    ]
    (target, first, capacity), *others = found
    managed = capacities.find_managed(first)
    asked = ask_all(
        book.name,
        managed_priced_with(priced_with(first, capacity), managed),
        book,
        size=target.size if others else "",
        capacity=capacity,
        managed_capacity=managed,
        capacities_of=capacities,
    )
    forms = {own.deployment for _, own, _ in found}
    more = [
        question
        for target, own, capacity in others
        for form in [own.deployment if len(forms) > 1 else ""]
        for name in ["-".join(filter(None, (form, target.size)))]
        for question in ask_size(
            f"{book.name}.size-{name}", priced_with(own, capacity), book, target.size, capacity
        )
    ]
    notes = [_price(target, own, book) for target, own, _ in found] if others else []
    board, sizes, left_out = boards(first, book, capacities, [own for _, own, _ in found])
    return replace(
        asked,
        questions=(*asked.questions, *more, *board),
        notes=(*asked.notes, *notes, *left_out),
        capacities=capacities,
        board=tuple(sizes),
        clusters=tuple(_cluster_prices([(target, own) for target, own, _ in found], book)),
    )


def _queue(cases: Sequence[Case]) -> str:
    """The form of SQS that is priced: FIFO where the run has no other."""
    kinds = {case.target.kind for case in cases}
    return "fifo" if FIFO in kinds and SQS not in kinds else "standard"


def _clusters(cases: Sequence[Case]) -> list[tuple[TargetName, Machines | None]]:
    """Each cluster of the cases with its machines, None where no suite or deployment names any."""
    named, forms = machines_of(cases), list(clusters())
    targets = dict.fromkeys(case.target for case in cases)
    used = [target for target in targets if target.kind in forms]
    used.sort(
        key=lambda target: (clusters()[target.kind].deployment != TODAYS_FORM, forms.index(target.kind))
    )
    if used:
        return [(target, named.get(target)) for target in used]
    managed = {record_of(target).deployment for target in targets if record_of(target).broker}
    return [(SINGLE if managed == {"single"} else TRIO, None)]


def _managed_type(cases: Sequence[Case]) -> str | None:
    """The broker type of Amazon MQ that the run measures, the first of several; None where there is none."""
    found = [each.instance_type for each in brokers_of(cases).values() if each.service == "amazonmq"]
    return found[0] if found else None


def _on(inputs: Inputs, target: TargetName, each: Machines | None) -> Inputs:
    nodes = clusters()[target.kind]
    return inputs.but(
        deployment=nodes.deployment,
        cluster_nodes=each.nodes if each else None,
        instance=each.instance_type if each else nodes.instance_type,
        volume_gb=float(each.volume_gb if each else nodes.volume_gb),
        **_volume_of(each),
        broker_zones=each.known_zones if each else None,
    )


def _volume_of(each: Machines | None) -> dict[str, Any]:
    """What a question says of a volume that is not of the usual type."""
    if each is None or each.volume_type == Inputs.model_fields["volume"].default:
        return {}
    found = {"volume": each.volume_type}
    return found | ({"volume_iops": float(each.volume_iops)} if each.volume_iops else {})


def _group_size(cases: Sequence[Case], target: TargetName) -> int | None:
    """On how many nodes a queue is, where all of the target's cases have as many; None: as usual."""
    sizes = {case.workload.group_size for case in cases if case.target == target}
    return sizes.pop() if len(sizes) == 1 else None


def _cluster_prices(
    clusters: Sequence[tuple[TargetName, Inputs]], book: PriceBook
) -> Iterator[dict[str, Any]]:
    """What one of each costs a month; none of a cluster of which a price is not known."""
    for target, inputs in clusters:
        with suppress(InputError):
            usd = _cluster_usd(inputs, book)
            yield {"target": target, "what": _what(inputs), "book": book.label, "usd": usd}


def _cluster_usd(inputs: Inputs, book: PriceBook) -> float:
    """What one cluster costs a month before traffic and people.

    :raises InputError: one of its prices is not known
    """
    lines = own_cluster(inputs, book).lines
    return sum(
        line.own.usd * line.per_cluster
        if line.own
        else book.known(line.service, line.item).cost(line.per_cluster)
        for line in lines
    )


def _what(inputs: Inputs) -> str:
    kind = "" if inputs.volume == Inputs.model_fields["volume"].default else f" of {inputs.volume}"
    return f"{inputs.nodes} x {inputs.instance} with {inputs.volume_gb:g} GB{kind} each"


def _price(target: TargetName, inputs: Inputs, book: PriceBook) -> str:
    """The same in words."""
    usd = _cluster_usd(inputs, book)
    return f"{target_name(target)} ({_what(inputs)}): ${usd:,.2f} a month, before traffic and staff time."
