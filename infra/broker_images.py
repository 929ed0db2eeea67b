"""The images that broker nodes are launched from: baked when the stack is deployed, or the account's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.build_place import build_place
from infra.context import DEBIAN_NAMES, Context
from infra.images import Architecture, BrokerImage, Debian
from infra.network import Network
from infra.storage import Storage

#: with RabbitMQ 3.10, the last that Debian ships with mirrored queues; "13" has 4.0, for the quorum trio
PAIRS_RELEASE: Debian = "12"


class BrokerImages(Construct):
    """``of_pair``: architecture -> the id of the image that the mirrored pair's nodes are launched from."""

    of_pair: Mapping[str, str]

    def __init__(
        self, scope: Construct, construct_id: str, *, context: Context, network: Network, storage: Storage
    ) -> None:
        super().__init__(scope, construct_id)
        own = self._own(context.image) if context.image else None
        if own and not context.bake:
            self.of_pair = {context.node_architecture: own}
            return
        place = build_place(self, "Build", context=context, storage=storage, brokers=network.vpc)
        images = {
            architecture: BrokerImage(
                self,
                f"Pair-{architecture}",
                name=context.stack_name,
                place=place,
                release=PAIRS_RELEASE,
                architecture=cast(Architecture, DEBIAN_NAMES[architecture]),
                parent=own,
                tags=context.tags,
            )
            for architecture in context.baked
        }
        self.of_pair = {architecture: image.image_id for architecture, image in images.items()}

    def _own(self, parameter: str) -> str:
        """The id that the account's parameter holds at deployment."""
        return ec2.MachineImage.from_ssm_parameter(parameter).get_image(self).image_id
