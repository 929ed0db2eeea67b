"""What broker nodes are launched from. A lane launches its nodes and terminates them after."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from breakeven.targets.kinds import KINDS
from infra.context import Context
from infra.network import Network
from infra.results import Results

PAIR = KINDS["rabbitmq-mirrored-pair"]


class Brokers(Construct):
    def __init__(
        self, scope: Construct, construct_id: str, *, context: Context, network: Network, results: Results
    ) -> None:
        super().__init__(scope, construct_id)
        self.role = iam.Role(
            self,
            "NodeRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            description="a broker node: reads its lane's credentials, registers its address",
        )
        results.allow_reading(self.role, "secrets/*")
        results.allow_listing(self.role)
        results.allow_writing(self.role, "secrets/*/peers/*", "secrets/*/nodes/*")
        self.launch_template = ec2.LaunchTemplate(
            self,
            "LaunchTemplate",
            machine_image=ec2.MachineImage.from_ssm_parameter(context.broker_image),
            instance_type=ec2.InstanceType(context.instance_type),
            role=self.role,
            security_group=network.brokers,
            require_imdsv2=True,
            instance_metadata_tags=True,  # a node learns its lane from them
            associate_public_ip_address=False,
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.TERMINATE,
            block_devices=[
                ec2.BlockDevice(
                    device_name="/dev/xvda",
                    volume=ec2.BlockDeviceVolume.ebs(
                        PAIR.volume_gb,
                        encrypted=True,
                        volume_type=ec2.EbsDeviceVolumeType.GP3,
                        delete_on_termination=True,
                    ),
                )
            ],
        )
        cdk.Tags.of(self.launch_template).add("breakeven:owner", context.stack_name)
        cdk.Tags.of(self.launch_template).add("breakeven:bucket", results.bucket.bucket_name)
