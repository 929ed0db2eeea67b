"""The steps' table: handler, limits and needs of each function of the workflow, and of those beside it.

A state is called by its step's name, behind the kind of its leg where each has one (``BrokerLoad``). So are
its function and its role, by which a deployed stack knows them: a name that changes here makes others.
"""

from __future__ import annotations

from breakeven.planning.budget.planning_assumptions import ONE_CORE_MB
from breakeven.results import layout
from infra.functions.step import SECRETS, Needs, Step

GET, QUERY, UPDATE = "dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"
RUNS, ROWS, ADVICE, CAPACITIES = "runs/*", "rows/*", "advice/*", "capacities/*"
REPORTS, LATEST = f"{layout.REPORTS}*", f"{layout.REPORTS}{layout.LATEST}/*"
ANSWERS, IMAGES = "athena/*", f"{layout.IMAGES}*"
DEPTH, DELETE_QUEUE, QUEUE_TAGS = "sqs:GetQueueAttributes", "sqs:DeleteQueue", "sqs:ListQueueTags"
DRIVE_QUEUE = ("sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage")
LIST_QUEUES, ASK_EXECUTION = "sqs:ListQueues", "states:DescribeExecution"
INSTANCES, BAKED = "ec2:DescribeInstances", "ec2:DescribeImages"
TERMINATE, UNREGISTER, DELETE_SNAPSHOT = "ec2:TerminateInstances", "ec2:DeregisterImage", "ec2:DeleteSnapshot"
IS_BUILT = "ecr:DescribeImages"
#: Lambda's own limit
LONGEST_MIN = 15


LIST_BROKERS, DESCRIBE_BROKER, DELETE_BROKER = "mq:ListBrokers", "mq:DescribeBroker", "mq:DeleteBroker"
#: what Amazon MQ asks for to end a broker's interfaces
ENDS_INTERFACES = ("ec2:DeleteNetworkInterface", "ec2:DetachNetworkInterface")
ENDS_PERMISSIONS = "ec2:DeleteNetworkInterfacePermission"
LIST_CONFIGURATIONS, DELETE_CONFIGURATION = "mq:ListConfigurations", "mq:DeleteConfiguration"
#: what Amazon MQ asks for, beside its own call, of whoever creates a private broker of RabbitMQ, as its
#: endpoint is made in our VPC. Source: see ``amazon_mq_grants``
CREATES_BROKERS = tuple(
    f"ec2:Describe{what}"
    for what in (
        *("InternetGateways", "NetworkInterfaces", "NetworkInterfacePermissions", "RouteTables"),
        *("SecurityGroups", "Subnets", "VpcEndpoints", "Vpcs"),
    )
)


def _releasing(*state: str, bound: tuple[str, ...] = ()) -> Needs:
    """Say what a step needs that cleans up all that a run has made."""
    return Needs(
        state,
        deletes=(SECRETS,),
        lists=(SECRETS,),
        queues=(QUEUE_TAGS, DELETE_QUEUE),
        asks=(
            INSTANCES,
            *(f"ec2:Describe{what}" for what in ("NetworkInterfaces", "Volumes", "VpcEndpoints")),
            LIST_QUEUES,
            *(LIST_BROKERS, LIST_CONFIGURATIONS),
        ),
        of_ours=(
            *(TERMINATE, "ec2:DeleteNetworkInterface", "ec2:DeleteVolume", "ec2:DeleteVpcEndpoints"),
            *(DESCRIBE_BROKER, DELETE_BROKER),
        ),
        bound=(
            *("ecs:ListTasks", "ecs:DescribeTasks", "ecs:StopTask", DELETE_CONFIGURATION),
            *(*ENDS_INTERFACES, ENDS_PERMISSIONS, *bound),
        ),
    )


