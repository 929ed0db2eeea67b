"""What broker nodes read at boot is what a launch tells them, and they may do what their scripts do."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.steps.lane.launch_brokers import Place, launch
from breakeven.targets.catalog import record_of
from breakeven.targets.rabbitmq.rabbitmq_cluster import (
    AMQPS_PORT,
    DISTRIBUTION_PORT,
    EPMD_PORT,
    MANAGEMENT_TLS_PORT,
)
from infra.brokers.image_builders import ROOT_GB
from tests.support.aws.definition import builders_templates, nodes_statements, nodes_template, resources
from tests.support.aws.one_page import OnePage

NODES = Path(__file__).parents[3] / "nodes"
ON_A_NODE = [NODES / name for name in ("lib.sh", "start", "lease", "agent", "surroundings/aws.sh")]
RUN, PAIR, BUCKET = "run-1", "rabbitmq-mirrored-pair", "results"
RECORD = {"started_at": "2026-11-20T00:00:00Z", "deadline_at": 1_795_138_200}  # 90 minutes later
LEASE_S = 5400 + 3600
#: all that a node asks its surroundings, with the metadata service and the AWS command stood in for
ASKED = """
set -eu
. "$nodes/lib.sh"; . "$nodes/surroundings/aws.sh"
imds() { cat "$told/${1//\\//_}"; }
aws() { printf '%s\\n' "$*" >>"$told/called"; printf '{"username": "u", "password": "p"}'; }
cluster_size; echo; lease_s; echo
for secret in username password cookie; do lane_secret "$secret" >>"$told/secrets"; done
announce i-1 10.0.0.4; announced; echo up | register i-1; echo why | register_failure i-1
node_id() { echo i-1; }
agent_place
echo; env | grep '^BREAKEVEN_' | sort
"""


class Ec2(OnePage):
    """Keeps what it is asked to launch, which runs at once."""

    def run_instances(self, **asked: Any) -> dict[str, Any]:
        self.asked = asked
        return {"Instances": [{"InstanceId": "i-1", "ImageId": "ami-1"}]}

    def describe_instances(self, Filters: Any) -> dict[str, Any]:
        ids = Filters[0]["Values"]
        return {
            "Reservations": [{"Instances": [{"InstanceId": "i-1", "State": {"Name": "running"}}] * len(ids)}]
        }


@pytest.fixture(scope="module")
def asked() -> dict[str, Any]:
    """The call that launches a lane."""
    ec2 = Ec2()
    state = SimpleNamespace(get=lambda item: RECORD, update=lambda item, **fields: fields)
    store = SimpleNamespace(bucket=BUCKET, keys=lambda prefix: [], put_secret=lambda key, text: None)
    services: Any = SimpleNamespace(store=store, state=lambda run_id: state)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.time", lambda: 0.0)
        launch(services, ec2, Place("lt-1", "sg-1", {"us-east-1a": "subnet-1"}), RUN, PAIR)
    return ec2.asked


@dataclass
class Node:
    """What a node learned, and each call of the AWS command, by its words."""

    learned: list[str]
    calls: list[list[str]] = field(default_factory=list)

    def keys(self, place: int) -> set[str]:
        """Of objects that are read (1: the source of a copy) or written (2: its destination)."""
        copies = [[word for word in call if not word.startswith("--")] for call in self.calls]
        found = [copy[1 + place] for copy in copies if copy[1] == "cp"]
        return {path.removeprefix(f"s3://{BUCKET}/") for path in found if path.startswith("s3://")}


@pytest.fixture(scope="module")
def node(asked, tmp_path_factory) -> Node:
    reported = tmp_path_factory.mktemp("told")
    (instance,) = [each["Tags"] for each in asked["TagSpecifications"] if each["ResourceType"] == "instance"]
    for tag in instance:
        (reported / f"meta-data_tags_instance_{tag['Key']}").write_text(tag["Value"])
    (reported / "meta-data_placement_region").write_text("eu-west-1")
    done = subprocess.run(
        ["bash", "-c", ASKED],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "nodes": str(NODES), "told": str(reported)},
    )
    called = (reported / "called").read_text().splitlines()
    return Node(done.stdout.split(), [line.split() for line in called])


def test_a_node_learns_its_clusters_size_and_its_lease_from_its_tags(node):
    assert node.learned[:2] == [str(record_of(PAIR).node_count), str(LEASE_S)]


def test_a_nodes_objects_are_where_the_lane_puts_and_seeks_them(node):
    lane, registered = layout.secrets_prefix(RUN, PAIR), layout.nodes_prefix(RUN, PAIR)
    secrets = {layout.access_key(RUN, PAIR), layout.cookie_key(RUN, PAIR)}
    assert node.keys(1) == secrets | {f"{lane}peers/"}
    up = f"{registered}i-1{layout.REGISTERED}"
    assert node.keys(2) == {f"{lane}peers/i-1", up, f"{registered}i-1.failed"}


def test_its_agents_objects_are_where_the_workflow_puts_and_seeks_them(node):
    noted = dict(line.split("=", 1) for line in node.learned if line.startswith("BREAKEVEN_"))
    assert noted == {
        "BREAKEVEN_BUCKET": BUCKET,
        "BREAKEVEN_ORDERS": layout.faults_prefix(RUN, PAIR),
        "BREAKEVEN_SAMPLES": layout.samples_prefix(RUN, PAIR),
        "BREAKEVEN_FAILED": f"{layout.nodes_prefix(RUN, PAIR)}i-1.failed",
    }


def test_every_tag_that_a_script_names_is_set(asked):
    used = r"(?:\$\(|\{ )tag ([a-z-]+)"
    named = {name for path in ON_A_NODE for name in re.findall(used, path.read_text())}
    assert {"bucket", "run", "target", "nodes", "lease-s"} <= named
    for specification in asked["TagSpecifications"]:
        assert {f"breakeven:{name}" for name in named} <= {tag["Key"] for tag in specification["Tags"]}


def test_nothing_else_need_be_set():
    """No unit sets a variable, so each has its value without."""
    for path in ON_A_NODE:
        for use in re.findall(r"\$\{?BREAKEVEN_\w+[^}]*", path.read_text()):
            assert ":-" in use, (path.name, use)


def _allows(template: dict[str, Any], action: str, key: str) -> bool:
    """May a node do that to the object, or to the bucket where the key is empty?"""

    def matches(resource: Any) -> bool:
        parts = resource["Fn::Join"][1] if "Fn::Join" in resource else [resource, ""]
        return fnmatchcase(f"/{key}" if key else "", "".join(part for part in parts if isinstance(part, str)))

    return any(
        action == statement["Action"] and any(matches(each) for each in _listed(statement["Resource"]))
        for statement in nodes_statements(template)
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_a_node_may_do_what_its_scripts_do_and_no_more(plain, node):
    for key in node.keys(1) | {f"{layout.secrets_prefix(RUN, PAIR)}peers/i-2"}:
        assert _allows(plain.template, "s3:GetObject", key), key
    for key in node.keys(2):
        assert _allows(plain.template, "s3:PutObject", key), key
    assert any("--recursive" in call for call in node.calls)
    assert _allows(plain.template, "s3:ListBucket", "")
    for key in (layout.access_key(RUN, PAIR), layout.cookie_key(RUN, PAIR), layout.plan_key(RUN)):
        assert not _allows(plain.template, "s3:PutObject", key), key
    assert not _allows(plain.template, "s3:GetObject", layout.plan_key(RUN))
    assert {statement["Action"] for statement in nodes_statements(plain.template)} == {
        "s3:GetObject",
        "s3:ListBucket",
        "s3:PutObject",
    }


def test_the_template_lets_a_node_read_its_tags_and_ends_one_that_powers_off(plain):
    data = nodes_template(plain.template)
    assert data["MetadataOptions"] == {"HttpTokens": "required", "InstanceMetadataTags": "enabled"}
    assert data["InstanceInitiatedShutdownBehavior"] == "terminate"
    assert "UserData" not in data, "a node is told by its tags"


def test_the_call_gives_the_templates_interface_and_where(plain, asked):
    """EC2 refuses a subnet or groups beside a template that has an interface."""
    (interface,) = nodes_template(plain.template)["NetworkInterfaces"]
    (given,) = asked["NetworkInterfaces"]
    assert not {"SubnetId", "SecurityGroupIds"} & asked.keys()
    assert (given["SubnetId"], given["Groups"]) == ("subnet-1", ["sg-1"])
    assert {name: given[name] for name in interface if name != "Groups"} == {
        "AssociatePublicIpAddress": False,
        "DeviceIndex": 0,
    }
    functions = resources(plain.template, "AWS::Lambda::Function").values()
    (launching,) = [each for each in functions if each["Handler"] == "handlers.lane.launch_brokers.handler"]
    assert [launching["Environment"]["Variables"]["BREAKEVEN_BROKER_GROUP"]] == interface["Groups"]


def test_the_nodes_disk_is_the_images_root_and_holds_it(plain):
    (disk,) = nodes_template(plain.template)["BlockDeviceMappings"]
    for builder in builders_templates(plain.template).values():
        (root,) = builder["BlockDeviceMappings"]
        assert disk["DeviceName"] == root["DeviceName"]
        assert disk["Ebs"]["VolumeSize"] >= root["Ebs"]["VolumeSize"] == ROOT_GB


def test_ports_are_those_that_the_groups_open(plain):
    script = (NODES / "start").read_text()
    ports = {name: int(port) for name, port in re.findall(r"\b(\w+)_port=(\d+)", script)}
    assert ports == {
        "amqps": AMQPS_PORT,
        "management": MANAGEMENT_TLS_PORT,
        "distribution": DISTRIBUTION_PORT,
    }
    rules = resources(plain.template, "AWS::EC2::SecurityGroupIngress").values()
    assert set(ports.values()) <= {rule["FromPort"] for rule in rules}


def _waited_for(script: str) -> set[tuple[str, str]]:
    """Host and port of each connection that a script opens itself, as the variables that name them."""
    return set(re.findall(r"(?:/dev/tcp/|https?://)(\$\w+)[:/]\$(\w+)", script))


def _open_between_brokers(template: dict[str, Any]) -> set[int]:
    (interface,) = nodes_template(template)["NetworkInterfaces"]
    (group,) = interface["Groups"]
    rules = resources(template, "AWS::EC2::SecurityGroupIngress").values()
    return {
        rule["FromPort"] for rule in rules if rule["GroupId"] == group == rule.get("SourceSecurityGroupId")
    }


def test_a_node_waits_for_no_port_of_a_peer_that_the_brokers_group_does_not_open(plain):
    """Security groups drop what no rule names, among members, too (EC2 User Guide, Security groups)."""
    script = (NODES / "start").read_text()
    ports = {f"{name}_port": int(port) for name, port in re.findall(r"\b(\w+)_port=(\d+)", script)}
    waits = _waited_for(script)
    of_peers = {ports[port] for host, port in waits if host != "$address"}
    assert of_peers == {DISTRIBUTION_PORT}, "its own are on the loopback interface, whatever the groups say"
    assert {EPMD_PORT, *of_peers} == _open_between_brokers(plain.template)
