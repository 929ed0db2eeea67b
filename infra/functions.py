"""The Lambda functions: one code asset, one dependency layer, one function and role an entry point."""

from __future__ import annotations

from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.broker_images import BrokerImages
from infra.brokers import Brokers
from infra.code import ARCHITECTURE, RUNTIME, code, dependencies
from infra.context import Context
from infra.environment import environment_of
from infra.grants import Grants
from infra.image_grants import grant_images
from infra.loader_tasks import LoaderTasks
from infra.network import Network
from infra.results import Results
from infra.roles import function_role
from infra.storage import Storage
from infra.task_grants import grant_tasks

LAMBDA_LIMIT = cdk.Duration.minutes(15)


@dataclass(frozen=True, slots=True)
class Entry:
    """One function. ``network``: inside (reaches brokers), outside (reaches AWS services), or both kinds.

    ``of_runs``: it is a step of the workflow, and works on a run's state and documents.
    """

    handler: str
    network: str
    timeout: cdk.Duration
    memory_mb: int = 512
    of_runs: bool = True


def minutes(n: float) -> cdk.Duration:
    return cdk.Duration.seconds(int(n * 60))


#: name -> entry; ``both`` makes two functions, suffixed InVpc and Outside
ENTRIES = {
    # it asks for prices, zones and a quota, each of which may take its time
    "Plan": Entry("plan", "outside", minutes(2)),
    "TakeLock": Entry("take_lock", "outside", minutes(1)),
    # endpoints take minutes
    "EstablishTasks": Entry("establish_tasks", "outside", minutes(10)),
    "WakeFunctions": Entry("wake_functions", "outside", minutes(5)),
    # a step of it at a time; older images are removed, whose snapshots are held for a while
    "BakeImages": Entry("bake_images", "outside", minutes(5)),
    "LaunchBrokers": Entry("launch_brokers", "outside", minutes(1)),
    "EstablishLane": Entry("establish_lane", "both", minutes(10)),
    "StopNodes": Entry("stop_nodes", "outside", minutes(5)),
    "PrepareCase": Entry("prepare_case", "both", minutes(2)),
    # 1,769 MB is one vCPU: a loader with less would measure its own throttling
    "Load": Entry("load", "both", LAMBDA_LIMIT, memory_mb=1769),
    "Watch": Entry("watch", "both", LAMBDA_LIMIT),
    "SettleCase": Entry("settle_case", "both", minutes(5), memory_mb=1769),
    "FailCase": Entry("fail_case", "both", minutes(3), memory_mb=1769),
    "StartNodes": Entry("start_nodes", "outside", minutes(5)),
    "AwaitNodes": Entry("await_nodes", "inside", minutes(6)),
    "FailLeg": Entry("fail_leg", "outside", minutes(1)),
    "ReleaseLane": Entry("release_lane", "outside", minutes(2)),
    "ReleaseRun": Entry("release_run", "outside", minutes(3)),
    "CleanUp": Entry("clean_up", "outside", minutes(5)),
    "Watchdog": Entry("watchdog", "outside", minutes(5)),
    "BuildReport": Entry("build_report", "outside", minutes(5), memory_mb=1769),
    "FinishRun": Entry("finish_run", "outside", minutes(1)),
    "StartScheduled": Entry("start_scheduled", "outside", minutes(1), of_runs=False),
    "Look": Entry("look", "outside", minutes(1), of_runs=False),
    "RemoveImages": Entry("remove_images", "outside", minutes(5), of_runs=False),
}


class Functions(Construct):
    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        context: Context,
        network: Network,
        results: Results,
        brokers: Brokers,
        images: BrokerImages,
        storage: Storage,
        tasks: LoaderTasks,
    ) -> None:
        super().__init__(scope, construct_id)
        self._context, self._network, self._results, self._storage = context, network, results, storage
        self._code, self._layer = code(self), dependencies(self)
        self._by_name: dict[str, lambda_.Function] = {}
        without = set() if context.is_scheduled else {"StartScheduled"}
        without |= set() if images.baked else {"BakeImages", "RemoveImages"}
        for name, entry in ENTRIES.items():
            if name in without:
                continue
            for inside in {"inside": [True], "outside": [False], "both": [True, False]}[entry.network]:
                self._make(name, entry, inside=inside)
        apart = {name for name, entry in ENTRIES.items() if not entry.of_runs}
        grants = Grants(
            self._by_name,
            apart,
            context=context,
            network=network,
            results=results,
            brokers=brokers,
            architectures=images.architectures,
        )
        grants.all()
        grant_images(self._by_name, images, context=context)
        grant_tasks(self._by_name, tasks, context=context, network=network, results=results)
        acknowledge(
            self,
            {
                "L1": "Python 3.13 is what the dependencies' wheels are locked and fetched for, and AWS "
                "maintains it until 2029; the release moves when the lock does."
            },
        )

    def get(self, name: str, *, inside: bool = False) -> lambda_.Function:
        """The function of that name; of those that exist twice, the one inside the VPC or outside."""
        if ENTRIES[name].network == "both":
            name += "InVpc" if inside else "Outside"
        return self._by_name[name]

    def find(self, name: str) -> lambda_.Function | None:
        """The function of that name, where the context asks for it."""
        return self._by_name.get(name)

    def everyone(self) -> list[lambda_.Function]:
        return list(self._by_name.values())

    def _make(self, name: str, entry: Entry, *, inside: bool) -> None:
        if entry.network == "both":
            name += "InVpc" if inside else "Outside"
        log_group = self._storage.log_group(self, f"{name}Logs")
        self._by_name[name] = lambda_.Function(
            self,
            name,
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            code=self._code,
            layers=[self._layer],
            handler=f"handlers.{entry.handler}.handler",
            timeout=entry.timeout,
            memory_size=entry.memory_mb,
            role=function_role(self, f"{name}Role", log_group, inside=inside),
            log_group=log_group,
            tracing=lambda_.Tracing.ACTIVE,
            environment=environment_of(
                entry.handler, context=self._context, results=self._results, storage=self._storage
            ),
            **self._placement(inside=inside),
        )

    def _placement(self, *, inside: bool) -> dict[str, object]:
        if not inside:
            return {}
        return {
            "vpc": self._network.vpc,
            "vpc_subnets": ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            "security_groups": [self._network.loaders],
        }
