"""Creates a synthesized stack in the simulated AWS, with the resource types that moto lacks."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from moto.athena.models import athena_backends
from moto.cloudformation import parsing
from moto.cloudformation.models import Stack, cloudformation_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.core.common_models import CloudFormationModel
from moto.glue.models import glue_backends

from breakeven.errors import BreakevenError
from local.assembly import FileAsset, StackArtifact
from local.aws import Aws
from local.swaps import Swaps

#: types that are passed over, each for a reason; any other that is not known fails the deployment
WITHOUT_EFFECT = {
    "AWS::Budgets::Budget": "warns of the account's bill, and here there is none",
    "AWS::CloudWatch::Alarm": "here a run is followed as it goes, and nothing is mailed",
    "AWS::Scheduler::Schedule": "here runs are started by hand",
    "AWS::SQS::QueuePolicy": "who may do what is not checked here",
    "AWS::CDK::Metadata": "says which constructs were used, to AWS only",
    "AWS::Lambda::EventInvokeConfig": "nothing calls a function without waiting for its answer here",
    # moto reads a Deny without its conditions, and would refuse every request for not being TLS
    "AWS::S3::BucketPolicy": "who may do what is not checked here",
    "AWS::SNS::TopicPolicy": "who may do what is not checked here",
}
#: the version of the CDK's bootstrap stack that is claimed to be there: newer than any release asks for
BOOTSTRAP_VERSION = "1000"
#: an image that the simulated EC2 knows; what instances stand for is decided by their tags
MACHINE_IMAGE = "ami-12c6146b"


class DeployError(BreakevenError):
    """The stack cannot be created; the message names the resource and the reason."""


class UnknownResourceTypeError(DeployError):
    def __init__(self, resource_type: str) -> None:
        super().__init__(f"{resource_type} is not known here; see local/cloudformation.py")


class ResourceError(DeployError):
    def __init__(self, logical_id: str, resource_type: str, error: Exception) -> None:
        super().__init__(f"resource {logical_id} ({resource_type}): {error}")


class Resource:
    """What moto's parser wants of a resource that it has created."""

    kind: ClassVar[str]

    def __init__(self, physical_resource_id: str) -> None:
        self.physical_resource_id = physical_resource_id

    @classmethod
    def cloudformation_type(cls) -> str:
        return cls.kind

    @staticmethod
    def cloudformation_name_type() -> str:
        return ""

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return False

    def get_cfn_attribute(self, attribute_name: str) -> str:
        raise DeployError(f"{self.kind} has no attribute {attribute_name} here")

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any
    ) -> Resource:
        return cls(cls.create(cloudformation_json["Properties"], account_id, region_name) or resource_name)

    @classmethod
    def create(cls, properties: Mapping[str, Any], account_id: str, region: str) -> str | None:
        """Make it; returns the value of its ``Ref``, None for the generated name."""
        return None

    def is_created(self) -> bool:
        return True


class WithoutEffect(Resource):
    kind = "a type without effect"


# moto finds its models by asking CloudFormationModel for its direct subclasses
class GlueDatabase(Resource, CloudFormationModel):
    kind = "AWS::Glue::Database"

    @classmethod
    def create(cls, properties: Mapping[str, Any], account_id: str, region: str) -> str | None:
        name: str = properties["DatabaseInput"]["Name"]
        glue_backends[account_id][region].create_database(name, properties["DatabaseInput"])
        return name


class GlueTable(Resource, CloudFormationModel):
    kind = "AWS::Glue::Table"

    @classmethod
    def create(cls, properties: Mapping[str, Any], account_id: str, region: str) -> str | None:
        table = properties["TableInput"]
        glue_backends[account_id][region].create_table(properties["DatabaseName"], table["Name"], table)
        return str(table["Name"])


class AthenaWorkGroup(Resource, CloudFormationModel):
    kind = "AWS::Athena::WorkGroup"

    @classmethod
    def create(cls, properties: Mapping[str, Any], account_id: str, region: str) -> str | None:
        athena_backends[account_id][region].create_work_group(
            name=properties["Name"],
            configuration=dict(properties.get("WorkGroupConfiguration", {})),
            description=properties.get("Description", ""),
            tags=properties.get("Tags", []),
        )
        return str(properties["Name"])


class AthenaNamedQuery(Resource, CloudFormationModel):
    kind = "AWS::Athena::NamedQuery"

    @classmethod
    def create(cls, properties: Mapping[str, Any], account_id: str, region: str) -> str | None:
        query_id: str = athena_backends[account_id][region].create_named_query(
            name=properties.get("Name", ""),
            description=properties.get("Description", ""),
            database=properties["Database"],
            query_string=properties["QueryString"],
            workgroup=properties.get("WorkGroup", "primary"),
        )
        return query_id


