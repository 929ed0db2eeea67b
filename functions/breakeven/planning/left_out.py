"""A suite without the targets that are unavailable where it runs, unless it requires them."""

from __future__ import annotations

from collections.abc import Set

from breakeven.planning.machine_availability import priced_brokers
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.broker_types import form_of_nodes
from breakeven.targets.catalog import record_of
from breakeven.words import listing
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite


def without(suite: Suite, kinds: Set[str]) -> Suite:
    """The suite without these targets, and without scenarios that have no other."""
    document = suite.document()
    for named in (document, *document["scenarios"].values()):
        if "targets" in named:
            named["targets"] = [kind for kind in named["targets"] if kind not in kinds]
    scenarios = document["scenarios"].items()
    document["scenarios"] = {name: each for name, each in scenarios if each.get("targets") != []}
    by_kind = [document.get("machines", {}), *document.get("variants", {}).values()]
    for named in by_kind:
        for kind in kinds & set(named):
            del named[kind]
    return parse_suite(document, suite.where)


def priced(suite: Suite, book: PriceBook) -> tuple[Suite, list[str]]:
    """The suite without brokers of Amazon MQ that the region has no price of, and what is to be said of it.

    So that the default suite runs in a region without Amazon MQ. A type that the suite names is refused
    instead, and so is a suite of nothing else.
    """
    unpriced = [kind for kind in suite.targets if not suite.machines.get(kind) and _is_unpriced(kind, book)]
    if not unpriced or len(unpriced) == len(suite.targets):
        return suite, []
    were = "was" if len(unpriced) == 1 else "were"
    note = (
        f"{listing(unpriced)} {were} left out: the price book of {book.region} has no price of "
        f"{listing(sorted({_type(kind) for kind in unpriced}))}. A run on AWS asks the Price List for it."
    )
    return without(suite, set(unpriced)), [note]


def _is_unpriced(kind: str, book: PriceBook) -> bool:
    broker = record_of(kind).broker
    return broker is not None and _type(kind) not in priced_brokers(form_of_nodes(broker.nodes), book)


def _type(kind: str) -> str:
    broker = record_of(kind).broker
    return broker.instance_type if broker else ""
