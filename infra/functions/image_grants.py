"""What functions may do with images of brokers, and with what they are baked from."""

from __future__ import annotations

from dataclasses import asdict

import aws_cdk as cdk

from infra.brokers.broker_images import BrokerImages
from infra.brokers.build_place import BuildPlace
from infra.functions.grants import Grants

PLAN, BAKE = "Plan", "BakeImages"


def grant_images(grants: Grants, images: BrokerImages) -> None:
    """Tell functions which images there are to be, and let one bake them."""
    if images.place is None:
        return
    recipes = {architecture: asdict(image.recipe) for architecture, image in images.baked.items()}
    for name in (PLAN, BAKE):
        grants.tell(name, RECIPES=cdk.Stack.of(images).to_json_string(recipes))
    # which of them there are
    grants.allow(PLAN, ["ec2:DescribeImages"], ["*"])
    _launch(grants, images, images.place)
    instances, image, snapshot = (grants.ec2(kind) for kind in ("instance", "image", "snapshot"))
    grants.allow(BAKE, ["ec2:CreateImage"], [instances], grants.ours)
    grants.allow(BAKE, ["ec2:CreateImage"], [image, snapshot], grants.to_be_ours)
    grants.allow_tags(BAKE, [image, snapshot], "CreateImage")


def _launch(grants: Grants, images: BrokerImages, place: BuildPlace) -> None:
    """Launch builders from their own templates."""
    grants.tell(BAKE, BUILD_SUBNETS=",".join(place.subnet_ids))
    built = images.baked.values()
    templates = [grants.ec2("launch-template", image.recipe.template) for image in built]
    made = [grants.ec2(kind) for kind in ("instance", "network-interface", "volume")]
    used = [grants.ec2("subnet", subnet) for subnet in place.subnet_ids]
    used += [grants.ec2("security-group", place.group.security_group_id), grants.ec2("image")]
    from_template = {"ArnEquals": {"ec2:LaunchTemplate": templates}}
    grants.allow(BAKE, ["ec2:RunInstances"], [*made, *used, *templates], from_template)
    grants.allow_tags(BAKE, made, "RunInstances")
    for image in built:
        image.role.grant_pass_role(grants.role(BAKE))
    # EC2 looks up a template's parameter as who launches ("Use a Systems Manager parameter …", EC2 guide)
    parameters = [
        grants.arn("ssm", "parameter", image.parameter.lstrip("/"), account="")
        for image in built
        if image.parameter
    ]
    if parameters:
        grants.allow(BAKE, ["ssm:GetParameters"], parameters)
    why = "what is launched has no name before: launching is held to this stack's templates, tagging to it"
    grants.acknowledge(BAKE, made, why)
