"""What runs leave in the simulated account: looked for, made, and another installation's beside it."""

from __future__ import annotations

from contextlib import suppress

from breakeven.installation import OWNER_TAG, RUN_GROUP, RUN_TAG, Installation
from breakeven.results import layout
from tests.support.workflow.workflow_runs import Workflow

OURS = Installation().owner
#: of an installation beside this one, in runs of the same names
THEIRS = "team-b-QueueBreakeven"


def standing(workflow: Workflow, run_id: str, owner: str = OURS) -> dict[str, int]:
    """What there is of the run, by kind."""
    ec2, sqs = workflow.plane.client("ec2"), workflow.plane.client("sqs")
    tagged = [
        {"Name": f"tag:{OWNER_TAG}", "Values": [owner]},
        {"Name": f"tag:{RUN_TAG}", "Values": [run_id]},
    ]
    up = {"Name": "instance-state-name", "Values": ["pending", "running"]}
    reservations = ec2.describe_instances(Filters=[*tagged, up])["Reservations"]
    tags = []
    for url in sqs.list_queues().get("QueueUrls", []):
        with suppress(sqs.exceptions.QueueDoesNotExist):  # its run has deleted it meanwhile
            tags.append(sqs.list_queue_tags(QueueUrl=url).get("Tags", {}))
    volumes = ec2.describe_volumes(Filters=tagged)["Volumes"]
    interfaces = ec2.describe_network_interfaces(Filters=tagged)["NetworkInterfaces"]
    return {
        "instances": sum(len(reservation["Instances"]) for reservation in reservations),
        "queues": sum((tag.get(OWNER_TAG), tag.get(RUN_TAG)) == (owner, run_id) for tag in tags),
        "secrets": len(workflow.store().keys(layout.secrets_prefix(run_id))),
        "unused volumes": sum(volume["State"] == "available" for volume in volumes),
        "unused interfaces": sum(interface["Status"] == "available" for interface in interfaces),
    }


#: access and cookie, and what each of two nodes has registered
WHOLE = {"instances": 2, "queues": 1, "secrets": 4, "unused volumes": 0, "unused interfaces": 0}
NOTHING = dict.fromkeys(WHOLE, 0)


def leave(workflow: Workflow, run_id: str, owner: str) -> None:
    """What a launch that broke off would leave: an interface and a volume that no instance uses."""
    ec2 = workflow.plane.client("ec2")
    tags = [{"Key": OWNER_TAG, "Value": owner}, {"Key": RUN_TAG, "Value": run_id}]
    subnet = ec2.describe_subnets()["Subnets"][0]
    ec2.create_network_interface(
        SubnetId=subnet["SubnetId"], TagSpecifications=[{"ResourceType": "network-interface", "Tags": tags}]
    )
    ec2.create_volume(
        AvailabilityZone=subnet["AvailabilityZone"],
        Size=1,
        TagSpecifications=[{"ResourceType": "volume", "Tags": tags}],
    )


def make_theirs(workflow: Workflow, run_id: str) -> None:
    """What another installation's run of the same name would have; its secrets are in a bucket of its own."""
    leave(workflow, run_id, THEIRS)
    tags = {OWNER_TAG: THEIRS, RUN_TAG: run_id}
    ec2 = workflow.plane.client("ec2")
    ec2.run_instances(
        ImageId=ec2.describe_images()["Images"][0]["ImageId"],
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": tags[key]} for key in tags]}
        ],
    )
    # its queues have a prefix of their own; this one has not, and is told apart by its tag alone
    for name in (f"team-b-be-{run_id}", f"be-{run_id}-of-theirs"):
        workflow.plane.client("sqs").create_queue(QueueName=name, tags=tags)


OF_THEIRS = {"instances": 1, "queues": 2, "secrets": 0, "unused volumes": 1, "unused interfaces": 1}


def tasks_standing(workflow: Workflow, run_id: str) -> dict[str, int]:
    """What there is of the run's tasks, and of what was made for them."""
    ecs, ec2 = workflow.plane.client("ecs"), workflow.plane.client("ec2")
    (cluster,) = ecs.list_clusters()["clusterArns"]
    arns = ecs.list_tasks(cluster=cluster)["taskArns"]
    tasks = ecs.describe_tasks(cluster=cluster, tasks=arns)["tasks"] if arns else []
    filters = [{"Name": f"tag:{RUN_TAG}", "Values": [run_id]}]
    endpoints = ec2.describe_vpc_endpoints(Filters=filters)["VpcEndpoints"]
    return {
        "tasks": sum(
            task["group"] == f"{RUN_GROUP}{run_id}" and task["lastStatus"] != "STOPPED" for task in tasks
        ),
        "endpoints": sum(each["State"].lower() not in ("deleting", "deleted") for each in endpoints),
    }
