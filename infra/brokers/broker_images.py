"""The images of broker nodes: baked by the first run that needs them, or the account's own."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.brokers.image_builders import BrokerImage, BuildPlace, Debian
from infra.foundation import Foundation

#: with RabbitMQ 3.10, the last that Debian ships with mirrored queues; "13" has 4.0, for the quorum trio
PAIRS_RELEASE: Debian = "12"
#: how much longer CloudFormation waits for the function than that may run
GRACE = cdk.Duration.minutes(1)


class BrokerImages(Construct):
    """``baked``: architecture -> image that runs bake; ``own``: architecture -> id of one that is complete.

    ``place``: where builders are launched; None where nothing is baked.
    """

    baked: Mapping[str, BrokerImage]
    own: Mapping[str, str]
    place: BuildPlace | None

    def __init__(self, scope: Construct, construct_id: str, base: Foundation) -> None:
        super().__init__(scope, construct_id)
        context = base.context
        self.baked, self.own, self.place = {}, {}, None
        # the id that the account's parameter holds at deployment
        parent = ec2.MachineImage.from_ssm_parameter(context.image) if context.image else None
        own = parent.get_image(self).image_id if parent else None
        if own and not context.bake:
            self.own = {context.node_architecture: own}
            return
        place = BuildPlace(self, "Build", context=context, storage=base.storage, brokers=base.network.vpc)
        self.place = place
        self.baked = {
            architecture: BrokerImage(
                self,
                f"Pair-{architecture}",
                context=context,
                place=place,
                results=base.results,
                release=PAIRS_RELEASE,
                architecture=architecture,
                parent=own,
            )
            for architecture in context.baked
        }

    @property
    def architectures(self) -> list[str]:
        """That nodes can have."""
        return [*self.baked, *self.own]

    def removed_by(self, function: lambda_.Function) -> None:
        """Have the images go with the stack, which has not made them."""
        timeout = function.timeout or cdk.Duration.seconds(3)
        cdk.CustomResource(
            self,
            "Removal",
            service_token=function.function_arn,
            resource_type="Custom::BakedImages",
            service_timeout=timeout.plus(GRACE),
        )
