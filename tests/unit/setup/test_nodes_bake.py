"""What bakes an image, a function at a time; `npm run test:hosts` runs the whole of it from a bare Debian."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from infra.brokers.image_builders import SCRIPTS

BAKE = SCRIPTS / "bake"
#: EC2 takes as much, before it is encoded: EC2 User Guide, "Run commands when you launch an EC2 instance"
USER_DATA_BYTES = 16_384
#: for what the variables before the script take
HEADER_BYTES = 1_000
#: as Debian's cloud images of 12 and 13 have it, and some ways in which it could be written
DEB822 = """Types: deb deb-src
URIs: mirror+file:///etc/apt/mirrors/debian.list
Suites: trixie trixie-updates trixie-backports
Components: main

Types: deb
URIs: https://mirror.example/debian-backports
suites: trixie-backports trixie-backports-sloppy
Components: main

Types: deb
URIs: https://mirror.example/debian
Suites:
 trixie
 trixie-backports
Components: main
"""
WITHOUT = """Types: deb deb-src
URIs: mirror+file:///etc/apt/mirrors/debian.list
Suites: trixie trixie-updates
Components: main

Types: deb
URIs: https://mirror.example/debian-backports
Suites: none
Enabled: no
Components: main

Types: deb
URIs: https://mirror.example/debian
Suites:
 trixie
Components: main
"""
ONE_LINE = """deb https://mirror.example/debian bookworm main
deb-src [arch=amd64] https://mirror.example/debian bookworm-backports main
# deb https://mirror.example/debian bookworm-backports main
deb https://mirror.example/debian bookworm-updates main
"""


class Builder:
    """A machine whose commands are stood in for; each notes its words."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.apt = folder, folder / "apt"
        self._commands = folder / "commands"
        for path in (self._commands, self.apt / "sources.list.d", self.apt / "apt.conf.d"):
            path.mkdir(parents=True)
        self.command("sleep", "")
        self.command("systemctl", "")

    def command(self, name: str, lines: str) -> None:
        path = self._commands / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/called"\n{lines}\n')
        path.chmod(0o755)

    def run(self, call: str) -> subprocess.CompletedProcess[str]:
        script = BAKE.read_text().removesuffix("\nmain\n")
        assert script != BAKE.read_text()
        return subprocess.run(
            ["bash", "-c", f"{script}\n{call}"],
            check=False,
            capture_output=True,
            text=True,
            env={
                "PATH": f"{self._commands}:{os.environ['PATH']}",
                "BREAKEVEN_FILES": "s3://files/nodes.zip",
                "BREAKEVEN_FOLDER": str(self.folder / "made" / "here"),
                "BREAKEVEN_APT": str(self.apt),
                "BREAKEVEN_REPORT": "s3://results/images/name/",
            },
        )

    @property
    def called(self) -> list[str]:
        return (self.folder / "called").read_text().splitlines()


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    return Builder(tmp_path)


def test_what_is_fetched_has_a_folder_that_the_script_makes(builder):
    builder.command("aws", 'cd "$(dirname "${@: -1}")" && python3 -m zipfile -c nodes.zip "$0"')
    done = builder.run("fetch")
    assert done.returncode == 0, done
    assert (builder.folder / "made" / "here" / "nodes" / "aws").exists(), "unpacked"


def test_backports_are_out_of_the_sources_before_anything_is_updated(builder):
    (builder.apt / "sources.list.d" / "debian.sources").write_text(DEB822)
    (builder.apt / "sources.list").write_text(ONE_LINE)
    (builder.apt / "sources.list.d" / "other.list").write_text(ONE_LINE)
    builder.command("apt-get", f'! grep -rE "^(deb|[Ss]uites|[[:space:]]).*-backports" "{builder.apt}"')
    builder.command("dpkg", "")
    done = builder.run("prepare_apt; install_tools")
    assert done.returncode == 0, done
    assert (builder.apt / "sources.list.d" / "debian.sources").read_text() == WITHOUT
    for name in ("sources.list", "sources.list.d/other.list"):
        kept = [line for line in ONE_LINE.splitlines() if line.startswith("#") or "backports" not in line]
        assert (builder.apt / name).read_text().splitlines() == kept


