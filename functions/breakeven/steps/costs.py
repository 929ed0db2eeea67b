"""What a run asks about money: the bills, and what each size of a cluster costs before it does anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from breakeven.planning.machines import machines_of
from breakeven.pricing.book import PriceBook
from breakeven.pricing.inputs import Inputs, ask
from breakeven.pricing.questions import Asked, own_cluster
from breakeven.pricing.variations import ask_all
from breakeven.report.words import target_name
from breakeven.targets.kinds import KINDS
from breakeven.workload.case import Case, Machines

#: the traffic of the bills, as a monthly mean: a suite does not say what an account sends. A round rate near
#: the usual crossover, at which every line of either bill is there
ASKED_MSG_PER_S = 100.0


def ask_about(cases: Sequence[Case], message_bytes: int, book: PriceBook) -> Asked:
    """The run's questions: of the first machines that its suite names, or of the deployment's.

    Where it names several, a note gives the price of each: no capacity is carried from one to another.
    """
    named, pair = machines_of(cases), KINDS["rabbitmq-mirrored-pair"]
    inputs = ask(
        msg_per_s=ASKED_MSG_PER_S,
        message_bytes=message_bytes,
        instance=pair.instance_type,
        volume_gb=float(pair.volume_gb),
    )
    if named:
        inputs = _on(inputs, next(iter(named.values())))
    asked = ask_all(book.name, inputs, book)
    if len(named) < 2:
        return asked
    notes = [_price(target, each, _on(inputs, each), book) for target, each in named.items()]
    return replace(asked, notes=(*asked.notes, *notes))


def _on(inputs: Inputs, each: Machines) -> Inputs:
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
