"""The broker images' template: what is baked, from what, and that the builder is shut to the world."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from breakeven.targets.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings
from infra import images
from infra.build_place import BuildNetwork
from infra.context import Context
from infra.images import BrokerImage, parent_image
from infra.node_files import assemble_node_files
from infra.storage import Storage


def synthesized(tmp_path: Path, release: str = "12", qualifier: str | None = None, **options) -> dict:
    app = cdk.App(outdir=str(tmp_path))
    stack = cdk.Stack(app, "Images", synthesizer=cdk.DefaultStackSynthesizer(qualifier=qualifier))
    place = BuildNetwork(stack, "Network", storage=Storage(stack, "Storage", Context()))
    BrokerImage(
        stack, "Pair", name="breakeven", place=place, release=release, architecture="arm64", **options
    )
    return Template.from_stack(stack).to_json()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("images") / "out"


@pytest.fixture(scope="module")
def template(folder) -> dict:
    return synthesized(folder)


def of_kind(template: dict, kind: str) -> list[dict]:
    return [one["Properties"] for one in template["Resources"].values() if one["Type"] == kind]


def document(template: dict) -> dict:
    """The component's steps; references stay as they are written."""
    (component,) = of_kind(template, "AWS::ImageBuilder::Component")
    data = component["Data"]
    parts = data["Fn::Join"][1] if isinstance(data, dict) else [data]
    return json.loads("".join(part if isinstance(part, str) else part["Fn::Sub"] for part in parts))


def test_the_image_is_debians_own_with_our_script_run_on_it(template):
    (recipe,) = of_kind(template, "AWS::ImageBuilder::ImageRecipe")
    assert recipe["ParentImage"] == "ssm:/aws/service/debian/release/12/latest/arm64"
    assert parent_image("13", "amd64") == "ssm:/aws/service/debian/release/13/latest/amd64"
    (disk,) = recipe["BlockDeviceMappings"]
    assert disk["Ebs"]["Encrypted"] is True
    build, validate = document(template)["phases"]
    fetch, install = build["steps"]
    assert fetch["action"] == "S3Download"
    assert fetch["inputs"][0]["source"].endswith(".zip")
    assert "BREAKEVEN_RELEASE=12 bash /var/tmp/breakeven/nodes/install" in install["inputs"]["commands"][0]
    assert "nothing to do" in validate["steps"][0]["inputs"]["commands"][0], "a second run changes nothing"


def test_the_builder_lets_nobody_in_and_is_led_only_by_image_builder(template):
    (group,) = of_kind(template, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in group
    assert [rule["ToPort"] for rule in group["SecurityGroupEgress"]] == [80, 443]
    assert of_kind(template, "AWS::EC2::SecurityGroupIngress") == []
    (machine,) = of_kind(template, "AWS::ImageBuilder::InfrastructureConfiguration")
    assert machine["InstanceMetadataOptions"] == {"HttpPutResponseHopLimit": 1, "HttpTokens": "required"}
    assert "KeyPair" not in machine
    assert machine["TerminateInstanceOnFailure"] is True
    assert of_kind(template, "AWS::EC2::NatGateway") == [], "nothing that costs while idle"
    assert of_kind(template, "AWS::EC2::EIP") == []


def test_the_image_goes_with_the_stack(template):
    (image,) = of_kind(template, "AWS::ImageBuilder::Image")
    assert image["DeletionSettings"]["ExecutionRole"]["Fn::GetAtt"][1] == "Arn"


def test_a_changed_script_makes_a_new_image_and_nothing_else_does(template, tmp_path, monkeypatch):
    def name(of: dict) -> str:
        return of_kind(of, "AWS::ImageBuilder::ImageRecipe")[0]["Name"]

    assert name(synthesized(tmp_path / "same")) == name(template)
    assert name(synthesized(tmp_path / "other", release="13")) != name(template)
    # what holds the scripts, and the tags of what builds, are in a component and a recipe, too
    assert name(synthesized(tmp_path / "elsewhere", qualifier="acme")) != name(template)
    assert name(synthesized(tmp_path / "tagged", tags={"Owner": "team-a"})) != name(template)

    def changed(target: Path) -> None:
        assemble_node_files(target)
        (target / "start").write_text("#!/bin/sh\n")

    monkeypatch.setattr(images, "assemble_node_files", changed)
    assert name(synthesized(tmp_path / "changed")) != name(template)


def test_an_image_of_the_accounts_own_is_in_the_recipes_name(tmp_path):
    """CloudFormation would otherwise make another recipe of that name, which is refused."""
    (recipe,) = of_kind(synthesized(tmp_path, parent="ami-0123"), "AWS::ImageBuilder::ImageRecipe")
    assert recipe["ParentImage"] == "ami-0123"
    assert recipe["Name"].endswith("-ami-0123")


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


def test_the_commands_unpack_what_was_zipped(tmp_path):
    """As the builder does: Python's zipfile keeps no mode, so `install` is run by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("install", 'echo "installs $BREAKEVEN_RELEASE"\n')
    (tmp_path / "nodes.zip").write_bytes(packed.getvalue())
    script = "\n".join(images.BUILD).replace(images.FOLDER, str(tmp_path)).replace("{release}", "12")
    done = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "installs 12\n"


def test_the_configuration_is_the_clusters_own(tmp_path):
    settings = ClusterSettings(net_ticktime_s=7, partition_handling="autoheal")
    assemble_node_files(tmp_path, settings)
    lines = (tmp_path / "rabbitmq.conf").read_text().splitlines()
    assert set(settings.configuration()) <= set(lines)
    assert "listeners.tcp = none" in lines
    note = json.loads((tmp_path / "note.json").read_text())
    assert note == {"name": CLUSTER_PARAMETER, "value": settings.note()}
