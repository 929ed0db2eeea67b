"""The broker images' template: what is baked, from what and by whom; the builder is shut to the world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from breakeven.results import layout
from breakeven.targets.rabbitmq.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings
from infra.brokers import image_builders
from infra.brokers.image_builders import (
    BrokerImage,
    BuildPlace,
    assemble_node_files,
    bake_user_data,
    parent_parameter,
)
from infra.context.settings import Context
from infra.results import Results
from infra.storage import Storage
from local.aws.ec2 import read_user_data
from local.aws.strict.service_limits import USER_DATA_BYTES
from tests.support.aws.definition import builders_templates, definition_of, resources, template_of

FILES, REPORT = "s3://assets/0123.zip", "s3://results/images/name/"
#: what CloudFormation would make of the references of a builder's user data, as long as they get
LONGEST = {"AWS::AccountId": "123456789012", "AWS::Region": "ap-southeast-1", "bucket": "b" * 63}


def synthesized(
    tmp_path: Path,
    release: str = "12",
    qualifier: str | None = None,
    tags: dict[str, str] | None = None,
    **options: Any,
) -> dict:
    """The template of one image, and the image's name in its outputs."""
    app = cdk.App(outdir=str(tmp_path))
    stack = cdk.Stack(app, "Images", synthesizer=cdk.DefaultStackSynthesizer(qualifier=qualifier))
    context = Context(tags=tags)
    storage = Storage(stack, "Storage", context)
    place = BuildPlace(stack, "Network", context=context, storage=storage, brokers=None)
    results = Results(stack, "Results", context=context, storage=storage)
    image = BrokerImage(
        stack,
        "ImagesPair",
        context=context,
        place=place,
        results=results,
        release=release,
        architecture="arm64",
        **options,
    )
    cdk.CfnOutput(stack, "Name", value=image.recipe.name)
    return Template.from_stack(stack).to_json()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("images") / "out"


@pytest.fixture(scope="module")
def template(folder) -> dict:
    return synthesized(folder)


def builder(template: dict) -> dict[str, Any]:
    (found,) = builders_templates(template).values()
    return found


def name_of(template: dict) -> Any:
    return template["Outputs"]["Name"]["Value"]


def user_data(launched: dict[str, Any]) -> str:
    """A builder's, as EC2 gets it, with each reference as long as it can be."""
    parts = launched["UserData"]["Fn::Base64"]["Fn::Join"][1]
    return "".join(part if isinstance(part, str) else _filled(part) for part in parts)


def _filled(reference: dict[str, Any]) -> str:
    if "Ref" in reference:
        return LONGEST["bucket"]
    text = str(reference["Fn::Sub"])
    for name, value in LONGEST.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def test_the_image_is_debians_own_with_our_script_run_on_it(template):
    data = builder(template)
    assert data["ImageId"] == "resolve:ssm:/aws/service/debian/release/12/latest/arm64"
    assert parent_parameter("13", "x86_64") == "/aws/service/debian/release/13/latest/amd64"
    (disk,) = data["BlockDeviceMappings"]
    assert disk["Ebs"]["Encrypted"] is True
    assert user_data(data).endswith((Path(image_builders.__file__).parents[2] / "nodes" / "bake").read_text())


