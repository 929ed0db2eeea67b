"""What broker nodes are launched from. A lane launches its nodes and terminates them after."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.installation import BUCKET_TAG, OWNER_TAG
from breakeven.targets.catalog import clusters
from infra.brokers.launch_templates import launch_template
from infra.foundation import Foundation
from infra.statements import service_role

#: GB of a node's volume, where a suite says nothing
VOLUME_GB = max(nodes.volume_gb for nodes in clusters().values())


class Brokers(Construct):
    """:param images: architecture -> id of an image that is the account's own; the template names that

    Where none is, the run that launches nodes names the one that it has baked.
    """

    def __init__(
        self, scope: Construct, construct_id: str, base: Foundation, images: Mapping[str, str]
    ) -> None:
        super().__init__(scope, construct_id)
        context, results = base.context, base.results
        self.images = images
        does = "a broker node: reads its lane's credentials, registers its address"
        self.role = service_role(self, "NodeRole", "ec2", does)
        results.allow_reading(self.role, "secrets/*")
        results.allow_listing(self.role, "secrets/*")
        results.allow_writing(self.role, "secrets/*/peers/*", "secrets/*/nodes/*")
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
