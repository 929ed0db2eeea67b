"""A lane's end: its nodes and brokers go, its secrets are deleted; where it broke stands on record."""

from __future__ import annotations

import time

from breakeven.installation import TARGET_TAG
from breakeven.planning.execution_limits import RELEASE_LIMIT_S
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.aws_clients import Ec2, Mq
from breakeven.steps.instances import Instance, our_instances
from breakeven.steps.managed_brokers import NotYetError, delete_broker, our_brokers
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.terms import TargetName

#: how long EC2 may not know an instance that it has launched: seconds, as a rule ("Eventual consistency in
#: the Amazon EC2 API", Amazon EC2 Developer Guide)
KNOWN_WITHIN_S = 20.0
POLL_S = 0.5


def release_lane(
    services: Services, ec2: Ec2, mq: Mq, run_id: str, target: TargetName | None = None
) -> list[str]:
    """Terminate the nodes of a lane (of the whole run without ``target``), and delete its broker of Amazon MQ
    and its secrets.

    Instances are found by tag, so that one whose launch was never recorded is found too. One that is on
    record and that EC2 does not know is waited for: it may have been launched a moment ago. Returns what was
    let go of.

    :raises NotYetError: its broker is still being created; all else is done
    """
    ids = _all_launched(services, ec2, run_id, target)
    if ids:
        ec2.terminate_instances(InstanceIds=ids)
    services.store.delete_all(layout.secrets_prefix(run_id, target))
    brokers = _all_created(services, mq, run_id, target) if target and record_of(target).broker else []
    later = [error for error in (_not_deleted(mq, broker) for broker in brokers) if error]
    if later:
        raise later[0]
    gone = [*ids, *brokers]
    if target:
        services.state(run_id).update(lane_item(target), status="released", released=gone)
    return gone


def comes_again(services: Services, run_id: str, target: TargetName) -> bool:
    """Whether the lane goes on waiting for its broker, which cannot be deleted yet; the first time begins it.

    One that outlasts the wait is left to the run's end, and to the watchdog after that.
    """
    state, item = services.state(run_id), lane_item(target)
    since = state.get(item).get("release_since") or round(time.time())
    state.update(item, release_since=since)
    return time.time() - since <= RELEASE_LIMIT_S


def _not_deleted(mq: Mq, broker: str) -> NotYetError | None:
    """Why it is left for later; None where it is deleted. Others do not wait for one that must."""
    try:
        delete_broker(mq, broker)
    except NotYetError as error:
        return error
    return None


def _all_created(services: Services, mq: Mq, run_id: str, target: TargetName) -> list[str]:
    """By tag, and by the lane's record: one that was asked for a moment ago may not be listed yet."""
    recorded = services.state(run_id).get(lane_item(target)).get("broker_id")
    listed = [each.id for each in our_brokers(mq, run_id, target) if each.stands]
    return list(dict.fromkeys([*([recorded] if recorded else []), *listed]))


def instances_of(ec2: Ec2, run_id: str, target: TargetName | None = None) -> list[str]:
    """The nodes of a lane (of the whole run without ``target``) that are there, and not on their way out."""
    return [each.id for each in _launched(ec2, run_id, target) if each.stands]


def _all_launched(services: Services, ec2: Ec2, run_id: str, target: TargetName | None) -> list[str]:
    recorded = services.state(run_id).get(lane_item(target)).get("instance_ids", []) if target else []
    deadline = time.monotonic() + KNOWN_WITHIN_S
    while True:
        found = {each.id: each for each in _launched(ec2, run_id, target)}
        if set(recorded) <= found.keys() or time.monotonic() > deadline:
            return [each.id for each in found.values() if each.stands]
        time.sleep(POLL_S)


def _launched(ec2: Ec2, run_id: str, target: TargetName | None) -> list[Instance]:
    return our_instances(ec2, run_id, {TARGET_TAG: target} if target else None)


def fail_leg(services: Services, run_id: str, target: TargetName, where: str, reason: str) -> None:
    """Record on the lane and the run where a leg broke."""
    state = services.state(run_id)
    state.update(lane_item(target), status="failed", failed_at=where, reason=reason)
    state.update(RUN, leg_failed_at=where, leg_failed_reason=reason)
