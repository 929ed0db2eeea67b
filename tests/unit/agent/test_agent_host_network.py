"""End of an impairment: what the kernel still holds back leaves before the queue that holds it is deleted.

This machine's kernel need not have netem: its tools are programs here that write down how they are called.
``tests/hosts`` has the kernel's own.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from breakeven.agent.host_network import CLIENTS_PORT, DRAINED_S, PEERS_PORT, HostNetwork
from breakeven.agent.impairment import Impairment
from breakeven.targets.rabbitmq.rabbitmq_cluster import AMQPS_PORT, DISTRIBUTION_PORT

TOOLS = ("ip", "nft", "tc", "systemctl", "systemd-run")
LATE_S = 0.4
TOOL = """#!/bin/sh
printf '%s|' "$(date +%s.%N)" "$(basename "$0")" "$@" >> "$CALLS"
echo >> "$CALLS"
case "$(basename "$0") $*" in
  "ip -json"*) echo '[{"ifname": "eth0"}]';;
  "tc -json qdisc show"*) echo '[{"kind": "htb", "handle": "1:"},'
    echo '{"kind": "netem", "handle": "10:", "options": {"delay": {"delay": LATE, "jitter": 0}}}]';;
esac
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in TOOLS:
        tool = tmp_path / name
        tool.write_text(TOOL.replace("LATE", str(LATE_S)), encoding="utf-8")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def made(calls: Path, *words: str) -> list[tuple[float, list[str]]]:
    """Calls with these words, each with its time."""
    rows = [line.split("|")[:-1] for line in calls.read_text(encoding="utf-8").splitlines()]
    return [(float(row[0]), row[1:]) for row in rows if all(word in row for word in words)]


def assert_drained(calls: Path, not_before_s: float) -> None:
    ((eased_s, _),) = made(calls, "qdisc", "change", "netem", "0ms")
    ((widened_s, _), _) = made(calls, "class", "change", "100gbit")
    ((deleted_s, _),) = made(calls, "qdisc", "del", "root")
    assert not_before_s <= widened_s <= eased_s
    assert deleted_s - eased_s >= LATE_S


def test_what_is_late_leaves_before_its_queue_is_deleted(calls: Path) -> None:
    network, began_s = HostNetwork(), time.time()
    restored_s = network.restore("node")
    assert_drained(calls, began_s)
    ((eased_s, _),) = made(calls, "qdisc", "change", "netem", "0ms")
    ((deleted_s, _),) = made(calls, "qdisc", "del", "root")
    assert eased_s <= restored_s, "as nothing more is late from then on"
    assert deleted_s - restored_s >= LATE_S + DRAINED_S


def test_so_it_does_where_the_host_itself_ends_it(calls: Path) -> None:
    HostNetwork().impair("node", Impairment("slow-peers", delay_ms=1000 * LATE_S), 1.0)
    ((_, given),) = made(calls, "systemd-run")
    calls.unlink()
    began_s = time.time()
    subprocess.run(given[-3:], check=True)
    assert_drained(calls, began_s)


def test_one_that_waits_is_stopped_before_another_begins(calls: Path) -> None:
    HostNetwork().impair("node", Impairment("slow-peers", delay_ms=5), 1.0)
    stopped = [given[-1] for _, given in made(calls, "systemctl", "stop")]
    assert stopped == ["breakeven-network.timer", "breakeven-network.service"]


def test_what_cannot_be_said_keeps_nothing_from_being_undone(calls: Path) -> None:
    (calls.parent / "tc").write_text(TOOL.replace("LATE", "?"), encoding="utf-8")
    HostNetwork().restore("node")
    assert len(made(calls, "qdisc", "del", "root")) == 1


def test_the_ports_that_are_impaired_are_those_of_our_brokers() -> None:
    assert (CLIENTS_PORT, PEERS_PORT) == (AMQPS_PORT, DISTRIBUTION_PORT)