def test_no_agent_and_no_network_of_aws_own_is_needed_to_bake(assembly):
    """Mend 5: Debian has no SSM agent, by which EC2 Image Builder would lead what builds an image."""
    kinds = {each["Type"] for each in template_of(assembly)["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith(("AWS::ImageBuilder", "AWS::SSM"))]
    roles = [
        each.get("ManagedPolicyArns", [])
        for each in resources(template_of(assembly), "AWS::IAM::Role").values()
    ]
    assert "AmazonSSM" not in json.dumps(roles)


def test_nothing_is_launched_before_the_stack_with_its_way_out_is_whole(assembly):
    """Mend 3: a route and a gateway that something is launched beside may come after it."""
    template = template_of(assembly)
    kinds = {each["Type"] for each in template["Resources"].values()}
    assert not kinds & {
        "AWS::EC2::Instance",
        "AWS::ImageBuilder::Image",
        "AWS::AutoScaling::AutoScalingGroup",
    }
    allowed = [
        name
        for kind in ("Policy", "ManagedPolicy")
        for name, policy in resources(template, f"AWS::IAM::{kind}").items()
        if "ec2:RunInstances" in json.dumps(policy)
    ]
    assert sorted(name.partition("Role")[0] for name in allowed) == [
        "FunctionsBakeImages",
        "FunctionsLaunchBrokers",
    ]
    # which only executions call, and of these none is started by a deployment
    assert "BakeImages" in definition_of(template)["States"]
    gateways = resources(template, "AWS::EC2::InternetGateway")
    routes = [
        each
        for each in resources(template, "AWS::EC2::Route").values()
        if each["GatewayId"]["Ref"] in gateways and each["DestinationCidrBlock"] == "0.0.0.0/0"
    ]
    (bakes,) = [
        each["Environment"]["Variables"]
        for each in resources(template, "AWS::Lambda::Function").values()
        if each["Handler"] == "handlers.lane.bake_images.handler"
    ]
    subnets = [each["Ref"] for each in bakes["BREAKEVEN_BUILD_SUBNETS"]["Fn::Join"][1] if each != ","]
    tables = {
        each["SubnetId"]["Ref"]: each["RouteTableId"]
        for each in resources(template, "AWS::EC2::SubnetRouteTableAssociation").values()
    }
    for subnet in subnets:
        assert tables[subnet] in [each["RouteTableId"] for each in routes]
        assert resources(template, "AWS::EC2::Subnet")[subnet]["MapPublicIpOnLaunch"] is True


def test_the_builder_lets_nobody_in_reaches_mirrors_and_s3_and_stops_when_it_powers_off(template):
    (group,) = resources(template, "AWS::EC2::SecurityGroup").values()
    assert "SecurityGroupIngress" not in group
    assert [rule["ToPort"] for rule in group["SecurityGroupEgress"]] == [80, 443]
    assert resources(template, "AWS::EC2::SecurityGroupIngress") == {}
    data = builder(template)
    assert data["MetadataOptions"] == {
        "HttpPutResponseHopLimit": 1,
        "HttpTokens": "required",
        "InstanceMetadataTags": "enabled",
    }
    assert "KeyName" not in data
    assert data["InstanceInitiatedShutdownBehavior"] == "stop", "an image is made of what has stopped"
    assert "NetworkInterfaces" not in data, "EC2 takes no subnet beside them"
    assert len(resources(template, "AWS::EC2::Subnet")) == 2, "a zone may lack its type"
    assert resources(template, "AWS::EC2::NatGateway") == {}, "nothing that costs while idle"
    assert resources(template, "AWS::EC2::EIP") == {}


def test_a_builder_may_get_the_scripts_and_put_its_report_and_nothing_else(template):
    statements = [
        statement
        for name, policy in resources(template, "AWS::IAM::Policy").items()
        if "BuildingRole" in name
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    assert [statement["Action"] for statement in statements] == ["s3:GetObject", "s3:PutObject"]
    get, put = (statement["Resource"]["Fn::Join"][1] for statement in statements)
    assert get[-1].endswith(".zip")
    assert put[-1] == "/images/*"
    roles = resources(template, "AWS::IAM::Role").values()
    assert not [role for role in roles if role.get("ManagedPolicyArns")]


def test_a_changed_script_makes_a_new_image_and_nothing_else_does(template, tmp_path, monkeypatch):
    assert name_of(synthesized(tmp_path / "same")) == name_of(template)
    others = [
        synthesized(tmp_path / "other", release="13"),
        synthesized(tmp_path / "elsewhere", qualifier="acme"),
        synthesized(tmp_path / "tagged", tags={"Owner": "team-a"}),
    ]

    def changed(target: Path) -> None:
        assemble_node_files(target)
        (target / "start").write_text("#!/bin/sh\n")

    with monkeypatch.context() as patch:
        patch.setattr(image_builders, "assemble_node_files", changed)
        others.append(synthesized(tmp_path / "changed"))

    def longer(**reported: str) -> str:
        return f"{bake_user_data(**reported)}# more\n"

    with monkeypatch.context() as patch:
        patch.setattr(image_builders, "bake_user_data", longer)
        others.append(synthesized(tmp_path / "script"))
    names = [name_of(template), *map(name_of, others)]
    assert len(set(names)) == 6


def test_an_image_of_the_accounts_own_is_in_the_images_name(tmp_path):
    """Another id in the account's parameter makes another image at the next deployment."""
    made = synthesized(tmp_path, parent="ami-0123")
    assert builder(made)["ImageId"] == "ami-0123"
    assert name_of(made).endswith("-ami-0123")


def test_what_the_builder_fetches_is_what_the_host_tests_run(folder, template, tmp_path):
    manifest = json.loads((folder / "Images.assets.json").read_text())
    sources = [one["source"] for one in manifest["files"].values()]
    (path,) = [source["path"] for source in sources if source["packaging"] == "zip"]
    assemble_node_files(tmp_path)
    ours = {str(one.relative_to(tmp_path)): one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    staged = folder / path
    assert ours == {
        str(one.relative_to(staged)): one.read_bytes() for one in staged.rglob("*") if one.is_file()
    }
    assert {"install", "start", "lease", "rabbitmq.conf", "packages/debian-12"} <= set(ours)


def test_a_builder_is_given_what_its_script_asks_for(template):
    reported = read_user_data(user_data(builder(template)).encode())
    assert reported["BREAKEVEN_FILES"].endswith(".zip")
    assert reported["BREAKEVEN_REPORT"] == f"s3://{LONGEST['bucket']}/{layout.bake_prefix(name_of(template))}"
    assert reported["BREAKEVEN_RELEASE"] == "12"
    script = (Path(image_builders.__file__).parents[2] / "nodes" / "bake").read_text()
    for name in reported:
        assert f"${name}" in script or f"${{{name}" in script or name == "BREAKEVEN_RELEASE", name


def test_user_data_fits_into_what_ec2_takes(assembly):
    """Before it is encoded ("Run commands when you launch an EC2 instance", EC2 guide)."""
    for launched in builders_templates(template_of(assembly)).values():
        body = user_data(launched).encode()
        assert len(body) <= USER_DATA_BYTES == 16_384
        assert body.startswith(b"#!"), "cloud-init runs nothing else"
        with pytest.raises(ValueError, match="does not begin with #!"):
            read_user_data(body[1:])


def test_no_value_that_a_builder_is_given_ends_its_line():
    lines = bake_user_data(files=FILES, report=REPORT, release="13").splitlines()
    assert lines[:4] == [
        "#!/usr/bin/env bash",
        f"export BREAKEVEN_FILES={FILES}",
        f"export BREAKEVEN_REPORT={REPORT}",
        "export BREAKEVEN_RELEASE=13",
    ]


def test_images_go_with_the_stack(assembly):
    """A run makes them, so that CloudFormation knows of none: a function removes them when it is told to."""
    template = template_of(assembly)
    (removal,) = resources(template, "Custom::BakedImages").values()
    function = template["Resources"][removal["ServiceToken"]["Fn::GetAtt"][0]]
    assert function["Properties"]["Handler"] == "handlers.cleanup.remove_images.handler"
    assert int(removal["ServiceTimeout"]) > function["Properties"]["Timeout"]
    assert any("RemoveImagesRoleDefaultPolicy" in name for name in function["DependsOn"]), "it outlives them"


def test_the_configuration_is_the_clusters_own(tmp_path):
    settings = ClusterSettings(net_ticktime_s=7, partition_handling="autoheal")
    assemble_node_files(tmp_path, settings)
    lines = (tmp_path / "rabbitmq.conf").read_text().splitlines()
    assert set(settings.configuration()) <= set(lines)
    assert "listeners.tcp = none" in lines
    note = json.loads((tmp_path / "note.json").read_text())
    assert note == {"name": CLUSTER_PARAMETER, "value": settings.note()}
