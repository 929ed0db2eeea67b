"""Rows of the tables about a case's nodes, and what was done to them; ``samples`` says how they are made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from breakeven.loadgen.case_figures import NodeFigures
from breakeven.results.schemas import columns
from tests.trino.sample_tables import STAGES, STARTED_S
from tests.trino.samples import TEXTS, Row, Sample, sample

COUNTED = ("injected_sends", "injected_receives", "injected_deletes", "calls_seen")


@sample
def faults(given: Sample) -> Iterator[Row]:
    """Within and after what was measured, some at the same time; and of a node that never was."""
    random = given.random
    for case_id in [*given.case_ids[1:], *given.orphans]:
        for number in range(1, random.choice((1, 2, 4))):
            due_s = random.choice((0.0, 2.0, random.uniform(0, 25)))
            due_at_s = given.maybe(STARTED_S + STAGES["measure"] + due_s)
            done_at_s = given.maybe(due_at_s and due_at_s + random.uniform(0, 1))
            yield {
                "case_id": case_id,
                "number": number,
                "kind": random.choice(("kill", "stop", "pause", "reset")),
                "aimed_at": random.choice(("leader", "other", "2")),
                "node": done_at_s and random.choice(("rabbit@a", "rabbit@b")),
                "due_s": due_s,
                "for_s": random.choice((1.0, 30.0)),
                "extent": given.maybe("100 ms later"),
                "due_at_s": due_at_s,
                "done_at_s": done_at_s,
                "back_at_s": given.maybe(done_at_s and done_at_s + random.uniform(1, 40)),
                "in_sync": given.maybe(random.random() < 0.8),
                "error": None if done_at_s else random.choice(TEXTS),
                **{name: given.maybe(random.randrange(1000)) for name in COUNTED},
            }
    # from the first the case recovers
    for number, due_s in enumerate((12.0, 20.5, 29.0), start=1):
        yield {
            "case_id": given.case_ids[0],
            "number": number,
            "kind": "kill",
            "aimed_at": "leader",
            "node": "rabbit@a",
            "due_s": due_s,
            "for_s": 2.0,
            "due_at_s": STARTED_S + STAGES["measure"] + due_s,
            "done_at_s": STARTED_S + STAGES["measure"] + due_s + 0.125,
            "back_at_s": STARTED_S + STAGES["measure"] + due_s + 3,
            "in_sync": True,
        }


@sample
def nodes(given: Sample) -> Iterator[Row]:
    """Sampled from before the first stage on, and not in every second."""
    for case_id, node in itertools.product([*given.case_ids[2:], *given.orphans], ("rabbit@a", "rabbit@b")):
        phase = given.random.random()
        for second in range(12):
            if given.random.random() < 0.1:
                continue
            figures = {
                name: given.maybe(_figure(given, kind))
                for name, kind in columns(NodeFigures).items()
                if name != "taken"
            }
            at_s = round(STARTED_S - 2 + phase + second, 3)
            taken = given.maybe("process tree")
            yield {
                "case_id": case_id,
                "node": node,
                "second": second,
                "at_s": at_s,
                "taken": taken,
                **figures,
            }
    # of a version that did not say when
    yield {"case_id": given.case_ids[2], "node": "rabbit@a", "second": 99, "depth": 1}


#: metric, statistic and unit, by the part that it is of
METRICS = {
    "broker": (("SystemCpuUtilization", "Average", "Percent"),),
    "node": (("SystemCpuUtilization", "Average", "Percent"), ("RabbitMQMemUsed", "Average", "Bytes")),
    "queue": (
        ("NumberOfMessagesSent", "Sum", "Count"),
        ("ApproximateAgeOfOldestMessage", "Maximum", "Seconds"),
    ),
}


@sample
def service_minutes(given: Sample) -> Iterator[Row]:
    """Of several queues and nodes, and not every minute has come; quarters, which add up in any order."""
    random = given.random
    for case_id, part in itertools.product([*given.case_ids[1:5], *given.orphans], METRICS):
        names = (None,) if part == "broker" else ("a", "b")
        for name, (metric, statistic, unit) in itertools.product(names, METRICS[part]):
            lost = 1.0 if random.random() < 0.2 else 0.2
            for minute in range(random.randint(1, 4)):
                yield {
                    "case_id": case_id,
                    "target": "amazon-mq-cluster",
                    "part": part,
                    "name": name,
                    "metric": metric,
                    "statistic": statistic,
                    "unit": unit,
                    "minute_s": int(STARTED_S // 60 + minute) * 60,
                    "seconds": 60.0 if minute else random.randint(0, 240) / 4,
                    "value": given.maybe(random.randint(0, 10**6) / 4, null=lost),
                }


def _figure(given: Sample, kind: str) -> float | int | str:
    if kind == "string":
        return given.random.choice(TEXTS)
    return given.count(10**13) if kind == "bigint" else given.random.uniform(0, 1e9)
