"""A real RabbitMQ node under watch: what it uses shows in the right seconds, beside its case's rates."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.results import layout
from breakeven.results.items import case_item, loader_item
from breakeven.steps.case.process_meter import TREE
from breakeven.steps.case.watch import watch, watched
from breakeven.targets.rabbitmq.rabbitmq_node import ON_OTHER_HOSTS
from breakeven.targets.target import open_target
from local.servers.broker_releases import SERVER
from local.servers.brokers import BrokerCluster
from tests.support.aws.moto_results import installed
from tests.support.loaders.live_case import live
from tests.support.loaders.real_nodes import made_whole
from tests.support.money.query_tables import Bucket
from tests.support.money.query_tables import case as case_row
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-single"
WORK_S, WRITTEN = 5.0, 100_000_000
#: how far from the instant that a sample names it may have been taken on a busy machine, seconds
SAMPLED_WITHIN_S = 0.5
#: uses a core for that long and writes so much meanwhile; tells, each time that it has written a part, what
#: time it is, the CPU that it has used, and the bytes that it has written
WORK = f"""
import os, time
measured, part = [], bytes(1_000_000)
with open("bulk", "wb") as bulk:
    while (used := time.process_time()) < {WORK_S} or bulk.tell() < {WRITTEN}:
        if bulk.tell() <= used / {WORK_S} * {WRITTEN}:
            measured.append([time.time(), used, bulk.tell()])
            bulk.write(part)
            bulk.flush()
    measured.append([time.time(), used, bulk.tell()])
with open("measured.new", "w") as file:
    file.write(repr(measured))
os.rename("measured.new", "measured")
"""


@pytest.fixture
def node(rabbitmq_node):
    return made_whole(rabbitmq_node)


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


class Watch:
    """The watch over a case, as its step has it, in a thread."""

    def __init__(self, services: Any, case: Any, queues: tuple[str, ...]) -> None:
        self._services, self._case = services, case
        services.store.put_json(layout.case_key(case.run_id, case.case_id), case.model_dump(mode="json"))
        services.state(case.run_id).update(case_item(case.case_id), queues=json.dumps(queues))
        self._pool = ThreadPoolExecutor(1)
        self._watched: Future[Any] = self._pool.submit(watch, services, case.run_id, case.case_id, 1, 300.0)

    def rows(self) -> list[dict[str, Any]]:
        """Its rows; its loaders have ended."""
        item = loader_item(self._case.case_id, 1, 0)
        self._services.state(self._case.run_id).update(item, finished=True)
        self._watched.result(120.0)
        self._pool.shutdown()
        return watched(self._services, self._case, 1)


@contextmanager
def under_watch(services, node, case, monkeypatch) -> Iterator[tuple[Watch, Any, tuple[str, ...]]]:
    target = open_target(TARGET, node.access)
    target.establish()
    assert eventually(lambda: knows_its_process(node), 30.0)
    queues = target.prepare(case, attempt=1).queues
    monkeypatch.setattr(type(services), "target_of", lambda self, case: open_target(TARGET, node.access))
    yield Watch(services, case, queues), target, queues
    target.release(queues)


def knows_its_process(node: BrokerCluster) -> bool:
    """The broker's statistics have it some seconds after it has started."""
    return any(sample.process for sample in open_target(TARGET, node.access).samples())


def in_the_node(node: BrokerCluster, folder: Path, code: str) -> None:
    """Have the node's virtual machine start a program that it does not wait for."""
    (folder / "work.py").write_text(code)
    ((name, (_, environment)),) = node._starts.items()
    command = f"cd {folder} && {sys.executable} work.py"
    subprocess.run(
        [SERVER.with_name("rabbitmqctl"), "-n", name, "eval", f'spawn(fun() -> os:cmd("{command}") end).'],
        env=environment,
        check=True,
        capture_output=True,
    )


def at(measured: list[list[float]], when_s: float, column: int) -> float:
    """What the program had used or written by then."""
    place = bisect_right([one[0] for one in measured], when_s)
    return measured[place - 1][column] if place else 0.0


