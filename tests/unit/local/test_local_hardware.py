"""What this machine is, for the manifest: also whether brokers' data are on a disk."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from breakeven.workload.read import parse_suite
from local import hardware as module
from local.available_targets import available
from local.hardware import file_system, hardware, memory_note

MOUNTS = r"""
/dev/vda / ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
/dev/vdb /tmp/on\040disk xfs rw 0 0
/dev/vdc /tmp2 btrfs rw 0 0
proc /over proc rw 0 0
/dev/vdd /over ext3 rw 0 0
"""


@pytest.fixture
def mounts(tmp_path, monkeypatch):
    path = tmp_path / "mounts"
    path.write_text(MOUNTS.strip() + "\n")
    monkeypatch.setattr(module, "MOUNTS", path)
    return path


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var", "ext4"),
        ("/tmp", "tmpfs"),
        ("/tmp/on disk/deep", "xfs"),
        ("/tmp2", "btrfs"),
        ("/over", "ext3"),
    ],
)
def test_a_folder_is_in_the_file_system_that_is_mounted_nearest_above_it(mounts, folder, kind):
    assert file_system(Path(folder)) == kind


def test_without_a_list_of_mounts_nothing_is_known(mounts):
    mounts.unlink()
    assert file_system(Path("/")) is None
    assert (hardware()["file_system"], memory_note()) == ("not known", None)


def test_a_run_whose_brokers_keep_their_data_in_memory_says_so(mounts, monkeypatch):
    document = {"suite": "s", "title": "S", "scenarios": {"p": {"threads": 1}}}
    ours = parse_suite({**document, "targets": ["sqs-standard", "rabbitmq-single"]}, "s.yaml")
    none = parse_suite({**document, "targets": ["sqs-standard"]}, "s.yaml")
    monkeypatch.setattr(tempfile, "tempdir", "/var")
    assert available(ours)[1] == []
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    (said,) = available(ours)[1]
    assert said.startswith("Brokers keep their data in memory here, as /tmp is a tmpfs: durable queues are")
    assert said.endswith("set TMPDIR to a folder on a disk.")
    assert available(none)[1] == []
