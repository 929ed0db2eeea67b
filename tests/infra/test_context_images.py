"""What the context says of the images of brokers: on what and where they are baked, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from breakeven.pricing.book import load_book
from tests.infra.idle_cost import idle_lines
from tests.infra.stacks import GROWN, Built, of
from tests.infra.test_context_effects import functions_inside, of_kind, variables

pytestmark = pytest.mark.installed


def launched(built: Built) -> dict[str, Any]:
    (template,) = of_kind(built, "AWS::EC2::LaunchTemplate").values()
    return template["LaunchTemplateData"]


def value_of(built: Built, reference: Any) -> Any:
    """The SSM parameter that a reference to a template's parameter stands for; others as they are."""
    name, given = reference.get("Ref") if isinstance(reference, dict) else None, built.template["Parameters"]
    return given[name]["Default"] if name in given else reference


@pytest.mark.parametrize(
    ("which", "instance_type", "parent"),
    [
        ("plain", "m7g.large", "ssm:/aws/service/debian/release/12/latest/arm64"),
        ("grown", "m7i.large", "/images/debian-12/amd64"),
    ],
)
def test_brokers_are_launched_from_an_image_that_is_baked_on_what_the_context_names(
    request, which, instance_type, parent
):
    built = request.getfixturevalue(which)
    data = launched(built)
    assert data["InstanceType"] == instance_type
    assert {each["BREAKEVEN_INSTANCE_TYPE"] for each in variables(built)} == {instance_type}
    ((name, _),) = of_kind(built, "AWS::ImageBuilder::Image").items()
    assert data["ImageId"] == {"Fn::GetAtt": [name, "ImageId"]}
    (recipe,) = of_kind(built, "AWS::ImageBuilder::ImageRecipe").values()
    assert value_of(built, recipe["ParentImage"]) == parent


def test_an_image_is_built_where_the_context_says(plain, grown):
    (place,) = of_kind(grown, "AWS::ImageBuilder::InfrastructureConfiguration").values()
    assert place["SubnetId"] == GROWN["build_subnet_id"]
    assert place["ResourceTags"] == {"CostCenter": "1234", "Owner": "team-a"}
    (place,) = of_kind(plain, "AWS::ImageBuilder::InfrastructureConfiguration").values()
    subnet = of_kind(plain, "AWS::EC2::Subnet")[place["SubnetId"]["Ref"]]
    (function, *_) = functions_inside(plain)
    assert place["SubnetId"] not in function["VpcConfig"]["SubnetIds"], "nothing of a run is there"
    assert subnet["MapPublicIpOnLaunch"] is True


def test_an_image_is_baked_for_each_architecture_that_suites_may_name():
    built = of({"image_architectures": "x86_64"})
    parents = {each["ParentImage"] for each in of_kind(built, "AWS::ImageBuilder::ImageRecipe").values()}
    assert {parent.rsplit("/", 1)[1] for parent in parents} == {"arm64", "amd64"}
    images = of_kind(built, "AWS::ImageBuilder::Image")
    (launching,) = [each for each in variables(built) if "BREAKEVEN_IMAGES" in each]
    given = json.dumps(launching["BREAKEVEN_IMAGES"])
    assert all(name in given for name in images)
    (planning,) = [each for each in variables(built) if "BREAKEVEN_ARCHITECTURES" in each]
    assert planning["BREAKEVEN_ARCHITECTURES"] == "arm64,x86_64"
    assert planning["BREAKEVEN_ZONES"] == launching["BREAKEVEN_ZONES"]
    assert sum(line.usd for line in idle_lines(built.template, load_book("us-east-1"))) < 5


def test_an_account_may_bake_its_images_itself():
    built = of({"bake": "false", "image": "/images/brokers", "zones": "eu-west-1a,eu-west-1b"})
    assert value_of(built, launched(built)["ImageId"]) == "/images/brokers"
    kinds = {each["Type"] for each in built.template["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith("AWS::ImageBuilder")]
    assert "AWS::EC2::InternetGateway" not in kinds
    assert len(of_kind(built, "AWS::EC2::VPC")) == 1
