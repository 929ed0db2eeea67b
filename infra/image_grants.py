"""What functions may do with images of brokers, and with what they are baked from."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from infra.acknowledged import acknowledge, on
from infra.broker_images import BrokerImages
from infra.context import Context

Conditions = Mapping[str, Mapping[str, object]]
NAMELESS = "what EC2 describes names no resource, nor does xray:PutTraceSegments"


def grant_images(
    functions: Mapping[str, lambda_.Function], images: BrokerImages, *, context: Context
) -> None:
    """Tell functions which images there are to be, and let them bake and remove them."""
    granting = _Granting(functions, images, context)
    if images.baked:
        granting.know("Plan")
        granting.bake("BakeImages")
        granting.remove("RemoveImages")


class _Granting:
    def __init__(
        self, functions: Mapping[str, lambda_.Function], images: BrokerImages, context: Context
    ) -> None:
        self._functions, self._images = functions, images
        self._stack = cdk.Stack.of(images)
        owner = context.stack_name
        #: what carries the owner's tag, and what is to carry it
        self._ours: Conditions = {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": owner}}
        self._to_be_ours: Conditions = {"StringEquals": {f"aws:RequestTag/{OWNER_TAG}": owner}}

    def know(self, name: str) -> None:
        """Which images there are."""
        recipes = {
            architecture: {
                "name": image.recipe.name,
                "family": image.recipe.family,
                "template": image.recipe.template,
            }
            for architecture, image in self._images.baked.items()
        }
        self._functions[name].add_environment("BREAKEVEN_RECIPES", self._stack.to_json_string(recipes))
        self._allow(name, ["ec2:DescribeImages"], ["*"])

    def bake(self, name: str) -> None:
        """Launch builders from their own templates, make images of them, end them, remove older images."""
        self.know(name)
        self._launch(name)
        instances, image, snapshot = (self._ec2(kind) for kind in ("instance", "image", "snapshot"))
        self._allow(name, ["ec2:CreateImage"], [instances], self._ours)
        self._allow(name, ["ec2:CreateImage"], [image, snapshot], self._to_be_ours)
        self._tag(name, [image, snapshot], "CreateImage")
        self._allow(name, ["ec2:DescribeInstances"], ["*"])
        self._allow(name, ["ec2:GetConsoleOutput", "ec2:TerminateInstances"], [instances], self._ours)
        self._allow(name, ["ec2:DeregisterImage"], [image], self._ours)
        self._allow(name, ["ec2:DeleteSnapshot"], [snapshot], self._ours)
        why = (
            "nothing has a name before it is made: making is held to the owner's tag, the rest to what has it"
        )
        acknowledge(self._role(name), {on(each): why for each in (instances, image, snapshot)})
        acknowledge(self._role(name), {"IAM5[Resource::*]": NAMELESS})

    def _launch(self, name: str) -> None:
        place = self._images.place
        assert place is not None  # where something is baked
        self._functions[name].add_environment("BREAKEVEN_BUILD_SUBNETS", ",".join(place.subnet_ids))
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

    def remove(self, name: str) -> None:
        """All that carries the owner's tag, with the stack."""
        instances, image, snapshot = (self._ec2(kind) for kind in ("instance", "image", "snapshot"))
        self._allow(name, [f"ec2:Describe{what}" for what in ("Images", "Instances", "Snapshots")], ["*"])
        self._allow(name, ["ec2:TerminateInstances"], [instances], self._ours)
        self._allow(name, ["ec2:DeregisterImage"], [image], self._ours)
        self._allow(name, ["ec2:DeleteSnapshot"], [snapshot], self._ours)
        why = "images have no name before a run makes them; only what carries the owner's tag may be removed"
        acknowledge(self._role(name), {on(each): why for each in (instances, image, snapshot)})
        acknowledge(self._role(name), {"IAM5[Resource::*]": NAMELESS})

    def _tag(self, name: str, made: list[str], action: str) -> None:
        self._allow(name, ["ec2:CreateTags"], made, {"StringEquals": {"ec2:CreateAction": action}})

    def _ec2(self, kind: str, name: str = "*") -> str:
        """Images and snapshots belong to no account in their ARN."""
        account = "" if kind in ("image", "snapshot") else None
        return self._stack.format_arn(service="ec2", resource=kind, resource_name=name, account=account)

    def _role(self, name: str) -> iam.IRole:
        role = self._functions[name].role
        assert role is not None  # every function was made with one
        return role

    def _allow(
        self, name: str, actions: list[str], resources: list[str], conditions: Conditions | None = None
    ) -> None:
        statement = iam.PolicyStatement(actions=actions, resources=resources, conditions=conditions)
        self._role(name).add_to_principal_policy(statement)
