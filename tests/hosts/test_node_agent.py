"""The agent on nodes, as on EC2: it finds orders by the S3 endpoint, does to the broker what they say by
systemd, and leaves samples of its host, behind the filters that the template's security groups are.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from breakeven.agent.host_network import CLIENTS_PORT, GRACE_S, PEERS_PORT, TABLE
from breakeven.agent.impairment import Impairment
from breakeven.agent.order_agent import AGENT_ENDED
from breakeven.results import layout
from breakeven.targets.rabbitmq.rabbitmq_cluster import MANAGEMENT_TLS_PORT
from tests.hosts.agent_orders import (
    COMMAND_LATE_S,
    PATIENCE_S,
    SIGNAL_LATE_S,
    answer,
    assert_done,
    assert_whole,
    give,
    impair,
    name_of,
    orders,
)
from tests.hosts.instance import Instance
from tests.hosts.launched_lane import Lane, launched
from tests.hosts.release import AGENT_UNIT, RELEASES, RUN
from tests.support.workflow.processes import eventually

#: after it Debian's unit starts a broker again that was killed
DEBIAN_RESTARTS_S = 10.0
#: long enough for three nodes to be taken one after the other, seconds
ROLLED_S = 150.0
#: one message's size, bytes
LARGE = 1_000_000
CORE_S, WRITTEN = 5.0, 100_000_000
BURN = f"import time\nuntil = time.time() + {CORE_S}\nwhile time.time() < until: pass"


@pytest.fixture(scope="module")
def lane(template, tmp_path_factory) -> Iterator[Lane]:
    (trio,) = (release for release in RELEASES if release.debian == "debian-13")
    with launched(trio, template, tmp_path_factory.mktemp("cloud")) as made:
        orders(made).expect("case", 1, time.time() + 3600)
        yield made


def broker(node: Instance) -> list[str]:
    return node.run("pidof", "beam.smp").stdout.split()


def state(node: Instance) -> str:
    """Of the broker's process, as ps(1) has it."""
    return node.read("ps", "-o", "state=", "-p", broker(node)[0]).strip()


def test_a_killed_broker_stays_down_for_its_time_and_comes_back(lane):
    node, for_s = lane.nodes[1], DEBIAN_RESTARTS_S + 4.0
    before = broker(node)
    order = give(lane, node, "kill", for_s)
    answer(lane, order, over=False)
    while time.time() < order.due_at_s + DEBIAN_RESTARTS_S + 2.0:
        assert broker(node) == [], "until it is started again by the agent"
        time.sleep(0.5)
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert broker(node) not in ([], before)
    assert_whole(lane)


def test_a_stopped_broker_ends_in_good_order_and_comes_back(lane):
    node = lane.nodes[2]
    order = give(lane, node, "stop", 3.0)
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    log = node.read("sh", "-c", "cat /var/log/rabbitmq/rabbit@*.log")
    assert "RabbitMQ is asked to stop" in log
    assert_whole(lane)


def test_a_paused_broker_stands_still_and_goes_on(lane):
    node = lane.nodes[0]
    before = broker(node)
    order = give(lane, node, "pause", 4.0)
    answer(lane, order, over=False)
    assert state(node) == "T"
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert state(node) in "SR"
    assert broker(node) == before
    assert_whole(lane)


def test_a_broker_that_is_cut_off_is_given_up_by_its_peers_and_joins_them_again(lane):
    order = give(lane, lane.nodes[1], "partition", 6.0, in_s=6.0)
    answer(lane, order, over=False)
    assert eventually(lambda: lane.problem() is not None, 10)
    assert_done(order, answer(lane, order), COMMAND_LATE_S)
    assert_whole(lane)


def test_an_alarm_is_raised_and_cleared(lane):
    order = give(lane, lane.nodes[2], "disk-alarm", 15.0, in_s=6.0)
    answer(lane, order, over=False)
    # the management API tells it up to 5 s late
    assert eventually(lambda: "disk_free_alarm" in str(lane.problem()), 12)
    assert_done(order, answer(lane, order), COMMAND_LATE_S)
    assert_whole(lane)


def reaches(lane: Lane, node: Instance, port: int = CLIENTS_PORT) -> bool:
    """Does a loader, within two seconds?"""
    return bool(lane.loader.ask("opens", address=node.address, port=port))


def is_untouched(node: Instance) -> bool:
    """Has its kernel nothing of ours?"""
    tables, shapers = node.read("nft", "list", "tables"), node.read("tc", "qdisc", "show")
    return TABLE not in tables and "htb" not in shapers and "ingress" not in shapers


