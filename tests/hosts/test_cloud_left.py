"""What is left of a simulated cloud whose test was killed: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.workflow.processes import eventually, processes_of

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
OTHER_RUN = """
import json, sys, time
from pathlib import Path
from tests.hosts.cloud import Cloud
from tests.hosts.instance import Instance
from tests.hosts.mirrors import Mirrors

folder, base, group = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
template = json.loads((folder / "template.json").read_text())
(folder / "cloud").mkdir()
with Cloud(folder / "cloud", template, [group], Mirrors(base)) as cloud:
    host = Instance(cloud, "i-1", cloud.place(cloud.subnets[0], group, 0), [base])
    host.boot()
    host.await_unit("systemd-journald.service")
    print("booted", flush=True)
    time.sleep(600)
"""
#: a small one: what is left does not depend on it
TEMPLATE = """{"Resources": {
  "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/24"}},
  "Table": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "Vpc"}}},
  "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"}},
  "Association": {"Type": "AWS::EC2::SubnetRouteTableAssociation",
    "Properties": {"RouteTableId": {"Ref": "Table"}, "SubnetId": {"Ref": "Subnet"}}},
  "Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": {"VpcId": {"Ref": "Vpc"}}}}}"""


def groups_of(pid: int) -> list[str]:
    """Control groups of a run's hosts, wherever the unified hierarchy is mounted."""
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    found = [Path(words[1]) / f"breakeven-{pid}" for words in mounts if words[2] == "cgroup2"]
    return [str(path) for path in found if path.exists()]


def test_a_killed_run_leaves_no_host_no_network_and_no_control_group(tmp_path):
    (tmp_path / "template.json").write_text(TEMPLATE)
    base = ROOT / ".cache" / "hosts" / "debian-12"
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER_RUN, str(tmp_path), str(base), "Group"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout
    assert other.stdout.readline() == "booted\n"
    card = Path(f"/sys/class/net/be{other.pid}")
    assert processes_of(tmp_path)
    assert card.exists()
    assert groups_of(other.pid) or "cgroup2" not in Path("/proc/mounts").read_text()
    other.kill()
    other.wait()
    other.stdout.close()
    assert eventually(
        lambda: not processes_of(tmp_path) and not card.exists() and not groups_of(other.pid), PATIENCE_S
    )
