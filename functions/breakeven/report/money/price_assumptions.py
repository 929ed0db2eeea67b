"""Assumptions behind the cost figures, in words that follow the question's inputs."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.amazon_mq import brokers_of, disk_gb, form_of
from breakeven.pricing.bill.amazon_mq_lines import between_brokers
from breakeven.pricing.bill.broker_lines import crossings_per_message
from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.sqs_lines import batched, requests_per_message, within_fifo_quota
from breakeven.pricing.cluster_traffic import CLIENT_BYTES, HOP_BYTES
from breakeven.pricing.prices.broker_types import USUAL, broker_types
from breakeven.pricing.prices.fifo_quotas import fifo_quotas
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.consumption.consumer_words import consumers
from breakeven.report.money.option_words import hour, share
from breakeven.report.money.priced.price_owners import prices_in_full

PATHS = {
    "public": "Clients reach SQS through its public endpoints in the same region, at no charge; the price of "
    "public IPv4 addresses that they may need is not included.",
    "endpoint": "Clients reach SQS through an interface endpoint in {0}; the bill includes its hours and "
    "data, requests' headers among them.",
    "nat": "Clients reach SQS through a NAT gateway in {0}; the bill includes its hours, its address "
    "and data, requests' headers among them.",
}
RESERVED = {"1y": "one year", "3y": "three years"}


def money_assumptions(report: Report) -> list[str]:
    """Nothing where nothing was priced."""
    question = report.headline_question
    if question is None or not report.crossovers:
        return []
    inputs = question.priced_with
    sentences = [
        _prices(report, inputs),
        _rates(question, inputs),
        _sqs(question, inputs),
        *([_batched(inputs)] if "sqs-batched" in question.options else []),
        *fifo_quota(inputs, question.price_book.partition("@")[0]),
        _brokers(question, inputs),
        _people(inputs),
        *([consumers(inputs)] if question.purpose != "history" else []),
        *([amazon_mq(inputs)] if "amazon-mq" in question.options else []),
    ]
    return [*sentences, *(_question(one) for one in report.cost_questions)]


def _prices(report: Report, inputs: Inputs) -> str:
    commitment = "on demand"
    if inputs.commitment != "on-demand":
        term, kind = inputs.commitment.split("-")
        commitment = f"instances reserved for {RESERVED[term]} ({kind}, nothing upfront)"
    return f"{prices_in_full(report)} They are in US dollars before tax, {commitment}{discounted(inputs)}."


def discounted(inputs: Inputs) -> str:
    """', with SQS at 90% of the list price'; empty where all are at list price."""
    found = [("SQS", inputs.sqs_price_factor), ("an instance", inputs.instance_price_factor)]
    found += [("Amazon MQ", inputs.amazon_mq_price_factor)] if inputs.amazon_mq else []
    factors = [f"{what} at {share(factor)} of the list price" for what, factor in found if factor != 1]
    return f", with {words.listing(factors)}" if factors else ""


def _rates(question: CostQuestion, inputs: Inputs) -> str:
    one = question.capacity_mean_msg_per_s is None
    clusters = (
        "One cluster is priced at every rate."
        if one
        else "Where more clusters are needed, the figures include all of them."
    )
    return (
        f"Rates are monthly means. The peak is assumed to be {words.quantity(inputs.peak_factor)} times the "
        f"mean, and a cluster is used to {share(inputs.utilisation)} of its capacity, "
        f"which is {question.capacity}. {clusters}"
    )


def _sqs(question: CostQuestion, inputs: Inputs) -> str:
    size = f"{words.size(inputs.message_bytes)} per message, attributes included"
    if question.purpose == "history":  # the article gives no size, and its price knows none
        size = "messages of any size up to 64 KiB"
    batches = (inputs.send_batch, inputs.receive_batch, inputs.delete_batch)
    calls = "calls of one message" if set(batches) == {1} else (
        f"calls of {words.listing([words.quantity(batch) for batch in batches])} messages to send, receive "
        "and delete"
    )  # fmt: skip
    empty = (
        "consumers' polls of idle queues are priced"
        if inputs.consumer and inputs.empty_receives is None
        else f"the number of empty receives is not known: none is priced, and the interval goes up to "
        f"{_most_empty(question)} per message"
        if inputs.empty_receives is None
        else f"{words.quantity(inputs.empty_receives)} empty receives per message"
        if inputs.empty_receives
        else "no empty receives"
    )
    free = (
        "the free requests of each month are assumed to be available"
        if inputs.free_tier
        else "no free requests are deducted"
    )
    elsewhere = (
        f"; the account makes {words.amount(inputs.existing_requests)} other requests a month"
        if inputs.existing_requests
        else ""
    )
    return (
        f"SQS as used ({inputs.queue}): {size}, in {calls}, billed as one request per 64 KiB of a call; "
        f"{empty}; {free}{elsewhere}. "
        f"{PATHS[inputs.sqs_path].format(words.plural(inputs.client_zones, 'zone'))}"
    )


def _most_empty(question: CostQuestion) -> str:
    """Empty receives up to which the interval goes."""
    counted = question.counted_empty_receives or 0.0
    return "one" if counted <= 1 else f"the {words.figure(counted)} that this run counted"


def _batched(inputs: Inputs) -> str:
    best = batched(inputs)
    empty = "no empty receives" if best.empty_receives is not None else "consumers' polls of idle queues"
    return (
        f"SQS batched and long-polled: batches of {words.quantity(best.send_batch)} messages, deletes of "
        f"{words.quantity(best.delete_batch)} and {empty}: {_requests(best)} requests per message. "
        f"{_fill(inputs)} Larger messages are sent in the batches that are billed least, as of 8 at 40 KiB. "
        "Waiting to fill batches adds latency."
    )


def _fill(inputs: Inputs) -> str:
    """How full the batches are, and how that is known."""
    if inputs.batch_fill is None:
        return "How full batches are is not known: they are priced as full, and intervals reach down to half."
    return f"They are {share(inputs.batch_fill)} full on average."


def fifo_quota(inputs: Inputs, region: str) -> list[str]:
    """Up to which rates a FIFO queue takes the calls that are priced; nothing of another queue."""
    if inputs.queue != "fifo":
        return []
    quotas = fifo_quotas()
    means = {
        name: within_fifo_quota(asked, quotas.of(region))
        for name, asked in (("as used", inputs), ("batched", batched(inputs)))
    }
    most = [f"{words.figure(mean)} {name}" for name, mean in means.items()]
    rate = inputs.msg_per_s or 0.0
    over = [name for name, mean in means.items() if rate > mean]
    return [
        f"A FIFO queue in high-throughput mode takes {quotas.of(region):,} calls a second of each action in "
        f"{region} (the quota as of {quotas.as_of}, which can be raised). With peaks of "
        f"{words.quantity(inputs.peak_factor)} times the mean, that is a mean of {words.listing(most)}, in "
        "messages a second. Higher rates are priced as if the quota were raised"
        f"{f'; {words.figure(rate)} is one of these {words.listing(over)}' if over else ''}."
    ]


def _brokers(question: CostQuestion, inputs: Inputs) -> str:
    volume = (
        "no volumes"
        if inputs.volume == "none"
        else f"{words.quantity(inputs.volume_gb)} GB of {inputs.volume} each"
    )
    watched = [
        f"{words.quantity(each)} {what}"
        for each, what in ((inputs.node_metrics, "metrics"), (inputs.node_alarms, "alarms"))
        if each
    ]
    monitoring = f"{words.listing(watched)} a node" if watched else "no monitoring"
    across = crossings_per_message(inputs)
    traffic = (
        f"nodes in {words.plural(inputs.zones, 'zone')}, so each message crosses zones "
        f"{words.quantity(round(across, 3))} times, charged on both sides, with {CLIENT_BYTES} to "
        f"{HOP_BYTES} bytes beside its body"
        if across
        else "all nodes and clients in one zone, so no traffic across zones"
    )
    return (
        f"{question.option_name('rabbitmq')}: instances, {volume}, {monitoring}, and {traffic}. "
        "Backups are not included."
    )


def _people(inputs: Inputs) -> str:
    assumed = " (assumed unless given)" if inputs.hour_rate == default_hour_rate() else ""
    price = f"{hour(inputs.hour_rate)}{assumed}"
    if inputs.hours is None:
        return (
            "The brokers' bill excludes staff time; break-even hours are how much of it running your own may "
            f"take a month and still be cheaper, at {price}."
        )
    return (
        f"The brokers' bill includes {words.quantity(inputs.hours)} hours of staff time a month, whatever "
        f"the number of clusters, at {price}."
    )


def default_hour_rate() -> float:
    """What an hour costs where none was given, in US dollars."""
    return float(Inputs.model_fields["hour_rate"].default)


def amazon_mq(inputs: Inputs) -> str:
    """What Amazon MQ is priced as, which releases its type runs, and what is not known of it."""
    broker = broker_types()[inputs.amazon_mq or USUAL]
    form = form_of(inputs.deployment)
    disk = f"{words.quantity(disk_gb(inputs, broker, form))} GB of disk"
    what = f"one broker of {broker.broker_type} with {disk}"
    if form == "cluster":
        what = f"the service's cluster of three brokers of {broker.broker_type} with {disk} each"
    chosen = inputs.amazon_mq_gb is not None
    releases = words.listing(broker.releases_of(chosen_disk=chosen))
    disks = ", which have disks of a chosen size" if chosen else ""
    said = (
        f"Amazon MQ: {what}, as many as the traffic takes, and clients' traffic across zones; no alarms. "
        f"It runs RabbitMQ {releases}{disks}. Its capacity is {amazon_mq_capacity(inputs).describe()}; it "
        f"counts with all brokers up, as no call can stop one. {_hours_of_amazon_mq(inputs)}"
    )
    return f"{said}{_between_brokers(inputs)}"


def _hours_of_amazon_mq(inputs: Inputs) -> str:
    if inputs.amazon_mq_hours is None:
        return "We found no source for how much staff time it takes, so none is added."
    return f"Its bill includes {words.quantity(inputs.amazon_mq_hours)} hours of staff time a month."


def _between_brokers(inputs: Inputs) -> str:
    if brokers_of(inputs.deployment) == 1:
        return ""
    share_asked = inputs.amazon_mq_inter_node
    copies = words.quantity(round(sum(each.times for each in between_brokers(inputs)), 3))
    if share_asked:
        return (
            f" Traffic between its brokers ({copies} times a message) is priced at {share(share_asked)} of "
            "the price across zones."
        )
    if share_asked is not None:
        return " Nothing is priced of the traffic between its brokers."
    return (
        f" Nor does any source say what traffic between its brokers ({copies} times a message) is charged: "
        "nothing is priced, and intervals reach up to the price across zones."
    )


def _question(question: CostQuestion) -> str:
    inputs = question.priced_with
    free = "free requests deducted" if inputs.free_tier else "no free requests"
    return (
        f"Prices {question.price_book}: {_requests(inputs)} billed SQS requests per "
        f"message; {free}; {inputs.nodes} x {inputs.instance}; {words.quantity(inputs.hours_per_month)} "
        "hours a month."
    )


def _requests(inputs: Inputs) -> str:
    return words.quantity(round(requests_per_message(inputs), 3))
