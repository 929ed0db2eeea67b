"""What verdict and detail say of money: no more than was priced, and why where lines never cross."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.money.crossover_tables import crossover_table
from breakeven.report.money.never_crossing import why_never
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import PLAN, in_detail, noted, said, sentence

AS_USED, BATCHED, RABBITMQ = "sqs-as-used", "sqs-batched", "rabbitmq"


def main_rows(*changes: dict[str, Any], sqs: str = AS_USED) -> list[dict[str, Any]]:
    """The sample's rows with those of one pair replaced: one row for each of ``changes``."""
    rows = money.answers()["crossover"]
    pair = (sample.QUESTION, sqs, RABBITMQ)
    own = [row for row in rows if (row["question_id"], row["sqs_option"], row["other_option"]) == pair]
    others = [row for row in rows if row not in own]
    first = own[0] | {"until_msg_per_s": None}  # SQS batched is cheaper again far above
    return [*(first | {"number": n} | change for n, change in enumerate(changes, 1)), *others]


def as_used(*changes: dict[str, Any]) -> str:
    """What is said of SQS as used (one message a call)."""
    report = sample.report(PLAN, crossover=main_rows(*changes))
    return sentence(report.verdict.split("\n\n")[1], "As used (one message a call)")


def compared(*changes: dict[str, Any]) -> str:
    """What is said of SQS batched beside clusters of one's own alone."""
    report = sample.report(PLAN, crossover=main_rows(*changes, sqs=BATCHED))
    return sentence(in_detail(report)["The headline"], "Without Amazon MQ")


#: messages so small that traffic costs less than SQS at its lowest price: each pair changes places once
ONCE = {"message_bytes": 512}
NO_INTERVAL = {"low_msg_per_s": None, "high_msg_per_s": None}
NEVER = (
    NO_INTERVAL
    | dict.fromkeys(("number", "msg_per_s", "messages_per_month", "messages_per_hour", "usd_per_month"))
    | {"kind": "never"}
)


def test_it_opens_with_what_is_cheapest_where_and_all_that_moves_it():
    first, follows, measured = said()
    assert first == (
        "With 1 KiB messages in us-east-1, SQS batched is the cheapest below about 1,160 messages a second "
        "(between 303 and 1,160), and a RabbitMQ pair of m7g.large in 2 zones above that, up to about 2,330 "
        "(between 2,330 and 6,040). At 1,000 messages a second SQS batched costs $315.16 a month, $17.42 "
        "less than RabbitMQ; at about 1,210 RabbitMQ costs $375.57 a month, $6.30 less. These prices are "
        "before staff time."
    )
    assert follows == (
        "Above about 2,330 messages a second (between 2,330 and 6,040), Amazon MQ is the cheapest. These "
        "prices suppose that each RabbitMQ cluster can carry 4,950 messages a second and each Amazon MQ "
        "cluster 9,990 (more at higher rates), with free traffic between Amazon MQ's brokers. As used (one "
        "message a call), SQS is cheaper than RabbitMQ only below about 44 a second (between 32 and 44). "
        "With 8 staff hours a month at $75 an hour, RabbitMQ is cheaper than SQS as used from about 247 a "
        "second and than SQS batched from about 7,660, if it carries the load."
    )
    assert (
        measured
        == "Both cases were measured on this machine (SQS emulated), and none of 8,642 messages was lost."
    )


def test_where_amazon_mq_may_undercut_nothing_its_condition_is_said_once():
    """Beside a trio whose clients are all at the leader: Amazon MQ's copies, if charged, cost the same."""
    first, follows, _ = said(deployment="trio", leader_hop_share=0.0, client_zone_share=0.0)
    assert "a RabbitMQ trio of m7g.large in 3 zones above that, up to about 3,280 (or no crossing)." in first
    assert follows.startswith(
        "Above about 3,280 messages a second (or no crossing if traffic between Amazon MQ's brokers is "
        "charged), Amazon MQ is the cheapest. "
    )