def test_clients_are_cut_off_and_nothing_else_is(lane):
    node = lane.nodes[1]
    before = broker(node)
    order = impair(lane, node, Impairment("cut-clients"), 12.0)
    answer(lane, order, over=False)  # by way of S3
    assert not reaches(lane, node)
    assert reaches(lane, node, MANAGEMENT_TLS_PORT)
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert reaches(lane, node)
    assert is_untouched(node)
    assert broker(node) == before
    assert_whole(lane)


def test_peers_are_cut_off_shortly_and_the_node_answers_itself(lane):
    node, peer = lane.nodes[1], lane.nodes[2]
    to_node = ("timeout", "2", "bash", "-c", f"</dev/tcp/{node.address}/{PEERS_PORT}")
    assert peer.run(*to_node).returncode == 0
    order = impair(lane, node, Impairment("cut-peers"), 12.0)
    answer(lane, order, over=False)
    assert peer.run(*to_node).returncode != 0
    assert node.run(*to_node).returncode == 0, "as rabbitmqctl does"
    assert reaches(lane, node)
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert peer.run(*to_node).returncode == 0
    assert_whole(lane)


def published_s(lane: Lane, node: Instance, queue: str, kind: str) -> float:
    """How long three large messages take to be confirmed in a queue of that kind, led by the node."""
    access = lane.first_access(node)
    start_s, end_s = timed(
        lambda: lane.loader.ask("publish", access, queue=queue, count=3, kind=kind, size=LARGE)
    )
    return end_s - start_s


def test_a_narrow_network_takes_its_time_and_loses_what_it_is_told_to(lane):
    node = lane.nodes[0]
    wide_s = published_s(lane, node, "narrow", "classic")
    order = impair(lane, node, Impairment("slow-clients", mbit_per_s=8.0, loss_percent=0.5), 40.0)
    answer(lane, order, over=False)
    assert "numgen random mod 10000 < 50 drop" in node.read("nft", "list", "table", "inet", TABLE)
    narrow_s = published_s(lane, node, "narrow", "classic")
    assert narrow_s - wide_s > 2.0, "three megabytes at one a second, but for what buffers hold"
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert is_untouched(node)
    assert_whole(lane)


def test_a_narrow_network_to_peers_holds_replication_up_and_clients_of_other_queues_not(lane):
    """A quorum queue confirms what one other member has: three megabytes to each of two at one a second."""
    node = lane.nodes[1]
    wide_s = {kind: published_s(lane, node, f"peers-{kind}", kind) for kind in ("quorum", "classic")}
    order = impair(lane, node, Impairment("slow-peers", mbit_per_s=8.0), 60.0)
    answer(lane, order, over=False)
    replicated_s, alone_s = (published_s(lane, node, f"peers-{kind}", kind) for kind in ("quorum", "classic"))
    assert replicated_s - wide_s["quorum"] > 2.0
    assert alone_s < replicated_s / 2
    assert_done(order, answer(lane, order), SIGNAL_LATE_S)
    assert is_untouched(node)
    assert_whole(lane)


def test_of_what_the_kernel_cannot_do_nothing_stays(lane):
    node = lane.nodes[2]
    order = impair(lane, node, Impairment("slow-clients", delay_ms=100.0, loss_percent=1.0), 3.0)
    noted = answer(lane, order)
    if has_netem(node):
        assert_done(order, noted, SIGNAL_LATE_S)
    else:
        assert "its network could not be impaired: tc qdisc" in str(noted.error)
        assert str(noted.error).endswith("its network was restored")
    assert is_untouched(node)
    assert_whole(lane)


def has_netem(node: Instance) -> bool:
    """Of this machine's kernel, which hosts share; those of Debian's images have it."""
    added = node.run("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms").returncode == 0
    if added:
        node.run("tc", "qdisc", "del", "dev", "lo", "root")
    return added


def test_a_cut_ends_though_its_agent_is_gone(lane):
    node = lane.nodes[1]
    order = impair(lane, node, Impairment("cut-clients"), 5.0)
    answer(lane, order, over=False)
    node.read("systemctl", "stop", AGENT_UNIT)
    assert not reaches(lane, node)
    assert eventually(lambda: reaches(lane, node), order.for_s + GRACE_S + 10.0)
    assert is_untouched(node)
    node.read("systemctl", "start", AGENT_UNIT)
    assert answer(lane, order).error == f"{AGENT_ENDED}; its network was restored"
    assert_whole(lane)


