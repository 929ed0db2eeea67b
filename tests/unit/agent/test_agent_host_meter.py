"""What the kernel counts of a host, as figures of a second."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from breakeven.agent.host_meter import TICKS_PER_S, HostMeter
from breakeven.loadgen.case_figures import NodeFigures

DISKSTATS = """\
 259       0 nvme0n1 {reads} 0 {read} 5 {writes} 0 {written} 7 0 {busy} 12 0 0 0 0
 259       1 nvme0n1p1 900 0 9000 5 900 0 90000 7 0 900 12 0 0 0 0
   7       0 loop0 900 0 9000 5 900 0 90000 7 0 900 12 0 0 0 0
"""
NET = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes packets errs
    lo: 500000 1 0 0 0 0 0 0 500000 1 0 0 0 0 0 0
  ens5: {received} 1 0 0 0 0 0 0 {sent} 1 0 0 0 0 0 0
"""


class Host:
    """Files of a host, which a test changes."""

    def __init__(self, folder: Path) -> None:
        self.proc, self.sys = folder / "proc", folder / "sys"
        (self.proc / "net").mkdir(parents=True)
        (self.sys / "block/nvme0n1/device").mkdir(parents=True)
        (self.sys / "block/loop0").mkdir()
        (self.proc / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n")
        self.cpu = [0] * 10
        self.disk = dict.fromkeys(("reads", "read", "writes", "written", "busy"), 0)
        self.net = {"received": 0, "sent": 0}
        self.write()

    def write(self) -> None:
        ticks = " ".join(map(str, self.cpu))
        (self.proc / "stat").write_text(f"cpu  {ticks}\ncpu0 {ticks}\n")
        (self.proc / "diskstats").write_text(DISKSTATS.format(**self.disk))
        (self.proc / "net/dev").write_text(NET.format(**self.net))


@pytest.fixture
def host(tmp_path) -> Host:
    return Host(tmp_path)


@pytest.fixture
def clock(monkeypatch):
    """Two seconds between two looks."""
    instants = iter(range(100, 200, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(instants)))


def test_rates_are_over_the_time_since_the_look_before(host, clock):
    meter = HostMeter(host.proc, host.sys)
    assert set(meter.look(10.0)) == {"at_s", "host_cores", "resident_bytes", "file_descriptors"}
    # user, nice, system, idle, iowait, irq, softirq, steal, guest (part of user), guest_nice
    host.cpu = [TICKS_PER_S * each for each in (2, 1, 1, 9, 1, 0.5, 0.5, 0.25, 2, 0)]
    host.cpu = [int(each) for each in host.cpu]
    host.disk = {"reads": 10, "read": 8, "writes": 30, "written": 2000, "busy": 500}
    host.net = {"received": 3000, "sent": 5000}
    host.write()
    sample = meter.look(12.0)
    assert sample == {
        "at_s": 12.0,
        "host_cores": sample["host_cores"],
        "resident_bytes": 600 * 1024,
        "file_descriptors": None,
        "cpu_cores": 2.5,
        "user_cores": 1.5,
        "system_cores": 1.0,
        "iowait_cores": 0.5,
        "steal_cores": 0.125,
        "read_bytes_per_s": 8 * 512 / 2,
        "written_bytes_per_s": 2000 * 512 / 2,
        "disk_operations_per_s": 20.0,
        "disk_busy_share": 0.25,
        "received_bytes_per_s": 1500.0,
        "sent_bytes_per_s": 2500.0,
    }
    assert set(sample) - {"at_s"} <= set(NodeFigures.model_fields)


def test_counters_that_begin_anew_are_no_use_below_nothing(host, clock):
    host.net = {"received": 3000, "sent": 5000}
    host.write()
    meter = HostMeter(host.proc, host.sys)
    meter.look(10.0)
    host.net = {"received": 30, "sent": 50}
    host.write()
    assert meter.look(12.0)["received_bytes_per_s"] == 0.0


def test_open_files_are_those_of_erlangs_virtual_machine_in_the_brokers_unit(host):
    group = host.sys / "fs/cgroup/system.slice/rabbitmq-server.service"
    group.mkdir(parents=True)
    (group / "cgroup.procs").write_text("41\n42\n43\n")
    for number, name, files in (("41", "sh", 1), ("42", "beam.smp", 3)):
        (host.proc / number / "fd").mkdir(parents=True)
        (host.proc / number / "comm").write_text(f"{name}\n")
        for file in range(files):
            (host.proc / number / "fd" / str(file)).touch()
    assert HostMeter(host.proc, host.sys).look(1.0)["file_descriptors"] == 3


def test_a_host_without_a_disk_of_its_own_knows_nothing_of_disks(host, clock):
    (host.sys / "block/nvme0n1/device").rmdir()
    meter = HostMeter(host.proc, host.sys)
    meter.look(10.0)
    sample = meter.look(12.0)
    assert (sample["written_bytes_per_s"], sample["disk_busy_share"]) == (None, None)
