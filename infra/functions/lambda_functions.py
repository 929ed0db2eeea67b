"""The Lambda functions: one code asset, one dependency layer, one function and role an entry point."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.brokers.broker_images import BrokerImages
from infra.brokers.broker_template import Brokers
from infra.brokers.network import Network
from infra.code import ARCHITECTURE, RUNTIME, code, dependencies
from infra.context.settings import Context
from infra.functions.environment import environment_of
from infra.functions.function_role import function_role
from infra.functions.grants import Grants
from infra.functions.image_grants import grant_images
from infra.functions.step import Step
from infra.functions.step_table import STEPS
from infra.functions.task_grants import grant_tasks
from infra.loaders.loader_tasks import LoaderTasks
from infra.results import Results
from infra.storage import Storage


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
        there = {None: True, "scheduled": context.is_scheduled, "baking": bool(images.baked)}
        for step_name, step in STEPS.items():
            if there[step.only]:
                for name, inside in step.functions(step_name):
                    self._make(name, step, inside=inside)
        grants = Grants(
            self._by_name,
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
        named = {is_inside: each for each, is_inside in STEPS[name].functions(name)}
        return self._by_name[named.get(inside, name)]

    def find(self, name: str) -> lambda_.Function | None:
        """The function of that name, where the context asks for it."""
        return self._by_name.get(name)

    def everyone(self) -> list[lambda_.Function]:
        return list(self._by_name.values())

    def _make(self, name: str, step: Step, *, inside: bool) -> None:
        log_group = self._storage.log_group(self, f"{name}Logs")
        self._by_name[name] = lambda_.Function(
            self,
            name,
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            code=self._code,
            layers=[self._layer],
            handler=f"handlers.{step.handler}.handler",
            timeout=cdk.Duration.seconds(step.limit_s),
            memory_size=step.memory_mb,
            role=function_role(self, f"{name}Role", log_group, inside=inside),
            log_group=log_group,
            tracing=lambda_.Tracing.ACTIVE,
            environment=environment_of(
                step.called, context=self._context, results=self._results, storage=self._storage
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
