"""A cloud of one machine: the template's subnets behind one router, and hosts in them that boot with systemd.

All of it lives in the namespaces of one process, which ends with this one: nothing is left, however a test
ends. Addresses are those that EC2 would give: the router of a subnet is its first, DHCP gives a host its own,
and the metadata service, the name server and S3 are where an instance looks for them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from types import TracebackType

from tests.hosts import filters
from tests.hosts.lan import (
    END_S,
    HERE,
    NETWORKS,
    OWN,
    NoHosts,
    _as_root,
    _checked,
    _first_line,
    card,
    remove_card,
)
from tests.hosts.mirrors import Mirrors
from tests.hosts.stand_ins import AWS_ADDRESSES, REGION, Services
from tests.hosts.template_network import Group, Subnet, Template, group, subnets

SYSTEM = [*OWN, "--net", "--uts", "--ipc", "--cgroup"]
OUT = "out"


@dataclass(frozen=True)
class Place:
    """Where a host is: an address of a subnet, and the group of its interface."""

    subnet: Subnet
    group: Group
    address: str

    @property
    def card(self) -> str:
        """The interface's hardware address, which says its own."""
        return "02:00:" + ":".join(f"{int(part):02x}" for part in self.address.split("."))


class Cloud:
    """:param folder: an empty one
    :param groups: logical ids of the security groups whose hosts there will be
    """

    def __init__(self, folder: Path, template: Template, groups: Sequence[str], mirrors: Mirrors) -> None:
        self.folder, self.mirrors = folder, mirrors
        self.subnets = subnets(template)
        self.groups = {name: group(template, name) for name in groups}
        self.name = f"breakeven-{os.getpid()}"
        self._holder: subprocess.Popen[str] | None = None
        self._helpers: list[subprocess.Popen[str]] = []
        self._pid = 0
        self.services = Services(folder)

    def __enter__(self) -> Cloud:
        """:raises NoHosts: with the remedy"""
        router = ["unshare", *OWN, "--net", "bash", str(HERE / "roots" / "cloud_router.sh"), str(self.folder)]
        outer = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "bash",
            str(HERE / "roots" / "cloud_holder.sh"),
        ]
        self._holder = subprocess.Popen(
            [*_as_root(), *outer, str(self.folder), self.name, *router],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._pid = _first_line(self._holder)
        try:
            self._connect()
            self._name_and_number()
            self.services.start(self.inside(), self.address)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        holder = self._holder
        assert holder
        assert holder.stdin
        self.mirrors.stop()
        holder.stdin.close()
        try:
            for process in (holder, *self._helpers):
                process.wait(END_S)
        finally:
            remove_card()

    def place(self, subnet: Subnet, name: str, number: int) -> Place:
        """The address of a group's host in a subnet, by its number there, from 0."""
        first = filters.share(subnet, list(self.groups).index(name)).split("-")[0]
        address = ip_network(f"{first}/32").network_address + number
        return Place(subnet, self.groups[name], str(address))

    def inside(self, *, network: bool = True) -> list[str]:
        """The words before a command that is to run where the router is."""
        return [*_as_root(), "nsenter", "-t", str(self._pid), "-m", "-p", *(["-n"] if network else []), "--"]

    def disk(self, name: str) -> Path:
        return self.folder / "disks" / name

    def run(self, *command: str) -> str:
        """Run a command where the hosts' disks are."""
        return _checked([*self.inside(), *command])

    def start_host(self, lower: str, name: str) -> tuple[subprocess.Popen[str], int]:
        """The first process of a host that waits for its interface, and its number outside."""
        group = self.folder / "groups" / self.name / name
        boot = f'mkdir -p {group} && echo 0 >{group}/cgroup.procs && exec "$@"'
        process = subprocess.Popen(
            [
                *self.inside(network=False),
                *("bash", "-c", boot, "boot", "unshare", *SYSTEM),
                *("bash", str(HERE / "roots" / "machine.sh"), lower, str(self.disk(name))),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return process, _first_line(process)

    def plug_in(self, place: Place, pid: int) -> None:
        """Give a host its interface, behind its group's filter, in its subnet."""
        port = f"to{place.address.replace('.', '')[-8:]}"
        inside = self.network_of(pid)
        for words in (
            [
                *self._router_ip(),
                "link",
                "add",
                port,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                str(pid),
            ],
            [*inside, "ip", "link", "set", "eth0", "address", place.card],
            [*inside, "ip", "link", "set", "lo", "up"],
            [*self._router_ip(), "link", "set", port, "master", self._bridge(place.subnet), "up"],
        ):
            _checked(words)
        rules = filters.interface_rules(place.group, self._members, self.mirrors.other_ports)
        _load(inside, rules)

    def _members(self, name: str) -> list[str]:
        """Of a group: the part of each subnet that its hosts' addresses are taken from."""
        if name not in self.groups:
            return []
        turn = list(self.groups).index(name)
        return [filters.share(subnet, turn) for subnet in self.subnets]

    @staticmethod
    def network_of(pid: int) -> list[str]:
        return [*_as_root(), "nsenter", "-t", str(pid), "-n", "--"]

    def _router_ip(self) -> list[str]:
        return [*self.network_of(self._pid), "ip"]

    def _bridge(self, subnet: Subnet) -> str:
        return f"subnet{self.subnets.index(subnet)}"

    def _connect(self) -> None:
        """The router: a bridge for each subnet, AWS's own addresses, and a card towards this machine."""
        used = _checked(["ip", "-o", "address"])
        turn = os.getpid() % len(NETWORKS)  # others may look for one at the same moment
        network = next(one for one in NETWORKS[turn:] + NETWORKS[:turn] if f" {one}." not in used)
        self.address, ours = f"{network}.2", f"{network}.1"
        ours_out, ip = card(), self._router_ip()
        machine = [*_as_root(), "ip"]
        commands = [
            [*ip, "link", "add", OUT, "type", "veth", "peer", "name", ours_out, "netns", str(os.getpid())],
            [*ip, "address", "add", f"{self.address}/24", "dev", OUT],
            [*ip, "link", "set", OUT, "up"],
            [*machine, "address", "add", f"{ours}/24", "dev", ours_out],
            [*machine, "link", "set", ours_out, "up"],
        ]
        for address in (filters.METADATA, filters.DNS, *AWS_ADDRESSES.values()):
            commands.append([*ip, "address", "add", f"{address}/32", "dev", "aws"])
        for subnet in self.subnets:
            network_ = ip_network(subnet.cidr)
            router = f"{network_.network_address + 1}/{network_.prefixlen}"
            commands += [
                [*ip, "link", "add", self._bridge(subnet), "type", "bridge"],
                [*ip, "address", "add", router, "dev", self._bridge(subnet)],
                [*ip, "link", "set", self._bridge(subnet), "up"],
            ]
        for words in commands:
            _checked(words)
        relayed = self.mirrors.start(ours)
        cards = {self._bridge(subnet): subnet for subnet in self.subnets}
        _load(self.network_of(self._pid), filters.router_rules(cards, AWS_ADDRESSES, OUT, relayed))

    def _name_and_number(self) -> None:
        """The VPC's DHCP and name server: dnsmasq."""
        names = {f"{service}.{REGION}.amazonaws.com": at for service, at in AWS_ADDRESSES.items()}
        names |= self.mirrors.names
        words = ["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts"]
        words += ["--user=root", "--leasefile-ro", "--dhcp-authoritative", "--bind-dynamic", "--no-ping"]
        words += [
            "--pid-file=",
            f"--dhcp-option=option:dns-server,{filters.DNS}",
            f"--except-interface={OUT}",
        ]
        words += [f"--address=/{name}/{address}" for name, address in names.items()]
        for subnet in self.subnets:
            words.append(f"--dhcp-range={ip_network(subnet.cidr).network_address},static,infinite")
            for name in self.groups:
                for number in range(8):
                    place = self.place(subnet, name, number)
                    words.append(f"--dhcp-host={place.card},{place.address}")
        log = (self.folder / "dnsmasq.log").open("w")
        self._helpers.append(
            subprocess.Popen(
                [*self.inside(), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True
            )
        )

    def register(self, place: Place, instance: str, tags: Mapping[str, str], user_data: str | None) -> None:
        """What the metadata service is to say to the host at that address."""
        self.services.register(
            place.address,
            json.dumps({"id": instance, "tags": dict(tags), "user_data": user_data, "card": place.card}),
        )


def _load(inside: list[str], rules: str) -> None:
    done = subprocess.run(
        [*inside, "nft", "-f", "-"], input=rules, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise NoHosts(f"nft takes no filter: {done.stderr.strip()}\n{rules}")
