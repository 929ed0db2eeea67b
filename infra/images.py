"""Broker images: a Debian on which our install script has run, baked by EC2 Image Builder at deployment.

Names hold a digest of what is baked in, so that a changed script makes a new image and nothing else does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_imagebuilder as imagebuilder
from constructs import Construct

from breakeven.targets.kinds import ROOT_DEVICE
from infra import staging
from infra.acknowledged import acknowledge, managed
from infra.build_place import BuildPlace
from infra.node_files import assemble_node_files

Architecture = Literal["arm64", "amd64"]
Debian = Literal["12", "13"]
#: what builds: it costs a few cents an image, and then it is gone
BUILDERS: dict[Architecture, str] = {"arm64": "t4g.medium", "amd64": "t3.medium"}
ROOT_GB = 8
#: the instance fetches, unpacks and installs; the same script once more must find nothing to do
FOLDER = "/var/tmp/breakeven"  # noqa: S108  # of an instance that only builds
#: AWS's policies, by name
LED = ("AmazonSSMManagedInstanceCore", "EC2InstanceProfileForImageBuilder")
DELETES = "service-role/EC2ImageBuilderLifecycleExecutionPolicy"
INSTALL = f"BREAKEVEN_RELEASE={{release}} bash {FOLDER}/nodes/install"
BUILD = ["set -euo pipefail", f"python3 -m zipfile -e {FOLDER}/nodes.zip {FOLDER}/nodes", INSTALL]
VALIDATE = ["set -euo pipefail", f"{INSTALL} | grep -Fx 'breakeven: nothing to do'", f"rm -rf {FOLDER}"]


def parent_image(release: Debian, architecture: Architecture) -> str:
    """The Debian project's own image, by the parameter that it keeps in every region."""
    return f"ssm:/aws/service/debian/release/{release}/latest/{architecture}"