STEPS = {
    # it asks for prices, zones and a quota, each of which may take its time
    "Plan": Step(
        "run.plan_run",
        2,
        Needs(
            (QUERY, UPDATE),
            reads=(RUNS, ROWS, ADVICE),
            writes=(RUNS, ROWS),
            lists=(RUNS, ROWS, ADVICE),
            asks=(
                "pricing:GetProducts",
                "ec2:DescribeInstanceTypeOfferings",
                "ec2:DescribeInstanceTypes",
                "freetier:GetAccountPlanState",
                "lambda:GetAccountSettings",
            ),
            bound=("servicequotas:GetServiceQuota", IS_BUILT, ASK_EXECUTION, BAKED),
        ),
        service="plan",
    ),
    "TakeLock": Step("run.take_lock", 1, Needs((GET, UPDATE), bound=(INSTANCES, ASK_EXECUTION))),
    # endpoints take minutes
    "EstablishTasks": Step(
        "tasks.establish_tasks",
        10,
        Needs(
            (UPDATE,),
            # EC2 asks for the others, too, of whoever makes an endpoint
            asks=tuple(f"ec2:Describe{of}" for of in ("SecurityGroups", "Subnets", "VpcEndpoints", "Vpcs")),
            bound=(
                "ec2:CreateVpcEndpoint",
                "ec2:CreateTags",
                "route53:AssociateVPCWithHostedZone",
                IS_BUILT,
            ),
        ),
        attempts=2,
    ),
    "WakeFunctions": Step(
        "lane.wake_functions",
        5,
        Needs(bound=("lambda:GetFunctionConfiguration", "lambda:InvokeFunction")),
    ),
    # a step of it at a time; older images are removed, whose snapshots are held for a while
    "BakeImages": Step(
        "lane.bake_images",
        5,
        Needs(
            (GET, UPDATE),
            reads=(IMAGES,),
            lists=(IMAGES,),
            asks=(BAKED, INSTANCES),
            of_ours=("ec2:GetConsoleOutput", TERMINATE, UNREGISTER, DELETE_SNAPSHOT),
            bound=(
                "ec2:RunInstances",
                "ec2:CreateImage",
                "ec2:CreateTags",
                "iam:PassRole",
                "ssm:GetParameters",
            ),
        ),
        attempts=3,
        only="baking",
    ),
    "LaunchBrokers": Step(
        "lane.launch_brokers",
        1,
        Needs(
            (GET, UPDATE),
            writes=(SECRETS,),
            lists=(SECRETS,),
            asks=(INSTANCES,),
            bound=("ec2:RunInstances", "ec2:CreateTags", "iam:PassRole"),
        ),
    ),
    # a step of it at a time
    "CreateBroker": Step(
        "lane.create_broker",
        1,
        Needs(
            (GET, UPDATE),
            reads=(SECRETS,),
            writes=(SECRETS,),
            lists=(SECRETS,),
            asks=(*CREATES_BROKERS, LIST_BROKERS),
            of_ours=(DESCRIBE_BROKER,),
            bound=(
                *("mq:CreateBroker", "mq:CreateTags", "iam:CreateServiceLinkedRole"),
                *("ec2:CreateVpcEndpoint", "ec2:CreateNetworkInterface"),
                *("ec2:CreateNetworkInterfacePermission", "route53:AssociateVPCWithHostedZone"),
                *(*ENDS_INTERFACES, ENDS_PERMISSIONS),
            ),
        ),
        attempts=3,
    ),
    "EstablishLane": Step(
        "lane.establish_lane",
        10,
        Needs((UPDATE,)),
        network="both",
        # it gathers the nodes, and tells the others of them
        inside=Needs(writes=(SECRETS,), lists=(SECRETS,)),
        # asked for one queue, to see the service answer
        outside=Needs(asks=(LIST_QUEUES,)),
    ),
    "WarmLane": Step(
        "lane.warm_lane",
        3,
        Needs(
            (UPDATE,),
            reads=(RUNS,),
            queues=("sqs:CreateQueue", "sqs:TagQueue", *DRIVE_QUEUE, DELETE_QUEUE),
        ),
        network="both",
        memory_mb=ONE_CORE_MB,
    ),
    "StopNodes": Step(
        "case.stop_nodes",
        5,
        Needs((GET,), reads=(RUNS,), asks=(INSTANCES,), of_ours=("ec2:StopInstances",)),
        attempts=2,
    ),
    "PrepareCase": Step(
        "case.prepare_case",
        2,
        Needs(
            (GET, UPDATE),
            reads=(RUNS,),
            writes=(RUNS,),
            queues=("sqs:CreateQueue", "sqs:TagQueue", DELETE_QUEUE),
        ),
        network="both",
    ),
    # never once it may have begun: a loader that was started twice would join late
    "Load": Step(
        "case.load",
        LONGEST_MIN,
        Needs(
            (GET, QUERY, UPDATE),
            reads=(RUNS,),
            writes=(RUNS,),
            queues=DRIVE_QUEUE,
        ),
        network="both",
        memory_mb=ONE_CORE_MB,
        attempts=0,
    ),
    "Watch": Step(
        "case.watch",
        LONGEST_MIN,
        Needs((GET, QUERY), reads=(RUNS,), writes=(RUNS,), lists=(RUNS,), queues=(DEPTH,)),
        network="both",
        attempts=0,
    ),
    # a reboot may be asked for once: it goes by what the call before has written
    "RebootBroker": Step(
        "case.reboot_broker",
        LONGEST_MIN,
        Needs(
            (GET, QUERY),
            reads=(RUNS,),
            writes=(RUNS,),
            lists=(RUNS,),
            of_ours=(DESCRIBE_BROKER, "mq:RebootBroker"),
        ),
        attempts=0,
    ),
    "SettleCase": Step(
        "case.settle_case",
        5,
        Needs((GET, UPDATE), reads=(RUNS,), writes=(RUNS, ROWS), lists=(RUNS,), queues=(DEPTH, DELETE_QUEUE)),
        network="both",
        memory_mb=ONE_CORE_MB,
        attempts=2,
    ),
    # a case that fails while a broker is rebooted waits for that
    "FailCase": Step(
        "case.fail_case",
        12,
        Needs(
            (GET, QUERY, UPDATE),
            reads=(RUNS,),
            writes=(RUNS, ROWS),
            lists=(RUNS,),
            queues=(DEPTH, DELETE_QUEUE),
        ),
        network="both",
        memory_mb=ONE_CORE_MB,
        attempts=2,
    ),
    "StartNodes": Step(
        "case.start_nodes",
        5,
        Needs((GET,), reads=(RUNS,), asks=(INSTANCES,), of_ours=("ec2:StartInstances",)),
        attempts=2,
    ),
    # what nodes leave in the lane, one that could not start among them
    "AwaitNodes": Step("case.await_nodes", 6, Needs(lists=(SECRETS,)), network="inside"),
    "FailLeg": Step(
        "lane.fail_leg",
        1,
        Needs((GET, UPDATE), reads=(RUNS,), writes=(ROWS,), lists=(RUNS,)),
        attempts=2,
    ),
    "ReleaseLane": Step(
        "lane.release_lane",
        2,
        Needs(
            (GET, UPDATE),
            deletes=(SECRETS,),
            lists=(SECRETS,),
            asks=(INSTANCES, LIST_BROKERS),
            of_ours=(TERMINATE, DESCRIBE_BROKER, DELETE_BROKER),
            bound=("ec2:DeleteVpcEndpoints", *ENDS_INTERFACES, ENDS_PERMISSIONS),
        ),
        attempts=3,
    ),
    "ReleaseRun": Step("cleanup.release_run", 3, _releasing(UPDATE), attempts=2),
    # where it fails, Lambda puts the event into a queue, as it
    "CleanUp": Step(
        "cleanup.clean_up",
        5,
        _releasing(UPDATE, bound=(ASK_EXECUTION, "sqs:SendMessage", DEPTH, "sqs:GetQueueUrl")),
    ),
    "Watchdog": Step("cleanup.watchdog", 5, _releasing(GET, QUERY, UPDATE, bound=(ASK_EXECUTION,))),
    # what of a metric is missing is asked for again; a large run's are many questions
    "ReadMetrics": Step(
        "run.read_metrics",
        5,
        Needs(
            (QUERY, UPDATE),
            reads=(RUNS, ROWS),
            writes=(ROWS,),
            lists=(ROWS,),
            asks=("cloudwatch:GetMetricData",),
        ),
        attempts=2,
    ),
    "PriceRun": Step(
        "run.price_run",
        2,
        Needs(
            (GET,),
            reads=(RUNS, ROWS, CAPACITIES),
            writes=(RUNS, ROWS, CAPACITIES),
            lists=(ROWS, CAPACITIES),
        ),
        attempts=2,
    ),
    "BuildReport": Step(
        "run.build_report",
        LONGEST_MIN,  # answers come by a thousand rows, and a long run has hundreds of thousands of them
        # it asks for the suite's earlier runs, and reads the report of the last comparable one
        Needs(
            (GET, QUERY, UPDATE),
            reads=(RUNS, ANSWERS, LATEST),
            writes=(RUNS, REPORTS),
            lists=(LATEST,),
            bound=("athena:GetQueryResults",),
        ),
        attempts=2,
        memory_mb=ONE_CORE_MB,
    ),
    "FinishRun": Step(
        "run.finish_run",
        1,
        Needs((GET, QUERY, UPDATE), reads=(RUNS, ADVICE), writes=(ADVICE,), lists=(ADVICE,)),
        attempts=2,
    ),
    "StartScheduled": Step(
        "run.start_scheduled",
        1,
        Needs(bound=("states:StartExecution", "sqs:SendMessage")),
        only="scheduled",
    ),
    # when a run last went well, what is known of nodes' runs, and which nodes are up
    "Look": Step(
        "cleanup.health",
        1,
        Needs((GET, UPDATE), asks=(INSTANCES, LIST_BROKERS), of_ours=(DESCRIBE_BROKER,)),
        service="look",
    ),
    "RemoveImages": Step(
        "cleanup.remove_images",
        5,
        Needs(
            asks=(BAKED, INSTANCES, "ec2:DescribeSnapshots"), of_ours=(TERMINATE, UNREGISTER, DELETE_SNAPSHOT)
        ),
        only="baking",
    ),
}
#: those that clean up all that a run has made; the last two are no part of its workflow
RELEASING = ("ReleaseRun", "CleanUp", "Watchdog")
