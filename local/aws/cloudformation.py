"""Creates a synthesized stack in the simulated AWS."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moto.cloudformation import parsing
from moto.cloudformation.models import Stack, cloudformation_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_api._internal import mock_random

from local.aws.boto import Aws
from local.aws.resource_types import MACHINE_IMAGE, DeployError
from local.aws.strict.permissions.template_checks import of_account, of_template, untrusting
from local.aws.swaps import Swaps
from local.cdk.assembly import FileAsset, StackArtifact

#: the version of the CDK's bootstrap stack that is claimed to be there: newer than any release asks for
BOOTSTRAP_VERSION = "1000"


class ResourceError(DeployError):
    def __init__(self, logical_id: str, resource_type: str, error: Exception) -> None:
        super().__init__(f"resource {logical_id} ({resource_type}): {error}")


def deploy(aws: Aws, stack_name: str, stack: StackArtifact) -> dict[str, str]:
    """Upload the assets and create the stack as its template stands, or update it to that.

    :returns: its outputs
    :raises DeployError: a resource could not be created or updated, or is of a type that is not known; a role
        does not trust the service that it is for; something is over a limit of AWS's
    """
    if wrong := untrusting(stack.template):
        raise DeployError(f"{stack_name}: {'; '.join(wrong)}")
    _raise(of_template(stack.template, json.dumps(stack.template, indent=1)))  # as the CDK writes it
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
            made = _make(backend, stack_name, json.dumps(stack.template))
        except DeployError:
            raise
        except Exception as error:
            raise DeployError(f"{stack_name}: {error}") from error
    if made.status not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        raise DeployError(f"{stack_name}: {made.status}")
    _raise(of_account(aws.region))
    return {output["OutputKey"]: str(output["OutputValue"]) for output in made.outputs or []}


def _make(backend: Any, stack_name: str, template: str) -> Stack:
    if stack_name not in {each.name for each in backend.stacks.values()}:
        made_before = len(backend.stacks) + len(backend.deleted_stacks)
        with _drawn_as_ever(f"{stack_name} {made_before}"):
            return backend.create_stack(stack_name, template, {})
    standing: Stack = backend.get_stack(stack_name)
    # moto notes in it what it has made, and would update resources that have not changed
    standing.resource_map._resource_json_map = json.loads(standing.template)["Resources"]
    made: Stack = backend.update_stack(stack_name, template, role_arn=None, parameters=[], tags=None)
    for resource in made.template_dict["Resources"]:
        if made.resource_map.get(resource) is None:  # moto goes on without it
            raise DeployError(f"resource {resource} cannot be updated here")
    return made


@contextmanager
def _drawn_as_ever(what: str) -> Iterator[None]:
    """Have moto draw the ids and the suffixes of names that it draws for this in every run.

    What is made of them can then be kept for later runs, such as the workflow's program
    (``parsed_definitions.py``).
    """
    mock_random.seed(what)
    try:
        yield
    finally:
        mock_random.seed()


def _raise(over: Iterable[str]) -> None:
    """:raises DeployError: something is over a limit of AWS's"""
    if found := list(over):
        raise DeployError("; ".join(found))


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
    if asset.key in _function_code(template) or _is_built(template, asset.key):
        return b""  # functions and tasks run from the folder itself
    return _zip(asset.source)


def _function_code(template: Mapping[str, Any]) -> set[str]:
    """Keys of the assets that are functions' code or layers."""
    kinds = {"AWS::Lambda::Function": "Code", "AWS::Lambda::LayerVersion": "Content"}
    return {
        resource["Properties"][kinds[resource["Type"]]].get("S3Key", "")
        for resource in template["Resources"].values()
        if resource["Type"] in kinds
    }


def _is_built(template: Mapping[str, Any], key: str) -> bool:
    """Is the asset the source of an image?"""
    return any(
        key in json.dumps(resource["Properties"]["Source"])
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::CodeBuild::Project"
    )


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
    def create(original: Any, logical_id: str, resource: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(logical_id, resource, *args, **kwargs)
        except ResourceError:
            raise  # of one that this one refers to
        except Exception as error:
            raise ResourceError(logical_id, resource["Type"], error) from error

    swaps.wrap(parsing, "parse_and_create_resource", create)
