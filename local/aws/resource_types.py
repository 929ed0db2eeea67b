"""The resource types of our stacks that moto's CloudFormation lacks, and those that have no effect here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from moto.athena.models import athena_backends
from moto.cloudformation import parsing
from moto.codebuild.models import codebuild_backends
from moto.core.common_models import CloudFormationModel
from moto.core.utils import pascal_to_camelcase, remap_nested_keys
from moto.glue.models import glue_backends

from breakeven.errors import BreakevenError

#: types that are passed over, each for a reason; any other that is not known fails the deployment
WITHOUT_EFFECT = {
    "Custom::BakedImages": "acts when the stack is deleted, and here none is",
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
#: an image that the simulated EC2 knows; what instances stand for is decided by their tags
MACHINE_IMAGE = "ami-12c6146b"


class DeployError(BreakevenError):
    """The stack cannot be created; the message names the resource and the reason."""


class UnknownResourceTypeError(DeployError):
    def __init__(self, resource_type: str) -> None:
        super().__init__(f"{resource_type} is not known here; see local/aws/resource_types.py")


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

    @classmethod
    def update_from_cloudformation_json(cls, original_resource: Resource, **given: Any) -> Resource:
        raise DeployError(f"{cls.kind} cannot be updated here")

    def is_created(self) -> bool:
        return True


class WithoutEffect(Resource):
    kind = "a type without effect"

    @classmethod
    def update_from_cloudformation_json(cls, original_resource: Resource, **given: Any) -> Resource:
        return original_resource


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

    @classmethod
    def update_from_cloudformation_json(cls, original_resource: Resource, **given: Any) -> Resource:
        """Give it other columns. Its name and database stay: CloudFormation would make another table."""
        properties, backend = given["cloudformation_json"]["Properties"], glue_backends[given["account_id"]]
        database, table = properties["DatabaseName"], properties["TableInput"]
        backend[given["region_name"]].update_table(database, table["Name"], table)
        return original_resource


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

    @classmethod
    def update_from_cloudformation_json(cls, original_resource: Resource, **given: Any) -> Resource:
        """Make another in its place, as CloudFormation does: its properties are set when it is made."""
        account_id, region = given["account_id"], given["region_name"]
        query_id = cls.create(given["cloudformation_json"]["Properties"], account_id, region)
        del athena_backends[account_id][region].named_queries[original_resource.physical_resource_id]
        return cls(query_id or "")


class CodeBuildProject(Resource, CloudFormationModel):
    """Projects of moto's CodeBuild; their builds end in ``local.aws.tasks.task_images``."""

    kind = "AWS::CodeBuild::Project"

    def __init__(self, name: str, arn: str) -> None:
        super().__init__(name)
        self._arn = arn

    @staticmethod
    def cloudformation_name_type() -> str:
        return "Name"

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr == "Arn"

    def get_cfn_attribute(self, attribute_name: str) -> str:
        return self._arn

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any
    ) -> CodeBuildProject:
        given = remap_nested_keys(cloudformation_json["Properties"], pascal_to_camelcase)
        project = codebuild_backends[account_id][region_name].create_project(
            project_name=resource_name,
            description=given.get("description"),
            project_source=given["source"],
            artifacts=given["artifacts"],
            environment=given["environment"],
            service_role=given["serviceRole"],
            tags=given.get("tags"),
            cache=given.get("cache"),
            timeout=given.get("timeoutInMinutes"),
            queued_timeout=given.get("queuedTimeoutInMinutes"),
            source_version=None,
            logs_config=given.get("logsConfig"),
            vpc_config=given.get("vpcConfig"),
        )
        return cls(resource_name, project["arn"])

    @classmethod
    def update_from_cloudformation_json(cls, original_resource: Resource, **given: Any) -> Resource:
        del given["new_resource_name"]  # which is generated anew
        name = original_resource.physical_resource_id
        codebuild_backends[given["account_id"]][given["region_name"]].delete_project(name)
        return cls.create_from_cloudformation_json(name, **given)


# ... and keeps the answer
for _cached in (parsing.get_model_list, parsing.get_model_map, parsing.get_name_type_map):
    _cached.cache_clear()
