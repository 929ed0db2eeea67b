"""What broker nodes are launched from. A lane launches its nodes and terminates them after."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
import jsii
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from breakeven.installation import BUCKET_TAG, OWNER_TAG
from breakeven.targets.kinds import KINDS, ROOT_DEVICE
from infra.context import Context
from infra.network import Network
from infra.results import Results

PAIR = KINDS["rabbitmq-mirrored-pair"]


@jsii.implements(ec2.IMachineImage)
class Ami:
    """An image that is known by its id, in whatever region."""

    def __init__(self, image_id: str) -> None:
        self._id = image_id

    def get_image(self, scope: Construct) -> ec2.MachineImageConfig:
        return ec2.MachineImageConfig(
            image_id=self._id,
            os_type=ec2.OperatingSystemType.LINUX,
            user_data=ec2.UserData.for_linux(),  # asked for, and not used: nodes are told by their tags
        )


class Brokers(Construct):
    """:param images: architecture -> id of the image; the template has that of the deployment's own"""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        context: Context,
        network: Network,
        results: Results,
        images: Mapping[str, str],
    ) -> None:
        super().__init__(scope, construct_id)
        self.images = images
        self.role = iam.Role(
            self,
            "NodeRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            description="a broker node: reads its lane's credentials, registers its address",
        )
        results.allow_reading(self.role, "secrets/*")
        results.allow_listing(self.role, "secrets/*")
        results.allow_writing(self.role, "secrets/*/peers/*", "secrets/*/nodes/*")
        self.launch_template = ec2.LaunchTemplate(
            self,
            "LaunchTemplate",
            machine_image=Ami(images[context.node_architecture]),
            instance_type=ec2.InstanceType(context.instance_type),
            role=self.role,
            security_group=network.brokers,
            require_imdsv2=True,
            instance_metadata_tags=True,  # a node learns its lane from them
            associate_public_ip_address=False,
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.TERMINATE,
            block_devices=[
                ec2.BlockDevice(
                    device_name=ROOT_DEVICE,
                    volume=ec2.BlockDeviceVolume.ebs(
                        PAIR.volume_gb,
                        encrypted=True,
                        volume_type=ec2.EbsDeviceVolumeType.GP3,
                        delete_on_termination=True,
                    ),
                )
            ],
        )
        cdk.Tags.of(self.launch_template).add(OWNER_TAG, context.stack_name)
        cdk.Tags.of(self.launch_template).add(BUCKET_TAG, results.bucket.bucket_name)
