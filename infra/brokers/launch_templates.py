"""What all instances are launched with: brokers, and those that their images are made of."""

from __future__ import annotations

from typing import Any

import jsii
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.targets.catalog import ROOT_DEVICE


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