def test_all_else_is_said_by_subject():
    beside = {"Speeds", "Messages", "Other clusters"}
    assert {subject: text for subject, text in noted().items() if subject not in beside} == {
        "The headline": (
            "It supposes that a RabbitMQ cluster can carry 4,950 messages a second at peak and each Amazon "
            "MQ cluster of mq.m7g.large carries at least 9,990 msg/s and traffic between its brokers, "
            "whose price no source gives, is free. At higher rates they must carry more. Without Amazon "
            "MQ, SQS batched and long-polled is cheaper than a RabbitMQ pair of m7g.large in 2 zones below "
            "about 1,160 messages a second (between 303 and 1,160); above that, RabbitMQ is, up to about "
            "676,000, above which SQS batched and long-polled is cheaper again, if a cluster can carry 4,950 "
            "messages a second at peak there (more at higher rates), and before staff time. Left out, though "
            "cheaper than SQS batched from lower rates on: one RabbitMQ node (206 a second) and one Amazon "
            "MQ broker (697 a second), as nothing takes over from either, and a RabbitMQ quorum trio (1,020 "
            "a second), as the question is of a mirrored RabbitMQ pair."
        ),
        "The break-even": (
            "As used (one message a call), SQS is cheaper than RabbitMQ only below about 44 "
            "a second (between 32 and 44). A mean of 44 messages a second is 115 million messages a "
            "month, at which either option costs $138.26 a month. The interval covers what is not known: "
            "empty receives (none to one per message). "
            "The estimate is its upper end, as it is priced with no empty receives. "
            "The interval of its crossing with SQS batched covers what is not known: how full batches of SQS "
            "batched are (half to full). The estimate is its upper end, as it is priced with full batches."
        ),
        "Latency near it": (
            "Near 44 messages a second this run has no case of either side that kept up, with messages of "
            "about that size, so what is given up in latency there is not known."
        ),
        "Message sizes and zones": (
            "Across 2 zones, running your own is never cheaper than SQS as used (one message a call) with "
            "messages of 24 KiB or more, nor than SQS batched with messages of 2 KiB or more (of the sizes "
            "priced). In one zone, with 1 KiB messages, it is cheaper than SQS as used (one message a call) "
            "above about 41 messages a second and than SQS batched above about 411 messages a second."
        ),
        "What a cluster must carry": (
            "At the crossing of 44 messages a second a cluster must carry at least 188 messages a second at "
            "peak with one node down (a peak of 3 times the mean, 70% utilisation); this run did not measure "
            "what a cluster carries on EC2."
        ),
        "Staff time": (
            "These figures exclude staff time. At 1,000 messages a second running your own saves $2,821 a "
            "month against SQS as used (one message a call), before staff time: it is cheaper if it takes "
            "less than 37.6 hours a month at $75 an hour; against SQS batched and long-polled it costs "
            "$17.42 a month more. With 8 hours of staff time a month running your own is cheaper than SQS as "
            "used (one message a call) from about 247 msg/s on (between 182 and 247) and than SQS batched "
            "from about 7,660 msg/s on (between 1,710 and 7,660) (priced up to about 100,000 msg/s)."
        ),
        "Prices": (
            "Queue only: what consumers cost is not in these figures. Prices: AWS's list prices of us-east-1"
            ", but for Amazon MQ's cluster.mq.m7g.large of 2026-10-01 (derived: three times "
            "the single broker, as for every mq.m5 type; two third-party price tables, one checked in "
            "October 2026; in no AWS data that was read). The price book was put together on 2026-11-20; "
            "each price used stands in a source of 2025-02-13 or later."
        ),
    }


def test_batches_that_were_asked_for_are_named_once_as_what_the_estimate_takes_for_full():
    tens = {"send_batch": 10.0, "receive_batch": 10.0, "delete_batch": 10.0}
    report = sample.report(PLAN, **money.answers(amazon_mq=None, **tens, **ONCE))
    text = next(one.text for one in report.detail if one.subject == "The break-even")
    assert (
        "it is priced with no empty receives and full batches. The interval of its crossing with SQS batched"
        in text
    )
    assert text.endswith("The estimate is its upper end, as it is priced with full batches.")


def test_the_rate_of_eight_hours_is_that_of_a_question_with_eight_hours():
    own = sentence(noted(hours=8.0, **ONCE)["The headline"], "Without Amazon MQ")
    assert "below about 3,890 messages a second (between 1,450 and 3,890); above that, RabbitMQ is" in own
    assert own.endswith("at peak there (more at higher rates), and with 8 hours of staff time a month")
    assert "only below about 241 a second" in said(hours=8.0, **ONCE)[1]
    assert (
        "from about 241 a second and than SQS batched from about 3,890, if it carries the load."
        in said(**ONCE)[1]
    )
    takes = noted(**ONCE)["Staff time"]
    assert "from about 241 msg/s on" in takes
    assert "from about 3,890 msg/s on" in takes


def test_hours_that_the_headline_has_are_not_followed_by_others():
    first, follows, _ = said(hours=20.0)
    assert "These prices include 20 hours of staff time a month for RabbitMQ" in first
    assert "hours" not in follows


def test_where_it_never_pays_with_staff_time_that_is_said():
    assert said(capacity_msg_per_s=150.0)[1].endswith(
        "RabbitMQ is cheaper than SQS as used at no rate priced and than SQS batched at no rate priced."
    )


def test_where_it_pays_at_no_rate_there_is_no_load_to_carry():
    follows = said(message_bytes=65536)[1]
    assert follows.endswith("at no rate priced and than SQS batched at no rate priced.")