def test_a_node_that_uses_a_core_and_writes_shows_it_in_the_right_seconds(
    services, node, queue_case, monkeypatch, tmp_path
):
    with under_watch(services, node, queue_case(TARGET), monkeypatch) as (watching, _, _):
        time.sleep(4)
        in_the_node(node, tmp_path, WORK)
        assert eventually((tmp_path / "measured").exists, 120.0)
        time.sleep(4)
        rows = watching.rows()
    measured = json.loads((tmp_path / "measured").read_text())
    counted = [row for row in rows if row["cpu_cores"] is not None]
    assert {row["taken"] for row in counted} == {TREE}
    assert {row["node"] for row in counted} == {node.access.nodes[0].name}
    for row in counted:
        ends = [row["at_s"] + late_s for late_s in (-SAMPLED_WITHIN_S, 0.0, SAMPLED_WITHIN_S)]
        used = [at(measured, ended_s, 1) - at(measured, ended_s - 1, 1) for ended_s in ends]
        # the broker itself, and the program's own start, use some
        assert min(used) - 0.35 <= row["cpu_cores"] <= max(used) + 0.8, (row, used)
    busy = [row for row in counted if at(measured, row["at_s"], 2) > at(measured, row["at_s"] - 1, 2)]
    idle = [row for row in counted if row["at_s"] < measured[0][0] - 1 or row["at_s"] > measured[-1][0] + 2]
    assert len(idle) >= 3
    assert sum(row["cpu_cores"] for row in busy) >= 0.9 * WORK_S
    assert all(row["written_bytes_per_s"] < 5e6 for row in idle)
    assert all(row["cpu_cores"] < 0.5 for row in idle)
    written = sum(row["written_bytes_per_s"] for row in counted)
    assert 0.95 * WRITTEN <= written <= 1.2 * WRITTEN
    assert sum(row["written_bytes_per_s"] for row in busy) >= 0.8 * WRITTEN
    assert all(row["resident_bytes"] > 50_000_000 for row in counted)
    assert {row["alarms"] for row in counted if row["memory_bytes"]} == {""}
    assert any(row["file_descriptors"] for row in counted)


def test_the_sum_of_the_seconds_is_the_ledgers(services, node, queue_case, monkeypatch, tmp_path):
    case = queue_case(
        TARGET, client="native", mode="parallel", producers=2, consumers=2, warmup_s=1.5, measure_s=4
    )
    with under_watch(services, node, case, monkeypatch) as (watching, target, queues):
        with live(case, queues, target.client(case.workload)) as running:
            result = running.result()
        measurement = merge([result], QueueCount(target.depth(queues)))
        bucket = Bucket(tmp_path)
        bucket.put("cases", [case_row(case.case_id, target=TARGET)])
        bucket.put("nodes", watching.rows())
    for table, rows in measurement.rows(case).items():
        bucket.put(table, rows)
    rows, ledger = bucket.ask("nodes_over_time"), measurement.ledger
    assert [row["second"] for row in rows] == list(range(len(rows)))
    assert ledger.sent == ledger.confirmed > 0
    assert sum(row["produced_per_s"] for row in rows) == ledger.confirmed
    assert sum(row["consumed_per_s"] for row in rows) == ledger.received + ledger.duplicates
    measured = [row for row in rows if 2 <= row["second"] <= 4]
    assert all(row["produced_per_s"] > 0 and row["cpu_cores"] > 0 for row in measured)


def test_a_node_that_is_killed_leaves_a_gap_and_goes_on_when_it_is_back(
    services, node, queue_case, monkeypatch
):
    (name,) = (each.name for each in node.access.nodes)
    with under_watch(services, node, queue_case(TARGET), monkeypatch) as (watching, _, _):
        time.sleep(3)
        killed_s = time.time()
        node.signal(name, signal.SIGKILL)
        time.sleep(3)
        back_s = time.time()
        node.restart(name)
        assert eventually(lambda: knows_its_process(node), 30.0)
        time.sleep(4)
        rows = watching.rows()
    during = [row for row in rows if killed_s + 1 < row["at_s"] < back_s]
    assert [row for row in during if row["taken"] or row["memory_bytes"] is not None] == []
    before = [row for row in rows if row["at_s"] < killed_s]
    after = [row for row in rows if row["at_s"] > back_s]
    for span in (before, after):
        assert any(row["cpu_cores"] is not None for row in span)
        assert any(row["memory_bytes"] for row in span)


def test_a_node_of_another_host_is_no_process_of_this_one(node):
    elsewhere = node.access.nodes[0].model_copy(update={"host": "broker.example.org"})
    assert eventually(lambda: knows_its_process(node), 30.0)
    target = open_target(TARGET, node.access)
    target._access = node.access.model_copy(update={"nodes": (elsewhere,)})
    (sample,) = target.samples()
    assert (sample.process, sample.no_process) == (None, ON_OTHER_HOSTS)