def test_an_order_that_comes_late_is_answered_and_not_carried_out(lane):
    node = lane.nodes[0]
    before = broker(node)
    noted = answer(lane, give(lane, node, "kill", 1.0, in_s=-5.0))
    assert "its order came" in str(noted.error)
    assert noted.done_at_s is None
    assert broker(node) == before


def test_what_an_agent_leaves_half_done_its_next_one_undoes(lane):
    node = lane.nodes[0]
    order = give(lane, node, "pause", 40.0)
    begun = answer(lane, order, over=False)
    node.read("systemctl", "kill", "--signal=KILL", AGENT_UNIT)
    noted = answer(lane, order)
    assert noted.done_at_s == begun.done_at_s
    assert noted.back_at_s is not None
    assert noted.back_at_s < order.due_at_s + order.for_s
    assert noted.error == f"{AGENT_ENDED}; the node goes on"
    assert state(node) in "SR"
    assert_whole(lane)


def test_all_nodes_restarted_in_turn_under_load_lose_nothing(lane):
    """As a rolling restart has it: the next is taken once the one before is back, and all in sync."""
    with ThreadPoolExecutor(1) as pool:
        loaded = pool.submit(lane.loader.ask, "loaded", lane.access, measure_s=ROLLED_S, rate=200.0)
        recovered_s, last_back_s = [], 0.0
        for node in lane.nodes:
            order = give(lane, node, "rolling-restart", 3.0, in_s=6.0)
            noted = answer(lane, order)
            assert_done(order, noted, SIGNAL_LATE_S)
            recovered_s.append(noted.back_at_s - noted.done_at_s)
            last_back_s = noted.back_at_s
            assert eventually(lambda: lane.loader.ask("lacking", lane.access) is None, PATIENCE_S)
        ledger = loaded.result()
    assert last_back_s < ledger["measured_until_s"], "all of it under load"
    assert min(recovered_s) >= 3.0
    assert ledger["complete"]
    assert ledger["confirmed"] > 0.9 * 200 * ROLLED_S, "it was busy all the time"
    assert (ledger["lost"], ledger["left"]) == (0, 0)
    assert_whole(lane)


def samples(lane: Lane, node: Instance) -> list[dict[str, Any]]:
    store = lane.installation.store
    prefix = f"{layout.samples_prefix(RUN, lane.release.target)}{name_of(lane, node)}/"
    return [
        each
        for key in sorted(store.keys(prefix))
        for each in json.loads(gzip.decompress(store.get_bytes(key)))
    ]


def within(found: list[dict[str, Any]], start_s: float, end_s: float) -> list[dict[str, Any]]:
    """The seconds that overlap with that time, in part or in whole."""
    return [each for each in found if start_s < each["at_s"] and each["at_s"] - 1.0 < end_s]


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    start_s = time.time()
    work()
    return start_s, time.time()


def write(path: Path) -> None:
    """To a disk of this machine, whose kernel the hosts share."""
    with path.open("wb") as file:
        for _ in range(WRITTEN // 1_000_000):
            file.write(os.urandom(1_000_000))
        file.flush()
        os.fsync(file.fileno())
    path.unlink()


def test_a_core_that_is_used_and_what_is_written_show_in_their_seconds(lane):
    node = lane.nodes[1]
    assert eventually(lambda: samples(lane, node), 20), "its agent has begun"
    busy = timed(lambda: node.read("python3", "-c", BURN))
    written = timed(lambda: write(Path(__file__).parents[2] / ".cache" / "written-by-test"))
    end_s = time.time() + 2.0
    assert eventually(lambda: samples(lane, node) and samples(lane, node)[-1]["at_s"] > end_s, 20)
    found = samples(lane, node)
    seconds = [each["at_s"] for each in found]
    assert seconds == sorted(set(seconds))
    cores = [each["cpu_cores"] for each in within(found, *busy)]
    assert sum(cores) > CORE_S * 0.9
    # rates are over the time between two looks, which is a second but for the delays of a busy machine
    assert sum(each["written_bytes_per_s"] for each in within(found, *written)) > WRITTEN * 0.95
    own = within(found, *busy)[0]
    assert 0 <= own["iowait_cores"] + own["steal_cores"] <= own["host_cores"]
    assert 0 <= own["disk_busy_share"] <= 1
    assert own["resident_bytes"] > 0
    assert own["file_descriptors"] > 10
    assert own["received_bytes_per_s"] > 0, "it looks into the bucket"