class _Described(Resource):
    """Something of Image Builder's that is only spoken of: it has a made-up name."""

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr == "Arn"

    def get_cfn_attribute(self, attribute_name: str) -> str:
        return f"arn:aws:imagebuilder:::{self.physical_resource_id}"


class ImageComponent(_Described, CloudFormationModel):
    kind = "AWS::ImageBuilder::Component"


class ImageRecipe(_Described, CloudFormationModel):
    kind = "AWS::ImageBuilder::ImageRecipe"


class ImageInfrastructure(_Described, CloudFormationModel):
    kind = "AWS::ImageBuilder::InfrastructureConfiguration"


class BakedImage(Resource, CloudFormationModel):
    """Nothing is baked: the brokers that instances stand for here are this machine's own."""

    kind = "AWS::ImageBuilder::Image"

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr == "ImageId"

    def get_cfn_attribute(self, attribute_name: str) -> str:
        return MACHINE_IMAGE


# ... and keeps the answer
for _cached in (parsing.get_model_list, parsing.get_model_map, parsing.get_name_type_map):
    _cached.cache_clear()


def deploy(aws: Aws, stack_name: str, stack: StackArtifact) -> dict[str, str]:
    """Upload the assets and create the stack as its template stands.

    :returns: its outputs
    :raises DeployError: a resource could not be created, or is of a type that is not known
    """
    buckets: set[str] = set()
    for asset in stack.assets:
        _upload(aws, asset, stack.template, buckets)
    backend = cloudformation_backends[DEFAULT_ACCOUNT_ID][aws.region]
    with Swaps() as swaps:
        # moto would read it as YAML, which takes seconds and is not quite JSON
        swaps.attribute(Stack, "parse_template", staticmethod(json.loads))
        _provide_parameters(swaps)
        _name_failing_resources(swaps)
        try:
            # not by the API: a failure there is a bare error 500
            created = backend.create_stack(stack_name, json.dumps(stack.template), {})
        except DeployError:
            raise
        except Exception as error:
            raise DeployError(f"{stack_name}: {error}") from error
    if created.status != "CREATE_COMPLETE":
        raise DeployError(f"{stack_name}: {created.status}")
    return {output["OutputKey"]: str(output["OutputValue"]) for output in created.outputs or []}


def _upload(aws: Aws, asset: FileAsset, template: Mapping[str, Any], buckets: set[str]) -> None:
    s3 = aws.client("s3")
    bucket = asset.bucket.replace("${AWS::AccountId}", DEFAULT_ACCOUNT_ID)
    bucket = bucket.replace("${AWS::Region}", aws.region)
    if bucket not in buckets:
        buckets.add(bucket)
        place = {"LocationConstraint": aws.region}
        options = {} if aws.region == "us-east-1" else {"CreateBucketConfiguration": place}
        s3.create_bucket(Bucket=bucket, **options)
    s3.put_object(Bucket=bucket, Key=asset.key, Body=_body(asset, template))


def _body(asset: FileAsset, template: Mapping[str, Any]) -> bytes:
    if not asset.zipped:
        return asset.source.read_bytes()
    if asset.key in _function_code(template):
        return b""  # functions run from the folder itself
    return _zip(asset.source)


def _function_code(template: Mapping[str, Any]) -> set[str]:
    """Keys of the assets that are functions' code or layers."""
    kinds = {"AWS::Lambda::Function": "Code", "AWS::Lambda::LayerVersion": "Content"}
    return {
        resource["Properties"][kinds[resource["Type"]]].get("S3Key", "")
        for resource in template["Resources"].values()
        if resource["Type"] in kinds
    }


def _zip(folder: Path) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return held.getvalue()


def _provide_parameters(swaps: Swaps) -> None:
    """Template parameters that AWS reads from SSM: public images, and what bootstrapping has left there."""

    def provide(_: Any, name: str, kind: str) -> str:
        if "AWS::EC2::Image::Id" in kind:
            return MACHINE_IMAGE
        if name.startswith("/cdk-bootstrap/"):
            return BOOTSTRAP_VERSION
        raise DeployError(f"the SSM parameter {name} has no value here")

    swaps.attribute(parsing.ResourceMap, "parse_ssm_parameter", provide)


def _name_failing_resources(swaps: Swaps) -> None:
    def create(logical_id: str, resource: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return original(logical_id, resource, *args, **kwargs)
        except ResourceError:
            raise  # of one that this one refers to
        except Exception as error:
            raise ResourceError(logical_id, resource["Type"], error) from error

    original = swaps.attribute(parsing, "parse_and_create_resource", create)
