"""The records of Amazon SQS's queues."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from breakeven.targets.record import Guarantees, Look, MostInHand, Rates, TargetRecord, Waits
from breakeven.targets.records.cloudwatch_metrics import SQS_METRICS
from breakeven.terms import SQS_HIDDEN_S, SQS_MAX_MESSAGE_BYTES, TargetName

#: milliseconds of a call to SQS; a fast one, so that what is billed by the request is not estimated too low
SQS_CALL_MS = 10.0

#: blue and vermilion are told apart in every common colour blindness; marks differ as well
SQS_LOOK = Look("#0b5fa5", "#86b3d9", "s")

SQS_STANDARD = TargetRecord(
    name=TargetName("sqs-standard"),
    label="SQS standard",
    short_label="SQS",
    service="Amazon SQS",
    opened_by="breakeven.targets.sqs.sqs_standard:SqsStandard",
    local_provenance="emulated",
    reference_client="boto3",
    endpoint="sqs",
    max_message_bytes=SQS_MAX_MESSAGE_BYTES,
    pushes=False,
    window_is_connections=True,
    has_capacity=False,
    batches=True,
    request_price="standard_request",
    open_loop={"consume": "get", "prefetch": 1, "window": 10},
    # it answers a send when the message is stored, and an unknown queue is an error
    fixed={"confirms": True, "persistent": True, "mandatory": True},
    # the least visibility timeout of a queue of ours, and 60 s, since an empty receive proves nothing. A
    # receive whose answer was lost hides its message for that timeout (Amazon SQS Developer Guide, "Amazon
    # SQS visibility timeout"), and short polls may miss it for a while
    waits=Waits(unknown=SQS_HIDDEN_S + 60.0, hidden=SQS_HIDDEN_S + 5.0),
    most_in_hand=MostInHand(
        12 * 3600.0 - SQS_HIDDEN_S,
        "a message is handed out again",
        "Amazon SQS Developer Guide, 'Amazon SQS visibility timeout': at most 12 hours from its receipt",
    ),
    rates={
        "aws": Rates(
            produce_each=1000 / SQS_CALL_MS,
            produce_most=inf,
            consume_each=1000 / (2 * SQS_CALL_MS),
            consume_most=inf,
            unconfirmed=None,
            bytes_per_s=None,
            source="assumed: 10 ms a call from a function of the same region, and no limit of the service's: "
            "its guide reckons with 20 ms, a measurement of 2022 had 16 ms for a send and a receive together",
        ),
        "local": Rates(
            produce_each=500,
            produce_most=1600,
            consume_each=330,
            consume_most=1100,
            unconfirmed=None,
            bytes_per_s=4.5e6,
            source="the native client against ElasticMQ on 2 shared cores, 2026-11-23: 507 sent, and 334 "
            "received and deleted at the same time, by one thread; 1,690 and 1,170 apart by five; 70 of 64K",
        ),
    },
    open_lane_s={"aws": 5, "local": 5},
    look=SQS_LOOK,
    software="sqs",
    service_metrics=SQS_METRICS,
    guarantees=Guarantees(
        zones="several in the region, by the service",
        copies="several, by the service",
        encryption="TLS; at rest by default (SSE-SQS)",
        partition="hidden by the service",
        release="managed; no releases",
    ),
    guarantees_locally=Guarantees(
        zones="one process on this machine; the service: several",
        copies="one, in memory; the service: several",
        encryption="none here; the service: TLS and at rest",
        partition="cannot happen here; the service hides it",
        release="{server}, a stand-in",
    ),
)

#: a message group's calls of a kind, a second. Source: Amazon SQS Developer Guide, "High throughput for FIFO
#: queues": each partition supports 300 without batches, a group is in one, and several may share it
_GROUP_CALLS_PER_S = 300
SQS_FIFO = replace(
    SQS_STANDARD,
    name=TargetName("sqs-fifo"),
    label="SQS FIFO",
    short_label="SQS FIFO",
    opened_by="breakeven.targets.sqs.sqs_fifo:SqsFifo",
    request_price="fifo_request",
    groups="producer",
    # a producer's messages are in order only if one call waits for the one before
    open_loop={"consume": "get", "prefetch": 1, "window": 1},
    rates={
        "aws": replace(
            SQS_STANDARD.rates["aws"],
            produce_each=min(1000 / SQS_CALL_MS, _GROUP_CALLS_PER_S),
            produce_most=2400,
            consume_most=2400,
            source="assumed: 10 ms a call as of a standard queue, and the quota of high-throughput mode in "
            "the regions that have least; us-east-1, us-west-2 and eu-west-1 have 70,000 calls a second",
        ),
        "local": SQS_STANDARD.rates["local"],
    },
    look=Look("#0e7490", "#8fc7d4", "P"),
)
