"""Templates of instances: broker nodes, and those that their images are made of.

A lane launches its nodes and terminates them after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.agent.node_orders import ANSWER_ENDING, ORDER_ENDING
from breakeven.installation import BUCKET_TAG, OWNER_TAG
from breakeven.results import layout
from breakeven.targets.catalog import clusters
from breakeven.targets.records.rabbitmq_records import ROOT_DEVICE
from infra.foundation import Foundation
from infra.statements import service_role

#: GB of a node's volume, where a suite says nothing
VOLUME_GB = max(nodes.volume_gb for nodes in clusters().values())


class Brokers(Construct):
    """:param images: name -> id of an image that is the account's own; the template names that

    Where none is, the run that launches nodes names the one that it has baked.
    """

    def __init__(
        self, scope: Construct, construct_id: str, base: Foundation, images: Mapping[str, str]
    ) -> None:
        super().__init__(scope, construct_id)
        context, results = base.context, base.results
        self.images = images
        does = "a broker node: reads its lane's credentials and orders, registers its address"
        self.role = service_role(self, "NodeRole", "ec2", does)
        orders = f"{layout.faults_prefix('*', '*')}*"
        results.allow_reading(self.role, "secrets/*", f"{orders}{ORDER_ENDING}", f"{orders}{ANSWER_ENDING}")
        results.allow_listing(self.role, "secrets/*", orders)
        results.allow_writing(self.role, "secrets/*/peers/*", "secrets/*/nodes/*")
        results.allow_writing(
            self.role, f"{orders}{ANSWER_ENDING}", f"{layout.samples_prefix('*', '*')}*.json.gz"
        )
        self.launch_template = launch_template(
            self,
            "LaunchTemplate",
            image=images.get(context.node_architecture),
            instance_type=context.instance_type,
            volume_gb=VOLUME_GB,
            role=self.role,
            security_group=base.network.brokers,
            associate_public_ip_address=False,
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.TERMINATE,
        )
        cdk.Tags.of(self.launch_template).add(OWNER_TAG, context.stack_name)
        cdk.Tags.of(self.launch_template).add(BUCKET_TAG, results.bucket.bucket_name)


@jsii.implements(ec2.IMachineImage)
class Ami:
    """:param image: an id in whatever region, or ``resolve:ssm:`` and a parameter, looked up at launch"""

    def __init__(self, image: str) -> None:
        self._image = image

    def get_image(self, scope: Construct) -> ec2.MachineImageConfig:
        return ec2.MachineImageConfig(
            image_id=self._image,
            os_type=ec2.OperatingSystemType.LINUX,
            user_data=ec2.UserData.for_linux(),  # asked for; a template that gives its own has that
        )


def launch_template(
    scope: Construct, construct_id: str, *, image: str | None, instance_type: str, volume_gb: int, **own: Any
) -> ec2.LaunchTemplate:
    """A template of one encrypted disk, whose instances read their tags from their metadata.

    :param image: as ``Ami`` takes it; None where whoever launches names it
    """
    volume = ec2.BlockDeviceVolume.ebs(
        volume_gb, encrypted=True, volume_type=ec2.EbsDeviceVolumeType.GP3, delete_on_termination=True
    )
    return ec2.LaunchTemplate(
        scope,
        construct_id,
        machine_image=Ami(image) if image else None,
        instance_type=ec2.InstanceType(instance_type),
        require_imdsv2=True,
        instance_metadata_tags=True,
        block_devices=[ec2.BlockDevice(device_name=ROOT_DEVICE, volume=volume)],
        **own,
    )
