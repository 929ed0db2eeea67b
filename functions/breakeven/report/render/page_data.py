"""The rows that the page embeds for its controls: prices, machines, a question's inputs, what was measured.

The page computes bills from these with the evaluator in ``web/``; tests hold it to the SQL of ``queries/``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.known_capacity import KnownCapacity
from breakeven.pricing.bill.questions import AMAZON_MQ, SQS_NAMES
from breakeven.pricing.bill.run_capacities import RunCapacity, rank
from breakeven.pricing.cluster_form import ClusterForm, mirroring_note
from breakeven.pricing.prices.book import FREE_REQUEST
from breakeven.pricing.prices.book_files import load_book, regions
from breakeven.pricing.prices.broker_types import broker_types
from breakeven.pricing.prices.instance_types import machines
from breakeven.pricing.prices.price import Price
from breakeven.report.contract.cost_model import PriceTier
from breakeven.report.contract.earlier_inputs import EarlierInputs
from breakeven.report.contract.report_model import Report
from breakeven.report.money.option_words import SHORT
from breakeven.report.render.page_evidence import Printed, evidence
from breakeven.terms import TargetName

#: of the data and of the page's hash; a page reads no other
VERSION = 1
#: messages a second, where a question asks of no rate
USUAL_RATE = 100.0
#: what a schema calls the bounds of a field -> what the page calls them
BOUNDS = {"minimum": "least", "maximum": "most", "exclusiveMinimum": "above"}
Json = dict[str, Any]


def page_data(report: Report, printed: Printed | None = None) -> Json | None:
    """JSON of ``web/src/data.ts``; None where the report asked nothing about today's prices.

    :param printed: of a page without a run
    """
    question = report.headline_question
    if question is None or question.purpose == "history":
        return None
    inputs = question.priced_with
    if isinstance(inputs, EarlierInputs):
        inputs = inputs.of_today()
    region = question.price_book.partition("@")[0]
    own = [tier for tier in report.prices if tier.book == question.price_book]
    sources: list[str] = []
    books = {name: _book(name, sources) for name in regions()}
    books[region] = _as_priced(books.get(region), question.price_book, own, sources)
    known = [_printed(one) for one in printed.capacities] if printed else []
    # what the report could not price beside stays out of its page until a reader asks for it
    if AMAZON_MQ not in question.options:
        inputs = inputs.but(amazon_mq=None)
    return {
        "version": VERSION,
        "kind": "published" if printed else "run",
        "self_test_failed": report.is_in_doubt,
        "title": report.title,
        "sqs_names": SQS_NAMES,
        "sqs_short_names": SHORT,
        "of_mirroring": mirroring_note(ClusterForm(deployment="pair")),
        "region": region,
        "books": books,
        "sources": sources,
        "machines": {
            name: {"vcpu": one.vcpu, "network": one.network_baseline_mbps, "credits": one.cpu_credit_baseline}
            for name, one in machines().items()
        },
        "brokers": {
            name: {
                "network": one.network_baseline_mbps,
                "single_gb": one.single_gb,
                "cluster_gb": one.cluster_gb,
            }
            for name, one in broker_types().items()
        },
        "inputs": inputs.model_dump(mode="json")
        | {"msg_per_s": USUAL_RATE if inputs.msg_per_s is None else inputs.msg_per_s},
        "fields": _fields(),
        "capacities": [*_own_capacity(inputs), *_capacities(report.capacities), *known],
        **evidence(report, printed),
        "most_empty_receives": max(1.0, question.counted_empty_receives or 0.0),
    }


def embedded(data: Json) -> str:
    """For a ``script`` element: no text in it can end the element or open a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _book(name: str, sources: list[str]) -> Json:
    book = load_book(name)
    prices = {
        f"{price.service}/{price.item}": {
            "unit": price.unit,
            "tiers": [[tier.from_, tier.to, tier.usd] for tier in price.tiers] or [[0, None, None]],
            "source": _place(price.source, sources),
            "as_of": price.as_of,
        }
        | ({"reason": price.reason} if price.reason else {})
        | _publisher(price)
        for price in book.prices
    }
    return {"label": book.label, "free_requests": book.free_sqs_requests, "prices": prices}


