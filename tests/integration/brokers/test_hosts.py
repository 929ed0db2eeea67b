"""The nodes' own scripts on hosts of our own: cluster, TLS, health, crashes, second runs, and the lease.

The hosts' root is this machine's with all that they write kept apart, and the image is baked on it by
`install`, as `nodes/bake` does. `npm run test:hosts` starts from a bare Debian instead.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pika import BasicProperties

from breakeven.brokers.access import Access, tls_context
from breakeven.clients.factory import make_client
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_cluster import AMQPS_PORT, ClusterSettings
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import POLICY, RabbitMQMirroredPair
from tests.hosts.lan import Lan, NoHosts
from tests.hosts.lane import INSTALL, START, Image, Lane, await_process
from tests.hosts.pair import Pair
from tests.support.loaders.live_case import live
from tests.support.scripted.certificates import make_certificate_for
from tests.support.workflow.processes import eventually

pytestmark = pytest.mark.installed

TARGET = "rabbitmq-mirrored-pair"
CREDENTIALS = Access(username="breakeven-hosts", password="-not.the~others_1")
BASE = Path("/")
PATIENCE_S = 120.0
OVERRIDE = "override"


@pytest.fixture(scope="module")
def lan(tmp_path_factory) -> Iterator[Lan]:
    try:
        with Lan(tmp_path_factory.mktemp("hosts")) as made:
            yield made
    except NoHosts as error:
        pytest.fail(str(error))


@pytest.fixture(scope="module")
def image(lan, tmp_path_factory) -> Image:
    made = Image(lan, BASE, tmp_path_factory.mktemp("baked") / "payload")
    made.bake()
    return made


@pytest.fixture(scope="module")
def nodes(image, tmp_path_factory) -> Pair:
    return Pair(image, tmp_path_factory.mktemp("lane") / "pair", CREDENTIALS)


@pytest.fixture
def pair(nodes: Pair) -> Pair:
    nodes.restore()
    return nodes


def test_both_nodes_form_one_cluster_and_tell_how_it_is_set(pair):
    assert all("up, in a cluster of 2" in said for said in pair.said)
    described = pair.target.establish()
    assert described.parameters["net_ticktime"] == ClusterSettings().net_ticktime_s
    assert described.parameters["cluster_partition_handling"] == ClusterSettings().partition_handling
    assert described.server.startswith("RabbitMQ 3.10.")
    for node in pair.access.nodes:
        seen = Management(pair.access.model_copy(update={"nodes": (node,)})).nodes()
        assert [one["running"] for one in seen] == [True, True]


def test_a_node_tells_of_the_packages_in_its_image(pair):
    for node in pair.access.nodes:
        assert node.packages["rabbitmq-server"].startswith("3.")
        assert {"erlang-base", "openssl", "curl"} <= node.packages.keys()


def test_clients_are_answered_over_tls_only_with_the_certificates_registered(pair):
    context = tls_context(pair.access)
    context.verify_flags |= ssl.VERIFY_X509_STRICT  # as newer Pythons have it by default
    for node in pair.access.nodes:
        with (
            socket.create_connection((node.host, AMQPS_PORT), 10) as plain,
            context.wrap_socket(plain, server_hostname=node.host) as secured,
        ):
            shown = ssl.DER_cert_to_PEM_cert(secured.getpeercert(binary_form=True))
        assert shown == node.certificate
        for port in (5672, 15672):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((node.host, port), 10)
    given, made = pair.access.nodes
    assert given.certificate == pair.given[0]
    stranger, _ = make_certificate_for(made.host)
    deceived = pair.access.model_copy(
        update={"nodes": (given, made.model_copy(update={"certificate": stranger}))}
    )
    assert "certificate verify failed" in str(RabbitMQMirroredPair(deceived).problem())


def test_healthy_means_nodes_alarms_policy_and_mirrors(pair, queue_case):
    (queue,) = queues = pair.target.prepare(queue_case(TARGET), attempt=1).queues
    assert pair.target.problem(queues) is None
    pair.management.delete_policy(POLICY)
    assert pair.target.problem(queues) == f"the policy {POLICY} is missing"
    pair.target.establish()
    assert eventually(lambda: pair.target.problem(queues) is None, PATIENCE_S)

    _override(pair, {"ha-mode": "exactly", "ha-params": 1})
    assert eventually(lambda: pair.target.problem(queues), PATIENCE_S)
    with open_channel(pair.access, pair.access.nodes) as channel:
        channel.confirm_delivery()
        channel.basic_publish("", queue, b"a message that the new mirror lacks", mandatory=True)
    _override(pair, {"ha-mode": "all", "ha-sync-mode": "manual"})
    assert eventually(lambda: pair.management.queue(queue)["slave_nodes"], PATIENCE_S), "there is a mirror"
    assert pair.target.problem(queues) == f"no synchronised mirror of {queue}"
    pair.management.delete_policy(OVERRIDE)
    assert eventually(lambda: pair.target.problem(queues) is None, PATIENCE_S)

    second = pair.lane.hosts[1]
    second.read("rabbitmqctl", "--quiet", "set_disk_free_limit", "99999GB")
    assert eventually(lambda: "has raised disk_free_alarm" in str(pair.target.problem(queues)), PATIENCE_S)
    second.read("rabbitmqctl", "--quiet", "set_disk_free_limit", "50MB")
    assert eventually(lambda: pair.target.problem(queues) is None, PATIENCE_S)
    pair.target.release(queues)


def _override(pair: Pair, definition: dict[str, object]) -> None:
    """A policy that goes before the target's own."""
    body = {"pattern": "^be-", "definition": definition, "apply-to": "queues", "priority": 1}
    pair.management._ask("PUT", pair.management._policy(OVERRIDE), body)


