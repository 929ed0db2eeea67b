"""From a bare Debian to a cluster, as on EC2: the whole path, by systemd and cloud-init as Debian has them.

An instance of Debian's image runs `nodes/bake` as its user data and powers off; its disk is the image; nodes
boot from it behind the filters that the synthesized template's security groups and routes are. Debian 12
gives the mirrored pair, Debian 13 the trio; Debian's testing has the RabbitMQ that comes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest

from breakeven.targets.rabbitmq.rabbitmq_cluster import (
    AMQPS_PORT,
    DISTRIBUTION_PORT,
    EPMD_PORT,
    MANAGEMENT_TLS_PORT,
    ClusterSettings,
)
from tests.hosts.instance import Instance
from tests.hosts.launched_lane import Lane, launched
from tests.hosts.release import (
    ACCESS,
    AGENT_UNIT,
    COOKIE,
    LEASE_UNIT,
    NODE_UNIT,
    RELEASES,
)
from tests.hosts.stand_ins import AWS_ADDRESSES, REGION
from tests.support.workflow.processes import eventually

#: apt installs an image first
pytestmark = pytest.mark.timeout(1800)
PATIENCE_S = 180.0
MESSAGES = 50
#: what an instance has of its own, and what baking leaves, on the disk that becomes the image
NOT_IN_AN_IMAGE = (
    "etc/ssh/ssh_host_*",
    "etc/apt/apt.conf.d/90breakeven-bake",
    "etc/netplan/50-cloud-init.yaml",
    "var/lib/cloud/instance*/*",
    "var/lib/dbus/machine-id",
    "var/lib/rabbitmq/.erlang.cookie",
    "var/lib/systemd/random-seed",
    "var/log/*.log",
    "var/log/journal/*/*",
    "var/tmp/breakeven",
)
OURS = (NODE_UNIT, LEASE_UNIT, AGENT_UNIT)
QUIET = ("apt-daily.timer", "apt-daily-upgrade.timer", "unattended-upgrades.service")
KEPT_BACK = ("rabbitmq-server.service", "epmd.socket", *QUIET)


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.debian)
def lane(request, template, tmp_path_factory) -> Iterator[Lane]:
    with launched(request.param, template, tmp_path_factory.mktemp("cloud")) as made:
        yield made


def test_the_builder_reports_the_packages_that_the_list_names(lane):
    report = lane.installation.report("done")
    assert report
    versions = dict(line.split() for line in report.splitlines())
    assert versions["rabbitmq-server"].startswith(lane.release.rabbitmq)
    assert "awscli" in versions
    for node in lane.access.nodes:
        assert node.packages == versions


def test_the_image_holds_nothing_of_the_instance_that_it_was_made_of(lane):
    disk = lane.builder.written
    # a character device is an overlay's mark of a file that was deleted
    kept = 'cd "$0" && for path in $@; do [ ! -e "$path" ] || [ -c "$path" ] || echo "$path"; done'
    found = lane.installation.cloud.run("sh", "-c", kept, str(disk), "opt/breakeven/start", *NOT_IN_AN_IMAGE)
    assert found.split() == ["opt/breakeven/start"]
    assert lane.installation.cloud.run("cat", str(disk / "etc/machine-id")) == ""
    reported = lane.installation.cloud.run("sh", "-c", f"grep -rlI BREAKEVEN_REPORT {disk} || true")
    assert reported == "", "its user data"


def test_the_images_sources_have_no_backports(lane):
    said = lane.nodes[0].read("sh", "-c", "cat /etc/apt/sources.list.d/*.sources")
    assert "Suites: " in said
    assert "backports" not in said


def test_every_node_is_a_machine_of_its_own(lane):
    for path in ("/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub"):
        assert len({node.read("cat", path) for node in lane.nodes}) == lane.release.nodes
    assert {node.read("hostname").strip() for node in lane.nodes} == {
        f"ip-{node.address.replace('.', '-')}" for node in lane.nodes
    }


def assert_units(node: Instance) -> None:
    """Ours begin by themselves, and neither the broker nor what would disturb a measurement does."""
    assert node.read("systemctl", "is-enabled", *OURS).split() == ["enabled"] * len(OURS)
    assert node.run("systemctl", "is-enabled", *KEPT_BACK).stdout.split() == ["disabled"] * len(KEPT_BACK)
    assert node.run("systemctl", "is-active", *QUIET).stdout.split() == ["inactive"] * len(QUIET)


def test_units_of_ours_begin_by_themselves_and_neither_the_broker_nor_updates_do(lane):
    for node in lane.nodes:
        assert_units(node)
        failed = node.read("systemctl", "list-units", "--failed", "--plain", "--no-legend")
        names = [line.split()[0] for line in failed.splitlines()]
        assert not [name for name in names if name.startswith(("breakeven", "rabbitmq", "epmd"))]


def test_a_node_starts_after_the_network_and_after_what_writes_its_hosts(lane):
    for node in lane.nodes:
        begun = _moment(node, NODE_UNIT, "ExecMainStartTimestampMonotonic")
        written = [
            _moment(node, unit, "ActiveEnterTimestampMonotonic")
            for unit in ("network-online.target", "cloud-init.service", "cloud-init-network.service")
        ]
        assert max(written[1:]) > 0, "by the name that this release has"
        assert 0 < max(written) <= begun


def test_each_node_registers_with_its_volume_and_the_first_with_the_way_to_the_others(lane):
    first, *others = sorted(lane.access.nodes, key=lambda node: IPv4Address(node.host))
    for node in (first, *others):
        assert node.survey is not None
        assert (node.survey.error, bool(node.survey.sync)) == (None, True)
    assert sorted(link.peer for link in first.survey.links) == sorted(node.name for node in others)
    assert all(link.bytes_per_s > 0 for link in first.survey.links)
    assert [node.survey.links for node in others] == [()] * len(others)


def _moment(node: Instance, unit: str, field: str) -> int:
    return int(node.read("systemctl", "show", "--value", f"--property={field}", unit).strip() or 0)


def test_the_nodes_are_one_healthy_cluster_that_answers_loaders_over_tls(lane):
    assert len(lane.access.nodes) == lane.release.nodes
    seen = lane.loader.ask("cluster", lane.access, size=lane.release.nodes)
    version = lane.access.nodes[0].packages["rabbitmq-server"].partition("-")[0]
    assert seen == {"problem": None, "version": version, "note": ClusterSettings().note()}
    if lane.release.nodes == 2:
        assert lane.loader.ask("mirrors", lane.access) is None


def test_between_hosts_passes_what_the_security_groups_let_pass_and_nothing_else(lane):
    first, second = lane.nodes[:2]
    for port, passes in ((EPMD_PORT, True), (DISTRIBUTION_PORT, True), (AMQPS_PORT, False)):
        assert second.opens(first.address, port) is passes, port
        assert lane.loader.ask("opens", address=first.address, port=port) is not passes, port
    assert not second.opens(first.address, MANAGEMENT_TLS_PORT)
    assert lane.loader.ask("opens", address=first.address, port=MANAGEMENT_TLS_PORT)
    assert not second.opens(first.address, 22), "ssh listens there, and nobody is let in"
    assert "0.0.0.0:22" in first.read("ss", "--listening", "--tcp", "--numeric")


def test_what_is_inside_the_vpc_reaches_what_its_routes_reach_and_nothing_else(lane):
    services = {"s3": True, "dynamodb": True, "sqs": False, "sts": False}
    for service, reached in services.items():
        assert lane.loader.ask("calls", service=service, region=REGION) is reached, service
        assert lane.nodes[0].opens(AWS_ADDRESSES[service], 443) is reached, service
    for mirror in lane.installation.cloud.mirrors.names.values():
        assert not lane.nodes[0].opens(mirror, 80)
        assert not lane.loader.ask("opens", address=mirror, port=80)


def test_a_killed_node_boots_again_and_rejoins_and_nothing_confirmed_is_lost(lane):
    killed, others = lane.nodes[-1], lane.nodes[:-1]
    kind = "classic" if lane.release.nodes == 2 else "quorum"
    assert lane.loader.ask("publish", lane.access, queue="be-kept", count=MESSAGES, kind=kind) == MESSAGES
    killed.kill()
    assert not killed.is_up
    killed.boot()
    killed.await_unit(NODE_UNIT)
    assert eventually(lambda: lane.problem() is None, PATIENCE_S), lane.problem()
    hosts = killed.read("cat", "/etc/hosts")
    for node in lane.nodes:
        assert f"{node.address} ip-{node.address.replace('.', '-')} " in hosts, (
            "cloud-init has written it anew"
        )
    assert lane.loader.ask("consume", lane.first_access(*others), queue="be-kept") == MESSAGES


def test_presets_keep_the_broker_back_when_a_machines_id_is_made_anew(lane):
    """systemd then enables whatever no preset keeps back: machine-id(5), systemd.preset(5)."""
    node = lane.nodes[-1]
    node.read("systemctl", "disable", LEASE_UNIT)
    before = node.read("cat", "/etc/machine-id")
    node.read("sh", "-c", "echo uninitialized >/etc/machine-id && sync")
    node.kill()
    node.boot()
    node.await_unit(NODE_UNIT)
    assert node.read("cat", "/etc/machine-id") != before
    assert_units(node)  # and the lease's has been enabled again: presets were applied
    assert eventually(lambda: lane.problem() is None, PATIENCE_S), lane.problem()


def test_a_second_start_changes_nothing(lane):
    for node in lane.nodes:
        broker = node.read("pidof", "beam.smp")
        assert node.read("/opt/breakeven/start") == "breakeven: nothing to do\n"
        assert node.read("pidof", "beam.smp") == broker


def test_no_secret_is_in_tags_arguments_or_logs(lane):
    for node in lane.nodes:
        said = node.read("sh", "-c", "cat /proc/[0-9]*/cmdline /var/log/rabbitmq/* | tr '\\0' ' '")
        said += node.read("journalctl", "--no-pager", "--boot")
        assert "beam.smp" in said
        assert ACCESS.password not in said
        assert COOKIE not in said


def test_a_node_whose_lease_runs_out_powers_off_by_itself_and_its_peers_stay(lane):
    *others, node = lane.nodes
    until, now = int(node.read("cat", "/var/lib/breakeven/lease")), int(node.read("date", "+%s"))
    assert 0 < until - now <= 8 * 3600, "no tag says how long"
    node.read("sh", "-c", "date +%s >/var/lib/breakeven/lease")
    node.await_off(PATIENCE_S)
    assert all(other.is_up for other in others)
