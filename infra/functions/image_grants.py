"""What functions may do with images of brokers, and with what they are baked from."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from infra.acknowledged import acknowledge, on
from infra.brokers.broker_images import BrokerImages
from infra.context.settings import Context
from infra.functions.grants import Conditions, Granting


def grant_images(
    functions: Mapping[str, lambda_.Function], images: BrokerImages, *, context: Context
) -> None:
    """Tell functions which images there are to be, and let one bake them."""
    if images.baked:
        granting = _ImageGranting(functions, images, context)
        granting.look_up("Plan")
        granting.bake("BakeImages")


class _ImageGranting(Granting):
    def __init__(
        self, functions: Mapping[str, lambda_.Function], images: BrokerImages, context: Context
    ) -> None:
        super().__init__(functions, context)
        self._images = images
        #: of what is to carry the owner's tag
        self._to_be_ours: Conditions = {"StringEquals": {f"aws:RequestTag/{OWNER_TAG}": context.stack_name}}

    def know(self, name: str) -> None:
        """Which images there are to be."""
        recipes = {
            architecture: {
                "name": image.recipe.name,
                "family": image.recipe.family,
                "template": image.recipe.template,
            }
            for architecture, image in self._images.baked.items()
        }
        self._tell(name, RECIPES=self._stack.to_json_string(recipes))

    def look_up(self, name: str) -> None:
        """Which of them there are."""
        self.know(name)
        self._allow(name, ["ec2:DescribeImages"], ["*"])

    def bake(self, name: str) -> None:
        """Launch builders from their own templates, and make images of them."""
        self.know(name)
        self._launch(name)
        instances, image, snapshot = (self._ec2(kind) for kind in ("instance", "image", "snapshot"))
        self._allow(name, ["ec2:CreateImage"], [instances], self._ours)
        self._allow(name, ["ec2:CreateImage"], [image, snapshot], self._to_be_ours)
        self._tag(name, [image, snapshot], "CreateImage")

    def _launch(self, name: str) -> None:
        place = self._images.place
        assert place is not None  # where something is baked
        self._tell(name, BUILD_SUBNETS=",".join(place.subnet_ids))
        built = self._images.baked.values()
        templates = [self._ec2("launch-template", image.recipe.template) for image in built]
        made = [self._ec2(kind) for kind in ("instance", "network-interface", "volume")]
        used = [self._ec2("subnet", subnet) for subnet in place.subnet_ids]
        used += [self._ec2("security-group", place.group.security_group_id), self._ec2("image")]
        from_template = {"ArnEquals": {"ec2:LaunchTemplate": templates}}
        self._allow(name, ["ec2:RunInstances"], [*made, *used, *templates], from_template)
        self._tag(name, made, "RunInstances")
        for image in built:
            image.role.grant_pass_role(self._role(name))
        # EC2 looks up a template's parameter as who launches ("Use a Systems Manager parameter …", EC2 guide)
        parameters = [
            self._stack.format_arn(
                service="ssm", account="", resource="parameter", resource_name=image.parameter.lstrip("/")
            )
            for image in built
            if image.parameter
        ]
        if parameters:
            self._allow(name, ["ssm:GetParameters"], parameters)
        why = (
            "what is launched has no name before: launching is held to this stack's templates, tagging to it"
        )
        acknowledge(self._role(name), {on(each): why for each in made})

    def _tag(self, name: str, made: list[str], action: str) -> None:
        self._allow(name, ["ec2:CreateTags"], made, {"StringEquals": {"ec2:CreateAction": action}})
