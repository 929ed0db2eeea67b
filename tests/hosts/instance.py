"""Instances of a simulated cloud: hosts that boot with systemd from a disk that outlives them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.hosts.cloud import Cloud, Place
from tests.hosts.lan import _as_root, _checked

PATIENCE_S = 600.0
LOOK_S = 0.5


class Instance:
    """:param layers: what its disk begins as: folders, the upper ones first
    :param tags: without ``breakeven:``
    """

    def __init__(
        self,
        cloud: Cloud,
        name: str,
        place: Place,
        layers: Sequence[Path],
        *,
        tags: Mapping[str, str] | None = None,
        user_data: str | None = None,
    ) -> None:
        self.cloud, self.name, self.place, self._layers = cloud, name, place, layers
        self.address = place.address
        self._process: subprocess.Popen[str] | None = None
        self._pid = 0
        cloud.register(place, name, tags or {}, user_data)

    @property
    def written(self) -> Path:
        """What its disk has beyond what it began as: the upper layer of an image of it."""
        return self.cloud.disk(self.name) / "upper"

    @property
    def layers(self) -> list[Path]:
        return [self.written, *self._layers]

    def boot(self) -> None:
        """Power on. Returns before the system is up."""
        lower = ":".join(str(layer) for layer in self._layers)
        self._process, self._pid = self.cloud.start_host(lower, self.name)
        self.cloud.plug_in(self.place, self._pid)
        assert self._process.stdin
        self._process.stdin.write("the interface is there\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """The power goes: every process at once, none with a word."""
        _checked([*_as_root(), "kill", "-KILL", str(self._pid)])
        self.await_off()

    def await_off(self, patience_s: float = PATIENCE_S) -> None:
        """Until it has powered off."""
        assert self._process
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{self.name} runs after {patience_s:.0f} s: {self.said()}") from error

    @property
    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on it, as root."""
        enter = ["nsenter", "-t", str(self._pid), *("-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w"), "--"]
        words = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *command]
        return subprocess.run([*_as_root(), *enter, *words], check=False, capture_output=True, text=True)

    def read(self, *command: str) -> str:
        """What a command says.

        :raises AssertionError: it failed
        """
        done = self.run(*command)
        assert done.returncode == 0, done
        return done.stdout

    def await_unit(self, unit: str, state: str = "active", patience_s: float = PATIENCE_S) -> None:
        """Until systemd says so of a unit.

        :raises AssertionError: it has failed, or did not come in time; with its journal
        """
        deadline = time.monotonic() + patience_s
        while (found := self.run("systemctl", "is-active", unit).stdout.strip()) != state:
            assert found != "failed", f"{unit} of {self.name}: {self.journal(unit)}"
            assert time.monotonic() < deadline, f"{unit} of {self.name} is {found}: {self.journal(unit)}"
            assert self.is_up, f"{self.name} is off: {self.said()}"
            time.sleep(LOOK_S)

    def journal(self, unit: str) -> str:
        return self.run("journalctl", "--no-pager", "--lines=40", "--output=cat", f"--unit={unit}").stdout

    def opens(self, address: str, port: int) -> bool:
        """Whether it gets a connection there, within two seconds."""
        return self.run("timeout", "2", "bash", "-c", f"exec 3<>/dev/tcp/{address}/{port}").returncode == 0

    def said(self) -> str:
        """The end of what cloud-init and its scripts said."""
        log = self.written / "var/log/cloud-init-output.log"
        return _checked([*self.cloud.inside(), "sh", "-c", f"tail -n 30 {log} 2>&1 || true"])
