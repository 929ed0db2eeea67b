"""The one stack: where results go, what runs, and the workflow that ties it together."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from breakeven.results import layout
from infra.brokers.broker_images import BrokerImages
from infra.brokers.broker_template import Brokers
from infra.context.settings import STACK, Context
from infra.foundation import Foundation
from infra.functions.lambda_functions import Functions
from infra.guards.alarms import AccountBudget, Alarms
from infra.guards.clean_up_rules import CleanUp
from infra.guards.schedule import Schedule
from infra.loaders.loader_image import LoaderImage
from infra.loaders.loader_tasks import LoaderTasks
from infra.network import Network
from infra.publication import HOME, Publication
from infra.results import Results
from infra.storage import Storage
from infra.workflow.workflow import Workflow

#: stands for the execution's name, which is the run's id
RUN_ID = "EXECUTION_NAME"
DESCRIPTION = "SQS or our own RabbitMQ: measured and priced"


class QueueBreakevenStack(cdk.Stack):
    """The construct's name is always the same, and so are logical ids; the stack's name has the prefix."""

    def __init__(self, scope: Construct, context: Context) -> None:
        super().__init__(
            scope,
            STACK,
            stack_name=context.stack_name,
            description=DESCRIPTION,
            env=cdk.Environment(region=context.region),
            synthesizer=cdk.DefaultStackSynthesizer(qualifier=context.bootstrap_qualifier),
        )
        for key, value in (context.tags or {}).items():
            cdk.Tags.of(self).add(key, value)
        if context.permissions_boundary:
            self._bound(context.permissions_boundary)
        storage = Storage(self, "Storage", context)
        network = Network(self, "Network", context, storage)
        results = Results(self, "Results", context=context, storage=storage)
        base = Foundation(context, storage, network, results)
        images = BrokerImages(self, "Images", base)
        brokers = Brokers(self, "Brokers", base, images.own)
        tasks = LoaderTasks(self, "Tasks", base, LoaderImage(self, "LoaderImage", storage=storage))
        functions = Functions(self, "Functions", base, brokers=brokers, images=images, tasks=tasks)
        if remover := functions.find("RemoveImages"):
            images.removed_by(remover)
        workflow = Workflow(self, "Workflow", base, functions, tasks)
        machine, topic = workflow.state_machine, workflow.topic
        clean_up = CleanUp(self, "CleanUp", base, functions=functions, state_machine=machine)
        if context.budget_usd:
            AccountBudget(self, "Purse", context.budget_usd, topic)
        starter = functions.find("StartScheduled")
        schedule = Schedule(self, "Schedule", base, starter=starter, machine=machine) if starter else None
        Alarms(
            self,
            "Alarms",
            context,
            functions=functions,
            machine=machine,
            topic=topic,
            undelivered=schedule.undelivered if schedule else None,
            dead_letters=clean_up.dead_letters,
        )
        publication = self._published(context, results, functions)
        declare_outputs(self, results=results, workflow=workflow, publication=publication)

    def _published(self, context: Context, results: Results, functions: Functions) -> Publication | None:
        """Where the context asks for it."""
        if not context.publish:
            return None
        made = Publication(self, "Publication", bucket=results.bucket, stack_name=context.stack_name)
        functions.get("BuildReport").add_environment("BREAKEVEN_SITE", made.site)
        return made

    def _bound(self, policy: str) -> None:
        """Every role of the stack, those that the CDK makes by itself among them, gets the boundary."""
        by_arn = policy.startswith("arn:")
        boundary = (
            iam.ManagedPolicy.from_managed_policy_arn(self, "Boundary", policy)
            if by_arn
            else iam.ManagedPolicy.from_managed_policy_name(self, "Boundary", policy)
        )
        iam.PermissionsBoundary.of(self).apply(boundary)


def declare_outputs(
    stack: cdk.Stack, *, results: Results, workflow: Workflow, publication: Publication | None
) -> None:
    """``StartExecution`` can be pasted into a shell as it stands; it names the run by the minute."""
    machine, bucket = workflow.state_machine.state_machine_arn, results.bucket.bucket_name
    start = (
        f"aws stepfunctions start-execution --region {cdk.Aws.REGION} --state-machine-arn {machine} "
        "--name run-$(date +%Y%m%d-%H%M) --input '{}'"
    )
    outputs = {
        "StartExecution": (start, "starts the default suite; the execution's name is the run's id"),
        "ReportLocation": (
            f"s3://{bucket}/{layout.published_key(RUN_ID, '')}",
            f"a run's report, its execution's name in the place of {RUN_ID}",
        ),
        "BucketName": (bucket, "results; kept when the stack is destroyed"),
        "StateMachineArn": (machine, "the workflow"),
        "StateTableName": (results.state_table.table_name, "runs and cases under way, for 90 days"),
        "TopicArn": (workflow.topic.topic_arn, "gets every run's verdict"),
    }
    if publication:
        outputs["ReportsUrl"] = (
            f"{publication.site}/{HOME}",
            "the latest report, for whoever has the address",
        )
    for name, (value, description) in outputs.items():
        cdk.CfnOutput(stack, name, value=value, description=description)
