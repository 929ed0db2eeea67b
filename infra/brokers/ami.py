"""A machine image by its id, or by the words with which EC2 looks one up."""

from __future__ import annotations

import jsii
from aws_cdk import aws_ec2 as ec2
from constructs import Construct


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