def test_apt_waits_for_whoever_has_its_lock(builder):
    assert builder.run("prepare_apt").returncode == 0
    (given,) = (builder.apt / "apt.conf.d").iterdir()
    settings = subprocess.run(
        ["apt-config", "dump"], check=True, capture_output=True, text=True, env={"APT_CONFIG": str(given)}
    ).stdout
    seconds = re.search(r'DPkg::Lock::Timeout "(\d+)"', settings)
    assert seconds
    assert int(seconds[1]) >= 300
    assert 'APT::Update::Error-Mode "any"' in settings, "an index that is missing is no mere warning"
    assert "systemctl stop apt-daily.timer apt-daily-upgrade.timer" in builder.called
    install = (SCRIPTS / "install").read_text()
    assert set(re.findall(r"^\s*apt-get [^\n]*|apt-get -q [^\n]*", install, re.MULTILINE)) == {
        'apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 "$@"; }'
    }, "install, which is also run by hand, waits as long"


def test_apt_asks_a_mirror_that_does_not_answer_again(builder):
    assert builder.run("prepare_apt").returncode == 0
    (given,) = (builder.apt / "apt.conf.d").iterdir()
    retries = re.search(r'Acquire::Retries "(\d+)"', given.read_text())
    assert retries
    assert int(retries[1]) >= 3


@pytest.mark.parametrize(
    ("step", "commands"),
    [
        ("install_tools", ("dpkg", "apt-get")),
        ("fetch", ("aws",)),
        ("install_node", ("install",)),
        ("report /dev/null done", ("aws",)),
    ],
)
def test_a_step_whose_calls_each_fail_once_is_gone_through_all_the_same(builder, step, commands):
    """By the command's first word: an update that failed is made again, and so is the install after it."""
    failed = builder.folder / "failed"
    failed.mkdir()
    once = f'[ -e "{failed}/$1-" ] || {{ touch "{failed}/$1-"; exit 100; }}'
    says = "echo breakeven: nothing to do"
    last = '"${@: -1}"'
    zips = f'[[ {last} = s3:* ]] || {{ cd "$(dirname {last})" && python3 -m zipfile -c nodes.zip "$0"; }}'
    for name in commands:
        builder.command(name, f"{once}\n{zips if name == 'aws' else says}")
    if "install" in commands:  # is run by its path
        nodes = builder.folder / "made" / "here" / "nodes"
        nodes.mkdir(parents=True)
        (builder.folder / "commands" / "install").rename(nodes / "install")
    done = builder.run(step)
    assert done.returncode == 0, done
    asked = [line for line in builder.called if not line.startswith("sleep")]
    again = [line for line in dict.fromkeys(asked) if asked.count(line) >= 2]
    assert again == list(dict.fromkeys(asked)), "each failed once"
    assert len(list(failed.iterdir())) == len(again)


def test_what_fails_for_a_moment_is_tried_again_and_what_fails_for_good_says_so(builder):
    builder.command("flaky", f'[ "$(grep -c ^flaky "{builder.folder}/called")" -ge 3 ]')
    assert builder.run("retried flaky").returncode == 0
    assert sum(line.startswith("flaky") for line in builder.called) == 3
    builder.command("broken", "exit 4")
    assert builder.run("retried broken").returncode != 0
    assert sum(line.startswith("broken") for line in builder.called) == 5


def test_a_second_install_that_changes_something_fails_the_bake(builder):
    nodes = builder.folder / "made" / "here" / "nodes"
    nodes.mkdir(parents=True)
    (nodes / "install").write_text("echo breakeven: wrote /etc/something\n")
    done = builder.run("install_node")
    assert done.returncode == 1
    assert "a second install changed something: breakeven: wrote /etc/something" in done.stdout


def test_user_data_is_no_larger_than_ec2_takes():
    assert len(BAKE.read_bytes()) + HEADER_BYTES <= USER_DATA_BYTES


def test_an_instance_that_bakes_ends_even_if_its_script_hangs(builder):
    builder.command("systemd-run", "")
    assert builder.run("set_end").returncode == 0
    (timer,) = builder.called
    assert timer.startswith("systemd-run ")
    assert re.search(r"--on-active=\d+min systemctl poweroff --force$", timer)
    assert re.search(r"^main\(\) \{\n  set_end\n", BAKE.read_text(), re.MULTILINE), "before all else"
