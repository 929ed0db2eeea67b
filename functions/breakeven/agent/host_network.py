"""The network of this host as its kernel shapes it, by nftables and traffic control: of clients or of peers.

Only packets of the one port are touched, and none of the loopback interface, as those of ``rabbitmqctl`` are.
Losses are nftables' own, so that both directions have them; a bandwidth is HTB's, of what arrives by way of
an intermediate device; a delay is netem's, of what leaves. A queue that is deleted loses what waits in it:
shaping ends with rates and delays that hold nothing back, and its queues go once they are empty.

Sources: nft(8), tc-htb(8), tc-netem(8), and the kernel's documentation of ``ifb``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress

from breakeven.agent.commands import answer_of
from breakeven.agent.impairment import Impairment
from breakeven.errors import BreakevenError

#: where clients reach a node, and where its peers do: the ports of ``targets.rabbitmq.rabbitmq_cluster``,
#: which the agent does not import, as nothing but the agent is on a node. A test holds them together
CLIENTS_PORT, PEERS_PORT = 5671, 25672
#: of the table of rules, of the device by which what arrives is slowed, and of the unit that ends all of it
TABLE, DEVICE, UNIT = "breakeven_fault", "breakeven0", "breakeven-network"
#: so long after its time an impairment ends, whatever became of the agent, seconds
GRACE_S = 10.0
#: for what waits for its turn to leave once nothing holds it back, seconds, beside what is late
DRAINED_S = 0.5
#: of a class that is only delayed: more than any instance has
UNLIMITED = "100gbit"
#: packets that wait at most where all are delayed: more than a second of 10 Gbit/s
WAITING = 1_000_000
#: packets that wait at most where what arrives is slowed; the device's own default, 32, would drop bursts
QUEUED = 1_000
#: chances are told in ten-thousandths
PARTS = 10_000


class HostNetwork:
    """Impaired at one node at a time, which is this host's."""

    def impair(self, node: str, impairment: Impairment, for_s: float) -> float:
        """Do it; returns since when, epoch seconds. It ends of itself a while after its time.

        :raises BreakevenError: a command fails, and some of it may be in effect
        """
        device = _device()
        self._end_later(device, for_s + GRACE_S, (impairment.delay_ms or 0.0) / 1000)
        if rules := _rules(impairment):
            answer_of(("nft", "-f", "-"), given=rules)
        for command in _shaping(impairment, device):
            answer_of(command.split())
        return time.time()

    def restore(self, node: str) -> float:
        """End whatever impairs it; returns when, and is back once what was late has left, too.

        :raises BreakevenError: some of it is still in effect
        """
        device = _device()
        late_s = _late_s(device)
        answer_of(("sh", "-c", _easing(device)))
        restored_s = time.time()
        time.sleep(late_s + DRAINED_S)
        answer_of(("sh", "-c", _removing(device)))
        if left := _left(device):
            raise BreakevenError(f"the network of {node} is still impaired: {left}")
        _forget_end()
        return restored_s

    @staticmethod
    def _end_later(device: str, in_s: float, late_s: float) -> None:
        """By systemd, which needs no agent for it."""
        _forget_end()
        options = ("--quiet", "--collect", f"--unit={UNIT}", "--timer-property=AccuracySec=100ms")
        when = f"--on-active={in_s:.1f}s"
        answer_of(("systemd-run", *options, when, "/bin/sh", "-c", _undoing(device, late_s)))


def _forget_end() -> None:
    for unit in (f"{UNIT}.timer", f"{UNIT}.service"):  # which may be waiting for what is late
        with suppress(BreakevenError):  # it is not there
            answer_of(("systemctl", "stop", unit))


def _device() -> str:
    """The interface that has the host's address: an instance of ours has one.

    :raises BreakevenError: it has none
    """
    found = json.loads(answer_of(("ip", "-json", "-4", "address", "show", "scope", "global", "up")) or "[]")
    names = [str(each["ifname"]) for each in found if each.get("ifname")]
    if not names:
        raise BreakevenError("no interface of this host has an address")
    return names[0]


def _port(impairment: Impairment) -> int:
    return CLIENTS_PORT if impairment.of_clients else PEERS_PORT


