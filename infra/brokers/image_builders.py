"""A broker image: a Debian on which our install script has run, baked by the first run that needs it.

What stands in the stack is what a builder is launched from: a template whose user data is ``nodes/bake``,
which cloud-init runs. It reports, and powers the instance off, of which the run then makes the image
(``breakeven.steps.lane.bake_images``). The name holds a digest of all that is baked in, so that a changed
script makes a new image and nothing else does.
"""

from __future__ import annotations

import hashlib
import json
from typing import Literal

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.planning.machine_availability import BUILDERS
from breakeven.results import layout
from breakeven.steps.lane.recipes import Recipe
from infra import staging
from infra.brokers.build_place import BuildPlace
from infra.brokers.launch_templates import launch_template
from infra.context.settings import DEBIAN_NAMES, Context
from infra.node_files import assemble_node_files, bake_user_data
from infra.results import Results
from infra.statements import allow, service_role

Debian = Literal["12", "13"]
ROOT_GB = 8


def parent_parameter(release: Debian, architecture: str) -> str:
    """The Debian project's own image, by the parameter that it keeps in every region.

    :param architecture: arm64 or x86_64
    """
    return f"/aws/service/debian/release/{release}/latest/{DEBIAN_NAMES[architecture]}"


class BrokerImage(Construct):
    """``recipe`` names the image, and the template of its builder; ``role`` is the builder's.

    :param parent: the id of an image of the account's own, in the place of the Debian project's
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        context: Context,
        place: BuildPlace,
        results: Results,
        release: Debian,
        architecture: str,
        parent: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        #: the parameter that EC2 looks the parent up in at launch; None where its id is known
        self.parameter = None if parent else parent_parameter(release, architecture)
        files = staging.asset(self, "Files", assemble_node_files)
        family = f"debian-{release}-{DEBIAN_NAMES[architecture]}"
        found = files.s3_object_url
        # all that an image is made of; who it reports to is in its name
        script = bake_user_data(files="", report="", release=release)
        where = cdk.Stack.of(self).resolve(found)  # its hash, and which bucket
        baked = [where, script, ROOT_GB, context.tags or {}, self.parameter]
        digest = hashlib.sha256(json.dumps(baked).encode()).hexdigest()[:12]
        image = "-".join([context.stack_name, family, digest, *([parent] if parent else [])])
        report = f"s3://{results.bucket.bucket_name}/{layout.bake_prefix(image)}"
        does = "builds a broker image: fetches our scripts, reports how it went"
        self.role = service_role(self, "BuildingRole", "ec2", does)
        # the one object with our scripts
        allow(self.role, ["s3:GetObject"], [files.bucket.arn_for_objects(files.s3_object_key)])
        results.allow_writing(self.role, f"{layout.IMAGES}*")
        # its subnet is given at launch; one of our own gives it an address with which to reach out
        template = launch_template(
            self,
            "Builder",
            image=parent or f"resolve:ssm:{self.parameter}",
            instance_type=BUILDERS[architecture],
            volume_gb=ROOT_GB,
            role=self.role,
            security_group=place.group,
            http_put_response_hop_limit=1,
            # an image is made of an instance that has stopped
            instance_initiated_shutdown_behavior=ec2.InstanceInitiatedShutdownBehavior.STOP,
            user_data=ec2.UserData.custom(bake_user_data(files=found, report=report, release=release)),
        )
        self.recipe = Recipe(image, family, str(template.launch_template_id))
