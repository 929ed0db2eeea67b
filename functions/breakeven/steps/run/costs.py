"""What a run asks about money: the bills, and what each size of a cluster costs before it does anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from breakeven.planning.machine_availability import machines_of
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import Asked, own_cluster
from breakeven.pricing.bill.variations import ask_all, ask_rate, ask_size
from breakeven.pricing.prices.book import PriceBook
from breakeven.targets.catalog import PAIR, clusters
from breakeven.words import target_name
from breakeven.workload.case import Case, Machines, Workload
from breakeven.workload.rate_profile import rate_profile

#: the traffic of the bills, as a monthly mean: a suite does not say what an account sends. A round rate near
#: the usual crossover, at which every line of either bill is there
ASKED_MSG_PER_S = 100.0
#: rates of open loops that are priced, the lowest of more
MOST_RATES = 20


def ask_about(cases: Sequence[Case], message_bytes: int, book: PriceBook) -> Asked:
    """The run's questions: of the first machines that its suite names, or of the deployment's.

    Where it names several, each has its own crossings, with its own price and its own capacity, and a note
    gives what it costs: nothing is carried from one to another. Its open loops' rates are priced besides.
    """
    asked = _on_machines(cases, message_bytes, book)
    rates = [ask_rate(asked.questions[0], *own) for own in offered(cases)]
    return replace(asked, questions=(*asked.questions, *rates))


def offered(cases: Sequence[Case]) -> list[tuple[float, int]]:
    """The open loops' own mean rates, messages a second, each with the bytes of its messages."""
    workloads = [case.workload for case in cases if case.workload.mode != "capacity"]
    found = {(_mean_rate(each), each.message_bytes) for each in workloads if each.is_open}
    return sorted(found)[:MOST_RATES]


def _mean_rate(workload: Workload) -> float:
    profile, began_s = rate_profile(workload), workload.warmup_s
    arrived = profile.integral(began_s + workload.measure_s) - profile.integral(began_s)
    return float(f"{arrived / workload.measure_s:.6g}")


def _on_machines(cases: Sequence[Case], message_bytes: int, book: PriceBook) -> Asked:
    named, pair = machines_of(cases), clusters()[PAIR]
    inputs = ask(
        msg_per_s=ASKED_MSG_PER_S,
        message_bytes=message_bytes,
        instance=pair.instance_type,
        volume_gb=float(pair.volume_gb),
    )
    if len(named) < 2:
        return ask_all(book.name, _on(inputs, *named.values()), book)
    (first, *others) = [(target.size, _on(inputs, each)) for target, each in named.items()]
    asked = ask_all(book.name, first[1], book, size=first[0])
    more = [one for size, of_it in others for one in ask_size(book.name, of_it, book, size)]
    notes = [_price(target, each, _on(inputs, each), book) for target, each in named.items()]
    return replace(asked, questions=(*asked.questions, *more), notes=(*asked.notes, *notes))


def _on(inputs: Inputs, each: Machines | None = None) -> Inputs:
    if each is None:
        return inputs
    return inputs.but(
        instance=each.instance_type, volume_gb=float(each.volume_gb), broker_zones=len(each.zones) or None
    )


def _price(target: str, each: Machines, inputs: Inputs, book: PriceBook) -> str:
    """What one cluster costs a month before traffic and people, in words."""
    lines = own_cluster(inputs, book).lines
    prices = [(book.known(line.service, line.item), line.per_cluster) for line in lines if not line.own]
    usd = sum(price.cost(units) for price, units in prices)
    what = f"{each.nodes} x {each.instance_type} with {each.volume_gb} GB each"
    return f"{target_name(target)} ({what}): ${usd:,.2f} a month, before traffic and people's hours."
