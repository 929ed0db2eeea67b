"""What broker nodes are launched from. A lane launches its nodes and terminates them after."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from breakeven.targets.kinds import KINDS
from infra.network import Network
from infra.results import Results

#: published by the Debian project in every region; resolved at deployment, so synthesis needs no account
DEBIAN_12_ARM64 = "/aws/service/debian/release/12/latest/arm64"
PAIR = KINDS["rabbitmq-mirrored-pair"]


class Brokers(Construct):
    def __init__(self, scope: Construct, construct_id: str, *, network: Network, results: Results) -> None:
        super().__init__(scope, construct_id)
        self.role = iam.Role(
            self,
            "NodeRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            description="a broker node: reads its lane's credentials, registers its address",
        )
        results.bucket.grant_read(self.role, "secrets/*")
        results.bucket.grant_put(self.role, "secrets/*/nodes/*")
        self.launch_template = ec2.LaunchTemplate(
            self,
            "LaunchTemplate",
            machine_image=ec2.MachineImage.from_ssm_parameter(DEBIAN_12_ARM64),
            instance_type=ec2.InstanceType(str(PAIR.instance_type)),
            role=self.role,
            security_group=network.brokers,
            require_imdsv2=True,
            associate_public_ip_address=False,
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.TERMINATE,
            block_devices=[
                ec2.BlockDevice(
                    device_name="/dev/xvda",
                    volume=ec2.BlockDeviceVolume.ebs(
                        PAIR.volume_gb, encrypted=True, volume_type=ec2.EbsDeviceVolumeType.GP3
                    ),
                )
            ],
        )
        cdk.Tags.of(self.launch_template).add("breakeven:owner", cdk.Stack.of(self).stack_name)