def test_fifo_is_named_where_its_requests_are_what_is_priced():
    first, follows, _ = said(queue="fifo")
    assert "SQS FIFO batched is the cheapest below" in first
    assert "SQS FIFO batched and long-polled is cheaper than" in noted(queue="fifo")["The headline"]
    assert "As used (one message a call), SQS FIFO is cheaper than RabbitMQ only below about 35 " in follows


def test_a_size_that_never_wins_is_named_with_its_zones():
    sizes = "Message sizes and zones"
    one_zone = noted(broker_zones=1, client_zone_share=0.0)[sizes]
    assert "can be cheaper than SQS batched with messages of up to 256 KiB" in one_zone
    single = {"deployment": "single", "client_zone_share": 0.0}
    assert "In one zone, running your own can be cheaper than SQS as used" in noted(**single)[sizes]
    assert "cheaper than RabbitMQ on one m7g.large below" in said(**single)[0]
    assert "and hold if a node can carry 882 messages a second at peak at the crossing" in said(**single)[0]
    assert "nor than SQS batched, whatever the size of messages" in noted(capacity_msg_per_s=150.0)[sizes]


def test_the_estimate_is_no_end_of_an_interval_that_lies_about_it():
    assert "The estimate is" not in noted(empty_receives=0.0, capacity_msg_per_s=3000.0)["The break-even"]


def test_without_anything_uncertain_no_interval_is_shown():
    known = {"empty_receives": 0.0, "batch_fill": 1.0, "amazon_mq_inter_node": 0.0}
    assert not any("(between" in paragraph for paragraph in (*said(**known), *noted(**known).values()))
    assert "interval" not in noted(**known)["The break-even"]


def test_peoples_hours_that_were_given_are_said_to_be_in_the_sums():
    reported = " ".join(noted(hours=20.0, hour_rate=90.0).values())
    assert "The cluster's bill includes 20 hours of staff time a month at $90 an hour." in reported
    assert "exclude staff time" not in reported


def test_large_messages_never_cross_and_the_traffic_is_why():
    first, follows, *_ = said(message_bytes=65536)
    why, takes = (noted(message_bytes=65536)[subject] for subject in ("The break-even", "Staff time"))
    assert "With 64 KiB messages in us-east-1, SQS batched and long-polled is cheaper than" in first
    assert "supposes" not in follows
    assert "As used (one message a call), SQS is cheaper than RabbitMQ at every rate priced." in follows
    assert "As used (one message a call), SQS is cheaper than RabbitMQ at every rate priced. At 64" in why
    assert (
        "At 64 KiB a message, a million more messages cost $3.68 on a RabbitMQ pair of m7g.large (traffic "
        "across zones) and $1.20 on SQS as used (requests): no traffic is large enough to pay for the "
        "brokers."
    ) in why
    assert "running your own costs $7,558 a month more before any staff time" in takes


def test_within_the_free_requests_no_price_of_a_message_is_a_reason():
    """237,000 of a million requests a month: the next million messages would cost nothing on SQS."""
    why = noted(message_bytes=65536, msg_per_s=0.03)["The break-even"]
    assert "a million more messages cost" not in why


def test_small_clusters_never_cross_and_their_price_is_why():
    why = noted(capacity_msg_per_s=150.0)["The break-even"]
    assert (
        "Each cluster costs $129.34 a month for the 35.0 messages a second that it is priced to carry: $1.41 "
        "a million messages, $1.48 with traffic across zones, against $1.20 for SQS as used."
    ) in why


def test_brokers_that_are_always_cheaper():
    inputs = {"sqs_path": "nat", "client_zones": 6, "instance": "t4g.small", "existing_requests": 1e9}
    first, all_of_it = said(**inputs)[0], noted(**inputs)
    why = all_of_it["The break-even"]
    assert "a RabbitMQ pair of t4g.small in 2 zones is the cheapest below about " in first
    assert (
        "a RabbitMQ pair of t4g.small in 2 zones is cheaper than SQS batched and long-polled at"
        in all_of_it["The headline"]
    )
    assert "As used (one message a call), SQS costs more than RabbitMQ at every rate priced." in why
    assert (
        "Before the first message, SQS as used costs $219.20 a month (NAT gateway hours $197.10, NAT gateway "
        "addresses $21.90 and alarms $0.20)"
    ) in why


def test_clusters_that_step_past_sqs_again_and_again():
    inputs = {"capacity_msg_per_s": 200.0, "empty_receives": 0.0}
    assert (
        "only below about 44 a second (or no crossing, depending on what is not known), and again above "
        "about 47 (above which the cheaper one changes 36 more times)."
    ) in said(**inputs)[1]
    assert (
        "The cheaper option changes 38 times, the last time at 16,400 messages a second"
        in noted(**inputs)["The break-even"]
    )


