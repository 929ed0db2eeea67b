"""Launch a lane's broker nodes, tell them what they must know, and say in words where EC2 has no room."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from breakeven.brokers.access import new_credentials
from breakeven.errors import CaseError, NoRoomYetError
from breakeven.installation import BUCKET_TAG, LEASE_TAG, NODES_TAG, RUN_TAG, TARGET_TAG, installation
from breakeven.planning.machine_availability import OTHER_ZONES, UPGRADE
from breakeven.results import layout
from breakeven.results.items import lane_item
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import Ec2
from breakeven.steps.instances import Instance, describe_instances, tagging
from breakeven.steps.lane.baked_images import image_for
from breakeven.steps.run_lease import check_deadline, longest_s
from breakeven.steps.services import Services
from breakeven.targets.records.rabbitmq_records import ROOT_DEVICE
from breakeven.terms import MOST_BROKER_ZONES, TargetName
from breakeven.workload.machines import Machines, nodes_of

#: what EC2 answers where the account's quota of instances has no room
QUOTA = {"InstanceLimitExceeded", "VcpuLimitExceeded"}
#: and where it has none itself, or the account for volumes
NO_ROOM = {*QUOTA, "InsufficientInstanceCapacity", "InsufficientCapacity", "VolumeLimitExceeded"}
#: EC2's answer, among others, where the account is on the free plan and the type is not eligible for it; the
#: message then says so
REFUSED, FREE_TIER = "InvalidParameterCombination", "eligible for Free Tier"
#: what EC2 may answer of an instance that it has launched just now ("Eventual consistency in the Amazon EC2
#: API", Amazon EC2 Developer Guide)
NOT_YET_KNOWN = "InvalidInstanceID.NotFound"
#: what a launch makes, all of which carries the tags
TAGGED = ("instance", "volume", "network-interface")
#: how long nodes are looked at until they run, which takes some seconds
STARTED_WITHIN_S, POLL_S = 20.0, 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """What nodes are launched from and into: ids of a launch template, a security group, and of subnets.

    :param subnets: by zone, in the order in which they are used where none is named
    :param images: name -> id of the image; of one that is not there a run has baked it (``images``)
    """

    template: str
    group: str
    subnets: Mapping[str, str]
    images: Mapping[str, str] = field(default_factory=dict)

    def dealt(self, nodes: int, machines: Machines | None) -> dict[str, int]:
        """How many of the nodes go to each zone: one after another, over the zones that there are, or the
        first three of more.

        :raises CaseError: the deployment has fewer zones than the suite asks for
        """
        there = (machines.zones if machines else ()) or tuple(self.subnets)
        zones = machines.among(there) if machines else there[:MOST_BROKER_ZONES]
        if machines and len(zones) < (machines.zone_count or 0):
            have = f"{machines.zone_count} zones are asked for, and this deployment has {len(there)}"
            raise CaseError(f"{have}: {OTHER_ZONES}")
        return dict(Counter(zones[node % len(zones)] for node in range(nodes)))


def launch(
    services: Services,
    ec2: Ec2,
    place: Place,
    run_id: str,
    target: TargetName,
    machines: Machines | None = None,
) -> None:
    """Make the lane's credentials and launch its nodes, with one call for each zone that they are dealt over.

    Called twice, it launches once (client tokens), with the credentials of the first time.

    :param machines: what they run on; None: what the launch template says
    :raises CaseError: the run's deadline has passed, their image could not be baked, EC2 has no room, or has
        ended what it had launched
    """
    check_deadline(services, run_id)
    key = layout.access_key(run_id, target)
    if not services.store.keys(key):
        services.store.put_secret(layout.cookie_key(run_id, target), secrets.token_hex(32))
        services.store.put_secret(key, new_credentials().model_dump_json())
    own = _own_machines(services, place, run_id, machines) if machines else {}
    nodes, ours = nodes_of(target, machines), installation()
    tags = ours.tags(_node_tags(services, run_id, target, nodes))
    lane, ids = services.state(run_id), list[str]()
    zones = place.dealt(nodes, machines)
    for zone, count in zones.items():
        with _no_room(machines, zone, count):
            answer = ec2.run_instances(
                LaunchTemplate={"LaunchTemplateId": place.template, "Version": "$Latest"},
                NetworkInterfaces=[_interface(place, zone)],
                MinCount=count,
                MaxCount=count,
                ClientToken=hashlib.sha256(f"{ours.owner}/{run_id}/{target}/{zone}".encode()).hexdigest(),
                TagSpecifications=tagging(TAGGED, tags),
                **own,
            )
        ids += [instance["InstanceId"] for instance in answer["Instances"]]
        # at once, as the next zone may have no room, and a search by tags may not find them yet
        image = answer["Instances"][0]["ImageId"]  # of all nodes of a lane
        lane.update(lane_item(target), status="launching", instance_ids=ids, image=image)
    lane.update(lane_item(target), status="launched", zones=list(zones))
    _await_start(ec2, ids)


def _await_start(ec2: Ec2, ids: list[str]) -> None:
    """EC2 launches what it then ends where it cannot start it, as for want of a key to its disk, and says so
    to who asks: "Troubleshoot Amazon EC2 instance launch issues", Instance terminates immediately.

    :raises CaseError: with what EC2 says; one that is not running yet is waited for by its registration
    """
    filters, deadline = [{"Name": "instance-id", "Values": ids}], time.monotonic() + STARTED_WITHIN_S
    while True:
        found: list[Instance] = []
        with SuppressCodes(NOT_YET_KNOWN):
            found = describe_instances(ec2, filters)
        for one in found:
            if not one.stands:
                why = one.state_reason or "it does not say why"
                raise CaseError(f"EC2 has ended {one.id} after its launch: {why}")
        running = [one for one in found if one.state == "running"]
        if len(running) == len(ids) or time.monotonic() > deadline:
            return
        time.sleep(POLL_S)


def _node_tags(services: Services, run_id: str, target: TargetName, nodes: int) -> dict[str, str]:
    """The tags by which a node finds its lane and knows when to go; see nodes/surroundings/aws.sh.

    All of them, whatever the launch template says: tags of a call may take the place of a template's.
    """
    tags = {
        BUCKET_TAG: services.store.bucket,
        RUN_TAG: run_id,
        TARGET_TAG: target,
        NODES_TAG: str(nodes),
        "Name": f"breakeven {target}",
    }
    if (lease_s := longest_s(services, run_id)) is not None:
        tags[LEASE_TAG] = str(lease_s)  # from the node's boot: a retry must ask for the very same
    return tags


def _own_machines(services: Services, place: Place, run_id: str, machines: Machines) -> dict[str, Any]:
    """What takes the place of the launch template's."""
    volume = {
        "VolumeSize": machines.volume_gb,
        "VolumeType": machines.volume_type,
        "Encrypted": True,
        "DeleteOnTermination": True,
        **({"Iops": machines.volume_iops} if machines.volume_iops else {}),
    }
    given = place.images.get(machines.image)
    return {
        "ImageId": given or image_for(services, run_id, machines.image),
        "InstanceType": machines.instance_type,
        "BlockDeviceMappings": [{"DeviceName": ROOT_DEVICE, "Ebs": volume}],
    }


@contextmanager
def _no_room(machines: Machines | None, zone: str, count: int) -> Iterator[None]:
    """That EC2 has none is an outcome of the lane's cases, not a fault of the run."""
    try:
        yield
    except ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
        what = f"{count} x {machines.instance_type}" if machines else "the nodes"
        if code == REFUSED and FREE_TIER in message:
            raise CaseError(
                f"EC2 does not launch {what} in an account of the free plan: {UPGRADE}"
            ) from error
        if code not in NO_ROOM:
            raise
        why = f"EC2 has no room for {what} in {zone} ({code}): run it again later, or on other machines"
        # the nodes of the lane before may be shutting down still, and count
        raise NoRoomYetError(why) if code in QUOTA else CaseError(why) from error


def _interface(place: Place, zone: str) -> dict[str, Any]:
    """The template's own, and where: EC2 takes no subnet beside a template that has an interface."""
    return {
        "DeviceIndex": 0,
        "SubnetId": place.subnets[zone],
        "Groups": [place.group],
        "AssociatePublicIpAddress": False,
        "DeleteOnTermination": True,
    }
