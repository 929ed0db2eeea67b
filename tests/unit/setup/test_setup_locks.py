"""What is installed is pinned and hashed, and its lock files say nothing of where anybody downloads from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[3]
LOCKS = ("pip", "functions", "deploy", "run", "test", "trino")
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;]+)")


def requirements(name: str) -> list[str]:
    """The requirements of a lock file, each as one line with its hashes."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def pins(name: str) -> dict[str, str]:
    """Package and version of every requirement in a lock file."""
    found = [PIN.match(line) for line in requirements(name)]
    return {match[1]: match[2] for match in found if match}


def asked_for(name: str) -> set[str]:
    """The packages that an .in file names itself."""
    lines = (ROOT / "requirements" / f"{name}.in").read_text().splitlines()
    names = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines if not line.startswith(("#", "-"))]
    return {match[0].lower() for match in names if match}


def without_funding(value: Any) -> Any:
    """npm's lock says of a package where it takes donations: no address that anything comes from."""
    if isinstance(value, dict):
        return {key: without_funding(inner) for key, inner in value.items() if key != "funding"}
    return value


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_and_hashed(name: str) -> None:
    lines = requirements(name)
    assert lines
    for line in lines:
        assert PIN.match(line), line
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", line), line


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_what_was_asked_for(name: str) -> None:
    assert asked_for(name) <= set(pins(name))


@pytest.mark.parametrize("path", [f"requirements/{name}.lock" for name in LOCKS] + ["package-lock.json"])
def test_no_lock_names_an_address(path: str) -> None:
    text = (ROOT / path).read_text()
    if path.endswith(".json"):
        text = json.dumps(without_funding(json.loads(text)))
    assert "://" not in text
    assert not re.search(
        r"^\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)\b", text, re.M
    )


@pytest.mark.parametrize(
    ("part", "whole"), [("functions", "run"), ("deploy", "run"), ("run", "test"), ("run", "trino")]
)
def test_locks_that_meet_in_one_environment_agree(part: str, whole: str) -> None:
    here, there = pins(part), pins(whole)
    both = here.keys() & there.keys()
    assert {name: here[name] for name in both} == {name: there[name] for name in both}


def test_the_main_job_installs_all_that_the_functions_import_and_nothing_that_only_tests_need() -> None:
    assert set(pins("functions")) <= set(pins("run"))
    assert not {"pytest", "mypy", "ruff", "playwright", "hypothesis", "cdk-nag"} & set(pins("run"))


def test_a_deployment_installs_nothing_that_only_a_run_on_this_machine_needs() -> None:
    assert set(pins("deploy")) < set(pins("run"))
    assert not {"moto", "duckdb", "numpy", "matplotlib", "boto3"} & set(pins("deploy"))


def test_npm_packages_are_hashed_and_their_source_is_left_to_the_reader() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages
    for path, entry in packages.items():
        assert "resolved" not in entry, path
        assert entry["version"], path
        assert entry["integrity"].startswith("sha512-"), path
    assert "omit-lockfile-registry-resolved=true" in (ROOT / ".npmrc").read_text().splitlines()


def test_npm_packages_are_pinned_and_a_deployment_needs_only_the_cdk() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    assert list(package["dependencies"]) == ["aws-cdk"]
    for version in {**package["dependencies"], **package["devDependencies"]}.values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)


def test_the_jars_of_elasticmq_are_the_ones_of_the_release_that_the_pom_names() -> None:
    pom = ElementTree.parse(ROOT / "setup" / "elasticmq" / "pom.xml")
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    versions = [element.text or "" for element in pom.findall(".//m:version", names)]
    assert all(re.fullmatch(r"[0-9.]+", version) for version in versions)
    release = pom.findtext("m:dependencies/m:dependency/m:version", namespaces=names)
    jars = (ROOT / "setup" / "elasticmq" / "jars.sha256").read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  [\w.-]+\.jar", line) for line in jars)
    assert f"elasticmq-server_2.13-{release}.jar" in {line.split()[1] for line in jars}