@pytest.mark.parametrize(
    ("inputs", "options", "when"),
    [
        ({}, (RABBITMQ, "amazon-mq"), " if traffic between Amazon MQ's brokers is charged"),
        ({}, (AS_USED, RABBITMQ), " if receives are often empty"),
        ({}, (BATCHED, RABBITMQ), " if batches are half full"),
        ({"capacity_msg_per_s": 3000.0}, (BATCHED, RABBITMQ), ", depending on what is not known"),
        (
            {"batch_fill": 0.8, "batch_fill_low": 0.7, "batch_fill_high": 0.9},
            (BATCHED, RABBITMQ),
            ", depending on what is not known",
        ),
    ],
)
def test_when_there_may_be_no_crossing(inputs, options, when):
    question = sample.report(PLAN, **money.answers(**inputs)).headline_question
    assert question.may_be_none(*options) == when


def test_a_step_names_the_one_who_pays():
    step = {"kind": "step", "cheaper_below": RABBITMQ, "cheaper_above": AS_USED} | NO_INTERVAL
    report = sample.report(PLAN, crossover=main_rows(step))
    assert as_used(step) == (
        "As used (one message a call), RabbitMQ is cheaper below about 44 a second; above that, "
        "SQS is cheaper"
    )
    assert "at which SQS costs $138.26 a month" in in_detail(report)["The break-even"]


@pytest.mark.parametrize(
    ("until", "above", "sentence"),
    [
        (None, None, "above that, both cost the same"),
        (80.0, RABBITMQ, "above that, both cost the same, up to about 80"),
    ],
)
def test_a_tie(until, above, sentence):
    tie = {"kind": "tie", "equal_until_msg_per_s": until, "cheaper_above": above} | NO_INTERVAL
    assert as_used(tie).endswith(f"SQS is cheaper below about 44 a second; {sentence}")


def test_a_touch_changes_nothing():
    touch = {"kind": "touch", "cheaper_above": AS_USED} | NO_INTERVAL
    assert as_used(touch).endswith("SQS is cheaper than RabbitMQ at every rate priced")


def test_a_touch_before_the_change_of_sides_is_not_the_break_even():
    touch = {"kind": "touch", "cheaper_above": AS_USED, "until_msg_per_s": 70.0} | NO_INTERVAL
    later = {"msg_per_s": 70.0} | NO_INTERVAL
    assert as_used(touch, later).endswith("than RabbitMQ only below about 70 a second")


def test_a_crossing_above_all_that_was_priced_is_no_row_and_is_not_named():
    beyond = {"msg_per_s": 2e6}
    assert compared(beyond).endswith(
        "is cheaper than a RabbitMQ pair of m7g.large in 2 zones at every rate searched, up to about "
        "2,000,000 messages a second, where a price ends, even before staff time"
    )


def test_a_price_that_is_not_known():
    unpriced = NEVER | {"kind": "unpriced", "cheaper_below": None, "cheaper_above": None}
    report = sample.report(PLAN, crossover=main_rows(unpriced, sqs=BATCHED))
    assert report.verdict.startswith("A price needed for the break-even is not known")
    assert [
        why_never(crossing, report.cost_questions[0], report.bills)
        for crossing in report.crossovers
        if crossing.kind == "unpriced"
    ] == [""]


def test_an_interval_that_not_every_combination_has_says_so():
    report = sample.report(PLAN, crossover=main_rows({"corners_with": 1}))
    assert "1 of 2 combinations have this crossing" in in_detail(report)["The break-even"]


def test_without_its_bills_no_reason_is_made_up():
    answers = money.answers(message_bytes=65536) | {"bills": ()}
    report = sample.report(PLAN, **answers)
    assert [
        why_never(crossing, report.cost_questions[0], report.bills) for crossing in report.crossovers
    ] == [""] * len(report.crossovers)


def test_the_table_of_crossings_says_when_there_is_none():
    report = sample.report(PLAN, **money.answers(deployment="trio"))
    notes = crossover_table(report, None).notes
    (condition,) = [note for note in notes if note.startswith("Or no crossing")]
    pair = "SQS batched and long-polled against RabbitMQ trio of m7g.large"
    assert condition == f"Or no crossing if batches are half full: {pair}."
    assert any("Amazon MQ's price is as listed" in note for note in notes)


def test_where_brokers_are_cheapest_first_what_they_need_is_said_once():
    change = {"cheaper_below": RABBITMQ, "cheaper_above": BATCHED} | NO_INTERVAL
    assert compared(change).endswith(
        "a RabbitMQ pair of m7g.large in 2 zones is cheaper than SQS batched and long-polled below about "
        "1,160 messages a second; above that, SQS is, if a cluster can carry the load, and before staff time"
    )