def test_a_second_run_of_each_script_changes_nothing(pair):
    for host in pair.lane.hosts:
        before = pair.lane.snapshot(host), host.read("pidof", "beam.smp")
        assert "/etc/rabbitmq/conf.d/30-user.conf" in before[0]
        for script in (INSTALL, START):
            again = host.run(script, BREAKEVEN_SURROUNDINGS=pair.lane.image.surroundings)
            assert (again.returncode, again.stdout) == (0, "breakeven: nothing to do\n"), again
        after = pair.lane.snapshot(host), host.read("pidof", "beam.smp")
        assert set(before[0].items()) ^ set(after[0].items()) == set()
        assert after[1] == before[1]


def test_a_configuration_that_has_changed_is_written_again_and_the_broker_started_with_it(pair):
    host, path = pair.lane.hosts[1], "/etc/rabbitmq/conf.d/30-user.conf"
    before = host.read("pidof", "beam.smp"), host.read("cat", path)
    host.read("sh", "-c", f"echo '# not the lane' >>{path}")
    again = host.run(START, BREAKEVEN_SURROUNDINGS=pair.lane.image.surroundings)
    assert again.returncode == 0, again
    assert f"breakeven: wrote {path}\nbreakeven: starting the broker\n" in again.stdout
    assert host.read("cat", path) == before[1]
    assert host.read("pidof", "beam.smp") != before[0]


