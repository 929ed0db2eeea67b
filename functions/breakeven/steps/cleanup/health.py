"""What is checked while nothing runs: broker nodes that should be gone, and when a run last went well."""

from __future__ import annotations

import time
from dataclasses import dataclass

from breakeven.installation import RUN_TAG
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.steps.aws_clients import Ec2
from breakeven.steps.instances import our_instances
from breakeven.steps.run.finish_run import GOOD_RUN, HEALTH
from breakeven.steps.run_lease import lease_until
from breakeven.steps.services import Services

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Nodes:
    """``overdue``: of those up, the instances whose run must have ended by now."""

    up: int
    overdue: list[str]


def days_since_good_run(services: Services) -> float:
    """Days since a run last went well; before there was any, since this was first asked."""
    health = services.state(HEALTH)
    item = health.get(GOOD_RUN) or health.update(GOOD_RUN, expires_at=None, at=round(time.time()))
    return float(max(0.0, (time.time() - item["at"]) / DAY_S))


def standing_nodes(services: Services, ec2: Ec2) -> Nodes:
    """The installation's broker nodes, whatever run they are of."""
    found = [each for each in our_instances(ec2) if each.stands]
    runs = {each.id: each.tags.get(RUN_TAG, "") for each in found}
    ends = {run_id: lease_until(services, run_id) if run_id else None for run_id in set(runs.values())}
    now = time.time()
    overdue = [each.id for each in found if now > (ends[runs[each.id]] or each.launched_at + MAX_RUN_S)]
    return Nodes(len(found), overdue)
