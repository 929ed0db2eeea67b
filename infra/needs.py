"""What the code of each function does with state, objects and queues: all that its role allows of them.

Tests hold this against the calls that are made, both ways (tests/e2e/test_clean_up.py): a call that is not
here is denied on AWS, and what is here and never called must have a reason in tests/grants/implied.yaml.
"""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.results import layout

GET, QUERY, UPDATE = "dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"
RUNS, ROWS, SECRETS, ADVICE = "runs/*", "rows/*", "secrets/*", "advice/*"
IMAGES = f"{layout.IMAGES}*"
DEPTH, DELETE_QUEUE, QUEUE_TAGS = "sqs:GetQueueAttributes", "sqs:DeleteQueue", "sqs:ListQueueTags"


@dataclass(frozen=True, slots=True)
class Needs:
    """``lists``: where it looks what objects there are, as it does before it reads one that may be missing.

    ``queues``: what it does to the managed service's queues, when it is outside of the VPC.
    """

    state: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()


#: by entry; functions inside the VPC read their lane's credentials, too
NEEDS = {
    "Plan": Needs(
        (QUERY, UPDATE), reads=(RUNS, ROWS, ADVICE), writes=(RUNS, ROWS), lists=(RUNS, ROWS, ADVICE)
    ),
    "TakeLock": Needs((GET, UPDATE)),
    "WakeFunctions": Needs(),
    "EstablishTasks": Needs((UPDATE,)),
    "BakeImages": Needs((GET, UPDATE), reads=(IMAGES,), lists=(IMAGES,)),
    "LaunchBrokers": Needs((GET, UPDATE), writes=(SECRETS,), lists=(SECRETS,)),
    "EstablishLane": Needs((UPDATE,)),
    "StopNodes": Needs((GET,), reads=(RUNS,)),
    "PrepareCase": Needs(
        (GET, UPDATE), reads=(RUNS,), writes=(RUNS,), queues=("sqs:CreateQueue", "sqs:TagQueue", DELETE_QUEUE)
    ),
    "Load": Needs(
        (GET, QUERY, UPDATE),
        reads=(RUNS,),
        writes=(RUNS,),
        queues=("sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage"),
    ),
    "Watch": Needs((GET, QUERY), reads=(RUNS,), writes=(RUNS,), lists=(RUNS,), queues=(DEPTH,)),
    "SettleCase": Needs(
        (GET, UPDATE), reads=(RUNS,), writes=(RUNS, ROWS), lists=(RUNS,), queues=(DEPTH, DELETE_QUEUE)
    ),
    "FailCase": Needs(
        (GET, QUERY, UPDATE), reads=(RUNS,), writes=(RUNS, ROWS), lists=(RUNS,), queues=(DEPTH, DELETE_QUEUE)
    ),
    "StartNodes": Needs((GET,), reads=(RUNS,)),
    # what nodes leave in the lane, one that could not start among them
    "AwaitNodes": Needs(lists=(SECRETS,)),
    "FailLeg": Needs((GET, UPDATE), reads=(RUNS,), writes=(ROWS,), lists=(RUNS,)),
    "ReleaseLane": Needs((GET, UPDATE), deletes=(SECRETS,), lists=(SECRETS,)),
    "ReleaseRun": Needs((UPDATE,), deletes=(SECRETS,), lists=(SECRETS,), queues=(QUEUE_TAGS, DELETE_QUEUE)),
    "CleanUp": Needs((UPDATE,), deletes=(SECRETS,), lists=(SECRETS,), queues=(QUEUE_TAGS, DELETE_QUEUE)),
    "Watchdog": Needs(
        (GET, QUERY, UPDATE), deletes=(SECRETS,), lists=(SECRETS,), queues=(QUEUE_TAGS, DELETE_QUEUE)
    ),
    "BuildReport": Needs((GET, UPDATE), reads=(RUNS, "athena/*"), writes=(RUNS,)),
    "FinishRun": Needs((GET, QUERY, UPDATE), reads=(RUNS, ADVICE), writes=(ADVICE,), lists=(ADVICE,)),
}