def test_no_secret_is_in_arguments_logs_or_the_image(pair):
    secrets = (CREDENTIALS.password, pair.lane.cookie)
    for host in pair.lane.hosts:
        arguments = host.read("sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
        assert "beam.smp" in arguments
        logs = host.read("sh", "-c", "cat /var/log/rabbitmq/* /var/log/lease.log")
        assert "Server startup complete" in logs
        for secret in secrets:
            assert secret not in arguments + logs + "".join(pair.said)
        for path in ("/etc/rabbitmq/conf.d/30-user.conf", "/etc/rabbitmq/tls/key.pem"):
            assert host.read("stat", "-c", "%a %U:%G", path) == "640 root:rabbitmq\n"
    image = pair.lane.image
    upper = str(image.lan.disk(image.name) / "upper")
    baked = image.lan.run("find", upper, "-type", "f", "-printf", "%P\n").splitlines()
    assert "opt/breakeven/start" in baked
    assert not [path for path in baked if path.endswith((".erlang.cookie", ".pem", "30-user.conf"))]


@pytest.mark.parametrize(("killed", "consume"), [(0, "get"), (1, "push")])
def test_a_node_killed_in_mid_case_rejoins_and_syncs_and_nothing_confirmed_is_lost(
    pair, queue_case, killed, consume
):
    host = pair.lane.hosts[killed]
    in_turn = pair.access.model_copy(update={"nodes": pair.access.nodes[:: -1 if killed else 1]})
    sizes = {"producers": 4, "consumers": 2, "measure_s": 2.5, "drain_s": 60}
    case = queue_case(TARGET, client="native", consume=consume, **sizes)
    (queue,) = queues = RabbitMQMirroredPair(in_turn).prepare(case, attempt=1).queues
    with live(case, queues, make_client(case.workload, in_turn)) as running, ThreadPoolExecutor(1) as pool:
        running.await_traffic()
        assert pair.management.queue(queue)["node"] == in_turn.nodes[0].name, "the master, with all clients"
        killed_s = time.time()
        host.read("sh", "-c", "kill -KILL $(pidof beam.smp)")
        back = pair.lane.begin(pool, host)
        result = running.result()
        assert "starting the broker" in back.result()
    assert result.stages["measure"] < killed_s < result.stages["drain"], "in mid-case"
    assert result.errors["connection_lost"] > 0
    assert eventually(lambda: pair.target.problem(queues) is None, PATIENCE_S), "rejoined and in sync"
    assert_all_accounted(account([result], QueueCount(pair.target.depth(queues))))
    pair.target.release(queues)


def assert_all_accounted(ledger: Account) -> None:
    """The sums of the ledger hold, and nothing that was confirmed is missing."""
    assert ledger.complete
    assert ledger.sent == ledger.confirmed + ledger.returned + ledger.nacked + ledger.unknown
    assert ledger.sent == ledger.received + ledger.missing + ledger.left
    assert (ledger.lost, ledger.unexpected, ledger.left) == (0, 0, 0)
    assert ledger.confirmed > 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_hosts_lose_power_and_come_up_in_either_order_with_all_that_was_confirmed(
    pair, queue_case, order
):
    (queue,) = queues = pair.target.prepare(queue_case(TARGET), attempt=1).queues
    confirmed = {b"message %d" % number for number in range(200)}
    with open_channel(pair.access, pair.access.nodes) as channel:
        channel.confirm_delivery()
        for body in confirmed:
            channel.basic_publish("", queue, body, BasicProperties(delivery_mode=2), mandatory=True)
    one, other = (pair.lane.hosts[index] for index in order)
    for host in pair.lane.hosts:
        host.kill()
    with ThreadPoolExecutor(2) as pool:
        early = pair.lane.begin(pool, one)
        await_process(one, "beam.smp")
        late = pair.lane.begin(pool, other)
        said = early.result(), late.result()
    assert all("starting the broker" in each for each in said)
    assert pair.target.problem() is None
    # RabbitMQ gives a mirror to a queue whose master is there when the other node comes up, which two nodes
    # that start at once may miss; it looks again when a policy comes.
    pair.target.dismantle()
    pair.target.establish()
    assert eventually(lambda: pair.target.problem(queues) is None, PATIENCE_S)
    assert _drained(pair, queue) == sorted(confirmed)
    pair.target.release(queues)


def _drained(pair: Pair, queue: str) -> list[bytes]:
    with open_channel(pair.access, pair.access.nodes) as channel:
        left = channel.queue_declare(queue, passive=True).method.message_count
        return sorted(channel.basic_get(queue, auto_ack=True)[2] for _ in range(left))


def test_a_node_whose_lease_runs_out_goes_and_the_other_tells(pair):
    one, other = pair.lane.hosts
    assert one.read("cat", "/var/lib/breakeven/lease").strip().isdecimal(), "armed by start, and not lapsed"
    other.read("sh", "-c", "date +%s >/var/lib/breakeven/lease")
    assert eventually(lambda: not other.is_up, PATIENCE_S)
    left = RabbitMQMirroredPair(pair.access.model_copy(update={"nodes": pair.access.nodes[:1]}))
    assert eventually(
        lambda: f"{pair.access.nodes[1].name} is not running" in str(left.problem()), PATIENCE_S
    )
    assert one.is_up


def test_a_node_that_cannot_start_says_why_and_goes_when_its_lease_runs_out(image, tmp_path):
    lane = Lane(image, tmp_path / "lane", (4, 5), CREDENTIALS, lease_s=2)
    host = lane.hosts[0]
    lane.boot(host)
    done = host.run(START, BREAKEVEN_PEERS_S="0")
    reason = "1 of 2 nodes announced themselves in 0 s"
    assert (done.returncode, done.stderr) == (1, f"breakeven: {reason}\n")
    assert (lane.folder / "nodes" / f"{host.name}.failed").read_text() == f"{reason}\n"
    assert eventually(lambda: not host.is_up, PATIENCE_S)


def test_a_node_that_was_never_started_goes_too(image, tmp_path):
    lane = Lane(image, tmp_path / "lane", (6,), CREDENTIALS)
    host = lane.hosts[0]
    lane.boot(host)
    (lane.folder / "variables").write_text("BREAKEVEN_UNARMED_S=1\n")
    # it is started again, and reads them
    assert eventually(lambda: host.run("pkill", "-f", "bash /opt/breakeven/lease").returncode == 0)
    assert eventually(lambda: not host.is_up, PATIENCE_S)
