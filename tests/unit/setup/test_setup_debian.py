"""The part of the set-up that runs as root: packages come in, and the services that they bring stay down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.setup_machine import ROOT, Machine

UNITS = ("rabbitmq-server.service", "epmd.socket", "epmd.service")
THEIRS = "#!/bin/sh\nexit 0\n"

# Installs by leaving a file, and says whether services could have been started meanwhile.
APT_GET = """
[ "$1" = install ] || { [ -z "${UPDATE_FAILS:-}" ]; exit; }
record
if [ -x "$POLICY" ] && ! "$POLICY"; then echo services stay down; else echo services may start; fi
[ -z "${INSTALL_FAILS:-}" ]
"""


class Debian:
    """A machine with apt, dpkg and systemd, on which only the script is real."""

    def __init__(self, folder: Path) -> None:
        self.policy = folder / "policy-rc.d"
        self._folder, self.machine = folder, Machine(folder)
        for unit in UNITS:
            (folder / unit).touch()
        self.machine.stub("id", "echo 0")
        self.machine.stub("apt-get", APT_GET)
        self.machine.stub("dpkg-query", 'case " $INSTALLED " in *" ${!#} "*) echo installed ;; esac')
        self.machine.stub("systemctl", "record")

    def install(self, *, installed: str = "", systemd: bool = True, **environment: str) -> tuple[int, str]:
        """The exit code and the output of installing RabbitMQ where some packages are there already."""
        paths = {
            "policy": self.policy,
            "lock": self._folder / "lock",
            "systemd": self._folder if systemd else self._folder / "nothing",
            "unit_folder": self._folder,
        }
        put = "; ".join(f"{name}={path}" for name, path in paths.items())
        script = self.machine.root / "setup" / "debian_packages.sh"
        result = self.machine.bash(
            "-c",
            f". {script}; {put}; main rabbitmq-server maven",
            POLICY=str(self.policy),
            INSTALLED=installed,
            **environment,
        )
        return result.returncode, result.stdout

    @property
    def disabled(self) -> set[str]:
        calls = [call.split() for call in self.machine.calls]
        return {call[-1] for call in calls if call[:3] == ["systemctl", "disable", "--now"]}

    @property
    def apt_calls(self) -> list[str]:
        return [call for call in self.machine.calls if call.startswith("apt-get")]


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    return Debian(tmp_path)


def test_services_stay_down_while_packages_come_in_and_the_policy_goes_again(debian: Debian) -> None:
    code, output = debian.install()
    assert code == 0
    assert "services stay down" in output
    assert not debian.policy.exists()
    (call,) = debian.apt_calls
    assert call.endswith("-- rabbitmq-server maven")
    assert "--no-install-recommends" in call


def test_the_policy_goes_when_the_installation_fails(debian: Debian) -> None:
    code, output = debian.install(INSTALL_FAILS="yes")
    assert code != 0
    assert "services stay down" in output
    assert not debian.policy.exists()
    assert not debian.disabled


def test_a_policy_of_somebody_else_is_left_as_it_is(debian: Debian) -> None:
    debian.policy.write_text(THEIRS)
    debian.policy.chmod(0o755)
    debian.install()
    assert debian.policy.read_text() == THEIRS


def test_a_policy_that_a_killed_set_up_left_is_removed(debian: Debian) -> None:
    script = (ROOT / "setup" / "debian_packages.sh").read_text()
    marker = script.split("marker='")[1].split("'")[0]
    debian.policy.write_text(f"#!/bin/sh\n# {marker}\nexit 101\n")
    debian.install()
    assert not debian.policy.exists()


@pytest.mark.parametrize(
    ("installed", "disabled"),
    [
        ("", set(UNITS)),
        ("erlang-base", {"rabbitmq-server.service"}),
        ("rabbitmq-server erlang-base", set()),
    ],
)
def test_only_services_that_it_brought_are_disabled(
    debian: Debian, installed: str, disabled: set[str]
) -> None:
    debian.install(installed=installed)
    assert debian.disabled == disabled


def test_no_service_manager_leaves_nothing_to_disable(debian: Debian) -> None:
    assert debian.install(systemd=False)[0] == 0
    assert not debian.disabled


def test_a_source_that_does_not_answer_does_not_stop_it(debian: Debian) -> None:
    assert debian.install(UPDATE_FAILS="yes")[0] == 0
    assert debian.apt_calls


def test_it_needs_root(debian: Debian) -> None:
    debian.machine.stub("id", "echo 1000")
    assert debian.install()[0] == 2
    assert not debian.apt_calls
