"""The hosts of one lane. What tags and objects are on EC2 is a folder that they share (surroundings.sh)."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from breakeven.brokers.access import Access, Node
from infra.brokers.image_builders import assemble_node_files
from tests.hosts.lan import Host, Lan

HERE = Path(__file__).parent
START, INSTALL = "/opt/breakeven/start", "/run/payload/install"
PATIENCE_S = 120.0


class Image:
    """A root on which `install` has run: hosts boot from it as instances do from an AMI."""

    def __init__(self, lan: Lan, base: Path, payload: Path, surroundings: Path | None = None) -> None:
        """:param base: a Debian's root; not written to"""
        self.lan, self.base, self.payload, self.name = lan, base, payload, "image"
        payload.mkdir()
        assemble_node_files(payload)
        given = surroundings or HERE / "roots" / "surroundings.sh"
        shutil.copy(given, payload / given.name)
        self.surroundings = f"/run/payload/{given.name}"

    def bake(self) -> str:
        """What `install` says."""
        return self.lan.bake(
            self.base, self.name, self.payload, INSTALL, BREAKEVEN_SURROUNDINGS=self.surroundings
        )


class Lane:
    def __init__(
        self, image: Image, folder: Path, numbers: Sequence[int], credentials: Access, lease_s: int = 3600
    ) -> None:
        """:param numbers: of the hosts' addresses, in the order in which they begin the cluster"""
        self.image, self.folder, self._credentials = image, folder, credentials
        self.hosts = [Host(image.lan, f"i-{number}", number) for number in numbers]
        for name in ("addresses", "peers", "nodes", "tls"):
            (folder / name).mkdir(parents=True)
        reported = {"size": len(numbers), "lease-s": lease_s, "cookie": "0123456789abcdef-a-cookie"}
        reported |= {"username": credentials.username, "password": credentials.password}
        for name, value in reported.items():
            (folder / name).write_text(str(value))
        for host in self.hosts:
            (folder / "addresses" / host.name).write_text(host.address)

    @property
    def cookie(self) -> str:
        return (self.folder / "cookie").read_text()

    def give_tls(self, host: Host, certificate: str, key: str) -> None:
        """PEM files that the host is to use instead of making its own."""
        folder = self.folder / "tls" / host.name
        folder.mkdir()
        (folder / "certificate.pem").write_text(certificate)
        (folder / "key.pem").write_text(key)

    def boot(self, host: Host) -> None:
        host.boot(self.image.base, self.image.name, self.image.payload, self.folder)

    def start(self, *hosts: Host) -> list[str]:
        """Boot the hosts that are down and run `start` on all at once; what each said."""
        with ThreadPoolExecutor(len(hosts)) as pool:
            return [begun.result() for begun in [self.begin(pool, host) for host in hosts]]

    def begin(self, pool: ThreadPoolExecutor, host: Host) -> Future[str]:
        """Boot the host if it is down and run `start` in the background, as its first boot would."""
        if not host.is_up:
            self.boot(host)
        return pool.submit(_started, host)

    @property
    def access(self) -> Access:
        """As the workflow puts it together from what the nodes registered."""
        nodes = [
            Node.model_validate_json((self.folder / "nodes" / host.name).read_text()) for host in self.hosts
        ]
        return self._credentials.model_copy(update={"nodes": tuple(nodes), "tls": True})

    def host_of(self, node: str) -> Host:
        """The host of the broker node of that name."""
        (name,) = [one.host for one in self.access.nodes if one.name == node]
        (host,) = [one for one in self.hosts if one.address == name]
        return host

    def snapshot(self, host: Host) -> dict[str, tuple[str, str]]:
        """Path -> mode, owner, size; and time of change: every file that a script could have written."""
        skip = ("/var/lib/rabbitmq/mnesia", "/var/log", "/tmp", "/run", "/proc", "/dev")
        pruned = [word for path in skip for word in ("-path", path, "-prune", "-o")]
        wanted = ("/etc", "/opt", "/var/lib", "/usr/sbin")
        listed = host.read("find", *wanted, *pruned, "-printf", "%p\t%m %u %s\t%C@\n")
        rows = (line.split("\t") for line in listed.splitlines())
        return {path: (what, when) for path, what, when in rows}


def _started(host: Host) -> str:
    # it ends by limits of its own, and says which
    done = subprocess.run(host.command(START), check=False, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode:
        raise AssertionError(f"{host.name}: start ended with {done.returncode}: {said}")
    return said


def await_process(host: Host, name: str) -> None:
    """Until the host runs a program of that name."""
    deadline = time.monotonic() + PATIENCE_S
    while host.run("pidof", name).returncode:
        assert time.monotonic() < deadline, f"{name} on {host.name}"
        time.sleep(0.1)