def _publisher(price: Price | PriceTier) -> Json:
    """Said only of a price that stands in no list of AWS."""
    return {"third_party": True} if price.publisher == "third-party" else {}


def _as_priced(shipped: Json | None, label: str, tiers: Iterable[PriceTier], sources: list[str]) -> Json:
    """The region's shipped book, with what the report was priced with in the place of its own prices."""
    own: dict[str, list[PriceTier]] = {}
    for tier in tiers:
        if not _is_derived(tier):
            own.setdefault(f"{tier.service}/{tier.item}", []).append(tier)
    refreshed = {
        name: {
            "unit": found[0].unit,
            "tiers": [[tier.tier_from, tier.tier_to, tier.usd] for tier in found],
            "source": _place(found[0].source, sources),
            "as_of": found[0].as_of,
        }
        | _publisher(found[0])
        for name, found in own.items()
    }
    free = next((tiers[-1].tier_to for name, tiers in own.items() if name == "/".join(FREE_REQUEST)), None)
    known = shipped or {"prices": {}, "free_requests": 0.0}
    return {
        "label": label,
        "free_requests": known["free_requests"] if free is None else free,
        "prices": known["prices"] | refreshed,
    }


def _is_derived(tier: PriceTier) -> bool:
    """Whether it is a question's own, which the page derives anew: no book has it as it is."""
    return (
        tier.service in {"people", "given"} or " by batch" in tier.item or "; mean price of a" in tier.source
    )


def _place(source: str, sources: list[str]) -> int:
    """Sources are long, and most prices have one of a few."""
    if source not in sources:
        sources.append(source)
    return sources.index(source)


def _fields() -> dict[str, Json]:
    """The bounds of every input, from their model."""
    found = {}
    for name, schema in Inputs.model_json_schema()["properties"].items():
        kinds = schema.get("anyOf", [schema])
        own = next(kind for kind in kinds if kind.get("type") != "null")
        bounds = {BOUNDS[key]: value for key, value in own.items() if key in BOUNDS}
        whole = {"whole": True} if own.get("type") == "integer" else {}
        found[name] = bounds | whole | ({"optional": True} if len(kinds) > 1 else {})
    return found


def _own_capacity(inputs: Inputs) -> Iterator[Json]:
    """The question's own, which holds for its cluster as it was asked."""
    if inputs.capacity_msg_per_s is not None:
        yield _capacity(
            inputs,
            inputs.instance,
            inputs.message_bytes,
            inputs.capacity_msg_per_s,
            (inputs.capacity_low_msg_per_s, inputs.capacity_high_msg_per_s, inputs.capacity_nodes_down),
            "as this report's question has it",
        )


def _capacities(found: Iterable[RunCapacity]) -> list[Json]:
    """Those that runs measured, in the order in which one of several counts."""
    return [
        _capacity(
            one,
            one.instance,
            one.message_bytes,
            one.msg_per_s,
            (one.low_msg_per_s, one.high_msg_per_s, one.nodes_down),
            f"measured {one.describe()}",
            managed=TargetName(one.target).kind.startswith(AMAZON_MQ),
        )
        for one in sorted(found, key=rank)
    ]


def _printed(one: KnownCapacity) -> Json:
    form = ClusterForm(deployment=one.deployment)
    return _capacity(form, one.instance, one.message_bytes, one.msg_per_s, (None, None, None), one.describe())


def _capacity(
    form: ClusterForm,
    instance: str,
    message_bytes: int,
    msg_per_s: float,
    rest: tuple[float | None, float | None, int | None],
    about: str,
    *,
    managed: bool = False,
) -> Json:
    """:param rest: ends of its interval, and nodes that were down"""
    low, high, nodes_down = rest
    return {
        "deployment": form.deployment,
        "nodes": form.nodes,
        "copies": form.copies,
        "instance": instance,
        "message_bytes": message_bytes,
        "msg_per_s": msg_per_s,
        "low": low,
        "high": high,
        "nodes_down": nodes_down,
        "managed": managed,
        "about": about,
    }
