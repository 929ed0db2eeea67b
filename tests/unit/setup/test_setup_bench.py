"""The set-up of the benchmarks: fetches once, uses no jar that is not what was pinned."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.support.setup_machine import ROOT, Machine

NAMES = ("perf-test", "aws-sdk")
MAVEN = """
record
for argument; do case $argument in -DoutputDirectory=*) out=${argument#*=} ;; esac; done
mkdir -p "$out"
printf %s "${JAR_TEXT:-a jar}" >"$out/a.jar"
"""
JAVAC = 'record; mkdir -p "$2"; : >"$2/SqsWorkers.class"'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """One on which Maven brings a jar, and the run's own set-up has nothing to do."""
    made = Machine(tmp_path)
    source = made.root / "bench" / "java" / "SqsWorkers.java"
    source.parent.mkdir(parents=True)
    source.write_text("class SqsWorkers {}")
    digest = hashlib.sha256(b"a jar").hexdigest()
    for name in NAMES:
        (made.root / "setup" / "bench" / f"{name}.sha256").write_text(f"{digest}  a.jar\n")
    (made.root / "setup" / "setup.sh").write_text('#!/usr/bin/env bash\necho "the run\'s: $*" >&2\n')
    made.stub("mvn", MAVEN)
    made.stub("javac", JAVAC)
    made.stub("stunnel", "")
    return made


def test_jars_are_fetched_and_the_peer_compiled_once(machine: Machine) -> None:
    done = machine.run("bench.sh")
    assert done.returncode == 0, done.stderr
    home = machine.root / ".cache" / "bench"
    assert sorted(p.name for p in home.iterdir()) == ["aws-sdk", "classes", "perf-test"]
    assert [call.split()[0] for call in machine.calls] == ["mvn", "mvn", "javac"]
    assert "the run's: run --quiet" in done.stderr
    again = machine.run("bench.sh")
    assert (again.returncode, machine.calls) == (0, [])


def test_a_jar_that_is_not_the_one_pinned_is_not_used(machine: Machine) -> None:
    done = machine.run("bench.sh", JAR_TEXT="another")
    assert done.returncode == 1
    assert "setup/bench/perf-test.sha256" in done.stderr
    assert not (machine.root / ".cache" / "bench" / "perf-test").exists()
    assert machine.run("bench.sh").returncode == 0


def test_the_peer_is_compiled_again_after_a_change(machine: Machine) -> None:
    machine.run("bench.sh")
    (machine.root / "bench" / "java" / "SqsWorkers.java").write_text("class SqsWorkers { }")
    machine.run("bench.sh")
    assert [call.split()[0] for call in machine.calls] == ["javac"]


def test_what_is_missing_is_reported_with_the_command_to_paste(machine: Machine) -> None:
    machine.without("javac")
    machine.without("stunnel")
    done = machine.run("bench.sh")
    assert done.returncode == 2
    assert "/setup/debian_packages.sh default-jdk-headless stunnel4\n" in done.stderr


def test_the_pinned_jars_are_those_of_the_poms() -> None:
    folder = ROOT / "setup" / "bench"
    for name, jar in (("perf-test", "perf-test-2.22.1.jar"), ("aws-sdk", "sqs-2.54.14.jar")):
        assert f"  {jar}\n" in (folder / f"{name}.sha256").read_text()
        assert (
            f"<version>{jar.rpartition('-')[2].removesuffix('.jar')}<"
            in (folder / f"{name}.pom.xml").read_text()
        )
