"""What the context says of the images of brokers: on what and where they are baked, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from breakeven.pricing.prices.book_files import load_book
from tests.infra.app.test_context_effects import functions_inside, of_kind, variables
from tests.support.aws.definition import builders_templates, definition_of, nodes_template
from tests.support.aws.idle_cost import idle_lines
from tests.support.aws.stacks import GROWN, Built, of

pytestmark = pytest.mark.installed


#: the parameter of a release, by its number
OF_DEBIAN = "resolve:ssm:/aws/service/debian/release/{}/latest/arm64"


def value_of(built: Built, reference: Any) -> Any:
    """The SSM parameter that a reference to a template's parameter stands for; others as they are."""
    name, given = reference.get("Ref") if isinstance(reference, dict) else None, built.template["Parameters"]
    return given[name]["Default"] if name in given else reference


@pytest.mark.parametrize(
    ("which", "instance_type", "builder", "parents"),
    [
        ("plain", "m7g.large", "t4g.small", {OF_DEBIAN.format(release) for release in (12, 13)}),
        ("grown", "m7i.large", "t3.small", {"/images/debian-12/amd64"}),
    ],
)
def test_brokers_are_launched_from_an_image_that_is_baked_on_what_the_context_names(
    request, which, instance_type, builder, parents
):
    built = request.getfixturevalue(which)
    data = nodes_template(built.template)
    assert data["InstanceType"] == instance_type
    assert {each["BREAKEVEN_INSTANCE_TYPE"] for each in variables(built)} == {instance_type}
    assert "ImageId" not in data, "the run names the one that it has baked"
    (launching,) = [each for each in variables(built) if "BREAKEVEN_IMAGES" in each]
    assert launching["BREAKEVEN_IMAGES"] == "{}"
    launched = builders_templates(built.template).values()
    assert {data["InstanceType"] for data in launched} == {builder}
    assert {value_of(built, data["ImageId"]) for data in launched} == parents


def test_an_image_is_built_where_the_context_says(plain, grown):
    (baking,) = [each for each in variables(grown) if "BREAKEVEN_BUILD_SUBNETS" in each]
    assert baking["BREAKEVEN_BUILD_SUBNETS"] == GROWN["build_subnet_id"]
    assert json.loads(baking["BREAKEVEN_TAGS"]) == {"CostCenter": "1234", "Owner": "team-a"}
    (baking,) = [each for each in variables(plain) if "BREAKEVEN_BUILD_SUBNETS" in each]
    places = [each for each in baking["BREAKEVEN_BUILD_SUBNETS"]["Fn::Join"][1] if each != ","]
    (function, *_) = functions_inside(plain)
    for place in places:
        assert place not in function["VpcConfig"]["SubnetIds"], "nothing of a run is there"
        assert of_kind(plain, "AWS::EC2::Subnet")[place["Ref"]]["MapPublicIpOnLaunch"] is True


def test_an_image_is_baked_for_each_architecture_that_suites_may_name():
    built = of({"image_architectures": "x86_64"})
    templates = builders_templates(built.template)
    parents = {data["ImageId"] for data in templates.values()}
    assert {parent.rsplit("/", 1)[1] for parent in parents} == {"arm64", "amd64"}
    reported = [each["BREAKEVEN_RECIPES"] for each in variables(built) if "BREAKEVEN_RECIPES" in each]
    assert len(reported) == 2, "the plan's and the one that bakes"
    for given in map(json.dumps, reported):
        assert all(name in given for name in templates)
        for release in (12, 13):
            assert f"debian-{release}-arm64" in given
            assert f"debian-{release}-amd64" in given
    (planning,) = [each for each in variables(built) if "BREAKEVEN_BROKER_IMAGES" in each]
    (launching,) = [each for each in variables(built) if "BREAKEVEN_IMAGES" in each]
    assert planning["BREAKEVEN_BROKER_IMAGES"] == "arm64,x86_64,arm64-debian-13,x86_64-debian-13"
    assert planning["BREAKEVEN_ZONES"] == launching["BREAKEVEN_ZONES"]
    assert sum(line.usd for line in idle_lines(built.template, load_book("us-east-1"))) < 6


def test_an_account_may_bake_its_images_itself():
    built = of({"bake": "false", "image": "/images/brokers", "zones": "eu-west-1a,eu-west-1b"})
    assert value_of(built, nodes_template(built.template)["ImageId"]) == "/images/brokers"
    (launching,) = [each for each in variables(built) if "BREAKEVEN_IMAGES" in each]
    assert "arm64" in json.dumps(launching["BREAKEVEN_IMAGES"])
    assert builders_templates(built.template) == {}
    handlers = {each["Handler"] for each in of_kind(built, "AWS::Lambda::Function").values()}
    assert not handlers & {"handlers.lane.bake_images.handler", "handlers.cleanup.remove_images.handler"}
    assert "BakeImages" not in definition_of(built.template)["States"]
    assert "ec2:DescribeImages" not in json.dumps(of_kind(built, "AWS::IAM::Policy")), "nobody looks for any"
    kinds = {each["Type"] for each in built.template["Resources"].values()}
    assert "AWS::EC2::InternetGateway" not in kinds
    assert len(of_kind(built, "AWS::EC2::VPC")) == 1
