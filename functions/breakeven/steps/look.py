"""What is looked at while nothing runs: broker nodes that should be gone, and when a run last went well."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from breakeven.installation import OWNER_TAG, RUN_TAG, installation
from breakeven.planning.deadline import MAX_RUN_S, TAIL_S
from breakeven.results.items import RUN
from breakeven.results.state import RunState, Table

#: the partition of what is known of the installation; no run's id begins like this
HEALTH, GOOD_RUN = "#health", "good_run"
DAY_S = 86_400.0
STATES = ["pending", "running", "stopping", "stopped"]


class Ec2(Protocol):
    """The part of boto3's EC2 client that is used."""

    def get_paginator(self, operation_name: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Nodes:
    """``overdue``: of those up, the instances whose run must have ended by now."""

    up: int
    overdue: list[str]


def note_good_run(table: Table, run_id: str) -> None:
    """Remember that a run went well. Kept for good, unlike what is known of a run."""
    RunState(table, HEALTH).update(GOOD_RUN, expires_at=None, at=round(time.time()), run_of=run_id)


def days_since_good_run(table: Table) -> float:
    """Days since a run last went well; before there was any, since this was first asked."""
    health = RunState(table, HEALTH)
    item = health.get(GOOD_RUN) or health.update(GOOD_RUN, expires_at=None, at=round(time.time()))
    return float(max(0.0, (time.time() - item["at"]) / DAY_S))


def look_at_nodes(table: Table, ec2: Ec2) -> Nodes:
    """The installation's broker nodes, whatever run they are of."""
    found = list(_nodes(ec2))
    ends = {run_id: _end_of(table, run_id) for run_id, _, _ in found}
    now = time.time()
    overdue = [
        instance for run_id, instance, launched in found if now > (ends[run_id] or launched + MAX_RUN_S)
    ]
    return Nodes(len(found), overdue)


def _end_of(table: Table, run_id: str) -> float | None:
    """When the run does nothing any more, epoch seconds: its deadline and what may come after it."""
    deadline = RunState(table, run_id).get(RUN).get("deadline_at") if run_id else None
    return None if deadline is None else float(deadline) + TAIL_S


def _nodes(ec2: Ec2) -> Iterator[tuple[str, str, float]]:
    """Run, instance and launch time (epoch seconds) of each."""
    filters = [
        {"Name": f"tag:{OWNER_TAG}", "Values": [installation().owner]},
        {"Name": "instance-state-name", "Values": STATES},
    ]
    for page in ec2.get_paginator("describe_instances").paginate(Filters=filters):
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
                yield tags.get(RUN_TAG, ""), instance["InstanceId"], instance["LaunchTime"].timestamp()