class BrokerImage(Construct):
    """:param name: of the installation, in front of the names of all that is made
    :param parent: the id of an image of the account's own, in the place of the Debian project's
    :param tags: of the instance and the volume that build it, for as long as they are there
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        place: BuildPlace,
        release: Debian,
        architecture: Architecture,
        parent: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._release, self._architecture = release, architecture
        self._files = staging.asset(self, "Files", assemble_node_files)
        where = cdk.Stack.of(self).resolve(self._files.s3_object_url)  # its hash, and which bucket
        # all that a component or a recipe is made of: another one under the same name would be refused
        baked = [where, BUILD, VALIDATE, ROOT_GB, dict(tags or {}), parent_image(release, architecture)]
        digest = hashlib.sha256(json.dumps(baked).encode()).hexdigest()[:12]
        self._name = f"{name}-debian-{release}-{architecture}-{digest}"
        image = imagebuilder.CfnImage(
            self,
            "Image",
            image_recipe_arn=self._recipe(parent).attr_arn,
            infrastructure_configuration_arn=self._infrastructure(place, tags).attr_arn,
            enhanced_image_metadata_enabled=True,  # which package versions are in it
            image_tests_configuration=imagebuilder.CfnImage.ImageTestsConfigurationProperty(
                image_tests_enabled=False
            ),
            deletion_settings=imagebuilder.CfnImage.DeletionSettingsProperty(
                execution_role=self._deleting_role().role_arn
            ),
        )
        #: the AMI, for a launch template and the manifest
        self.image_id = image.attr_image_id

    def _component(self) -> imagebuilder.CfnComponent:
        return imagebuilder.CfnComponent(
            self,
            "Component",
            name=self._name,
            platform="Linux",
            version="1.0.0",
            data=cdk.Stack.of(self).to_json_string(self._document()),
        )

    def _document(self) -> dict[str, Any]:
        fetched = {"source": self._files.s3_object_url, "destination": f"{FOLDER}/nodes.zip"}
        phases = {
            "build": [
                {"name": "Fetch", "action": "S3Download", "inputs": [fetched]},
                self._run("Install", BUILD),
            ],
            "validate": [self._run("NothingLeftToDo", VALIDATE)],
        }
        listed = [{"name": name, "steps": steps} for name, steps in phases.items()]
        return {"name": "broker", "schemaVersion": "1.0", "phases": listed}

    def _run(self, name: str, lines: list[str]) -> dict[str, Any]:
        script = "\n".join(lines).replace("{release}", self._release)
        # a file's lines share one shell, and its failure is the step's
        return {"name": name, "action": "ExecuteBash", "inputs": {"commands": [script]}}

    def _recipe(self, parent: str | None) -> imagebuilder.CfnImageRecipe:
        """Debian's own image is looked up while it is baked, the account's when the stack is deployed.

        So a newer Debian makes no new image, and another id in the account's parameter does: it is in the
        recipe's name.
        """
        disk = imagebuilder.CfnImageRecipe.EbsInstanceBlockDeviceSpecificationProperty(
            encrypted=True, volume_size=ROOT_GB, volume_type="gp3", delete_on_termination=True
        )
        return imagebuilder.CfnImageRecipe(
            self,
            "Recipe",
            name=f"{self._name}-{parent}" if parent else self._name,
            version="1.0.0",
            parent_image=parent or parent_image(self._release, self._architecture),
            components=[
                imagebuilder.CfnImageRecipe.ComponentConfigurationProperty(
                    component_arn=self._component().attr_arn
                )
            ],
            block_device_mappings=[
                imagebuilder.CfnImageRecipe.InstanceBlockDeviceMappingProperty(
                    device_name=ROOT_DEVICE, ebs=disk
                )
            ],
            # Debian's image has no Systems Manager agent: Image Builder brings one, which is not to stay
            additional_instance_configuration=imagebuilder.CfnImageRecipe.AdditionalInstanceConfigurationProperty(
                systems_manager_agent=imagebuilder.CfnImageRecipe.SystemsManagerAgentProperty(
                    uninstall_after_build=True
                )
            ),
        )

    def _infrastructure(
        self, place: BuildPlace, tags: Mapping[str, str] | None
    ) -> imagebuilder.CfnInfrastructureConfiguration:
        profile = iam.InstanceProfile(self, "Profile", role=self._building_role())
        return imagebuilder.CfnInfrastructureConfiguration(
            self,
            "Infrastructure",
            name=self._name,
            instance_profile_name=profile.instance_profile_name,
            instance_types=[BUILDERS[self._architecture]],
            subnet_id=place.subnet_id,
            security_group_ids=[place.group.security_group_id],
            resource_tags=dict(tags) if tags else None,
            terminate_instance_on_failure=True,
            instance_metadata_options=imagebuilder.CfnInfrastructureConfiguration.InstanceMetadataOptionsProperty(
                http_tokens="required", http_put_response_hop_limit=1
            ),
        )

    def _building_role(self) -> iam.Role:
        """AWS asks for these two policies of whatever builds an image."""
        role = iam.Role(
            self,
            "BuildingRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            description="builds a broker image: fetches our scripts, is led by Image Builder",
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(policy) for policy in LED],
            inline_policies={"Fetch": self._fetching()},
        )
        why = (
            "what AWS documents for an instance that Image Builder leads, and changes with its agents, so "
            "that a copy of ours would one day fail; an instance has it for the minutes of a build, in a "
            "network that holds nothing else"
        )
        acknowledge(role, {managed(policy): why for policy in LED})
        return role

    def _fetching(self) -> iam.PolicyDocument:
        """The one object with our scripts; the step lists the bucket to see whether it is a folder."""
        files = self._files
        objects = files.bucket.arn_for_objects(files.s3_object_key)
        return iam.PolicyDocument(
            statements=[
                iam.PolicyStatement(actions=["s3:GetObject"], resources=[objects]),
                iam.PolicyStatement(actions=["s3:ListBucket"], resources=[files.bucket.bucket_arn]),
            ]
        )

    def _deleting_role(self) -> iam.Role:
        """Without it the AMI and its snapshot would outlive the stack, and be paid for."""
        role = iam.Role(
            self,
            "DeletingRole",
            assumed_by=iam.ServicePrincipal("imagebuilder.amazonaws.com"),
            description="deletes a broker image with the stack",
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(DELETES)],
        )
        why = (
            "what AWS documents for deleting an image with its snapshots: by its conditions only images that "
            "Image Builder itself made, and only Image Builder can take the role"
        )
        acknowledge(role, {managed(DELETES): why})
        return role
