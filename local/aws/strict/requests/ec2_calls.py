"""Needs of EC2's calls.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2", with the
dependent actions of RunInstances and CreateVpcEndpoint.
"""

from __future__ import annotations

from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from local.aws.strict.requests.needed import Found, Parameters, Signature
from local.aws.strict.requests.policies import Call, Context

#: parameters that name what a call is about, one or a list of it -> the kind of it
IDS = {
    "Group": "security-group",
    "ImageId": "image",
    "InstanceId": "instance",
    "NetworkInterfaceId": "network-interface",
    "RouteTableId": "route-table",
    "SecurityGroupId": "security-group",
    "SnapshotId": "snapshot",
    "SubnetId": "subnet",
    "VolumeId": "volume",
    "VpcEndpointId": "vpc-endpoint",
    "VpcId": "vpc",
}
#: kinds that belong to no account in their ARN
OF_NO_ACCOUNT = {"image", "snapshot"}
#: how a launch template names a parameter that EC2 looks an image up in; public ones belong to no account
LOOKED_UP, PUBLIC = "resolve:ssm:", "/aws/service/"
#: what every launch makes
MADE = ("instance", "network-interface", "volume")


def needed(operation: str, given: Parameters, by: Signature) -> Found:
    if operation.startswith("Describe"):
        yield by.needs(f"ec2:{operation}", "*")
    elif operation == "RunInstances":
        yield from _launch(given, by)
    else:
        if operation == "CreateVpcEndpoint":
            yield from _endpoint(given, by)
        if operation == "CreateImage":
            yield from _image(given, by)
        for name, value in given.items():
            if kind := IDS.get(name.removesuffix("s")):
                for each in value if isinstance(value, list) else [value]:
                    yield by.needs(f"ec2:{operation}", _arn(kind, each, by), tags_of(each, by))


def _arn(kind: str, name: object, by: Signature) -> str:
    account = {"account": ""} if kind in OF_NO_ACCOUNT else {}
    return by.arn("ec2", f"{kind}/{name}", **account)


def tags_of(resource: str, by: Signature) -> Context:
    """The tags of what is there, by both of their condition keys."""
    found = ec2_backends[DEFAULT_ACCOUNT_ID][by.region].tags.get(resource, {})
    return tuple(
        (f"{service}:ResourceTag/{key}", value)
        for service in ("aws", "ec2")
        for key, value in sorted(found.items())
    )


def _launch(given: Parameters, by: Signature) -> Found:
    """A launch is asked about for all that it makes and all that it uses, by itself or by its template."""
    template, data = _template(given, by)
    named = [by.arn("ec2", f"launch-template/{template}")] if template else []
    of_template: Context = tuple(("ec2:LaunchTemplate", arn) for arn in named)
    launch = {**data, **given}
    tags = {**_requested_tags(data), **_requested_tags(given)}
    for kind in MADE:
        yield by.needs("ec2:RunInstances", by.arn("ec2", f"{kind}/*"), (*of_template, *tags.get(kind, ())))
    used = [by.arn("ec2", each) for each in _used(given, data)]
    image = str(launch.get("ImageId") or "*")
    if image.startswith(LOOKED_UP):
        yield _look_up(image.removeprefix(LOOKED_UP), by)
        image = "*"
    for arn in (*used, _arn("image", image, by), *named):
        yield by.needs("ec2:RunInstances", arn, (*of_template, *tags_of(arn.rpartition("/")[2], by)))
    yield from _tags_made("RunInstances", tags, by)
    for role in _profile_roles(launch):
        yield by.passes_role(role, "ec2.amazonaws.com")


def _look_up(parameter: str, by: Signature) -> Call:
    """EC2 looks up the parameter of an image as who launches.

    Source: Amazon EC2 User Guide, "Use a Systems Manager parameter instead of an AMI ID".
    """
    account = {"account": ""} if parameter.startswith(PUBLIC) else {}
    return by.needs("ssm:GetParameters", by.arn("ssm", f"parameter/{parameter.lstrip('/')}", **account))


def _image(given: Parameters, by: Signature) -> Found:
    """An image is made with a snapshot; the instance that it is of is among the call's parameters."""
    tags = _requested_tags(given)
    for kind in ("image", "snapshot"):
        yield by.needs("ec2:CreateImage", _arn(kind, "*", by), tags.get(kind, ()))
    yield from _tags_made("CreateImage", tags, by)


def _template(given: Parameters, by: Signature) -> tuple[str | None, dict[str, Any]]:
    """The id of the launch template, and what it says; nothing where there is none."""
    backend = ec2_backends[DEFAULT_ACCOUNT_ID][by.region]
    asked = given.get("LaunchTemplate", {})
    named = backend.launch_template_name_to_ids.get(asked.get("LaunchTemplateName"))
    template = asked.get("LaunchTemplateId") or named
    if template not in backend.launch_templates:
        return template, {}
    version = asked.get("Version", "$Default")
    return template, dict(backend.launch_templates[template].get_version(version).data)


def _used(given: Parameters, data: dict[str, Any]) -> list[str]:
    """Subnet, security groups and key pair: a call's own come in the place of the template's."""
    of_template, own = ((each.get("NetworkInterfaces") or [{}])[0] for each in (data, given))
    subnet = own.get("SubnetId") or given.get("SubnetId") or of_template.get("SubnetId")
    groups = own.get("Groups") or given.get("SecurityGroupIds")
    groups = groups or of_template.get("Groups") or data.get("SecurityGroupIds") or ["*"]
    key_pair = given.get("KeyName") or data.get("KeyName")
    return [
        # without one the default VPC's is taken, whichever that is
        f"subnet/{subnet or '*'}",
        *(f"security-group/{group}" for group in groups),
        *([f"key-pair/{key_pair}"] if key_pair else []),
    ]


def _profile_roles(launch: Parameters) -> list[str]:
    """ARNs of the roles of the instance profile."""
    profile = launch.get("IamInstanceProfile") or {}
    arn, name = profile.get("Arn"), profile.get("Name")
    known = iam_backends[DEFAULT_ACCOUNT_ID]["aws"].instance_profiles.values()
    return [role.arn for each in known if each.arn == arn or each.name == name for role in each.roles]


def _endpoint(given: Parameters, by: Signature) -> Found:
    tags = _requested_tags(given)
    made = by.arn("ec2", "vpc-endpoint/*")
    yield by.needs("ec2:CreateVpcEndpoint", made, tags.get("vpc-endpoint", ()))
    yield from _tags_made("CreateVpcEndpoint", tags, by)
    for what in ("Vpcs", "Subnets", "SecurityGroups"):
        yield by.needs(f"ec2:Describe{what}", "*")
    if given.get("PrivateDnsEnabled"):
        yield by.needs("route53:AssociateVPCWithHostedZone", "arn:aws:route53:::hostedzone/*")


def _tags_made(operation: str, tags: dict[str, Context], by: Signature) -> Found:
    """Tags that are asked for with what is made are a call of CreateTags.

    Source: Amazon EC2 User Guide, "Grant permission to tag Amazon EC2 resources during creation".
    """
    for kind, asked in tags.items():
        yield by.needs("ec2:CreateTags", _arn(kind, "*", by), (("ec2:CreateAction", operation), *asked))


def _requested_tags(given: Parameters) -> dict[str, Context]:
    """By the kind of what is to be made."""
    return {
        each["ResourceType"]: tuple(
            sorted((f"aws:RequestTag/{tag['Key']}", tag["Value"]) for tag in each.get("Tags", []))
        )
        for each in given.get("TagSpecifications") or []
    }