def _rules(impairment: Impairment) -> str | None:
    """What nftables is to drop; None: nothing."""
    if impairment.is_cut:
        verdict = "drop"
    elif impairment.loss_percent:
        chance = max(1, round(impairment.loss_percent / 100 * PARTS))
        verdict = f"numgen random mod {PARTS} < {chance} drop"
    else:
        return None
    port, lines = _port(impairment), [f"table inet {TABLE} {{"]
    for hook, interface in (("input", "iifname"), ("output", "oifname")):
        lines += [
            f"chain {hook} {{ type filter hook {hook} priority 0; policy accept;",
            f'{interface} "lo" accept',
            *(f"tcp {side} {port} {verdict}" for side in ("sport", "dport")),
            "}",
        ]
    return "\n".join([*lines, "}\n"])


def _shaping(impairment: Impairment, device: str) -> Iterator[str]:
    """Commands by which packets are late, or wait for their turn. What no filter finds passes as ever."""
    rate = f"{impairment.mbit_per_s}mbit" if impairment.mbit_per_s else UNLIMITED
    if not (impairment.delay_ms or impairment.mbit_per_s):
        return
    yield f"tc qdisc replace dev {device} root handle 1: htb"
    yield f"tc class add dev {device} parent 1: classid 1:1 htb rate {rate}"
    if impairment.delay_ms:
        how = f"delay {impairment.delay_ms:.3f}ms limit {WAITING}"
        yield f"tc qdisc add dev {device} parent 1:1 handle 10: netem {how}"
    for match in _matches(impairment):
        yield f"tc filter add dev {device} parent 1: {match} flowid 1:1"
    if impairment.mbit_per_s:
        yield f"ip link add {DEVICE} txqueuelen {QUEUED} type ifb"
        yield f"ip link set dev {DEVICE} up"
        yield f"tc qdisc add dev {DEVICE} root handle 1: htb default 1"
        yield f"tc class add dev {DEVICE} parent 1: classid 1:1 htb rate {rate}"
        yield f"tc qdisc add dev {device} handle ffff: ingress"
        for match in _matches(impairment):
            led = f"action mirred egress redirect dev {DEVICE}"
            yield f"tc filter add dev {device} parent ffff: {match} {led}"


def _matches(impairment: Impairment) -> Iterator[str]:
    """Of TCP segments from that port, and to it, without options of IP."""
    for side in ("sport", "dport"):
        yield f"protocol ip u32 match ip protocol 6 0xff match ip {side} {_port(impairment)} 0xffff"


def _undoing(device: str, late_s: float) -> str:
    """Both halves, and between them so long as packets may be late."""
    return f"{_easing(device)}; sleep {late_s + DRAINED_S:g}; {_removing(device)}"


def _easing(device: str) -> str:
    """Nothing is dropped, slow or late any more that comes from now on, and what waits leaves."""
    return _each(
        f"nft delete table inet {TABLE}",
        f"tc class change dev {device} parent 1: classid 1:1 htb rate {UNLIMITED}",
        f"tc class change dev {DEVICE} parent 1: classid 1:1 htb rate {UNLIMITED}",
        f"tc qdisc change dev {device} parent 1:1 handle 10: netem delay 0ms limit {WAITING}",
    )


def _removing(device: str) -> str:
    return _each(
        f"tc qdisc del dev {device} root handle 1: htb",
        f"tc qdisc del dev {device} ingress",
        f"ip link del {DEVICE}",
    )


def _each(*parts: str) -> str:
    """Each by itself, as what it is about may be missing."""
    return " ".join(f"{part} 2>/dev/null;" for part in parts) + " true"


def _late_s(device: str) -> float:
    """By how much what leaves is late now, at most; what cannot be said keeps nothing from being undone."""
    try:
        found = json.loads(answer_of(("tc", "-json", "qdisc", "show", "dev", device)) or "[]")
    except (BreakevenError, ValueError):
        return 0.0
    of_netem = (each for each in found if (each.get("kind"), each.get("handle")) == ("netem", "10:"))
    delays = (each.get("options", {}).get("delay", {}).get("delay", 0.0) for each in of_netem)
    return float(max(delays, default=0.0))


def _left(device: str) -> str:
    """What is still in effect, in words; empty: nothing."""
    tables = f"table inet {TABLE}" if TABLE in answer_of(("nft", "list", "tables")) else ""
    shapers = answer_of(("tc", "qdisc", "show", "dev", device)).splitlines()
    ours = (line for line in shapers if line.startswith(("qdisc htb 1:", "qdisc netem 10:", "qdisc ingress")))
    return ", ".join(filter(None, (tables, *ours)))
