"""Hosts of our own on this machine: each with its own root, processes, name and address, on one network.

Namespaces of the kernel make them. All live inside the PID namespace of one holder process, which ends with
this one: nothing is left of them, however a test ends. What they write is in memory and outlives a host, not
the holder.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).parent
REMEDY = (
    "hosts of our own need root, or sudo that asks for nothing, and a kernel that lets root make network,"
    " mount and PID namespaces: in a container give it --privileged; where `ip` is missing install iproute2"
)
#: RFC 2544's networks for tests between hosts; no network in use has them
NETWORKS = [f"198.{second}.{third}" for second in (18, 19) for third in range(1, 255)]
#: a mount and a PID namespace of its own
OWN = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
SOON_S = 20.0
#: until nothing of a network is left: its hosts' many processes end one after another
END_S = 120.0


class NoHosts(Exception):
    """This machine does not let us make hosts."""


def _as_root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo", "-n"]


class Lan:
    """:param folder: an empty one, for the hosts' disks"""

    def __init__(self, folder: Path) -> None:
        self._disks, self._no_lane = folder / "disks", folder / "no-lane"
        self._holder: subprocess.Popen[str] | None = None
        self._pid = 0
        self.network = ""

    def __enter__(self) -> Lan:
        """:raises NoHosts: with the remedy"""
        self._disks.mkdir()
        self._no_lane.mkdir()
        self._holder = subprocess.Popen(
            [
                *_as_root(),
                "unshare",
                *OWN,
                "--net",
                "bash",
                str(HERE / "roots" / "holder.sh"),
                str(self._disks),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._pid = _first_line(self._holder)
        self._connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        holder = self._holder
        assert holder
        assert holder.stdin
        holder.stdin.close()
        try:
            holder.wait(END_S)
        finally:
            remove_card()

    def address(self, number: int) -> str:
        return f"{self.network}.{number}"

    def disk(self, name: str) -> Path:
        """Where a host's disk is, for ``run``."""
        return self._disks / name

    def bake(self, base: Path, image: str, payload: Path, *command: str, **variables: str) -> str:
        """Run a command on a disk over ``base``, with this machine's network; returns what it said.

        :raises AssertionError: it failed, with what it said
        """
        words = ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items()), *command]
        run = self._entered(str(base), image, self._no_lane, payload, words, private_network=False)
        done = subprocess.run(run, check=False, capture_output=True, text=True)
        said = done.stdout.partition("\n")[2] + done.stderr
        if done.returncode:
            raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {said}")
        return said

    def run(self, *command: str) -> str:
        """Run a command outside the hosts, where their disks are."""
        return _checked([*_as_root(), "nsenter", "-t", str(self._pid), "-m", "--", *command])

    def boot(
        self, host: Host, base: Path, image: str, payload: Path, lane: Path
    ) -> tuple[subprocess.Popen[str], int]:
        """Start the host's first process; returns it, and its number outside."""
        lower = f"{self.disk(image) / 'upper'}:{base}"
        init = ["/bin/bash", "-c", (HERE / "roots" / "init.sh").read_text()]
        process = subprocess.Popen(
            self._entered(lower, host.name, lane, payload, init),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        pid = _first_line(process)
        self._plug_in(host, pid)
        return process, pid

    def _plug_in(self, host: Host, pid: int) -> None:
        outside, inside = self._ip(self._pid), self._ip(pid)
        number = int(host.address.rpartition(".")[2])
        port, card = f"to{number}", f"02:00:00:00:00:{number:02x}"  # as a network interface keeps its own
        for words in (
            [*outside, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(pid)],
            [*inside, "link", "set", "eth0", "address", card],
            [*outside, "link", "set", port, "master", "lan", "up"],
            [*inside, "link", "set", "lo", "up"],
            [*inside, "address", "add", f"{host.address}/24", "dev", "eth0"],
            [*inside, "link", "set", "eth0", "up"],
            [*_as_root(), "nsenter", "-t", str(pid), "-u", "hostname", host.name],
        ):
            _checked(words)

    def _entered(
        self,
        lower: str,
        disk: str,
        lane: Path,
        payload: Path,
        command: list[str],
        *,
        private_network: bool = True,
    ) -> list[str]:
        namespaces = [*OWN, "--net", "--uts", "--ipc"] if private_network else OWN
        paths = (lower, str(self.disk(disk)), str(lane), str(payload))
        return [
            *(*_as_root(), "nsenter", "-t", str(self._pid), "-m", "-p", "--"),
            *("unshare", *namespaces, "bash", str(HERE / "roots" / "enter.sh"), *paths, *command),
        ]

    def _connect(self) -> None:
        """This machine as one more host of the network, at its first address."""
        used = _checked(["ip", "-o", "address"])
        turn = os.getpid() % len(NETWORKS)  # others may look for one at the same moment
        self.network = next(one for one in NETWORKS[turn:] + NETWORKS[:turn] if f" {one}." not in used)
        ours, theirs = card(), self._ip(self._pid)
        for words in (
            [*theirs, "link", "add", "out", "type", "veth", "peer", "name", ours, "netns", str(os.getpid())],
            [*theirs, "link", "set", "out", "master", "lan", "up"],
            [*_as_root(), "ip", "address", "add", f"{self.address(1)}/24", "dev", ours],
            [*_as_root(), "ip", "link", "set", ours, "up"],
        ):
            _checked(words)

    @staticmethod
    def _ip(pid: int) -> list[str]:
        """The command `ip` in the network of a process."""
        return [*_as_root(), "nsenter", "-t", str(pid), "-n", "ip"]


class Host:
    """A machine with a disk of its own, which it keeps when it is killed and booted again."""

    def __init__(self, lan: Lan, name: str, number: int) -> None:
        """:param number: the last part of its address, 2 to 254"""
        self._lan, self.name, self.address = lan, name, lan.address(number)
        self._process: subprocess.Popen[str] | None = None
        self._pid = 0

    def boot(self, base: Path, image: str, payload: Path, lane: Path) -> None:
        """:param lane: the folder that the lane's hosts share"""
        self._process, self._pid = self._lan.boot(self, base, image, payload, lane)

    def command(self, *command: str, **variables: str) -> list[str]:
        """The words that run a command on the host, as root, in its own environment."""
        words = [f"{name}={value}" for name, value in variables.items()]
        path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
        enter = ["nsenter", "-t", str(self._pid), "-m", "-u", "-i", "-n", "-p", "-r", "-w", "--"]
        return [*_as_root(), *enter, "env", "-i", path, *words, *command]

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*command, **variables), check=False, capture_output=True, text=True
        )

    def read(self, *command: str) -> str:
        """What a command says.

        :raises AssertionError: it failed
        """
        done = self.run(*command)
        assert done.returncode == 0, done
        return done.stdout

    def kill(self) -> None:
        """The power goes: every process at once, none with a word."""
        assert self._process
        _checked([*_as_root(), "kill", "-KILL", str(self._pid)])
        self._process.wait(SOON_S)

    @property
    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None


def _first_line(process: subprocess.Popen[str]) -> int:
    assert process.stdout
    assert process.stderr
    line = process.stdout.readline()
    if not line.strip().isdecimal():
        process.kill()
        raise NoHosts(f"{REMEDY}: {process.stderr.read().strip()}")
    return int(line)


def card() -> str:
    """The name of this process's interface to a network of hosts, of which it has one at a time."""
    return f"be{os.getpid()}"


def remove_card() -> None:
    """Remove it now: the kernel does so some time after its other end's namespace has ended, and the next
    network wants the name.
    """
    subprocess.run([*_as_root(), "ip", "link", "delete", card()], check=False, capture_output=True)


def _checked(words: list[str]) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        raise NoHosts(f"{REMEDY}: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
