"""The images of broker nodes: baked by the first run that needs them, or the account's own."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from breakeven.targets.catalog import clusters
from breakeven.terms import Debian
from breakeven.workload.machines import image_name
from infra.brokers.image_builders import BrokerImage, BuildPlace
from infra.foundation import Foundation

#: Debian's, whose RabbitMQ some target's brokers are
RELEASES: list[Debian] = sorted({nodes.debian for nodes in clusters().values()})
#: an image of the account's own that ours are made of is of this one
PARENTS: Debian = "12"
#: names in the stack, the first as it has always been
CONSTRUCTS: Mapping[Debian, str] = {"12": "Pair", "13": "Trio"}
#: how much longer CloudFormation waits for the function than that may run
GRACE = cdk.Duration.minutes(1)


class BrokerImages(Construct):
    """``baked``: name -> image that runs bake; ``own``: name -> id of one that is complete.

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
            # whichever release it is, it is every target's
            self.own = {image_name(each, context.node_architecture): own for each in RELEASES}
            return
        place = BuildPlace(self, "Build", context=context, storage=base.storage, brokers=base.network.vpc)
        self.place = place
        self.baked = {
            image_name(release, architecture): BrokerImage(
                self,
                f"{CONSTRUCTS[release]}-{architecture}",
                context=context,
                place=place,
                results=base.results,
                release=release,
                architecture=architecture,
                parent=own,
            )
            for release in ((PARENTS,) if own else RELEASES)
            for architecture in context.baked
        }

    @property
    def names(self) -> list[str]:
        """Of those that nodes can have."""
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
